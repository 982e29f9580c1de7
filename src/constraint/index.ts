/** Constraints on generated text: compile, step, mask, verify. */

export { anyObjectSchema } from './any-object.ts';
export { defaultLimits, TimedBudget, type BudgetLimits } from './budget.ts';
export { compileConstraint } from './compile.ts';
export type { Budget, CharacterClass, CompileContext, Loop, Machine } from './machine.ts';
export { specialBegin } from './machine.ts';
export { findForcedTokens, type ForcedTokens, type Tokenize } from './mask/forced-tokens.ts';
export { createClassIndexes, type ClassIndexes } from './mask/class-indexes.ts';
export { createMasker, type Masker, type MaskerOptions } from './mask/masker.ts';
export {
  createTokenTrie,
  packPieces,
  pieceOf,
  specialPiece,
  type TokenPieces,
  type TokenTrie,
} from './mask/token-trie.ts';
export { readConstraint, type AskedConstraint } from './read-constraint.ts';
export type { ConstraintSpec, JsonSpec, TagSpec } from './spec.ts';
export type { Verdict } from './verify/verdict.ts';
export { createVerifier, type Verifier, type VerifierOptions } from './verify/verifier.ts';
