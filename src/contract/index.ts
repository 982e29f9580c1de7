/** The wire contract: schemas, the parameter table, errors, capability records and receipts. */

export { contentNames, emulated, honoured, refused } from './capability.ts';
export type { CapabilityRecord, ContentName, Decide, Support } from './capability.ts';
export { completionRequest, parseCompletionRequest } from './completions.ts';
export type { WireCompletionRequest } from './completions.ts';
export { asParlanceError, errorCatalogue, ParlanceError, toErrorBody } from './errors.ts';
export type { ErrorBody, ErrorDetail, ErrorType, Reason } from './errors.ts';
export { parseJson, stringifyJson } from './json.ts';
export { normalise } from './normalise.ts';
export type {
  ChatRequest,
  Parameters,
  PromptInput,
  Spelling,
  UnsupportedMode,
} from './normalise.ts';
export { parameterTable } from './parameters/table.ts';
export type { ParameterName } from './parameters/table.ts';
export type { Group, Need, ParameterRow, ParameterTable, Role } from './parameters/row.ts';
export { parseChatRequest, parseUnsupportedMode } from './parse-chat.ts';
export { admit, annotate, decide, receiptHeader } from './receipt.ts';
export type { Admitted, ContentPath, Fate, Receipt, ReceiptLine, ReceiptNote } from './receipt.ts';
export type { ContentPart, Message } from './request/messages.ts';
export { chatCompletionRequest } from './request/schema.ts';
export type { FieldName, WireRequest } from './request/schema.ts';
export {
  chatCompletionChunkSchema,
  chatCompletionSchema,
  completionChunkSchema,
  completionSchema,
  errorSchema,
  modelListSchema,
  modelSchema,
  planSchema,
  promptCompletionChunkSchema,
  promptCompletionSchema,
  receiptSchema,
  usageSchema,
} from './response.ts';
export { sourceItemsAt, sourceTextAt } from './source-text.ts';
export { describe, type Schema } from './validation/describe.ts';
export { suggest, didYouMean } from './validation/suggest.ts';
export { createValidator } from './validation/validate.ts';
export type { Validated, Validator } from './validation/validate.ts';
