/**
 * Expressions: tokens to the tree, with Jinja2's precedence and its corners (tests take one argument
 * without parentheses, a conditional may lack its `else`). Called by the statement parser only.
 */

import { PyFloat } from '../values/value.ts';
import type { CallArguments, CallNode, Expression, FilterNode } from './ast.ts';
import { constants, readInteger } from './literals.ts';
import type { TokenStream } from './token-stream.ts';

const comparisons = ['==', '!=', '<', '<=', '>', '>='];
/** Chains such as `a + b + …` are a tree as deep as they are long. */
const maxChain = 400;

export interface TupleRules {
  readonly simplified?: boolean;
  readonly conditional?: boolean;
  /** A name that ends the tuple. */
  readonly end?: string;
  readonly parenthesised?: boolean;
  readonly namespaces?: boolean;
}

export function parseExpression(stream: TokenStream, conditional = true): Expression {
  return stream.nested(() => (conditional ? parseConditional(stream) : parseOr(stream)));
}

function parseConditional(stream: TokenStream): Expression {
  let node = parseOr(stream);
  for (let count = 0; stream.isName('if'); count++) {
    limitChain(stream, count);
    const { line } = stream.advance();
    const test = parseOr(stream);
    const otherwise = stream.skipName('else')
      ? stream.nested(() => parseConditional(stream))
      : null;
    node = { kind: 'conditional', test, value: node, otherwise, line };
  }
  return node;
}

function limitChain(stream: TokenStream, count: number): void {
  if (count > maxChain) throw stream.fail('the template has too long a chain of operators');
}

function parseOr(stream: TokenStream): Expression {
  let left = parseAnd(stream);
  for (let count = 0; stream.isName('or'); count++) {
    limitChain(stream, count);
    const { line } = stream.advance();
    left = { kind: 'logic', operator: 'or', left, right: parseAnd(stream), line };
  }
  return left;
}

function parseAnd(stream: TokenStream): Expression {
  let left = parseNot(stream);
  for (let count = 0; stream.isName('and'); count++) {
    limitChain(stream, count);
    const { line } = stream.advance();
    left = { kind: 'logic', operator: 'and', left, right: parseNot(stream), line };
  }
  return left;
}

function parseNot(stream: TokenStream): Expression {
  if (!stream.isName('not')) return parseCompare(stream);
  const { line } = stream.advance();
  const operand = stream.nested(() => parseNot(stream));
  return { kind: 'unary', operator: 'not', operand, line };
}

function parseCompare(stream: TokenStream): Expression {
  const { line } = stream.current;
  const first = parseSum(stream);
  const rest: { operator: string; right: Expression }[] = [];
  for (;;) {
    let operator: string;
    if (stream.isOperator(...comparisons)) operator = stream.advance().value;
    else if (stream.skipName('in')) operator = 'in';
    else if (stream.isName('not') && stream.next?.type === 'name' && stream.next.value === 'in') {
      stream.advance();
      stream.advance();
      operator = 'not in';
    } else break;
    rest.push({ operator, right: parseSum(stream) });
  }
  return rest.length === 0 ? first : { kind: 'compare', first, rest, line };
}

function parseSum(stream: TokenStream): Expression {
  let left = parseConcat(stream);
  for (let count = 0; stream.isOperator('+', '-'); count++) {
    limitChain(stream, count);
    const { value, line } = stream.advance();
    const right = parseConcat(stream);
    left = { kind: 'binary', operator: value as '+', left, right, line };
  }
  return left;
}

function parseConcat(stream: TokenStream): Expression {
  const { line } = stream.current;
  const first = parseProduct(stream);
  if (!stream.isOperator('~')) return first;
  const items = [first];
  while (stream.skipOperator('~')) items.push(parseProduct(stream));
  return { kind: 'concat', items, line };
}

function parseProduct(stream: TokenStream): Expression {
  let left = parsePower(stream);
  for (let count = 0; stream.isOperator('*', '/', '//', '%'); count++) {
    limitChain(stream, count);
    const { value, line } = stream.advance();
    const right = parsePower(stream);
    left = { kind: 'binary', operator: value as '*', left, right, line };
  }
  return left;
}

/** Unlike Python's, this power leans to the left. */
function parsePower(stream: TokenStream): Expression {
  let left = parseUnary(stream, true);
  for (let count = 0; stream.isOperator('**'); count++) {
    limitChain(stream, count);
    const { line } = stream.advance();
    left = { kind: 'binary', operator: '**', left, right: parseUnary(stream, true), line };
  }
  return left;
}

