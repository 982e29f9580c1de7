/** Macros and the bodies of call blocks: parameters, defaults and a body, as a value made at run time. */

import { Undefined, type Value } from '../values/value.ts';
import type { MacroLike, Statement } from '../syntax/ast.ts';
import { TemplateFailure } from '../values/failure.ts';
import { compileExpression } from './compile-expression.ts';
import { Frame, enterScope, type Execute, type Scope } from './frame.ts';
import { Macro, type MacroShape } from './macro.ts';

export type CompileBody = (nodes: readonly Statement[], scope: Scope) => Execute;

/** @param node its `name` is null for the body of a call block */
export function compileMacro(
  node: MacroLike & { readonly name: string | null },
  outer: Scope,
  compileBody: CompileBody,
): (frame: Frame) => Macro {
  const scope = outer.inner({ isFunction: true });
  const { symbols } = scope;
  for (const parameter of node.parameters) symbols.declareParameter(parameter.name);
  const shape = shapeOf(node, scope);
  const extra = [
    ...(shape.readsCaller && !shape.parameters.includes('caller') ? ['caller'] : []),
    ...(shape.readsKwargs ? ['kwargs'] : []),
    ...(shape.readsVarargs ? ['varargs'] : []),
  ];
  for (const name of extra) symbols.declareParameter(name);
  symbols.analyseAll(node.defaults);
  symbols.analyseAll(node.body);
  const slots = [...shape.parameters, ...extra].map((name) => symbols.find(name)?.slot ?? 0);
  const fill = compileDefaults(node, scope);
  const body = compileBody(node.body, scope);
  const enter = enterScope(scope);
  return (frame) =>
    new Macro(shape, (args) => {
      const { render } = frame;
      const own = new Frame(render, frame, symbols.scope.size);
      for (const [at, slot] of slots.entries()) own.slots[slot] = args[at];
      const before = render.out;
      render.out = '';
      enter?.(own);
      fill(own);
      body(own);
      const text = render.out;
      render.out = before;
      return text;
    });
}

function shapeOf(
  node: MacroLike & { readonly name: string | null },
  { symbols }: Scope,
): MacroShape {
  const parameters = node.parameters.map(({ name }) => name);
  const undeclared = symbols.findUndeclared(node.body, ['caller', 'kwargs', 'varargs']);
  const explicitCaller = parameters.indexOf('caller');
  const firstDefault = parameters.length - node.defaults.length;
  if (undeclared.has('caller') && explicitCaller !== -1 && explicitCaller < firstDefault) {
    throw new TemplateFailure(
      'TemplateAssertionError',
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      node.line,
    );
  }
  return {
    name: node.name,
    parameters,
    readsCaller: undeclared.has('caller'),
    readsKwargs: undeclared.has('kwargs') && !parameters.includes('kwargs'),
    readsVarargs: undeclared.has('varargs') && !parameters.includes('varargs'),
  };
}

/** Fills parameters that no argument came for, from left to right. */
function compileDefaults(node: MacroLike, scope: Scope): (frame: Frame) => void {
  const firstDefault = node.parameters.length - node.defaults.length;
  const all = node.parameters.map(({ name }, at) => {
    const value = node.defaults[at - firstDefault];
    const absent = new Undefined(() => `parameter '${name}' was not provided`);
    const make: (frame: Frame) => Value =
      value === undefined ? () => absent : compileExpression(value, scope);
    return { slot: scope.symbols.find(name)?.slot ?? 0, make };
  });
  return (frame) => {
    for (const { slot, make } of all) {
      if (frame.slots[slot] === undefined) frame.slots[slot] = make(frame);
    }
  };
}
