/**
 * The one place that writes errors: as a JSON answer, and as raw bytes where the HTTP parser gave
 * up before there was a request. The third form, an event inside a stream, uses the same body.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { asParlanceError, ParlanceError, toErrorBody } from '../../contract/index.ts';
import type { Timers } from './timers.ts';

/** How long a sender gets to take its refusal, while what it still sends is thrown away. */
const lingerMs = 2000;

function headersOf(error: ParlanceError): Record<string, string> {
  const busy = error.status === 429 || error.status === 503;
  const retryAfter = error.retryAfter ?? (busy ? 1 : null);
  return {
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer realm="parlance"' } : {}),
  };
}

/** Failures after which the rest of the body is of no use, and the connection neither. */
const endsConnection = (error: ParlanceError): boolean =>
  ['body_too_large', 'request_timeout', 'malformed_request', 'shutting_down'].includes(
    error.reason,
  );

/** Writes the error, unless something was already written or the client is gone. */
export function writeError(
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  thrown: unknown,
  timers: Timers,
): void {
  const { request, response } = exchange;
  const error = asParlanceError(thrown);
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(toErrorBody(error));
  const closing = endsConnection(error);
  response.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...(closing ? { connection: 'close' } : {}),
    ...headersOf(error),
  });
  if (!closing || request.complete || request.destroyed) {
    response.end(text);
    return;
  }
  // A socket that closes with unread bytes in it is reset, and the reset may overtake the answer.
  response.write(text);
  const finish = (): void => {
    timer.cancel();
    response.end();
  };
  const timer = timers.start(finish, lingerMs);
  request.once('end', finish).once('close', finish).resume();
}

const reasonPhrases: Partial<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/**
 * The same answer without a response object; closes the connection, also where the client does not
 * close its half of it: nobody else watches such a socket, and the server could never end.
 */
export function writeRawError(
  socket: Duplex,
  error: ParlanceError,
  headers: Readonly<Record<string, string>>,
  timers: Timers,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = JSON.stringify(toErrorBody(error));
  const all = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const phrase = reasonPhrases[error.status] ?? 'Error';
  const timer = timers.start(() => socket.destroy(), lingerMs);
  // A failing socket is followed by its `close`; unheard errors would end the process.
  socket.on('error', () => {}).once('close', () => timer.cancel());
  socket.end(`HTTP/1.1 ${error.status} ${phrase}\r\n${lines.join('')}\r\n${text}`);
}

/** What the HTTP parser's failure means to the client. */
export function parserError(code: string | undefined): ParlanceError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ParlanceError('request_timeout', 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return new ParlanceError(
        'malformed_request',
        'The headers are too large; the limit is 16 KiB.',
        { status: 431 },
      );
    case 'HPE_INVALID_EOF_STATE':
      return new ParlanceError(
        'malformed_request',
        'The connection ended before the request was complete.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ParlanceError('malformed_request', 'The chunk extensions are too large.', {
        status: 413,
      });
    default:
      return new ParlanceError('malformed_request', 'This is not an HTTP/1.1 request.');
  }
}
