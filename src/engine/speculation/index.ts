/** The speculation room's contract: what the scheduler may use of this folder. */

export {
  acceptanceOf,
  chooseDrafts,
  mostDraftTokens,
  startAcceptance,
  stepAcceptance,
} from './draft-policy.ts';
export type { Acceptance, DraftChance, DraftPass } from './draft-policy.ts';
export { createNgramDrafter } from './ngram-drafter.ts';
export type { NgramDrafter } from './ngram-drafter.ts';
