/** `for` loops: plain ones, those that look at `loop`, filtered and recursive ones. */

import { iterate, toArrayIfCheap } from '../values/iterate.ts';
import { isTrue, type Value } from '../values/value.ts';
import type { ForNode } from '../syntax/ast.ts';
import { compileAssignment, type Assign } from './compile-assignment.ts';
import { compileExpression } from './compile-expression.ts';
import type { CompileBody } from './compile-macro.ts';
import {
  Frame,
  breakLoop,
  enterScope,
  goOn,
  leaveScope,
  type Execute,
  Scope,
  type Flow,
} from './frame.ts';
import { LoopContext, type Recurse } from './loop-context.ts';
import { Symbols } from './symbols.ts';

/** Everything of a loop that is ready before it runs. */
interface Loop {
  readonly assign: Assign;
  readonly enter: ((frame: Frame) => void) | null;
  readonly leave: (frame: Frame) => void;
  readonly body: Execute;
  /** Runs where there was no item; null = there is no `else`. */
  readonly otherwise: Execute | null;
  /** The slot of `loop`; null where nothing reads it. */
  readonly loopSlot: number | null;
  /** Leaves out what the loop's `if` does not want. */
  readonly select: ((frame: Frame, items: Iterable<Value>) => Iterator<Value>) | null;
}

export function compileFor(node: ForNode, outer: Scope, compileBody: CompileBody): Execute {
  const iterable = compileExpression(node.iterable, outer);
  const scope = outer.inner({ isFunction: node.recursive, inLoop: true });
  const loop = compileParts(node, { outer, scope, compileBody });
  const { line } = node;
  if (!node.recursive) {
    return (frame) => {
      frame.render.charge(2);
      frame.render.line = line;
      return runLoop(loop, frame, { items: iterable(frame), recurse: null, depth: 0 });
    };
  }
  const { scope: owner } = scope.symbols;
  return (frame) => {
    const recurse: Recurse = (render, items, depth) => {
      render.enter();
      const own = new Frame(render, frame, owner.size);
      const before = render.out;
      render.out = '';
      runLoop(loop, own, { items, recurse, depth });
      const text = render.out;
      render.out = before;
      render.leave();
      return text;
    };
    frame.render.write(recurse(frame.render, iterable(frame), 0) as string);
    return goOn;
  };
}

function compileParts(
  node: ForNode,
  context: { outer: Scope; scope: Scope; compileBody: CompileBody },
): Loop {
  const { scope, outer, compileBody } = context;
  const { symbols } = scope;
  const readsLoop = node.recursive || symbols.findUndeclared(node.body, ['loop']).has('loop');
  const loopSlot = readsLoop ? symbols.declareParameter('loop').slot : null;
  symbols.declareTarget(node.target);
  symbols.analyseAll(node.body);
  let otherwise: Execute | null = null;
  if (node.otherwise.length > 0) {
    // The branch of a recursive loop runs among the loop's own variables.
    const { inLoop } = outer.flags;
    const flags = { top: false, soft: false, inLoop: inLoop && !node.recursive };
    const inner = new Scope(new Symbols(symbols.scope, outer.symbols), flags);
    inner.symbols.analyseAll(node.otherwise);
    const enter = enterScope(inner);
    const leave = leaveScope(inner);
    const body = compileBody(node.otherwise, inner);
    otherwise = (frame) => {
      enter?.(frame);
      const flow = body(frame);
      leave(frame);
      return flow;
    };
  }
  return {
    assign: compileAssignment(node.target, scope),
    enter: enterScope(scope),
    leave: leaveScope(scope),
    body: compileBody(node.body, scope),
    otherwise,
    loopSlot,
    select: node.test === null ? null : compileSelection(node, outer),
  };
}

/** The loop's `if` runs with variables of its own, item by item as the loop asks for them. */
function compileSelection(node: ForNode, outer: Scope): Loop['select'] {
  const { test } = node;
  if (test === null) return null;
  const scope = outer.inner({ isFunction: true });
  scope.symbols.declareTarget(node.target);
  scope.symbols.analyse(test);
  const enter = enterScope(scope);
  const assign = compileAssignment(node.target, scope);
  const wanted = compileExpression(test, scope);
  const { scope: owner } = scope.symbols;
  return function* select(frame, items) {
    const own = new Frame(frame.render, frame, owner.size);
    enter?.(own);
    for (const item of items) {
      frame.render.charge(4);
      assign(own, item);
      if (isTrue(wanted(own))) yield item;
    }
  };
}

interface Run {
  readonly items: Value;
  readonly recurse: Recurse | null;
  readonly depth: number;
}

function runLoop(loop: Loop, frame: Frame, run: Run): Flow {
  const { render } = frame;
  const source =
    loop.select === null
      ? (toArrayIfCheap(render, run.items) ?? iterate(render, run.items))
      : loop.select(
          run.recurse === null ? frame : (frame.parent ?? frame),
          iterate(render, run.items),
        );
  const isEmpty = Array.isArray(source)
    ? runOver(loop, frame, { source, run })
    : runOver(loop, frame, { source: (source as Iterable<Value>)[Symbol.iterator](), run });
  loop.leave(frame);
  return isEmpty && loop.otherwise !== null ? loop.otherwise(frame) : goOn;
}

/**
 * Whether `else` runs: Python's code for a loop marks at the end of a turn that there was an item, so a
 * turn that breaks or continues does not count.
 */
function runOver(
  loop: Loop,
  frame: Frame,
  { source, run }: { source: readonly Value[] | Iterator<Value>; run: Run },
): boolean {
  if (loop.loopSlot === null && Array.isArray(source)) {
    return runPlain(loop, frame, source as readonly Value[]);
  }
  const context = new LoopContext(source, run.recurse, run.depth);
  let isEmpty = true;
  for (let item = context.step(); item !== undefined; item = context.step()) {
    if (loop.loopSlot !== null) frame.slots[loop.loopSlot] = context;
    const flow = runTurn(loop, frame, item);
    if (flow === breakLoop) return isEmpty;
    if (flow === goOn) isEmpty = false;
  }
  return isEmpty;
}

function runPlain(loop: Loop, frame: Frame, items: readonly Value[]): boolean {
  let isEmpty = true;
  for (const item of items) {
    const flow = runTurn(loop, frame, item);
    if (flow === breakLoop) return isEmpty;
    if (flow === goOn) isEmpty = false;
  }
  return isEmpty;
}

function runTurn(loop: Loop, frame: Frame, item: Value): Flow {
  frame.render.charge(loop.loopSlot === null ? 2 : 4);
  loop.assign(frame, item);
  loop.enter?.(frame);
  return loop.body(frame);
}
