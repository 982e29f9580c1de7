/** The left side of `set`, `for` and `with`: a value to its name, namespace or names. */

import { Namespace } from '../values/namespace.ts';
import { TemplateFailure, valueError } from '../values/failure.ts';
import { toArray } from '../values/iterate.ts';
import type { Value } from '../values/value.ts';
import type { Target } from '../syntax/ast.ts';
import { readVariable, type Frame, type Scope } from './frame.ts';

export type Assign = (frame: Frame, value: Value) => void;

export function compileAssignment(target: Target, scope: Scope): Assign {
  if (target.kind === 'tuple') return compileUnpacking(target.items as readonly Target[], scope);
  const variable = scope.symbols.find(target.name);
  if (variable === null) {
    throw new TemplateFailure('TemplateSyntaxError', `the name '${target.name}' is of no scope`);
  }
  if (target.kind === 'namespace') {
    const read = readVariable(scope, variable);
    const { attribute } = target;
    return (frame, value) => {
      const space = read(frame);
      if (!(space instanceof Namespace)) {
        throw new TemplateFailure(
          'TemplateRuntimeError',
          'cannot assign attribute on non-namespace object',
        );
      }
      space.set(attribute, value);
    };
  }
  const { slot } = variable;
  if (!scope.flags.top) return (frame, value) => void (frame.slots[slot] = value);
  const { name } = target;
  return (frame, value) => {
    frame.slots[slot] = value;
    frame.render.publish(name, value);
  };
}

function compileUnpacking(targets: readonly Target[], scope: Scope): Assign {
  const assigns = targets.map((target) => compileAssignment(target, scope));
  const wanted = assigns.length;
  return (frame, value) => {
    const items = toArray(frame.render, value, 'unpack');
    if (items.length < wanted) {
      throw valueError(`not enough values to unpack (expected ${wanted}, got ${items.length})`);
    }
    if (items.length > wanted) throw valueError(`too many values to unpack (expected ${wanted})`);
    for (const [at, assign] of assigns.entries()) assign(frame, items[at] ?? null);
  };
}
