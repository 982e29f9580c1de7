/** Which bodies are read at all: JSON in UTF-8, not compressed. */

import type { IncomingHttpHeaders } from 'node:http';

import { ParlanceError } from '../../contract/index.ts';

const json = /^application\/(?:json|[\w.!#$&^-]+\+json)$/;

/** `required`: only `application/json`, so that no HTML form can send it. */
export type JsonDemand = 'required' | 'when present';

function unsupported(message: string, param: string): ParlanceError {
  return new ParlanceError('unsupported_media_type', message, { param });
}

/** @throws ParlanceError `unsupported_media_type` with the header that would work */
export function checkMediaType(headers: IncomingHttpHeaders, demand: JsonDemand): void {
  checkEncoding(headers['content-encoding']);
  const header = headers['content-type'];
  if (header === undefined && demand === 'when present') return;
  const [type = '', ...parameters] = (header ?? '').split(';').map((one) => one.trim());
  const name = type.toLowerCase();
  const accepted = demand === 'required' ? name === 'application/json' : json.test(name);
  if (!accepted) {
    const got = header === undefined ? 'there is none' : `got ${JSON.stringify(type.slice(0, 64))}`;
    throw unsupported(
      `The body must be JSON: send the header content-type: application/json (${got}).`,
      'content-type',
    );
  }
  const charset = parameters.find((one) => /^charset=/i.test(one));
  if (charset !== undefined && !/^charset="?utf-?8"?$/i.test(charset)) {
    throw unsupported(
      `The body must be UTF-8, not ${JSON.stringify(charset.slice(8, 40))}.`,
      'content-type',
    );
  }
}

function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw unsupported(
    `Compressed bodies (content-encoding: ${encoding.slice(0, 32)}) are not read; send the body uncompressed.`,
    'content-encoding',
  );
}
