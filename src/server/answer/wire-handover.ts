/** A held context on the wire: the field that its client sends back to go on from it. */

import type { HandedContext } from '../../targets/index.ts';

/** `disaggregated_params` of a choice. */
export function toWireHandover(handed: HandedContext): Record<string, unknown> {
  return {
    request_type: 'context_only',
    first_gen_tokens: handed.firstGenTokens,
    ctx_request_id: handed.ctxRequestId,
    opaque_state: handed.opaqueState,
  };
}
