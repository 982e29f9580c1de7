/** The escapes of Python's string literals, as its codec `unicode-escape` reads them. For the lexer. */

import { TemplateFailure } from '../values/failure.ts';

const simple: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const lengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const shapes: Readonly<Record<string, string>> = { x: 'xXX', u: 'uXXXX', U: 'UXXXXXXXX' };
const escape = /\\(?:([0-7]{1,3})|([^]))/g;

/** How a character that is not ASCII looks where it follows a backslash. */
function spelled(character: string): string {
  const code = character.charCodeAt(0);
  return code < 256 ? `x${code.toString(16)}` : `u${code.toString(16).padStart(4, '0')}`;
}

/**
 * @param body what is between the quotes
 * @throws TemplateFailure TemplateSyntaxError for an escape that is cut off or names no character
 */
export function unescapeString(body: string, line: number): string {
  if (!body.includes('\\')) return body;
  let text = '';
  let last = 0;
  escape.lastIndex = 0;
  for (let found = escape.exec(body); found !== null; found = escape.exec(body)) {
    text += body.slice(last, found.index);
    last = escape.lastIndex;
    const [whole, octal, letter = ''] = found;
    const length = lengths[letter];
    if (octal !== undefined) text += String.fromCodePoint(Number.parseInt(octal, 8));
    else if (length !== undefined) {
      const digits = body.slice(last, last + length);
      const code = /^[\da-f]+$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
      if (digits.length < length || code < 0 || code > 0x10ffff) {
        const message =
          code > 0x10ffff ? 'illegal Unicode character' : `truncated \\${shapes[letter]} escape`;
        throw new TemplateFailure('TemplateSyntaxError', message, line);
      }
      text += String.fromCodePoint(code);
      last += length;
      escape.lastIndex = last;
    } else if (letter === 'N') {
      throw new TemplateFailure('TemplateSyntaxError', 'character names are not supported', line);
    } else text += simple[letter] ?? (letter > '\u007f' ? `\\${spelled(letter)}` : whole);
  }
  return text + body.slice(last);
}
