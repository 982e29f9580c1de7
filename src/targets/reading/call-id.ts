/** IDs of calls whose format has none. */

import { randomBytes } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** Mistral's templates take IDs of nine letters and digits only, and refuse the history otherwise. */
export function newCallId(format: string | null): string {
  return format?.startsWith('mistral') === true ? randomText(9) : `call_${randomText(24)}`;
}
