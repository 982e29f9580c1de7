/**
 * The HTTP server: sockets, parser errors, listening and draining. What a request means is decided
 * in `dispatch`. Made once by whoever starts the program, with the rooms behind it as services.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { ParlanceError } from '../contract/index.ts';
import { dispatch } from './dispatch.ts';
import { Exchange } from './exchange.ts';
import { parserError, writeError, writeRawError } from './http/error-writer.ts';
import { requestIdOf } from './http/request-id.ts';
import { systemTimers, type Timers } from './http/timers.ts';
import { RunningExchanges } from './running-exchanges.ts';
import type { Services } from './services.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface App {
  readonly server: Server;
  /** Requests that have no whole answer yet. */
  readonly running: number;
  /** @throws ParlanceError `invalid_option` when the address cannot be had */
  listen(options: ListenOptions): Promise<AddressInfo>;
  /**
   * Begins nothing new, waits for what runs, ends it after so many milliseconds, and closes. May be
   * called again with a shorter time.
   */
  drain(milliseconds: number): Promise<void>;
}

export interface AppOptions {
  readonly timers?: Timers;
  /** The longest time for a request's headers, in milliseconds. */
  readonly headersTimeoutMs?: number;
}

/** Proxies in front keep idle connections for about a minute; ours must outlive theirs. */
const keepAliveMs = 65_000;
/** How long sockets get to take what was written for them before they are cut. */
const cutMs = 500;

interface State {
  readonly services: Services;
  readonly timers: Timers;
  readonly running: RunningExchanges;
  /** The latest request of each socket, for parser errors in the middle of a body. */
  readonly latest: WeakMap<Duplex, Exchange>;
  draining: boolean;
}

export function createApp(services: Services, options: AppOptions = {}): App {
  const state: State = {
    services,
    timers: options.timers ?? systemTimers,
    running: new RunningExchanges(),
    latest: new WeakMap(),
    draining: false,
  };
  const headersTimeout = options.headersTimeoutMs ?? 60_000;
  const server = createServer({
    requireHostHeader: false,
    keepAliveTimeout: keepAliveMs,
    headersTimeout,
    connectionsCheckingInterval: Math.min(5000, headersTimeout),
  });
  const handle =
    (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) =>
      void serve(state, { request, response, expectsContinue });
  server.on('request', handle(false));
  server.on('checkContinue', handle(true));
  server.on('checkExpectation', handle(false));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerParserError(state, error, socket),
  );
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const error = new ParlanceError('method_not_allowed', 'This server is not a proxy.');
    const headers = {
      allow: 'GET, HEAD, POST, DELETE',
      'x-request-id': requestIdOf(request.headers['x-request-id']),
    };
    // Unread, the client's own end would never be seen.
    writeRawError(socket.resume(), error, headers, state.timers);
  });
  return {
    server,
    async listen(where) {
      const address = await listen(server, where);
      // Such as too many open files: one connection is lost, the server goes on.
      server.on('error', (error) => services.log.error({ error }, 'a connection was not accepted'));
      return address;
    },
    get running() {
      return state.running.size;
    },
    drain: (milliseconds) => drain(state, server, milliseconds),
  };
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly expectsContinue: boolean;
}

async function serve(state: State, arrival: Arrival): Promise<void> {
  const exchange = new Exchange({
    ...arrival,
    id: requestIdOf(arrival.request.headers['x-request-id']),
    services: state.services,
    timers: state.timers,
  });
  state.latest.set(arrival.request.socket, exchange);
  state.running.add(exchange);
  try {
    await dispatch(exchange, { draining: state.draining });
  } catch (error) {
    state.services.log.error({ id: exchange.id, error }, 'a request could not be settled');
    arrival.response.destroy();
  } finally {
    state.running.remove(exchange);
  }
}

function answerParserError(state: State, error: NodeJS.ErrnoException, socket: Duplex): void {
  const failure = parserError(error.code);
  const exchange = state.latest.get(socket);
  const open = exchange !== undefined && !exchange.response.writableFinished;
  if (error.code === 'ECONNRESET' || (open && exchange.response.headersSent)) {
    socket.destroy();
    return;
  }
  if (open) {
    // The parser is dead: nothing more of this body will come, and nothing after it.
    exchange.response.shouldKeepAlive = false;
    exchange.abort(failure);
    writeError(exchange, failure, state.timers);
    exchange.response.end();
    return;
  }
  writeRawError(socket, failure, { 'x-request-id': requestIdOf(undefined) }, state.timers);
}

async function listen(server: Server, { host, port }: ListenOptions): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  try {
    await promise;
  } catch (error) {
    throw unreachable(error as NodeJS.ErrnoException, { host, port });
  } finally {
    server.off('error', reject);
  }
  return server.address() as AddressInfo;
}

function unreachable(error: NodeJS.ErrnoException, { host, port }: ListenOptions): ParlanceError {
  const detail = { param: 'port', cause: error };
  switch (error.code) {
    case 'EADDRINUSE':
      return new ParlanceError(
        'invalid_option',
        `Port ${port} on ${host} is taken by another program; stop it, or choose another with --port.`,
        detail,
      );
    case 'EACCES':
      return new ParlanceError(
        'invalid_option',
        `Port ${port} on ${host} may not be used by this user; choose one above 1023 with --port.`,
        detail,
      );
    default:
      return new ParlanceError(
        'invalid_option',
        `The server cannot listen on ${host}:${port} (${error.code ?? 'unknown error'}); choose another --host or --port.`,
        detail,
      );
  }
}

async function drain(state: State, server: Server, milliseconds: number): Promise<void> {
  state.draining = true;
  server.closeIdleConnections();
  await state.running.idleWithin(milliseconds, state.timers);
  state.running.abortAll();
  await state.running.idleWithin(cutMs, state.timers);
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
  // A target that does not heed its signal must not keep the server from ending.
  await state.running.idleWithin(cutMs, state.timers);
}
