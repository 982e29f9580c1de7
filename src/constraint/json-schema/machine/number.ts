/**
 * Numbers while they are read. As long as nothing but their form is asked, states are few; where bounds
 * are open, a state has the digits that came.
 */

import type { Leaf } from './leaf.ts';
import { foresee } from './number-outlook.ts';
import type { Outlook } from './number-outlook.ts';
import { NumberRange, usualDigits } from './number-range.ts';
import type { Prefix } from './number-range.ts';
import type { Plan } from './plan.ts';
import { isContested, judge, needs, settle } from './evaluate-plan.ts';
import type { Verdict, Verdicts } from './truth.ts';
import { no, open, yes } from './truth.ts';

type Phase =
  | 'start'
  | 'sign'
  | 'zero'
  | 'whole'
  | 'point'
  | 'fraction'
  | 'e'
  | 'exponent-sign'
  | 'exponent';

/** Phases in which the number may end. */
const endings: ReadonlySet<Phase> = new Set(['zero', 'whole', 'fraction', 'exponent']);

const mostExponentDigits = 3;

export interface NumberTools {
  readonly verdicts: Verdicts;
  spend(work: number, kept: number, keyword: string): void;
  readonly keyword: string;
}

/** One for each set of roots. */
export class NumberPlan {
  readonly plan: Plan;
  readonly ranges: readonly (NumberRange | null)[];
  readonly tools: NumberTools;
  /** Digits before the point and behind it that a number may have. */
  readonly #most: { readonly whole: number; readonly places: number };
  readonly #leaves = new Map<string, NumberLeaf>();

  constructor(plan: Plan, ranges: readonly (NumberRange | null)[], tools: NumberTools) {
    this.plan = plan;
    this.ranges = ranges;
    this.tools = tools;
    const digits = ranges.map((range) => range?.digits ?? usualDigits);
    const exact = ranges.flatMap((range, i) =>
      range === null || plan.must[i] !== true ? [] : [range.mostPlaces],
    );
    this.#most = {
      whole: Math.max(usualDigits.whole, ...digits.map((one) => one.whole)),
      places: Math.min(Math.max(usualDigits.places, ...digits.map((one) => one.places)), ...exact),
    };
  }

  begin(byte: number): NumberLeaf | null {
    const own = Uint8Array.from(this.ranges, (range) => (range === null ? yes : open));
    const held = this.ranges.map((range) => range?.plain ?? true);
    return this.next({ phase: 'start', text: '', own, held, denied: false }, byte);
  }

  /** The number after one more character; null where it is none. */
  next(from: Form, byte: number): NumberLeaf | null {
    const phase = follow(from.phase, byte);
    if (phase === null) return null;
    if (phase === 'e' && from.denied) return null;
    const text = from.text + String.fromCharCode(byte);
    const places = phase === 'fraction' ? placesIn(text) : 0;
    if (places > this.#most.places || (byte === 0x30 && this.#runsOn(from))) return null;
    if (phase === 'whole' && text.replace('-', '').length > this.#most.whole) return null;
    const last = places === this.#most.places;
    if (phase === 'exponent' && exponentDigits(text) > mostExponentDigits) return null;
    const prefix = prefixOf(text);
    const held = from.held.map(
      (one, i) => one || (prefix !== null && this.ranges[i]!.keeps(prefix)),
    );
    const own = Uint8Array.from(from.own, (truth, i) =>
      truth === open ? truthOf(this.ranges[i]!, { phase, text, held: held[i]!, last }) : truth,
    );
    const denied = from.denied || own.some((truth, i) => truth === no && from.own[i] === open);
    const form = { phase, text, own, held, denied };
    const exponent = phase === 'e' || phase === 'exponent-sign' || phase === 'exponent';
    return exponent && (denied || !this.#ends(form)) ? null : this.#leaf(form);
  }

  /** Whether only zeros can follow behind the point, and have begun to. */
  #runsOn({ phase, text, own }: Form): boolean {
    if (phase !== 'fraction' || /\.0*[1-9]/.test(text)) return false;
    const { truths } = this.#fractional(own);
    return this.plan.roots.some((root, i) => this.plan.must[root] === true && truths[i] === no);
  }

  /** The truths of numbers that are no integers. */
  #fractional(own: Uint8Array): Verdict {
    const without = Uint8Array.from(own, (truth, i) =>
      truth === open && this.ranges[i]?.integer === true ? no : truth,
    );
    return judge(this.plan, without, this.tools.verdicts);
  }

  /** The truths, with those refuted that no integer of this beginning satisfies. */
  #foreseen(form: Form, verdict: Verdict): Verdict {
    if (!isContested(form.own, needs(this.plan, form.own))) return verdict;
    const outlook: Outlook = {
      ending: (text) => this.decide({ ...form, text }),
      standing: (text) => {
        const own = Uint8Array.from(form.own, (truth, i) => {
          const reading = { phase: 'whole' as const, text, held: form.held[i]!, last: false };
          return truth === open ? truthOf(this.ranges[i]!, reading) : truth;
        });
        return judge(this.plan, own, this.tools.verdicts);
      },
      verdicts: this.tools.verdicts,
    };
    const begun = { text: form.text, verdict, fractional: this.#fractional(form.own) };
    return foresee(outlook, begun, (text) =>
      form.denied ? [] : exponents('e', `${text}e`).filter((one) => !one.includes('-', 1)),
    );
  }

  /** Whether some exponent of the form, near zero, makes a right number. */
  #ends(form: Form): boolean {
    if (!form.own.includes(open)) return true;
    return exponents(form.phase, form.text).some((text) => {
      const { truths } = this.decide({ ...form, text });
      return this.plan.roots.every((root, i) => this.plan.must[root] !== true || truths[i] !== no);
    });
  }

  /** The truths if the number ended here. */
  decide({ own, text, held }: Form): Verdict {
    const decided = Uint8Array.from(own, (truth, i) => {
      if (truth !== open) return truth;
      return held[i]! || this.ranges[i]!.allows(text) ? yes : no;
    });
    return judge(this.plan, decided, this.tools.verdicts);
  }

  #leaf({ phase, text, own, held, denied }: Form): NumberLeaf {
    const settled = settle(this.plan, own, this.tools.verdicts);
    const exact = held.some((one, i) => !one && own[i] === open);
    const kept = exact ? text : formOf(phase, text);
    const key = `${phase} ${kept} ${own.join('')} ${held.map(Number).join('')} ${denied}`;
    const known = this.#leaves.get(key);
    if (known !== undefined) return known;
    this.tools.spend(2, 3 + text.length / 50, this.tools.keyword);
    const form = { phase, text: kept, own, held, denied };
    const plain = exact && !/[eE]/.test(kept);
    const verdict = plain ? this.#foreseen(form, settled) : settled;
    const made = new NumberLeaf(this, form, verdict);
    this.#leaves.set(key, made);
    return made;
  }
}

