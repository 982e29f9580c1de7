/**
 * Finds the end of a JSON value in a stream of text, one piece after the other, without reading it. It knows
 * brackets and strings, and notices what can be no JSON (a missing bracket before a closing tag). Pure.
 */

export interface JsonScan {
  /** Open brackets, the innermost last. */
  readonly stack: string;
  readonly inString: boolean;
  readonly escaped: boolean;
  /** A number or a word has begun at the top. */
  readonly scalar: boolean;
}

export const scanStart: JsonScan = { stack: '', inString: false, escaped: false, scalar: false };

export interface ScanResult {
  readonly scan: JsonScan;
  /** Up to here the text belongs to the value. */
  readonly end: number;
  /** `broken`: what follows `end` cannot stand there. */
  readonly status: 'open' | 'done' | 'broken';
}

const scalarCharacter = /[-+.\w]/;

/** Reads the value on from `from`; leading whitespace belongs to it. */
export function scanJson(scan: JsonScan, text: string, from: number): ScanResult {
  let { stack, inString, escaped, scalar } = scan;
  const at = (end: number, status: ScanResult['status']): ScanResult => ({
    scan: { stack, inString, escaped, scalar },
    end,
    status,
  });
  for (let index = from; index < text.length; index++) {
    const character = text.charAt(index);
    if (inString) {
      if (escaped) escaped = false;
      else if (character === '\\') escaped = true;
      else if (character === '"') {
        inString = false;
        if (stack === '') return at(index + 1, 'done');
      }
    } else if (scalar && !scalarCharacter.test(character)) {
      return at(index, 'done');
    } else if (character === '"') {
      inString = true;
    } else if (character === '{' || character === '[') {
      stack += character;
    } else if (character === '}' || character === ']') {
      if (stack.at(-1) !== (character === '}' ? '{' : '[')) return at(index, 'broken');
      stack = stack.slice(0, -1);
      if (stack === '') return at(index + 1, 'done');
    } else if (scalarCharacter.test(character)) {
      if (stack === '') scalar = true;
    } else if (!/[\s,:]/.test(character) || (stack === '' && !/\s/.test(character))) {
      return at(index, 'broken');
    }
  }
  return at(text.length, 'open');
}

/** Characters at the end of a piece that may be the beginning of an escape, which must not be cut. */
const openEscape = /(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)$/;
const openSurrogate =
  /(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)$/;

/** How much of the inside of a JSON string can be decoded now. */
export function wholeEscapes(inside: string): number {
  const open = openSurrogate.exec(inside) ?? openEscape.exec(inside);
  return inside.length - (open?.[1]?.length ?? 0);
}

/** The inside of a JSON string as text; line breaks that should have been escaped are kept. */
export function decodeJsonString(inside: string): string {
  const lenient = inside.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
  try {
    return String(JSON.parse(`"${lenient}"`));
  } catch {
    return inside;
  }
}
