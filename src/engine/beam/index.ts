/** The beam room's contract: what the scheduler may use of this folder. */

export { bestHypotheses, startBeams, stepBeams } from './beam-search.ts';
export type {
  Beam,
  BeamRules,
  BeamSearch,
  BeamStep,
  Candidate,
  Extend,
  Hypothesis,
} from './beam-search.ts';
export { topCandidates } from './top-candidates.ts';
