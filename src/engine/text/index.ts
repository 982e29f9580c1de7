/** The text room's contract: what the scheduler may use of this folder. */

export { createTextAssembler } from './text-assembler.ts';
export type { TextAssembler, TextParts, TextRules } from './text-assembler.ts';
export { toLogprob } from './to-logprob.ts';
