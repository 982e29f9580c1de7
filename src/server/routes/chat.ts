/** POST /v1/chat/completions: messages, or a raw prompt, to one target. */

import { parseChatRequest } from '../../contract/index.ts';
import type { Exchange } from '../exchange.ts';
import { admitTo, createHead, readRequest, sendPlan } from './admission.ts';
import { answer } from './answering.ts';

export async function postChat(exchange: Exchange): Promise<void> {
  const { text, unsupported } = await readRequest(exchange);
  const asked = parseChatRequest(text, unsupported);
  exchange.record.model = asked.model;
  const target = exchange.services.routing.resolve(asked.model);
  const { request, receipt } = admitTo(exchange, asked, target);
  const shape = request.input.kind === 'prompt' ? 'prompt' : 'chat';
  const head = createHead(exchange, shape, { request, target });
  if (request.dryRun) return sendPlan(exchange, { target, request, receipt, head });
  return answer(exchange, {
    target,
    request,
    receipt,
    shape,
    head,
    choices: request.parameters.n ?? 1,
    start: (signal) => target.run({ request, identity: head, signal }),
  });
}
