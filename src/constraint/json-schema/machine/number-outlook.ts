/**
 * What a number that has begun can still become where only integers are right: few enough to try, so that
 * rules which each leave a way open, but not the same one, are seen to contradict each other. Pure.
 */

import type { Verdict, Verdicts } from './truth.ts';
import { no, open } from './truth.ts';

/** Texts that are tried at most; beyond, all are taken to be possible. */
const mostTried = 60;

export interface Outlook {
  /** The truths if the number ended with the text. */
  ending(text: string): Verdict;
  /** What is known of the truths if it begins with the digits. */
  standing(text: string): Verdict;
  readonly verdicts: Verdicts;
}

/**
 * The truths that are known, with those refuted that no integer which begins like `text` satisfies.
 * `fractional`: what the truths are of numbers that are no integers. `exponents`: finished texts that
 * begin so and have an exponent.
 */
export function foresee(
  outlook: Outlook,
  begun: { text: string; verdict: Verdict; fractional: Verdict },
  exponents: (text: string) => readonly string[],
): Verdict {
  const { verdict, fractional } = begun;
  const whole = begun.text.replace(/\..*$/, '');
  const doubtful = new Set<number>();
  verdict.truths.forEach((truth, i) => {
    if (truth === open && fractional.truths[i] === no) doubtful.add(i);
  });
  if (doubtful.size === 0 || !/[0-9]$/.test(whole)) return verdict;
  const pointed = whole !== begun.text;
  const texts = pointed ? [] : [whole];
  let tried = 0;
  const clear = (found: Verdict): void => {
    tried++;
    for (const i of doubtful) if (found.truths[i] !== no) doubtful.delete(i);
  };
  const leads = (found: Verdict): boolean => [...doubtful].some((i) => found.truths[i] !== no);
  const finish = (text: string): void => {
    for (const one of exponents(text)) if (doubtful.size > 0) clear(outlook.ending(one));
  };
  if (pointed) {
    clear(outlook.ending(`${whole}.0`));
    finish(begun.text.endsWith('.') ? `${begun.text}0` : begun.text);
  }
  for (const text of texts) {
    clear(outlook.ending(text));
    if (doubtful.size > 0) finish(text);
    if (doubtful.size === 0 || tried > mostTried * 40) return verdict;
    for (let digit = 0; digit < 10; digit++) {
      const longer = `${text}${digit}`;
      if (!/^-?0./.test(longer) && leads(outlook.standing(longer))) texts.push(longer);
    }
    if (texts.length > mostTried) return verdict;
  }
  if (doubtful.size === 0) return verdict;
  return outlook.verdicts.of(verdict.truths.map((truth, i) => (doubtful.has(i) ? no : truth)));
}
