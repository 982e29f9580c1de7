/**
 * The ways in which models mark their thinking, and whether a prompt leaves such a block open. Data and
 * pure functions; the parser reads by it. Texts are patterns.
 */

import { compilePattern, matchPattern } from './pattern.ts';

export interface ReasoningFormat {
  /** What opens a block; the first is the one that is written. */
  readonly open: readonly string[];
  /** What closes it, whichever opened it; the first is the one that is written. */
  readonly close: readonly string[];
  /** Blocks may open behind text too. */
  readonly anywhere: boolean;
  /** Patterns dropped wherever they occur outside thinking. */
  readonly noise: readonly string[];
  /** What stands before an answer that follows a block, and what may also stand there. */
  readonly answerLead: string;
  /** What follows a block before the next thing is written. */
  readonly afterClose: string;
}

const block = (
  open: string,
  close: string,
  more: Partial<ReasoningFormat> = {},
): ReasoningFormat => ({
  open: [open],
  close: [close],
  anywhere: false,
  noise: [],
  answerLead: '',
  afterClose: '',
  ...more,
});

export const reasonings = {
  think: block('<think>', '</think>'),
  mistral: block('[THINK]', '[/THINK]'),
  seed: block('<seed:think>', '</seed:think>'),
  minimax: block('<mm:think>', '</mm:think>'),
  hunyuan: block('<think:opensource>', '</think:opensource>'),
  thinking: block('<thinking>', '</thinking>'),
  /** Granite 3.2, which marks in words. */
  granite: block('Here is my thought process:', 'Here is my response:'),
  /** Granite 3.3: the answer is marked too. */
  'think-response': block('<think>', '</think>', { noise: ['<response>', '</response>'] }),
  apriel: block('Here are my reasoning steps:', '[BEGIN FINAL RESPONSE]', {
    open: ['Here are my reasoning steps:', '<thinking>'],
    close: ['[BEGIN FINAL RESPONSE]', '</thinking>'],
    noise: ['[END FINAL RESPONSE]', '[BEGIN FINAL RESPONSE]'],
  }),
  command: block('<|START_THINKING|>', '<|END_THINKING|>', {
    anywhere: true,
    noise: ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'],
    answerLead: '<|START_RESPONSE|>',
  }),
  'gemma-4': block('<|channel>thought\n', '<channel|>', { anywhere: true }),
  apertus: block('<|inner_prefix|>', '<|inner_suffix|>', { anywhere: true }),
  harmony: block('<|channel|>analysis<|message|>', '<|end|>', {
    open: ['<|channel|>analysis<|message|>', '<|start|>assistant<|channel|>analysis<|message|>'],
    close: ['<|end|>', '<|return|>', '<|call|>'],
    anywhere: true,
    noise: [
      '«?<|start|>assistant»<|channel|>final «?<|constrain|>»«?json»<|message|>',
      '<|start|>assistant',
      '<|end|>',
      '<|return|>',
    ],
    afterClose: '<|start|>assistant',
    answerLead: '<|channel|>final<|message|>',
  }),
  solar: block('<|think|>', '<|end|>', {
    anywhere: true,
    noise: ['<|begin|>assistant', '<|content|>', '<|end|>'],
    afterClose: '<|begin|>assistant',
    answerLead: '<|content|>',
  }),
  muse: block(' to=self<|message|>', '<|eom|>', {
    open: [' to=self<|message|>', '<|start|>assistant to=self<|message|>'],
    close: ['<|eom|>', '<|eot|>'],
    anywhere: true,
    noise: ['<|start|>assistant to=user<|message|>', '<|start|>assistant', '<|eom|>', '<|eot|>'],
    afterClose: '<|start|>assistant',
    answerLead: ' to=user<|message|>',
  }),
  'kimi-k3': block('<|open|>think<|sep|>', '<|close|>think<|sep|>', {
    anywhere: true,
    noise: [
      '<|open|>response<|sep|>',
      '<|close|>response<|sep|>',
      '<|close|>message<|sep|>',
      '<|end_of_msg|>',
    ],
    answerLead: '<|open|>response<|sep|>',
  }),
} as const satisfies Readonly<Record<string, ReasoningFormat>>;

export type ReasoningName = keyof typeof reasonings;

/** What no thinking has in it, but a prompt between a block and its end: the marks of another turn. */
const turnMark =
  /<\|im_|<\|eo[tm]|<\|end|<\|start|<\|turn|<turn\|>|<(?:start|end)_of_turn>|\[\/?INST\]|<\/s>|\]~b\]|\[e~\[|<[|｜](?:User|Assistant)|<\|(?:user|assistant)|<｜(?:User|Assistant|hy_)|<SPECIAL_|<role>|<\/?(?:user|assistant)>/;

/** Does the rendered prompt leave a thinking block open at its end? */
export function opensThinking(prompt: string, reasoning: ReasoningName | null): boolean {
  if (reasoning === null) return false;
  const format: ReasoningFormat = reasonings[reasoning];
  const opened = lastMatch(prompt, format.open);
  if (opened === null) return false;
  const rest = prompt.slice(opened);
  if (rest.trim() === '') return true;
  return lastMatch(rest, format.close) === null && !turnMark.test(rest);
}

/** Does it end with a block that it has closed, so that the model is to think no more? */
export function closesThinking(prompt: string, reasoning: ReasoningName | null): boolean {
  if (reasoning === null) return false;
  const end = prompt.trimEnd();
  return lastMatch(end, reasonings[reasoning].close) === end.length;
}

/** Where the last match of one of the patterns ends; null = there is none. */
function lastMatch(text: string, patterns: readonly string[]): number | null {
  let last: number | null = null;
  for (const source of patterns) {
    const pattern = compilePattern(source);
    const lead = source.trim().slice(0, 4);
    for (let at = text.lastIndexOf(lead); at >= 0; at = text.lastIndexOf(lead, at - 1)) {
      const match = matchPattern(pattern, text, at, true);
      if (match.found === 'yes') {
        last = Math.max(last ?? 0, match.end);
        break;
      }
      if (at === 0) break;
    }
  }
  return last;
}
