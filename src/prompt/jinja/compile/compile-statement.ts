/**
 * Statements to closures. What a statement writes goes to the render's output; a body that is
 * captured (macro, set block, filter block) writes to an empty one in between. Called by `template.ts`.
 */

import { TemplateFailure, typeError } from '../values/failure.ts';
import type { Render } from '../values/render.ts';
import { toText } from '../values/text.ts';
import { isTrue, textOf, typeName, type Value } from '../values/value.ts';
import type {
  AssignBlockNode,
  AssignNode,
  BlockNode,
  CallBlockNode,
  FilterBlockNode,
  IfNode,
  LoadNode,
  OutputNode,
  Statement,
  WithNode,
} from '../syntax/ast.ts';
import { compileAssignment } from './compile-assignment.ts';
import { compileCall, compileExpression, compileFilterChain } from './compile-expression.ts';
import { compileFor } from './compile-loop.ts';
import { compileMacro } from './compile-macro.ts';
import {
  Frame,
  Scope,
  breakLoop,
  continueLoop,
  enterScope,
  goOn,
  leaveScope,
  type Evaluate,
  type Execute,
} from './frame.ts';

/** Statements one after the other, until one leaves the loop or its turn. */
export function compileBody(nodes: readonly Statement[], scope: Scope): Execute {
  const all = nodes.map((node) => compileStatement(node, scope));
  const [first, second, third] = all;
  if (first === undefined) return () => goOn;
  if (second === undefined) return first;
  if (third === undefined) return (frame) => first(frame) || second(frame);
  return (frame) => {
    for (const execute of all) {
      const flow = execute(frame);
      if (flow !== goOn) return flow;
    }
    return goOn;
  };
}

function compileStatement(node: Statement, scope: Scope): Execute {
  switch (node.kind) {
    case 'output':
      return compileOutput(node, scope);
    case 'if':
      return compileIf(node, scope);
    case 'for':
      return compileFor(node, scope, compileBody);
    case 'assign':
      return compileAssign(node, scope);
    case 'assign-block':
      return compileAssignBlock(node, scope);
    case 'macro': {
      const make = compileMacro(node, scope, compileBody);
      const assign = compileAssignment(
        { kind: 'name', name: node.name, mode: 'store', line: node.line },
        scope,
      );
      return (frame) => {
        assign(frame, make(frame));
        return goOn;
      };
    }
    case 'call-block':
      return compileCallBlock(node, scope);
    case 'filter-block':
      return compileFilterBlock(node, scope);
    case 'with':
      return compileWith(node, scope);
    case 'block':
      return compileBlock(node, scope);
    case 'load':
      return compileLoad(node);
    case 'break':
    case 'continue': {
      if (!scope.flags.inLoop) {
        const message =
          node.kind === 'break' ? "'break' outside loop" : "'continue' not properly in loop";
        throw new TemplateFailure('TemplateSyntaxError', message, node.line);
      }
      const flow = node.kind === 'break' ? breakLoop : continueLoop;
      return () => flow;
    }
  }
}

function compileOutput(node: OutputNode, scope: Scope): Execute {
  const writes = node.items.map((item): ((frame: Frame) => void) => {
    if (typeof item === 'string') return ({ render }) => render.write(item);
    if (item.kind === 'constant' && typeof item.value === 'string') {
      const { value } = item;
      return ({ render }) => render.write(value);
    }
    const evaluate = compileExpression(item, scope);
    const { line } = item;
    return (frame) => {
      const { render } = frame;
      render.line = line;
      const value = evaluate(frame);
      render.write(typeof value === 'string' ? value : toText(render, value));
    };
  });
  const cost = 1 + writes.length;
  return (frame) => {
    frame.render.charge(cost);
    for (const write of writes) write(frame);
    return goOn;
  };
}

function compileIf(node: IfNode, outer: Scope): Execute {
  const scope = outer.soft();
  const branches = [node, ...node.elifs].map((branch) => ({
    test: compileExpression(branch.test, scope),
    body: compileBody(branch.body, scope),
    line: branch.line,
  }));
  const otherwise = compileBody(node.otherwise, scope);
  return (frame) => {
    const { render } = frame;
    for (const { test, body, line } of branches) {
      render.charge(1);
      render.line = line;
      if (isTrue(test(frame))) return body(frame);
    }
    return otherwise(frame);
  };
}

function compileAssign(node: AssignNode, scope: Scope): Execute {
  const value = compileExpression(node.value, scope);
  const assign = compileAssignment(node.target, scope);
  const { line } = node;
  return (frame) => {
    const { render } = frame;
    render.charge(1);
    render.line = line;
    assign(frame, value(frame));
    return goOn;
  };
}

