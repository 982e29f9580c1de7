/** The text room's contract: what the scheduler may use of this folder. */

export { compileRules, startText } from './text-assembler.ts';
export type { CompiledRules, TextAssembler, TextParts, TextRules } from './text-assembler.ts';
export { toLogprob } from './to-logprob.ts';
