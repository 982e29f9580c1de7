/**
 * Bytes to text, a piece at a time, never half a character. Called by the text assembler. A pure
 * state machine: the UTF-8 decoder of the WHATWG Encoding Standard, so that pieces joined decode as
 * TextDecoder (without BOM removal) decodes the whole.
 */

export interface Utf8State {
  /** Bytes that the begun character still needs; 0 when none is begun. */
  readonly needed: number;
  /** Payload bits of the begun character so far. */
  readonly codePoint: number;
  /** The range that its next byte must be in. */
  readonly lower: number;
  readonly upper: number;
}

export interface Decoded {
  readonly state: Utf8State;
  readonly text: string;
  /**
   * UTF-16 units that a character begun in earlier pieces became; null where none was begun, or
   * where it is still not whole.
   */
  readonly resolved: number | null;
}

export const emptyUtf8: Utf8State = { needed: 0, codePoint: 0, lower: 0x80, upper: 0xbf };

const REPLACEMENT = '\ufffd';

/** Decodes one piece. An invalid sequence becomes U+FFFD as soon as a byte proves it invalid. */
export function decodeUtf8(state: Utf8State, bytes: Uint8Array): Decoded {
  let now = state;
  let text = '';
  let resolved: number | null = null;
  for (const byte of bytes) {
    if (now.needed > 0) {
      const valid = byte >= now.lower && byte <= now.upper;
      const next = valid ? continued(now, byte) : emptyUtf8;
      if (!valid) text += REPLACEMENT;
      else if (next.needed === 0) text += String.fromCodePoint(next.codePoint);
      now = next.needed === 0 ? emptyUtf8 : next;
      if (next.needed === 0 && resolved === null && state.needed > 0) resolved = text.length;
      if (valid) continue;
    }
    if (byte < 0x80) text += String.fromCharCode(byte);
    else {
      now = begun(byte);
      if (now.needed === 0) text += REPLACEMENT;
    }
  }
  return { state: now, text, resolved };
}

function continued(state: Utf8State, byte: number): Utf8State {
  return {
    needed: state.needed - 1,
    codePoint: (state.codePoint << 6) | (byte & 0x3f),
    lower: 0x80,
    upper: 0xbf,
  };
}

/** The state after a first byte above 0x7f; the empty one where no character begins like that. */
function begun(byte: number): Utf8State {
  if (byte >= 0xc2 && byte <= 0xdf) {
    return { needed: 1, codePoint: byte & 0x1f, lower: 0x80, upper: 0xbf };
  }
  if (byte >= 0xe0 && byte <= 0xef) {
    // Narrower ranges shut out overlong forms (E0) and surrogates (ED).
    const lower = byte === 0xe0 ? 0xa0 : 0x80;
    const upper = byte === 0xed ? 0x9f : 0xbf;
    return { needed: 2, codePoint: byte & 0xf, lower, upper };
  }
  if (byte >= 0xf0 && byte <= 0xf4) {
    // And here overlong forms (F0) and what is beyond U+10FFFF (F4).
    const lower = byte === 0xf0 ? 0x90 : 0x80;
    const upper = byte === 0xf4 ? 0x8f : 0xbf;
    return { needed: 3, codePoint: byte & 0x7, lower, upper };
  }
  return emptyUtf8;
}
