/** The request id: the client's own where it is sound, else a new one. */

import { randomUUIDv7 } from 'node:crypto';

/** 1 to 128 visible ASCII characters: what is safe to send back and to log. */
const sound = /^[\x21-\x7e]{1,128}$/;

export function requestIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && sound.test(header) ? header : randomUUIDv7();
}
