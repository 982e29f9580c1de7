/**
 * The engine names parameters by their own names and knows no messages, only a prompt; the client may
 * have used a synonym. An error names the field that the client sent.
 */

import { ParlanceError, type ChatRequest } from '../../contract/index.ts';

/** The same error about the client's own field; anything else as it is. */
export function respell(
  error: unknown,
  request: ChatRequest,
  constraintField: string | null = null,
): unknown {
  if (!(error instanceof ParlanceError)) return error;
  const { param, message, reason } = error;
  if (reason === 'context_length_exceeded' && param === null) {
    return new ParlanceError(reason, message, { param: request.input.kind, cause: error });
  }
  if (reason === 'invalid_constraint' && param === null && constraintField !== null) {
    const { keyword } = error;
    const detail = { param: constraintField, cause: error };
    const words = `${constraintField}: ${message}`;
    return new ParlanceError(reason, words, keyword === null ? detail : { ...detail, keyword });
  }
  if (param === null) return error;
  const fields = request.given.filter((one) => one.parameter === param).map((one) => one.field);
  const field = fields.length > 1 ? fieldWith(message, fields, request) : fields[0];
  if (field === undefined || field === param) return error;
  const words = message.startsWith(param) ? field + message.slice(param.length) : message;
  return new ParlanceError(reason, words, { param: field, cause: error });
}

/** Of several fields that mean the same, the one that holds the number that the message complains of. */
function fieldWith(
  message: string,
  fields: readonly ChatRequest['given'][number]['field'][],
  request: ChatRequest,
) {
  const wrong = Number(/: (\d+)/.exec(message)?.[1]);
  return fields.find((field) => [request.wire[field]].flat().includes(wrong)) ?? fields[0];
}
