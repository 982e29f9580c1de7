/** Constraints of requests, in worker threads: what the scheduler and `main.ts` may use of this folder. */

export type {
  Constraints,
  ConstraintSession,
  ConstraintView,
  PreparedConstraint,
} from './constraint-session.ts';
export { createConstraints } from './create-constraints.ts';