function parseUnary(stream: TokenStream, withFilters: boolean): Expression {
  let node: Expression;
  if (stream.isOperator('-', '+')) {
    const { value, line } = stream.advance();
    const operand = stream.nested(() => parseUnary(stream, false));
    node = { kind: 'unary', operator: value as '-', operand, line };
  } else node = parsePrimary(stream);
  node = parsePostfix(stream, node);
  return withFilters ? parseFilterExpression(stream, node) : node;
}

function parsePrimary(stream: TokenStream, namespaces = false): Expression {
  const token = stream.current;
  const { line, value } = token;
  switch (token.type) {
    case 'name':
      stream.advance();
      return parseName(stream, value, { namespaces, line });
    case 'string': {
      let text = '';
      while (stream.isType('string')) text += stream.advance().value;
      return { kind: 'constant', value: text, line };
    }
    case 'integer':
      stream.advance();
      return { kind: 'constant', value: readInteger(stream, value), line };
    case 'float':
      stream.advance();
      return { kind: 'constant', value: new PyFloat(Number(value)), line };
    default:
  }
  if (stream.isOperator('(')) {
    stream.advance();
    const inner = parseTuple(stream, { parenthesised: true });
    stream.expectOperator(')');
    return inner;
  }
  if (stream.isOperator('[')) return parseList(stream);
  if (stream.isOperator('{')) return parseDict(stream);
  throw stream.fail(`unexpected '${stream.describe()}'`);
}

function parseName(
  stream: TokenStream,
  name: string,
  { namespaces, line }: { namespaces: boolean; line: number },
): Expression {
  const constant = constants.get(name);
  if (constant !== undefined) return { kind: 'constant', value: constant, line };
  if (namespaces && stream.skipOperator('.')) {
    return { kind: 'namespace', name, attribute: stream.expectName().value, line };
  }
  return { kind: 'name', name, mode: 'load', line };
}

/** One expression, or several with commas between them as a tuple. */
export function parseTuple(stream: TokenStream, rules: TupleRules = {}): Expression {
  const { line } = stream.current;
  const items: Expression[] = [];
  let isTuple = false;
  for (;;) {
    if (items.length > 0) stream.expectOperator(',');
    if (isTupleEnd(stream, rules)) break;
    items.push(
      rules.simplified === true
        ? parsePrimary(stream, rules.namespaces)
        : parseExpression(stream, rules.conditional ?? true),
    );
    if (!stream.isOperator(',')) break;
    isTuple = true;
  }
  const [first] = items;
  if (!isTuple && first !== undefined) return first;
  if (!isTuple && rules.parenthesised !== true) {
    throw stream.fail(`Expected an expression, got '${stream.describe()}'`);
  }
  return { kind: 'tuple', items, line };
}

function isTupleEnd(stream: TokenStream, rules: TupleRules): boolean {
  if (stream.isType('variable_end') || stream.isType('block_end')) return true;
  return stream.isOperator(')') || (rules.end !== undefined && stream.isName(rules.end));
}

function parseList(stream: TokenStream): Expression {
  const { line } = stream.expectOperator('[');
  const items: Expression[] = [];
  while (!stream.isOperator(']')) {
    if (items.length > 0) stream.expectOperator(',');
    if (stream.isOperator(']')) break;
    items.push(parseExpression(stream));
  }
  stream.expectOperator(']');
  return { kind: 'list', items, line };
}

function parseDict(stream: TokenStream): Expression {
  const { line } = stream.expectOperator('{');
  const entries: { key: Expression; value: Expression }[] = [];
  while (!stream.isOperator('}')) {
    if (entries.length > 0) stream.expectOperator(',');
    if (stream.isOperator('}')) break;
    const key = parseExpression(stream);
    stream.expectOperator(':');
    entries.push({ key, value: parseExpression(stream) });
  }
  stream.expectOperator('}');
  return { kind: 'dict', entries, line };
}

function parsePostfix(stream: TokenStream, start: Expression): Expression {
  let node = start;
  for (let count = 0; ; count++) {
    limitChain(stream, count);
    if (stream.isOperator('.', '[')) node = parseSubscript(stream, node);
    else if (stream.isOperator('(')) node = parseCall(stream, node);
    else return node;
  }
}

function parseFilterExpression(stream: TokenStream, start: Expression): Expression {
  let node = start;
  for (let count = 0; ; count++) {
    limitChain(stream, count);
    if (stream.isOperator('|')) {
      stream.advance();
      node = parseFilter(stream, node);
    } else if (stream.isName('is')) node = parseTest(stream, node);
    else if (stream.isOperator('(')) node = parseCall(stream, node);
    else return node;
  }
}

