/** `data:` URLs (RFC 2397) and bare base64, as bytes. Pure; nothing is fetched for them. */

export interface DataContent {
  readonly bytes: Buffer;
  /** The media type without parameters, in lower case; null where none is named. */
  readonly type: string | null;
}

/** Why a text could not be read; completes a sentence such as "the file …". */
export interface Unreadable {
  readonly problem: string;
}

const start = /^data:([^,;]*)((?:;[^,;]*)*),/i;

/** @param maxBytes of the content; a longer one is not decoded */
export function readDataUrl(url: string, maxBytes: number): DataContent | Unreadable {
  const found = start.exec(url.slice(0, 1000));
  if (found === null) return { problem: 'is not a data URL of the form data:TYPE;base64,DATA' };
  const type = found[1]?.trim().toLowerCase() || null;
  const data = url.slice(found[0].length);
  const isBase64 = /;\s*base64\s*$/i.test(found[2] ?? '');
  const read = isBase64 ? readBase64(data, maxBytes) : readPercent(data, maxBytes);
  return 'problem' in read ? read : { bytes: read.bytes, type };
}

/** Base64 in the usual or the URL alphabet, with or without padding and line breaks. */
export function readBase64(
  text: string,
  maxBytes: number,
): { readonly bytes: Buffer } | Unreadable {
  const compact = /\s|%/.test(text) ? unwrapped(text) : text;
  const characters = compact.replace(/={1,2}$/, '').length;
  if ((characters * 3) / 4 > maxBytes + 2) return tooLarge(maxBytes);
  const bytes = Buffer.from(compact, 'base64');
  // The decoder skips what is not of the alphabet, and stops at padding.
  if (characters % 4 === 1 || bytes.length !== Math.floor((characters * 3) / 4)) {
    return { problem: 'is not valid base64' };
  }
  return bytes.length > maxBytes ? tooLarge(maxBytes) : { bytes };
}

/** Inside a URL the characters +, / and = may come percent-encoded. */
const unwrapped = (text: string): string =>
  text
    .replaceAll(/\s+/g, '')
    .replaceAll(/%(2b|2f|3d)/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

function readPercent(text: string, maxBytes: number): { readonly bytes: Buffer } | Unreadable {
  const source = Buffer.from(text, 'utf8');
  const bytes = Buffer.alloc(source.length);
  let length = 0;
  for (let at = 0; at < source.length; at++, length++) {
    const hex = source[at] === 0x25 ? source.toString('latin1', at + 1, at + 3) : '';
    const isCode = /^[0-9a-f]{2}$/i.test(hex);
    bytes[length] = isCode ? parseInt(hex, 16) : (source[at] ?? 0);
    if (isCode) at += 2;
  }
  return length > maxBytes ? tooLarge(maxBytes) : { bytes: bytes.subarray(0, length) };
}

export const tooLarge = (maxBytes: number): Unreadable => ({
  problem: `is larger than ${Math.floor(maxBytes / 1_000_000)} MB`,
});
