/**
 * Statements: a template's text to its tree. The grammar is Jinja2's with loop controls and the block
 * `generation` of Hugging Face transformers. Called by `template.ts`.
 */

import type { AssignBlockNode, CallBlockNode, Expression, FilterNode, IfNode } from './ast.ts';
import type { ForNode, LoadNode, MacroNode, NameNode, Statement, Target } from './ast.ts';
import { parseExpression, parseFilter, parseTuple } from './expression-parser.ts';
import { readTokens } from './lexer.ts';
import { parseTarget, parseTargetName } from './target-parser.ts';
import { TokenStream } from './token-stream.ts';

/** @throws TemplateFailure TemplateSyntaxError */
export function parseTemplate(source: string): Statement[] {
  return new Parser(new TokenStream(readTokens(source))).template();
}

class Parser {
  readonly #stream: TokenStream;
  readonly #open: string[] = [];
  readonly #blocks = new Set<string>();

  constructor(stream: TokenStream) {
    this.#stream = stream;
  }

  template(): Statement[] {
    return this.#parseBody([]);
  }

  /** Statements up to a tag among `ends`, which becomes the current token. */
  #parseBody(ends: readonly string[]): Statement[] {
    const stream = this.#stream;
    const body: Statement[] = [];
    let items: (string | Expression)[] = [];
    let line = stream.current.line;
    const flush = (): void => {
      if (items.length > 0) body.push({ kind: 'output', items, line });
      items = [];
    };
    while (!stream.isType('eof')) {
      if (items.length === 0) line = stream.current.line;
      if (stream.isType('data')) items.push(stream.advance().value);
      else if (stream.isType('variable_begin')) {
        stream.advance();
        items.push(parseTuple(stream));
        stream.expectType('variable_end', "'end of print statement'");
      } else {
        flush();
        stream.expectType('block_begin', "'begin of statement block'");
        if (stream.isName(...ends)) return body;
        body.push(stream.nested(() => this.#parseStatement(ends)));
        stream.expectType('block_end', "'end of statement block'");
      }
    }
    flush();
    if (ends.length > 0) throw this.#unclosed('Unexpected end of template.', ends);
    return body;
  }

  #unclosed(start: string, ends: readonly string[]) {
    const wanted = ends.map((end) => `'${end}'`).join(' or ');
    const looking = ends.length > 0 ? ` Jinja was looking for the following tags: ${wanted}.` : '';
    const inner = this.#open.at(-1);
    const block =
      inner === undefined ? '' : ` The innermost block that needs to be closed is '${inner}'.`;
    return this.#stream.fail(`${start}${looking}${block}`);
  }

