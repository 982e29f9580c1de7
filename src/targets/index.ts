/** Everything that can answer a request, behind one interface. */

export { capabilityRecords } from './capability-records.ts';
export { finishReasonsInPayload, usageInPayload } from './dialects/openai/index.ts';
export { createEmbeddedTarget, type EmbeddedTarget } from './embedded/embedded-target.ts';
export { Handovers } from './embedded/handovers.ts';
export {
  createModelRenderer,
  type ModelRenderer,
  type TemplateWish,
} from './embedded/model-renderer.ts';
export { createExternalTarget } from './external/external-target.ts';
export type { ExternalOptions, ExternalTarget } from './external/external-target.ts';
export { createTargetServices, localOnly, type TargetServices } from './services.ts';
export type {
  Answer,
  AnswerEvent,
  AnswerEvents,
  DraftCount,
  EventAnswer,
  FinishReason,
  HandedContext,
  Identity,
  Logprob,
  Plan,
  Target,
  TargetKind,
  TargetRun,
  TokenLogprob,
  Usage,
  WireAnswer,
} from './target.ts';
