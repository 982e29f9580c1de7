/**
 * One request from its first line to its last byte: route, principal, right, handler, and then the
 * log line and the metrics. Every failure of any of them is written here, in one shape.
 */

import { asParlanceError, ParlanceError, type Reason } from '../contract/index.ts';
import type { Usage } from '../targets/index.ts';
import type { Exchange } from './exchange.ts';
import { writeError } from './http/error-writer.ts';
import { lookUp, pathOf } from './router.ts';
import { publicPaths, routeTable, type Route } from './routes/route-table.ts';
import { toInference } from './to-inference.ts';

export interface DispatchOptions {
  /** Nothing new is begun. */
  readonly draining: boolean;
}

/** Settles when the answer is written or the client is gone, and nothing of the request is left. */
export async function dispatch(exchange: Exchange, options: DispatchOptions): Promise<void> {
  const { response } = exchange;
  const closed = new Promise<void>((resolve) => void response.once('close', () => resolve()));
  response.setHeader('x-request-id', exchange.id);
  let failure: ParlanceError | null = null;
  try {
    await route(exchange, options);
  } catch (error) {
    const thrown: unknown = exchange.signal.aborted ? exchange.signal.reason : error;
    failure = asParlanceError(thrown);
    logFailure(exchange, failure);
    if (!exchange.hasLeft) writeError(exchange, failure, exchange.timers);
  }
  await closed;
  settle(exchange, failure);
}

async function route(exchange: Exchange, options: DispatchOptions): Promise<void> {
  const { request, response } = exchange;
  checkHost(exchange);
  const path = pathOf(request.url ?? '/');
  const { found, allowed } = lookUp(routeTable, request.method ?? '', path);
  if (found === null) {
    response.setHeader('allow', allowed.join(', '));
    throw new ParlanceError(
      'method_not_allowed',
      `${request.method} is not allowed here; ${path.slice(0, 128)} takes ${allowed.join(', ')}.`,
    );
  }
  exchange.record.route = found.route.path;
  exchange.parameters = found.parameters;
  if (options.draining && !publicPaths.includes(found.route.path)) {
    throw new ParlanceError('shutting_down', 'The server is shutting down; try again soon.', {
      retryAfter: 5,
    });
  }
  await checkRight(exchange, found.route);
  await found.route.handler(exchange);
}

/** HTTP/1.1 demands a Host; node's own answer to its absence would have no body. */
function checkHost({ request }: Exchange): void {
  if (request.httpVersion === '1.0' || request.headers.host !== undefined) return;
  throw new ParlanceError('malformed_request', 'An HTTP/1.1 request needs a Host header.');
}

async function checkRight(exchange: Exchange, { right, path }: Route): Promise<void> {
  const { request, services, record } = exchange;
  if (right === null && publicPaths.includes(path)) return;
  const { id, name, rights } = await services.access.authenticate(request.headers.authorization);
  record.keyId = id;
  const wanted = right ?? 'admin';
  if (rights.has(wanted) || rights.has('admin')) return;
  throw new ParlanceError(
    'forbidden',
    `The API key "${name}" may not do that: ${path} asks for the right \`${wanted}\` (the key has: ${[...rights].join(', ') || 'none'}). ` +
      `Use a key with it, or make one: parlance keys create NAME --rights ${wanted}`,
  );
}

/** Failures in an upstream's own words, which may quote the prompt: they are for the client alone. */
const quotesUpstream: ReadonlySet<Reason> = new Set<Reason>([
  'upstream_refused',
  'upstream_timeout',
]);

function logFailure(exchange: Exchange, failure: ParlanceError): void {
  const { log } = exchange.services;
  if (failure.reason === 'cancelled' || failure.status < 500) return;
  const { reason } = failure;
  const facts = { id: exchange.id, reason };
  if (reason === 'internal') log.error({ ...facts, error: failure }, 'a request failed');
  // What is wrong with an answer names what stands in it, which is for the client alone.
  else if (reason === 'constraint_not_met') log.warn(facts, 'an answer missed its constraint');
  // Nothing is wrong: a client that waits for a model asks again and again.
  else if (reason === 'model_loading') log.info(facts, failure.message);
  else if (quotesUpstream.has(reason)) {
    const { target } = exchange.record;
    log.warn({ ...facts, status: failure.status, target }, 'an upstream refused a request');
  } else log.warn(facts, failure.message);
}

function usageFacts({ promptTokens, completionTokens: tokens, cachedTokens, drafts }: Usage) {
  return { promptTokens, cachedTokens, tokens, ...(drafts === undefined ? {} : { drafts }) };
}

function settle(exchange: Exchange, failure: ParlanceError | null): void {
  const { request, response, record, services } = exchange;
  const { seconds } = exchange;
  // A client that leaves after it was refused has had its answer.
  const cancelled = failure === null ? exchange.hasLeft : failure.reason === 'cancelled';
  const sent = failure?.status ?? response.statusCode;
  const status = cancelled ? 499 : sent;
  services.metrics.requestEnded({
    route: record.route,
    status: cancelled ? 'cancelled' : sent,
    seconds,
  });
  services.log.info(
    {
      id: exchange.id,
      method: request.method,
      path: pathOf(request.url ?? '/').slice(0, 256),
      status,
      ms: Math.round(seconds * 1000),
      ...(record.model === null ? {} : { model: record.model.slice(0, 128) }),
      ...(record.usage === null ? {} : usageFacts(record.usage)),
      ...(failure === null ? {} : { reason: failure.reason }),
    },
    'request',
  );
  const inference = toInference(exchange, { failure, cancelled, status, seconds });
  if (inference !== null) services.inferences.add(inference);
}