  /** A body behind its tag, its end tag taken. */
  #parseBlock(...ends: readonly string[]): Statement[] {
    const stream = this.#stream;
    stream.skipOperator(':');
    stream.expectType('block_end', "'end of statement block'");
    return this.#parseBody(ends);
  }

  #parseClosed(end: string): Statement[] {
    const body = this.#parseBlock(end);
    this.#stream.advance();
    return body;
  }

  #parseStatement(ends: readonly string[]): Statement {
    const stream = this.#stream;
    const { type, value: tag } = stream.current;
    if (type !== 'name') throw stream.fail('tag name expected');
    const parse = this.#rules.get(tag);
    if (parse === undefined) throw this.#unclosed(`Encountered unknown tag '${tag}'.`, ends);
    this.#open.push(tag);
    const { line } = stream.advance();
    const node = parse(line);
    this.#open.pop();
    return node;
  }

  readonly #rules: ReadonlyMap<string, (line: number) => Statement> = new Map<
    string,
    (line: number) => Statement
  >([
    ['for', (line) => this.#parseFor(line)],
    ['if', (line) => this.#parseIf(line)],
    ['set', (line) => this.#parseSet(line)],
    ['macro', (line) => this.#parseMacro(line)],
    ['call', (line) => this.#parseCallBlock(line)],
    ['with', (line) => this.#parseWith(line)],
    ['block', (line) => this.#parseNamedBlock(line)],
    ['print', (line) => this.#parsePrint(line)],
    ['autoescape', (line) => this.#parseAutoescape(line)],
    ['break', (line) => ({ kind: 'break', line })],
    ['continue', (line) => ({ kind: 'continue', line })],
    [
      'filter',
      (line) => {
        const filter = this.#parseFilters(parseFilter(this.#stream, null));
        return { kind: 'filter-block', filter, body: this.#parseClosed('endfilter'), line };
      },
    ],
    [
      'generation',
      (line): CallBlockNode => {
        const body = this.#parseClosed('endgeneration');
        return { kind: 'call-block', call: null, parameters: [], defaults: [], body, line };
      },
    ],
    ...['include', 'import', 'from', 'extends'].map(
      (tag) => [tag, (line: number): LoadNode => this.#parseLoad(tag, line)] as const,
    ),
  ]);

  #parseFilters(first: FilterNode): FilterNode {
    let filter = first;
    while (this.#stream.skipOperator('|')) filter = parseFilter(this.#stream, filter);
    return filter;
  }

  /** Within a loop the name `loop` is its own; and Python nests loops no deeper than this. */
  #refuseLoop(target: Target): Target {
    const depth = this.#open.filter((tag) => tag === 'for').length;
    if (depth > 20) throw this.#stream.fail('too many statically nested blocks');
    const items: readonly Expression[] = target.kind === 'tuple' ? target.items : [target];
    if (depth > 0 && items.some((item) => item.kind === 'name' && item.name === 'loop')) {
      throw this.#stream.fail("Can't assign to special loop variable in for-loop target");
    }
    return target;
  }

  #parseFor(line: number): ForNode {
    const stream = this.#stream;
    const target = this.#refuseLoop(parseTarget(stream, { end: 'in' }));
    stream.expectName('in');
    const iterable = parseTuple(stream, { conditional: false, end: 'recursive' });
    const test = stream.skipName('if') ? parseExpression(stream) : null;
    const recursive = stream.skipName('recursive');
    const body = this.#parseBlock('endfor', 'else');
    const otherwise = stream.advance().value === 'else' ? this.#parseClosed('endfor') : [];
    return { kind: 'for', target, iterable, body, otherwise, test, recursive, line };
  }

  #parseIf(line: number): IfNode {
    const stream = this.#stream;
    const branch = (at: number) => ({
      kind: 'if' as const,
      test: parseTuple(stream, { conditional: false }),
      body: this.#parseBlock('elif', 'else', 'endif'),
      elifs: [] as IfNode[],
      otherwise: [] as Statement[],
      line: at,
    });
    const node = branch(line);
    for (;;) {
      const word = stream.advance();
      if (word.value === 'elif') node.elifs.push(branch(word.line));
      else if (word.value === 'else') {
        node.otherwise = this.#parseClosed('endif');
        return node;
      } else return node;
    }
  }

  #parseSet(line: number): Statement {
    const stream = this.#stream;
    const target = this.#refuseLoop(parseTarget(stream, { namespaces: true }));
    if (stream.skipOperator('=')) {
      return { kind: 'assign', target, value: parseTuple(stream), line };
    }
    let filter: FilterNode | null = null;
    while (stream.skipOperator('|')) filter = parseFilter(stream, filter);
    const body = this.#parseClosed('endset');
    return { kind: 'assign-block', target, filter, body, line } satisfies AssignBlockNode;
  }

  #parseSignature(): { parameters: NameNode[]; defaults: Expression[] } {
    const stream = this.#stream;
    const parameters: NameNode[] = [];
    const defaults: Expression[] = [];
    stream.expectOperator('(');
    while (!stream.isOperator(')')) {
      if (parameters.length > 0) stream.expectOperator(',');
      const parameter = parseTargetName(stream, 'param');
      if (parameters.some(({ name }) => name === parameter.name)) {
        throw stream.fail(`duplicate argument '${parameter.name}' in function definition`);
      }
      if (stream.skipOperator('=')) defaults.push(parseExpression(stream));
      else if (defaults.length > 0) {
        throw stream.fail('non-default argument follows default argument');
      }
      parameters.push(parameter);
    }
    stream.expectOperator(')');
    return { parameters, defaults };
  }

  #parseMacro(line: number): MacroNode {
    const { name } = parseTargetName(this.#stream, 'store');
    const signature = this.#parseSignature();
    return { kind: 'macro', name, ...signature, body: this.#parseClosed('endmacro'), line };
  }

  #parseCallBlock(line: number): CallBlockNode {
    const stream = this.#stream;
    const signature = stream.isOperator('(')
      ? this.#parseSignature()
      : { parameters: [], defaults: [] };
    const call = parseExpression(stream);
    if (call.kind !== 'call') throw stream.fail('expected call', line);
    return { kind: 'call-block', call, ...signature, body: this.#parseClosed('endcall'), line };
  }

  #parseWith(line: number): Statement {
    const stream = this.#stream;
    const targets: Target[] = [];
    const values: Expression[] = [];
    while (!stream.isType('block_end')) {
      if (targets.length > 0) stream.expectOperator(',');
      targets.push(parseTarget(stream, { mode: 'param' }));
      stream.expectOperator('=');
      values.push(parseExpression(stream));
    }
    return { kind: 'with', targets, values, body: this.#parseClosed('endwith'), line };
  }

  #parseNamedBlock(line: number): Statement {
    const stream = this.#stream;
    const name = stream.expectName().value;
    if (this.#blocks.has(name)) throw stream.fail(`block '${name}' defined twice`, line);
    this.#blocks.add(name);
    const scoped = stream.skipName('scoped');
    stream.skipName('required');
    const body = this.#parseClosed('endblock');
    stream.skipName(name);
    return { kind: 'block', name, scoped, body, line };
  }

  #parsePrint(line: number): Statement {
    const stream = this.#stream;
    const items: Expression[] = [];
    while (!stream.isType('block_end')) {
      if (items.length > 0) stream.expectOperator(',');
      items.push(parseExpression(stream));
    }
    return { kind: 'output', items, line };
  }

  /** Escaping is off in chat templates; a block that keeps it off is a scope and nothing else. */
  #parseAutoescape(line: number): Statement {
    const stream = this.#stream;
    const value = parseExpression(stream);
    if (value.kind !== 'constant' || value.value !== false) {
      throw stream.fail('autoescape is not supported in chat templates', line);
    }
    const body = this.#parseClosed('endautoescape');
    return { kind: 'with', targets: [], values: [], body, line };
  }

  /** Tags that would load another template; there is none to load. */
  #parseLoad(tag: string, line: number): LoadNode {
    const stream = this.#stream;
    const template = parseExpression(stream);
    const names: string[] = [];
    if (tag === 'import') {
      stream.expectName('as');
      names.push(parseTargetName(stream, 'store').name);
    }
    while (!stream.isType('block_end') && !stream.isType('eof')) {
      const { value } = stream.advance();
      if (tag === 'from' && value === 'import') names.push(stream.current.value);
    }
    return { kind: 'load', tag, template, names, line };
  }
}
