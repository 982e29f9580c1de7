/**
 * Which variable a name means, decided before anything runs, as Jinja2 decides it: a name is its
 * scope's own, an outer scope's, or looked up in the context when its scope begins. Used by the
 * compiler only.
 */

import { TemplateFailure } from '../values/failure.ts';
import { childrenOf, type Node, type Statement } from '../syntax/ast.ts';

/** What runs with variables of its own: the template, a macro, a recursive loop. */
export class FunctionScope {
  readonly parent: FunctionScope | null;
  readonly #slots = new Map<string, Variable>();

  constructor(parent: FunctionScope | null) {
    this.parent = parent;
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Scopes of one depth share the variables of one name, as they do in Jinja2's Python. */
  variable(level: number, name: string): Variable {
    const key = `${level} ${name}`;
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const made: Variable = { scope: this, slot: this.#slots.size };
    this.#slots.set(key, made);
    return made;
  }
}

export interface Variable {
  readonly scope: FunctionScope;
  readonly slot: number;
}

/** What a variable holds when its scope begins. */
export type Load =
  | { readonly from: 'parameter' }
  | { readonly from: 'nothing' }
  | { readonly from: 'context'; readonly name: string }
  | { readonly from: 'outer'; readonly variable: Variable };

/**
 * Names that may be copied for the branches of `if`s, and nodes that may be looked at again for each
 * body around them: neither grows with the square of a template's length.
 */
const maxWork = 500_000;

export class Symbols {
  readonly scope: FunctionScope;
  readonly parent: Symbols | null;
  readonly #level: number;
  /** What is left of `maxWork`, for all scopes of a template. */
  readonly #work: { left: number };
  #variables = new Map<string, Variable>();
  loads = new Map<Variable, Load>();
  #stores = new Set<string>();

  constructor(scope: FunctionScope, parent: Symbols | null, work: { left: number } | null = null) {
    this.scope = scope;
    this.parent = parent;
    this.#level = parent === null ? 0 : parent.#level + 1;
    this.#work = work ?? (parent === null ? { left: maxWork } : parent.#work);
  }

  #define(name: string, load: Load): Variable {
    const variable = this.scope.variable(this.#level, name);
    this.#variables.set(name, variable);
    this.loads.set(variable, load);
    return variable;
  }

  find(name: string): Variable | null {
    return this.#variables.get(name) ?? this.parent?.find(name) ?? null;
  }

  store(name: string): void {
    this.#stores.add(name);
    if (this.#variables.has(name)) return;
    const outer = this.parent?.find(name) ?? null;
    this.#define(name, outer === null ? { from: 'nothing' } : { from: 'outer', variable: outer });
  }

  declareParameter(name: string): Variable {
    this.#stores.add(name);
    return this.#define(name, { from: 'parameter' });
  }

  load(name: string): void {
    if (this.find(name) === null) this.#define(name, { from: 'context', name });
  }

  #spend(units: number): void {
    this.#work.left -= units;
    if (this.#work.left < 0) {
      throw new TemplateFailure('LimitError', 'the template has too many names and conditions');
    }
  }

  #copy(): Symbols {
    this.#spend(this.#variables.size);
    const copy = new Symbols(this.scope, this.parent, this.#work);
    copy.#variables = new Map(this.#variables);
    copy.loads = new Map(this.loads);
    copy.#stores = new Set(this.#stores);
    return copy;
  }

  /** The branches of an `if`: what only some of them set comes from outside in the others. */
  branches(bodies: readonly (readonly Node[])[]): void {
    // A branch that is not there sets nothing.
    const copies = bodies
      .filter((body) => body.length > 0)
      .map((body) => {
        const copy = this.#copy();
        for (const node of body) copy.analyse(node);
        return copy;
      });
    const stores = new Set(copies.flatMap((copy) => [...copy.#stores]));
    for (const name of this.#stores) stores.delete(name);
    for (const copy of copies) {
      for (const [name, variable] of copy.#variables) this.#variables.set(name, variable);
      for (const [variable, load] of copy.loads) this.loads.set(variable, load);
      for (const name of copy.#stores) this.#stores.add(name);
    }
    for (const name of stores) {
      const target = this.find(name);
      if (target === null) continue;
      const outer = this.parent?.find(name) ?? null;
      this.loads.set(
        target,
        outer === null ? { from: 'context', name } : { from: 'outer', variable: outer },
      );
    }
  }

  analyseAll(nodes: readonly Node[]): void {
    for (const node of nodes) this.analyse(node);
  }

  /** Takes in the names of a node; bodies with a scope of their own are left to that scope. */
  analyse(node: Node): void {
    switch (node.kind) {
      case 'name':
        if (node.mode === 'param') this.declareParameter(node.name);
        else if (node.mode === 'store') this.store(node.name);
        else this.load(node.name);
        return;
      case 'namespace':
        return this.load(node.name);
      case 'if':
        this.analyse(node.test);
        return this.branches([node.body, node.elifs, node.otherwise]);
      case 'macro':
        return this.store(node.name);
      case 'load':
        this.analyse(node.template);
        for (const name of node.names) this.store(name);
        return;
      case 'assign':
        this.analyse(node.value);
        return this.analyse(node.target);
      case 'for':
        return this.analyse(node.iterable);
      case 'call-block':
        if (node.call !== null) this.analyse(node.call);
        return;
      case 'filter-block':
        return this.analyse(node.filter);
      case 'with':
        return this.analyseAll(node.values);
      case 'assign-block':
        return this.analyse(node.target);
      case 'block':
        return;
      default:
        this.analyseAll(childrenOf(node));
    }
  }

  /** The target of a loop: its names are given anew in each turn. */
  declareTarget(node: Node): void {
    if (node.kind === 'name') this.declareParameter(node.name);
    else for (const child of childrenOf(node)) this.declareTarget(child);
  }

  /** Of the given names, those that are read in these nodes before anything there sets them. */
  findUndeclared(nodes: readonly Statement[], wanted: readonly string[]): ReadonlySet<string> {
    const names = new Set(wanted);
    const undeclared = new Set<string>();
    const visit = (node: Node): void => {
      if (node.kind === 'block') return;
      this.#spend(1);
      if (node.kind !== 'name') {
        for (const child of childrenOf(node)) visit(child);
      } else if (node.mode === 'load' && names.has(node.name)) undeclared.add(node.name);
      else names.delete(node.name);
    };
    for (const node of nodes) visit(node);
    return undeclared;
  }
}
