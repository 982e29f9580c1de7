/** The text room's contract: what the scheduler may use of this folder. */

export { compileRules, initialText, stepText } from './text-assembler.ts';
export type { CompiledRules, TextParts, TextRules, TextState } from './text-assembler.ts';
export { toLogprob } from './to-logprob.ts';
