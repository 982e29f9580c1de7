/** Small valid chat bodies, and the error that a body gets. For tests of the contract. */

import {
  ParlanceError,
  parseChatRequest,
  type ChatRequest,
  type UnsupportedMode,
} from '../../src/contract/index.ts';

/** A body that is valid with nothing added. */
export function chatBody(extra: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...extra };
}

export function chatRequest(
  extra: Readonly<Record<string, unknown>> = {},
  unsupported: UnsupportedMode = 'error',
): ChatRequest {
  return parseChatRequest(JSON.stringify(chatBody(extra)), unsupported);
}

/** The catalogued error that a function throws; anything else fails the test. */
export function refusalOf(act: () => unknown): ParlanceError {
  try {
    act();
  } catch (error) {
    if (error instanceof ParlanceError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The error of a valid body with these fields added. */
export const refusalWith = (
  extra: Readonly<Record<string, unknown>>,
  unsupported: UnsupportedMode = 'error',
): ParlanceError => refusalOf(() => chatRequest(extra, unsupported));
