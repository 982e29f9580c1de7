/** Constraints on generated text: compile, step, mask, verify. */

export { defaultLimits, TimedBudget, type BudgetLimits } from './budget.ts';
export type { Budget, CharacterClass, CompileContext, Loop, Machine } from './machine.ts';
export { specialBegin, specialEnd } from './machine.ts';
export type { ConstraintSpec, JsonSpec, TagSpec } from './spec.ts';
