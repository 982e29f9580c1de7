/**
 * Expressions to closures. Each closure pays one step before it works, except where it only reads a
 * variable or a constant. Called by the statement compiler.
 */

import { getAttribute, getItem } from '../values/attributes.ts';
import { Callable } from '../values/callable.ts';
import { compare, contains, isEqual } from '../values/compare.ts';
import { TemplateFailure, typeError } from '../values/failure.ts';
import { binaryOperators, negate, plus } from '../values/operators.ts';
import { toText } from '../values/text.ts';
import { sliceOf } from '../values/slices.ts';
import { toArray } from '../values/iterate.ts';
import {
  PyDict,
  PyTuple,
  Undefined,
  isTrue,
  typeName,
  type Kwargs,
  type Value,
} from '../values/value.ts';
import type { Render } from '../values/render.ts';
import type {
  CallArguments,
  CallNode,
  CompareNode,
  Expression,
  FilterNode,
  SliceNode,
  TestNode,
} from '../syntax/ast.ts';
import { filters, tests } from '../filters/registry.ts';
import { readVariable, type Evaluate, type Frame, type Scope } from './frame.ts';

export function compileExpression(node: Expression, scope: Scope): Evaluate {
  switch (node.kind) {
    case 'constant': {
      const { value } = node;
      return () => value;
    }
    case 'name':
      return compileName(node.name, scope);
    case 'attribute': {
      const object = compileExpression(node.object, scope);
      const { name } = node;
      return (frame) => getAttribute(frame.render, object(frame), name);
    }
    case 'item':
      return compileItem(node.object, node.index, scope);
    case 'call':
      return compileCall(node, scope, null);
    case 'filter': {
      if (node.input === null) break;
      return compileFilter(node, scope, compileExpression(node.input, scope));
    }
    case 'test':
      return compileTest(node, scope);
    case 'binary': {
      const left = compileExpression(node.left, scope);
      const right = compileExpression(node.right, scope);
      const apply = binaryOperators[node.operator];
      return (frame) => apply(frame.render, left(frame), right(frame));
    }
    case 'logic': {
      const left = compileExpression(node.left, scope);
      const right = compileExpression(node.right, scope);
      const stops = node.operator === 'or';
      return (frame) => {
        const value = left(frame);
        return isTrue(value) === stops ? value : right(frame);
      };
    }
    case 'unary': {
      const operand = compileExpression(node.operand, scope);
      if (node.operator === 'not') return (frame) => !isTrue(operand(frame));
      const apply = node.operator === '-' ? negate : plus;
      return (frame) => apply(operand(frame));
    }
    case 'compare':
      return compileComparison(node, scope);
    case 'conditional': {
      const soft = scope.soft();
      const test = compileExpression(node.test, soft);
      const value = compileExpression(node.value, soft);
      const otherwise =
        node.otherwise === null ? noElse(node.line) : compileExpression(node.otherwise, soft);
      return (frame) => (isTrue(test(frame)) ? value(frame) : otherwise(frame));
    }
    case 'concat':
      return compileConcat(node.items, scope);
    default:
      return compileContainer(node, scope);
  }
  throw new TemplateFailure('TemplateSyntaxError', 'a filter without input', node.line);
}

function noElse(line: number): Evaluate {
  const absent = new Undefined(
    () =>
      `the inline if-expression on line ${line} evaluated to false and no else section was defined.`,
  );
  return () => absent;
}

function compileContainer(node: Expression, scope: Scope): Evaluate {
  switch (node.kind) {
    case 'list': {
      const items = compileAll(node.items, scope);
      return (frame) => evaluateAll(items, frame);
    }
    case 'tuple': {
      const items = compileAll(node.items, scope);
      return (frame) => new PyTuple(evaluateAll(items, frame));
    }
    case 'dict': {
      const entries = node.entries.map(
        ({ key, value }) =>
          [compileExpression(key, scope), compileExpression(value, scope)] as const,
      );
      return (frame) => {
        frame.render.charge(2 + entries.length * 4);
        const dict = new PyDict();
        for (const [key, value] of entries) dict.set(key(frame), value(frame));
        return dict;
      };
    }
    case 'slice': {
      // A slice among several subscripts: a key that nothing has.
      throw new TemplateFailure('TypeError', 'slices in tuples are not supported', node.line);
    }
    default:
      throw new TemplateFailure('TemplateSyntaxError', `unexpected ${node.kind}`, node.line);
  }
}

