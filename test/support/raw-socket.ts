/** A connection that sends bytes as they are, for what no HTTP client would send. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { within } from './wait-until.ts';

export interface RawSocket {
  readonly socket: Socket;
  /** All that came, once the other side has closed. */
  readonly text: Promise<string>;
}

export async function openSocket(port: number, bytes: string | Uint8Array): Promise<RawSocket> {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => {}).once('close', () => resolve(text));
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, text: within('the connection to close', promise) };
}

/** The head of a request with a JSON body of this length. */
export function requestHead(
  path: string,
  length: number,
  headers: Readonly<Record<string, string>> = {},
): string {
  const all = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(length),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One response with a body that is not chunked. */
export function parseReply(text: string): RawReply {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    text: text.slice(end + 4),
  };
}