/** Runs a body with an output of its own. Null: it left the loop around it, and what it wrote is lost. */
function captured(body: Execute): (frame: Frame) => { text: string; flow: 0 | 1 | 2 } {
  return (frame) => {
    const { render } = frame;
    const before = render.out;
    render.out = '';
    const flow = body(frame);
    const text = render.out;
    render.out = before;
    return { text, flow };
  };
}

function compileAssignBlock(node: AssignBlockNode, scope: Scope): Execute {
  const inner = scope.inner();
  inner.symbols.analyseAll(node.body);
  if (node.filter !== null) inner.symbols.analyse(node.filter);
  const body = captured(compileBody(node.body, inner));
  const enter = enterScope(inner);
  const leave = leaveScope(inner);
  const assign = compileAssignment(node.target, scope);
  const filter = compileTextFilter(node.filter, inner);
  return (frame) => {
    frame.render.charge(2);
    enter?.(frame);
    const { text, flow } = body(frame);
    if (flow === goOn) {
      assign(frame, filter(frame, text));
    }
    leave(frame);
    return flow;
  };
}

type TextFilter = (frame: Frame, text: string) => Value;

function compileTextFilter(node: AssignBlockNode['filter'], scope: Scope): TextFilter {
  if (node === null) return (_frame, text) => text;
  let input = '';
  const filter = compileFilterChain(node, scope, () => input);
  return (frame, text) => {
    input = text;
    return filter(frame);
  };
}

/** What blocks print must be text: they join it without asking for its string. */
function writeText(render: Render, value: Value): void {
  const text = textOf(value);
  if (text === undefined) {
    throw typeError(`sequence item 0: expected str instance, ${typeName(value)} found`);
  }
  render.write(text);
}

function compileFilterBlock(node: FilterBlockNode, scope: Scope): Execute {
  const inner = scope.inner();
  inner.symbols.analyseAll(node.body);
  inner.symbols.analyse(node.filter);
  const body = captured(compileBody(node.body, inner));
  const enter = enterScope(inner);
  const leave = leaveScope(inner);
  const filter = compileTextFilter(node.filter, inner);
  return (frame) => {
    enter?.(frame);
    const { text, flow } = body(frame);
    if (flow === goOn) writeText(frame.render, filter(frame, text));
    leave(frame);
    return flow;
  };
}

function compileCallBlock(node: CallBlockNode, scope: Scope): Execute {
  const make = compileMacro({ ...node, name: null }, scope, compileBody);
  if (node.call === null) {
    return (frame) => {
      writeText(frame.render, make(frame).call(frame.render, [], null));
      return goOn;
    };
  }
  const call: Evaluate = compileCall(node.call, scope, make);
  return (frame) => {
    writeText(frame.render, call(frame));
    return goOn;
  };
}

function compileWith(node: WithNode, scope: Scope): Execute {
  const inner = scope.inner();
  inner.symbols.analyseAll(node.targets);
  inner.symbols.analyseAll(node.body);
  const enter = enterScope(inner);
  const leave = leaveScope(inner);
  const assignments = node.targets.map((target, at) => {
    const value = node.values[at];
    return {
      assign: compileAssignment(target, inner),
      value: value === undefined ? () => null : compileExpression(value, scope),
    };
  });
  const body = compileBody(node.body, inner);
  return (frame) => {
    frame.render.charge(1 + assignments.length);
    enter?.(frame);
    for (const { assign, value } of assignments) assign(frame, value(frame));
    const flow = body(frame);
    leave(frame);
    return flow;
  };
}

/** A block sees what the template's top published, and where it is `scoped` what is around it. */
function compileBlock(node: BlockNode, scope: Scope): Execute {
  const inner = node.scoped ? scope.inner({ isFunction: true }) : Scope.root(false);
  inner.symbols.analyseAll(node.body);
  const enter = enterScope(inner);
  const body = compileBody(node.body, inner);
  return (frame) => {
    const { render } = frame;
    render.enter();
    const own = new Frame(render, node.scoped ? frame : null, inner.symbols.scope.size);
    enter?.(own);
    body(own);
    render.leave();
    return goOn;
  };
}

function compileLoad(node: LoadNode): Execute {
  return () => {
    throw new TemplateFailure(
      'TypeError',
      `no loader for this environment specified: '${node.tag}' needs another template, and a chat template stands alone`,
      node.line,
    );
  };
}
