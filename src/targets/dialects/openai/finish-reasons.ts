/** Why choices ended, from bytes that are passed on unparsed: for the record, on the proxy's hot path. */

const ended = /"finish_reason"\s*:\s*"/;
const reasons = /"finish_reason"\s*:\s*"(\w{1,32})"/g;

/** One for each choice that ends in the payload; text of an answer has its quotes escaped. */
export function finishReasonsInPayload(payload: string): readonly string[] {
  // Nearly every chunk has the field with null.
  if (!ended.test(payload)) return [];
  return [...payload.matchAll(reasons)].map((found) => found[1] ?? '');
}
