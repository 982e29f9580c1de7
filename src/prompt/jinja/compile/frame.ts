/**
 * Where compiled code runs: the variables of one call. And, while compiling, which scope a node is in.
 * Shared by the parts of the compiler.
 */

import type { Render } from '../values/render.ts';
import type { Value } from '../values/value.ts';
import { FunctionScope, Symbols, type Variable } from './symbols.ts';

/** One call of a function scope; `undefined` in a slot is a name without a value. */
export class Frame {
  readonly render: Render;
  readonly parent: Frame | null;
  readonly slots: (Value | undefined)[];

  constructor(render: Render, parent: Frame | null, size: number) {
    this.render = render;
    this.parent = parent;
    this.slots = [];
    for (let i = 0; i < size; i++) this.slots.push(undefined);
  }
}

export type Evaluate = (frame: Frame) => Value;
/** Runs a statement; how the body around it goes on. */
export type Execute = (frame: Frame) => Flow;
export type Flow = 0 | 1 | 2;
export const goOn: Flow = 0;
export const breakLoop: Flow = 1;
export const continueLoop: Flow = 2;

export interface ScopeFlags {
  /** Assignments here are visible to blocks and to macros that look names up. */
  readonly top: boolean;
  /** Inside an `if`, where an unknown filter is an error only when it is reached. */
  readonly soft: boolean;
  /** Whether `break` and `continue` have a loop here. */
  readonly inLoop: boolean;
}

/** A scope while compiling. */
export class Scope {
  readonly symbols: Symbols;
  readonly flags: ScopeFlags;

  constructor(symbols: Symbols, flags: ScopeFlags) {
    this.symbols = symbols;
    this.flags = flags;
  }

  static root(top: boolean): Scope {
    const flags = { top, soft: false, inLoop: false };
    return new Scope(new Symbols(new FunctionScope(null), null), flags);
  }

  /** A scope below this one, in the same function or at the start of a new one. */
  inner(options: { readonly isFunction?: boolean; readonly inLoop?: boolean } = {}): Scope {
    const isFunction = options.isFunction === true;
    const own = this.symbols.scope;
    const scope = isFunction ? new FunctionScope(own) : own;
    const inLoop = options.inLoop ?? (isFunction ? false : this.flags.inLoop);
    return new Scope(new Symbols(scope, this.symbols), { top: false, soft: false, inLoop });
  }

  soft(): Scope {
    return new Scope(this.symbols, { ...this.flags, soft: true });
  }

  /** How many calls outwards a variable lives. */
  distance(variable: Variable): number {
    let hops = 0;
    for (
      let scope: FunctionScope | null = this.symbols.scope;
      scope !== null && scope !== variable.scope;
      scope = scope.parent
    )
      hops++;
    return hops;
  }
}

const frameAt = (frame: Frame, hops: number): Frame => {
  let found = frame;
  for (let i = 0; i < hops; i++) found = found.parent ?? found;
  return found;
};

export type Read = (frame: Frame) => Value | undefined;

export function readVariable(scope: Scope, variable: Variable): Read {
  const { slot } = variable;
  const hops = scope.distance(variable);
  if (hops === 0) return (frame) => frame.slots[slot];
  if (hops === 1) return (frame) => (frame.parent ?? frame).slots[slot];
  return (frame) => frameAt(frame, hops).slots[slot];
}

/** Gives a scope's variables what they hold when it begins; null where there is nothing to do. */
export function enterScope(scope: Scope): ((frame: Frame) => void) | null {
  const actions: ((frame: Frame) => void)[] = [];
  for (const [{ slot }, load] of scope.symbols.loads) {
    if (load.from === 'context') {
      const { name } = load;
      actions.push((frame) => void (frame.slots[slot] = frame.render.resolve(name)));
    } else if (load.from === 'outer') {
      const read = readVariable(scope, load.variable);
      actions.push((frame) => void (frame.slots[slot] = read(frame)));
    } else if (load.from === 'nothing') {
      actions.push((frame) => void (frame.slots[slot] = undefined));
    }
  }
  const [first, second] = actions;
  if (first === undefined) return null;
  if (second === undefined) return first;
  return (frame) => {
    for (const action of actions) action(frame);
  };
}

/** Empties a scope's variables, so that nothing reads them behind its end. */
export function leaveScope(scope: Scope): (frame: Frame) => void {
  const slots = [...scope.symbols.loads.keys()].map(({ slot }) => slot);
  return (frame) => {
    for (const slot of slots) frame.slots[slot] = undefined;
  };
}
