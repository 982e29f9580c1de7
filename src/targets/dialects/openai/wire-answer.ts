/** An upstream's JSON answer with our `id` and `model` spliced in; every other byte is its own. */

import { ParlanceError } from '../../../contract/index.ts';
import type { Identity } from '../../target.ts';
import { identityEdits } from './identity-edits.ts';
import { editJson, jsonEntries, jsonValue } from './json-entries.ts';

/** @throws ParlanceError `upstream_failed` when the body is not an answer of this dialect. */
export function toOwnAnswer(body: string, identity: Identity): string {
  const entries = jsonEntries(body);
  if (!isJson(body) || jsonValue(body, entries, 'choices') === null) {
    throw new ParlanceError(
      'upstream_failed',
      'The upstream’s answer is not a chat completion: it has no `choices`.',
    );
  }
  return editJson(body, identityEdits(identity));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
