/** The OpenAI dialect: requests and answers as edits of the bytes they came in. */

export { completionEvents } from './completion-events.ts';
export { finishReasonsInPayload } from './finish-reasons.ts';
export { parseUsage, usageInPayload } from './usage.ts';
export { editJson, jsonEntries, jsonValue } from './json-entries.ts';
export { messageOf, toUpstreamError } from './upstream-error.ts';
export { toOwnAnswer } from './wire-answer.ts';
export { isStandardField, toWireRequest } from './wire-request.ts';
export { startWireStream, stepWireStream } from './wire-stream.ts';
export type { WireStreamOptions, WireStreamState, WireStreamStep } from './wire-stream.ts';
