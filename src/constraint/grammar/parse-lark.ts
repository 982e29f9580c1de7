/** Reads the statements of a Lark grammar: definitions, `%import`, `%ignore`. Called by `read-lark.ts`. */

import type { LarkDefinition, LarkExpression, LarkFile } from './lark-syntax.ts';
import { LarkExpressionReader } from './lark-expressions.ts';
import { TextReader } from './text-reader.ts';

const definition = /[!?]{0,2}([A-Za-z_][A-Za-z0-9_]*)/y;

/** @throws ParlanceError `invalid_constraint` with the line and the column */
export function parseLark(source: string, specials: readonly string[]): LarkFile {
  const reader = new StatementReader(source, specials);
  reader.read();
  return reader;
}

class StatementReader implements LarkFile {
  readonly source: string;
  readonly definitions = new Map<string, LarkDefinition>();
  readonly ignored: LarkExpression[] = [];
  readonly imports: { name: string; as: string; at: number }[] = [];
  readonly #text: TextReader;
  readonly #expressions: LarkExpressionReader;

  constructor(source: string, specials: readonly string[]) {
    this.source = source;
    this.#text = new TextReader(source, /(?:\/\/|#)[^\n]*/y);
    this.#expressions = new LarkExpressionReader(this.#text, specials);
  }

  read(): void {
    const text: TextReader = this.#text;
    for (text.skip(true); !text.done; text.skip(true)) {
      if (text.here === '%') this.#directive();
      else this.#definition();
      text.skip(false);
      if (!text.done && text.here !== '\n') {
        text.fail(text.here, `"${text.here}" cannot stand here`);
      }
    }
  }

  #definition(): void {
    const text: TextReader = this.#text;
    const { at } = text;
    const name = text.match(definition)?.[1];
    if (name === undefined) text.fail('rule', '"name: …" is expected here');
    const parameters = text.take('{') ? this.#parameters() : [];
    text.match(/\s*\.\s*[+-]?\d+/y);
    text.skip(false);
    if (!text.take(':')) text.fail(name, `":" is expected after ${name}`);
    if (this.definitions.has(name)) text.fail(name, `${name} is defined twice`, at);
    this.definitions.set(name, { parameters, body: this.#expressions.alternatives(false), at });
  }

  #parameters(): string[] {
    const text: TextReader = this.#text;
    const names: string[] = [];
    do {
      text.skip(true);
      const found = text.match(/[a-z_][a-z0-9_]*/y);
      if (found === null) text.fail('{', 'the name of a parameter is expected here');
      names.push(found[0]);
      text.skip(true);
    } while (text.take(','));
    if (!text.take('}')) text.fail('{', '"}" is expected here');
    return names;
  }

  #directive(): void {
    const text: TextReader = this.#text;
    const { at } = text;
    const [word] = text.match(/%\w*/y)!;
    text.skip(false);
    if (word === '%ignore') this.ignored.push(this.#expressions.alternatives(false));
    else if (word === '%import') this.#import(at);
    // Settings of LLGuidance; they are about speed.
    else if (word === '%llguidance') text.match(/[^\n]*/y);
    else
      text.fail(word, `${word} is not supported; what is: %import common.NAME, %ignore, %json`, at);
  }

  #import(at: number): void {
    const text: TextReader = this.#text;
    const found = text.match(/(\.*[\w.]+)[^\S\n]*/y);
    const path = found?.[1]?.split('.') ?? [];
    if (path[0] !== 'common' || path.length > 2) {
      text.fail('%import', 'only the terminals of `common` can be imported', at);
    }
    if (path.length === 1) {
      this.#importList(at);
      return;
    }
    const name = path[1]!;
    const alias = text.match(/->\s*(\w+)/y)?.[1];
    this.imports.push({ name, as: alias ?? name, at });
  }

  #importList(at: number): void {
    const text: TextReader = this.#text;
    if (!text.take('(')) text.fail('%import', 'common.NAME, or common (NAME, …) is expected', at);
    do {
      text.skip(true);
      const name = text.match(/\w+/y)?.[0];
      if (name === undefined) text.fail('%import', 'the name of a terminal is expected here');
      this.imports.push({ name, as: name, at });
      text.skip(true);
    } while (text.take(','));
    if (!text.take(')')) text.fail('%import', '")" is expected here');
  }
}
