/** Reads the right-hand sides of Lark's definitions. Called by `parse-lark.ts`. */

import { isTerminal, type LarkExpression } from './lark-syntax.ts';
import { specialToken } from './special-token.ts';
import { deepest, type TextReader } from './text-reader.ts';

const stringLiteral = /"((?:\\[^\n]|[^"\\\n])*)"(i?)/y;
const regexLiteral = /\/(?!\/)((?:\\[^\n]|[^/\\\n])*)\/([imslux]*)/y;

/** Escapes that Python's strings have; before other characters the backslash stays. */
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f' };

export class LarkExpressionReader {
  readonly #text: TextReader;
  readonly #specials: readonly string[];
  #depth = 0;

  constructor(text: TextReader, specials: readonly string[]) {
    this.#text = text;
    this.#specials = specials;
  }

  /** @param inside a pair of brackets, where line ends mean nothing */
  alternatives(inside: boolean): LarkExpression {
    const of = [this.#alternative(inside)];
    while (this.#takeBar(inside)) of.push(this.#alternative(inside));
    return of.length === 1 ? of[0]! : { kind: 'either', of };
  }

  /** A bar may stand at the beginning of the next line. */
  #takeBar(inside: boolean): boolean {
    const text: TextReader = this.#text;
    const { at } = text;
    text.skip(true);
    if (text.take('|')) return true;
    if (!inside) text.at = at;
    return false;
  }

  #alternative(inside: boolean): LarkExpression {
    const text: TextReader = this.#text;
    const parts: LarkExpression[] = [];
    for (;;) {
      text.skip(inside);
      if (text.done || '\n|)]},'.includes(text.here) || text.startsWith('->')) break;
      parts.push(this.#repeated(this.#atom()));
    }
    if (text.match(/->[^\S\n]*[_a-zA-Z]\w*/y) === null && text.startsWith('->')) {
      text.fail('->', 'a name is expected behind the arrow');
    }
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  #repeated(atom: LarkExpression): LarkExpression {
    const text: TextReader = this.#text;
    let of = atom;
    for (;;) {
      const { at } = text;
      text.skip(false);
      if (text.take('*')) of = { kind: 'repeat', of, min: 0, max: null };
      else if (text.take('+')) of = { kind: 'repeat', of, min: 1, max: null };
      // "?rule:" on the next line is no operator, but then the line has ended.
      else if (text.take('?')) of = { kind: 'repeat', of, min: 0, max: 1 };
      else if (text.here === '~') of = { kind: 'repeat', of, ...this.#tildeCounts() };
      else {
        const counts = text.here === '{' ? text.counts() : null;
        if (counts === null) {
          text.at = at;
          return of;
        }
        of = { kind: 'repeat', of, ...counts };
      }
    }
  }

  #tildeCounts(): { readonly min: number; readonly max: number } {
    const text: TextReader = this.#text;
    const { at } = text;
    const found = text.match(/~\s*(\d+)(?:\s*\.\.\s*(\d+))?/y);
    if (found === null) text.fail('~', '~ n, or ~ n..m is expected here');
    const min = Number(found[1]);
    return text.checkCounts({ min, max: Number(found[2] ?? min) }, '~', at);
  }

  #atom(): LarkExpression {
    const text: TextReader = this.#text;
    const { at } = text;
    if (text.take('(')) return this.#group(')', at);
    if (text.take('[')) {
      return { kind: 'repeat', of: this.#group(']', at), min: 0, max: 1 };
    }
    if (text.here === '"') return this.#string();
    if (text.here === '/') return this.#regex();
    if (text.here === '<') {
      const token = specialToken(text, this.#specials);
      return { kind: 'special', bytes: token.kind === 'bytes' ? [...token.bytes] : [] };
    }
    const directive = text.match(/%\w+/y)?.[0];
    if (directive === '%json') return { kind: 'json', schema: this.#jsonText(at) };
    if (directive !== undefined) text.fail(directive, `${directive} is not supported here`, at);
    const name = text.match(/[A-Za-z_][A-Za-z0-9_]*/y)?.[0];
    if (name === undefined) text.fail(text.here, `nothing begins with "${text.here}"`);
    return { kind: 'name', name, filling: this.#filling(name), at };
  }

  /** What stands in braces behind a template's name. */
  #filling(name: string): LarkExpression[] | null {
    const text: TextReader = this.#text;
    if (text.here !== '{' || isTerminal(name) || text.match(/(?=\{\s*[\d,])/y) !== null) {
      return null;
    }
    const { at } = text;
    text.at++;
    this.#enter();
    const filling: LarkExpression[] = [];
    do filling.push(this.alternatives(true));
    while (text.take(','));
    this.#depth--;
    if (!text.take('}')) text.fail(name, 'this brace is not closed', at);
    return filling;
  }

  /** An object that stands here, up to the brace that closes it; its compiler reads it. */
  #jsonText(at: number): string {
    const text: TextReader = this.#text;
    text.skip(false);
    const start = text.at;
    let depth = 0;
    do {
      if (text.match(stringLiteral) !== null) continue;
      if (text.done) text.fail('%json', 'a JSON schema in braces is expected', at);
      if (text.here === '{') depth++;
      else if (text.here === '}') depth--;
      text.at++;
    } while (depth > 0);
    return text.source.slice(start, text.at);
  }

  #group(close: string, at: number): LarkExpression {
    this.#enter();
    const inside = this.alternatives(true);
    this.#depth--;
    if (!this.#text.take(close)) this.#text.fail('group', `"${close}" is missing`, at);
    return inside;
  }

  #enter(): void {
    if (++this.#depth > deepest) {
      this.#text.fail('group', `groups are nested more than ${deepest} deep`);
    }
  }

  #string(): LarkExpression {
    const text: TextReader = this.#text;
    const first = this.#stringContent();
    const { at } = text;
    text.skip(false);
    if (text.match(/\.\.\s*(?=")/y) === null) {
      text.at = at;
      return { kind: 'text', text: first.content, anyCase: first.anyCase };
    }
    const last = this.#stringContent();
    const points = [first, last].map(({ content }) => Array.from(content));
    if (points.some((one) => one.length !== 1)) {
      text.fail('..', 'a range goes from one character to another', at);
    }
    const [low, high] = points.map(([one]) => one!.codePointAt(0)!);
    if (high! < low!) text.fail('..', 'this range ends before it begins', at);
    return { kind: 'range', first: low!, last: high! };
  }

  #stringContent(): { readonly content: string; readonly anyCase: boolean } {
    const text: TextReader = this.#text;
    const { at } = text;
    const found = text.match(stringLiteral);
    if (found === null) text.fail('literal', 'this text is not closed', at);
    return { content: unescape(found[1]!), anyCase: found[2] === 'i' };
  }

  #regex(): LarkExpression {
    const text: TextReader = this.#text;
    const { at } = text;
    const found = text.match(regexLiteral);
    if (found === null) text.fail('regex', 'this regex is not closed', at);
    const [, body, flags] = found;
    for (const flag of ['m', 'x']) {
      if (flags!.includes(flag)) text.fail(`/${flag}`, `the flag ${flag} is not supported`, at);
    }
    const inline = ['i', 's'].filter((flag) => flags!.includes(flag)).join('');
    return { kind: 'regex', pattern: inline === '' ? body! : `(?${inline}:${body!})`, at };
  }
}

function unescape(text: string): string {
  const escape =
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(00(?:10|0[0-9a-fA-F])[0-9a-fA-F]{4})|([^]))/g;
  return text.replaceAll(escape, (...found: (string | undefined)[]) => {
    const [whole, two, four, eight, other] = found;
    const digits = two ?? four ?? eight;
    if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
    if (other === '\\' || other === '"') return other;
    return escapes[other!] ?? whole!;
  });
}