function parseSubscript(stream: TokenStream, object: Expression): Expression {
  const { value, line } = stream.advance();
  if (value === '.') {
    const token = stream.advance();
    if (token.type === 'name') return { kind: 'attribute', object, name: token.value, line };
    if (token.type !== 'integer') throw stream.fail('expected name or number', token.line);
    const index: Expression = {
      kind: 'constant',
      value: readInteger(stream, token.value),
      line,
    };
    return { kind: 'item', object, index, line };
  }
  const items: Expression[] = [];
  while (!stream.isOperator(']')) {
    if (items.length > 0) stream.expectOperator(',');
    items.push(parseSubscribed(stream));
  }
  stream.expectOperator(']');
  const [only] = items;
  const index: Expression =
    items.length === 1 && only !== undefined ? only : { kind: 'tuple', items, line };
  return { kind: 'item', object, index, line };
}

function parseSubscribed(stream: TokenStream): Expression {
  const { line } = stream.current;
  const parts: (Expression | null)[] = [];
  if (stream.isOperator(':')) parts.push(null);
  else {
    const only = parseExpression(stream);
    if (!stream.isOperator(':')) return only;
    parts.push(only);
  }
  while (parts.length < 3 && stream.skipOperator(':')) {
    parts.push(stream.isOperator(':', ']', ',') ? null : parseExpression(stream));
  }
  while (parts.length < 3) parts.push(null);
  return { kind: 'slice', parts, line };
}

function parseArguments(stream: TokenStream): CallArguments {
  const { line } = stream.expectOperator('(');
  const args: Expression[] = [];
  const kwargs: { key: string; value: Expression }[] = [];
  let restArgs: Expression | null = null;
  let restKwargs: Expression | null = null;
  const ensure = (fine: boolean): void => {
    if (!fine) throw stream.fail('invalid syntax for function call expression', line);
  };
  let needsComma = false;
  while (!stream.isOperator(')')) {
    if (needsComma) {
      stream.expectOperator(',');
      if (stream.isOperator(')')) break;
    }
    if (stream.skipOperator('*')) {
      ensure(restArgs === null && restKwargs === null);
      restArgs = parseExpression(stream);
    } else if (stream.skipOperator('**')) {
      ensure(restKwargs === null);
      restKwargs = parseExpression(stream);
    } else if (stream.isType('name') && isAssign(stream)) {
      ensure(restKwargs === null);
      const key = stream.advance().value;
      stream.advance();
      if (kwargs.some((one) => one.key === key)) {
        throw stream.fail(`keyword argument repeated: ${key}`);
      }
      kwargs.push({ key, value: parseExpression(stream) });
    } else {
      ensure(restArgs === null && restKwargs === null && kwargs.length === 0);
      args.push(parseExpression(stream));
    }
    needsComma = true;
  }
  stream.expectOperator(')');
  return { args, kwargs, restArgs, restKwargs };
}

function isAssign(stream: TokenStream): boolean {
  return stream.next?.type === 'operator' && stream.next.value === '=';
}

function parseCall(stream: TokenStream, callee: Expression): CallNode {
  const { line } = stream.current;
  return { kind: 'call', callee, ...parseArguments(stream), line };
}

const noArguments: CallArguments = { args: [], kwargs: [], restArgs: null, restKwargs: null };

function parseDottedName(stream: TokenStream): string {
  let name = stream.expectName().value;
  while (stream.skipOperator('.')) name += `.${stream.expectName().value}`;
  return name;
}

/** A filter behind its `|`. */
export function parseFilter(stream: TokenStream, input: Expression | null): FilterNode {
  const { line } = stream.current;
  const name = parseDottedName(stream);
  const given = stream.isOperator('(') ? parseArguments(stream) : noArguments;
  return { kind: 'filter', name, input, ...given, line };
}

function parseTest(stream: TokenStream, input: Expression): Expression {
  const { line } = stream.advance();
  const negated = stream.skipName('not');
  const name = parseDottedName(stream);
  let given = noArguments;
  if (stream.isOperator('(')) given = parseArguments(stream);
  else if (beginsTestArgument(stream)) {
    if (stream.isName('is')) throw stream.fail('You cannot chain multiple tests with is');
    given = { ...noArguments, args: [parsePostfix(stream, parsePrimary(stream))] };
  }
  const test: Expression = { kind: 'test', name, input, ...given, line };
  return negated ? { kind: 'unary', operator: 'not', operand: test, line } : test;
}

function beginsTestArgument(stream: TokenStream): boolean {
  const { type } = stream.current;
  if (type === 'name') return !stream.isName('else', 'or', 'and');
  if (type === 'string' || type === 'integer' || type === 'float') return true;
  return stream.isOperator('[', '{');
}
