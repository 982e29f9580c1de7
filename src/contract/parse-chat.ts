/** From the text of a body to a request in normal form: the contract's one entrance. */

import { ParlanceError } from './errors.ts';
import { parseJson } from './json.ts';
import { normalise, type ChatRequest, type UnsupportedMode } from './normalise.ts';
import { chatCompletionRequest } from './request/schema.ts';
import { createValidator } from './validation/validate.ts';

const validate = createValidator(chatCompletionRequest);

/**
 * @param source the body's text
 * @param unsupported what happens to what is unknown or cannot be honoured
 * @throws ParlanceError with the first problem, its JSON path, and how many others there are
 */
export function parseChatRequest(
  source: string,
  unsupported: UnsupportedMode = 'error',
): ChatRequest {
  const { value, dropped } = validate(parseJson(source), unsupported !== 'error');
  return normalise(value, { unsupported, dropped, source });
}

/** The value of `x-parlance-unsupported`. */
export function parseUnsupportedMode(header: string | undefined): UnsupportedMode {
  if (header === undefined || header === 'error') return 'error';
  if (header === 'warn' || header === 'drop') return header;
  throw new ParlanceError(
    'invalid_header',
    'x-parlance-unsupported: expected one of "error", "warn", "drop".',
    { param: 'x-parlance-unsupported' },
  );
}