const compileAll = (nodes: readonly Expression[], scope: Scope): Evaluate[] =>
  nodes.map((node) => compileExpression(node, scope));

function evaluateAll(items: readonly Evaluate[], frame: Frame): Value[] {
  frame.render.charge(1 + items.length);
  return items.map((item) => item(frame));
}

function compileName(name: string, scope: Scope): Evaluate {
  const variable = scope.symbols.find(name);
  if (variable === null) {
    throw new TemplateFailure('TemplateSyntaxError', `the name '${name}' is of no scope`);
  }
  const absent = new Undefined(() => `'${name}' is undefined`);
  const read = readVariable(scope, variable);
  return (frame) => {
    const value = read(frame);
    return value === undefined ? absent : value;
  };
}

function compileItem(objectNode: Expression, index: Expression, scope: Scope): Evaluate {
  const object = compileExpression(objectNode, scope);
  if (index.kind === 'slice') return compileSlice(object, index, scope);
  const key = compileExpression(index, scope);
  return (frame) => getItem(frame.render, object(frame), key(frame));
}

function compileSlice(object: Evaluate, node: SliceNode, scope: Scope): Evaluate {
  const [start, stop, step] = node.parts.map((part) =>
    part === null ? () => null : compileExpression(part, scope),
  );
  if (start === undefined || stop === undefined || step === undefined) return object;
  return (frame) => {
    const value = object(frame);
    return sliceOf(frame.render, value, {
      start: start(frame),
      stop: stop(frame),
      step: step(frame),
    });
  };
}

function compileConcat(nodes: readonly Expression[], scope: Scope): Evaluate {
  const items = compileAll(nodes, scope);
  return (frame) => {
    const { render } = frame;
    let text = '';
    for (const item of items) text += toText(render, item(frame));
    render.chargeText(text.length);
    return text;
  };
}

type Compare = (render: Render, left: Value, right: Value) => boolean;

const comparisons: Readonly<Record<string, Compare>> = {
  '==': isEqual,
  '!=': (render, left, right) => !isEqual(render, left, right),
  '<': (render, left, right) => compare(render, left, right, '<'),
  '<=': (render, left, right) => compare(render, left, right, '<='),
  '>': (render, left, right) => compare(render, left, right, '>'),
  '>=': (render, left, right) => compare(render, left, right, '>='),
  in: (render, left, right) => contains(render, right, left),
  'not in': (render, left, right) => !contains(render, right, left),
};

function compileComparison(node: CompareNode, scope: Scope): Evaluate {
  const first = compileExpression(node.first, scope);
  const rest = node.rest.map(({ operator, right }) => ({
    apply: comparisons[operator] ?? isEqual,
    right: compileExpression(right, scope),
  }));
  const [only] = rest;
  if (rest.length === 1 && only !== undefined) {
    const { apply, right } = only;
    return (frame) => {
      frame.render.charge(1);
      return apply(frame.render, first(frame), right(frame));
    };
  }
  return (frame) => {
    frame.render.charge(rest.length);
    let left = first(frame);
    for (const { apply, right } of rest) {
      const value = right(frame);
      if (!apply(frame.render, left, value)) return false;
      left = value;
    }
    return true;
  };
}

interface Given {
  readonly args: (frame: Frame) => Value[];
  readonly kwargs: (frame: Frame) => Kwargs;
}