interface Form {
  readonly phase: Phase;
  /** What came; where its value does not matter, some text of the same form. */
  readonly text: string;
  readonly own: Uint8Array;
  /** For each node, whether no more than the form of integers is open. */
  readonly held: readonly boolean[];
  /**
   * Some node was found false on the ground that no exponent follows (or none below zero, for integers):
   * none may.
   */
  readonly denied: boolean;
}

function formOf(phase: Phase, text: string): string {
  switch (phase) {
    case 'zero':
      return '0';
    case 'whole':
      return '1'.padEnd(text.replace('-', '').length, '1');
    case 'point':
      return '1.';
    case 'fraction':
      return '1.'.padEnd(2 + placesIn(text), '0');
    case 'e':
      return '1e';
    case 'exponent-sign':
      return '1e+';
    case 'exponent':
      return '1e'.padEnd(2 + exponentDigits(text), '1');
    default:
      return text;
  }
}

/** `last`: no more digits can follow. */
function truthOf(
  range: NumberRange,
  { phase, text, held, last }: Pick<Form, 'phase' | 'text'> & { held: boolean; last: boolean },
): number {
  if (range.integer && !integral(text, range.strict)) return no;
  if (held) return range.integer ? open : yes;
  const prefix = prefixOf(text);
  if (prefix !== null) return (last ? range.allows(text) : range.viable(prefix)) ? open : no;
  return exponents(phase, text).some((one) => range.allows(one)) ? open : no;
}

export class NumberLeaf implements Leaf {
  readonly verdict: Verdict;
  readonly final: Verdict | null;
  readonly trailing = true;
  readonly risky: boolean;
  readonly #plan: NumberPlan;
  readonly #form: Form;
  readonly #next = new Map<number, NumberLeaf | null>();

  constructor(plan: NumberPlan, form: Form, verdict: Verdict) {
    this.#plan = plan;
    this.#form = form;
    this.verdict = verdict;
    this.final = endings.has(form.phase) ? plan.decide(form) : null;
    this.risky = isContested(form.own, needs(plan.plan, form.own));
  }

  step(byte: number): NumberLeaf | null {
    const known = this.#next.get(byte);
    if (known !== undefined) return known;
    const made = this.#plan.next(this.#form, byte);
    this.#next.set(byte, made);
    return made;
  }

  loop(): null {
    return null;
  }
}

/** Whether it can still be an integer: no fraction but zeros, no negative exponent. */
function integral(text: string, strict: boolean): boolean {
  if (strict) return !/[.eE]/.test(text);
  return !/\.0*[1-9]|[eE]-/.test(text);
}

/** What came before an exponent; null behind its `e`. */
function prefixOf(text: string): Prefix | null {
  if (/[eE]/.test(text)) return null;
  const negative = text.startsWith('-');
  const [whole = '', fraction = null] = text.slice(negative ? 1 : 0).split('.');
  return { negative, whole, fraction };
}

const exponentDigits = (text: string): number => /[eE][+-]?([0-9]*)$/.exec(text)?.[1]?.length ?? 0;

/** Finished numbers that begin like this, nearest first. */
function exponents(phase: Phase, text: string): string[] {
  const out = phase === 'exponent' ? [text] : [];
  if (exponentDigits(text) === mostExponentDigits) return out;
  for (const sign of phase === 'e' ? ['', '-'] : ['']) {
    for (let one = 0; one < 40; one++) out.push(text + sign + one);
  }
  return out.filter((one) => exponentDigits(one) <= mostExponentDigits);
}

const placesIn = (text: string): number => text.length - text.indexOf('.') - 1;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

const isE = (byte: number): boolean => byte === 0x65 || byte === 0x45;

function follow(phase: Phase, byte: number): Phase | null {
  const digit = isDigit(byte);
  switch (phase) {
    case 'start':
    case 'sign':
      if (phase === 'start' && byte === 0x2d) return 'sign';
      return byte === 0x30 ? 'zero' : digit ? 'whole' : null;
    case 'zero':
    case 'whole':
      if (phase === 'whole' && digit) return 'whole';
      return byte === 0x2e ? 'point' : isE(byte) ? 'e' : null;
    case 'point':
      return digit ? 'fraction' : null;
    case 'fraction':
      return digit ? 'fraction' : isE(byte) ? 'e' : null;
    case 'e':
      if (byte === 0x2b || byte === 0x2d) return 'exponent-sign';
      return digit ? 'exponent' : null;
    default:
      return digit ? 'exponent' : null;
  }
}