function compileArguments(node: CallArguments, scope: Scope): Given {
  const fixed = compileAll(node.args, scope);
  const named = node.kwargs.map(
    ({ key, value }) => [key, compileExpression(value, scope)] as const,
  );
  const rest = node.restArgs === null ? null : compileExpression(node.restArgs, scope);
  const restNamed = node.restKwargs === null ? null : compileExpression(node.restKwargs, scope);
  const isPlain = named.length === 0 && restNamed === null;
  const kwargs = (frame: Frame): Kwargs => {
    const all = new Map<string, Value>();
    for (const [key, value] of named) all.set(key, value(frame));
    if (restNamed !== null) spread(all, restNamed(frame));
    return all;
  };
  return {
    args:
      rest === null
        ? (frame) => fixed.map((item) => item(frame))
        : (frame) => [...fixed.map((item) => item(frame)), ...toArray(frame.render, rest(frame))],
    kwargs: isPlain ? () => null : kwargs,
  };
}

function spread(all: Map<string, Value>, value: Value): void {
  if (!(value instanceof PyDict)) {
    throw typeError(`argument after ** must be a mapping, not ${typeName(value)}`);
  }
  for (const [key, one] of value.entries()) {
    if (typeof key !== 'string') throw typeError('keywords must be strings');
    if (all.has(key)) throw typeError(`got multiple values for keyword argument '${key}'`);
    all.set(key, one);
  }
}

/** @param caller what a call block hands to the macro that it calls */
export function compileCall(node: CallNode, scope: Scope, caller: Evaluate | null): Evaluate {
  const callee = compileExpression(node.callee, scope);
  const given = compileArguments(node, scope);
  const { line } = node;
  return (frame) => {
    const { render } = frame;
    render.charge(4);
    const called = callee(frame);
    const args = given.args(frame);
    let kwargs = given.kwargs(frame);
    if (caller !== null) kwargs = new Map([...(kwargs ?? []), ['caller', caller(frame)]]);
    render.line = line;
    return callValue(render, called, { args, kwargs });
  };
}

function callValue(
  render: Render,
  called: Value,
  given: { readonly args: readonly Value[]; readonly kwargs: Kwargs },
): Value {
  if (called instanceof Callable) return called.call(render, given.args, given.kwargs);
  if (called instanceof Undefined) throw called.failure();
  throw typeError(`'${typeName(called)}' object is not callable`);
}

/** @param input what is filtered: an expression, or what a block wrote */
export function compileFilter(node: FilterNode, scope: Scope, input: Evaluate): Evaluate {
  const filter = filters.get(node.name);
  const { line } = node;
  if (filter === undefined) return unknown('filter', node, scope);
  const given = compileArguments(node, scope);
  return (frame) => {
    const { render } = frame;
    render.charge(4);
    const value = input(frame);
    const args = given.args(frame);
    const kwargs = given.kwargs(frame);
    render.line = line;
    return filter.run(render, [value, ...args], kwargs);
  };
}

/** The filters of a chain that begins with what a block wrote. */
export function compileFilterChain(node: FilterNode, scope: Scope, start: Evaluate): Evaluate {
  const input =
    node.input === null
      ? start
      : node.input.kind === 'filter'
        ? compileFilterChain(node.input, scope, start)
        : compileExpression(node.input, scope);
  return compileFilter(node, scope, input);
}

function compileTest(node: TestNode, scope: Scope): Evaluate {
  const test = tests.get(node.name);
  if (test === undefined) return unknown('test', node, scope);
  const input = compileExpression(node.input, scope);
  const given = compileArguments(node, scope);
  return (frame) => {
    frame.render.charge(1);
    const value = input(frame);
    return test.run(frame.render, [value, ...given.args(frame)], given.kwargs(frame));
  };
}

function unknown(what: 'filter' | 'test', node: FilterNode | TestNode, scope: Scope): Evaluate {
  const { name, line } = node;
  if (!scope.flags.soft) {
    throw new TemplateFailure('TemplateAssertionError', `No ${what} named '${name}'.`, line);
  }
  return () => {
    throw new TemplateFailure('TemplateRuntimeError', `No ${what} named '${name}' found.`, line);
  };
}
