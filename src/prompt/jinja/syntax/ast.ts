/**
 * The tree of a template. Child order is the order of Jinja2's own nodes: names are resolved by who
 * comes first, so it is part of the meaning. Made by the parser, read by the compiler.
 */

import type { Value } from '../values/value.ts';

export type NameMode = 'load' | 'store' | 'param';

interface At {
  readonly line: number;
}

export interface NameNode extends At {
  readonly kind: 'name';
  readonly name: string;
  readonly mode: NameMode;
}
/** `namespace.attribute` as the target of an assignment. */
export interface NamespaceNode extends At {
  readonly kind: 'namespace';
  readonly name: string;
  readonly attribute: string;
}
export interface TupleNode extends At {
  readonly kind: 'tuple';
  readonly items: readonly Expression[];
}
export type Target = NameNode | NamespaceNode | TupleNode;

export interface SliceNode extends At {
  readonly kind: 'slice';
  readonly parts: readonly (Expression | null)[];
}
export interface CallArguments {
  readonly args: readonly Expression[];
  readonly kwargs: readonly { readonly key: string; readonly value: Expression }[];
  readonly restArgs: Expression | null;
  readonly restKwargs: Expression | null;
}
export interface CallNode extends At, CallArguments {
  readonly kind: 'call';
  readonly callee: Expression;
}
export interface FilterNode extends At, CallArguments {
  readonly kind: 'filter';
  readonly name: string;
  /** Null: what the block around it wrote. */
  readonly input: Expression | null;
}
export interface TestNode extends At, CallArguments {
  readonly kind: 'test';
  readonly name: string;
  readonly input: Expression;
}
export interface BinaryNode extends At {
  readonly kind: 'binary';
  readonly operator: '+' | '-' | '*' | '/' | '//' | '%' | '**';
  readonly left: Expression;
  readonly right: Expression;
}
export interface CompareNode extends At {
  readonly kind: 'compare';
  readonly first: Expression;
  readonly rest: readonly { readonly operator: string; readonly right: Expression }[];
}
export interface ConditionalNode extends At {
  readonly kind: 'conditional';
  readonly test: Expression;
  readonly value: Expression;
  readonly otherwise: Expression | null;
}

export type Expression =
  | Target
  | SliceNode
  | CallNode
  | FilterNode
  | TestNode
  | BinaryNode
  | CompareNode
  | ConditionalNode
  | (At & { readonly kind: 'constant'; readonly value: Value })
  | (At & { readonly kind: 'list'; readonly items: readonly Expression[] })
  | (At & {
      readonly kind: 'dict';
      readonly entries: readonly { readonly key: Expression; readonly value: Expression }[];
    })
  | (At & {
      readonly kind: 'logic';
      readonly operator: 'and' | 'or';
      readonly left: Expression;
      readonly right: Expression;
    })
  | (At & {
      readonly kind: 'unary';
      readonly operator: '+' | '-' | 'not';
      readonly operand: Expression;
    })
  | (At & { readonly kind: 'concat'; readonly items: readonly Expression[] })
  | (At & { readonly kind: 'attribute'; readonly object: Expression; readonly name: string })
  | (At & { readonly kind: 'item'; readonly object: Expression; readonly index: Expression });

export interface ForNode extends At {
  readonly kind: 'for';
  readonly target: Target;
  readonly iterable: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
  readonly test: Expression | null;
  readonly recursive: boolean;
}
export interface IfNode extends At {
  readonly kind: 'if';
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly elifs: readonly IfNode[];
  readonly otherwise: readonly Statement[];
}
export interface MacroLike extends At {
  readonly parameters: readonly NameNode[];
  readonly defaults: readonly Expression[];
  readonly body: readonly Statement[];
}
export interface MacroNode extends MacroLike {
  readonly kind: 'macro';
  readonly name: string;
}
export interface CallBlockNode extends MacroLike {
  readonly kind: 'call-block';
  /** Null for the block `generation`, which prints its body. */
  readonly call: CallNode | null;
}
export interface AssignNode extends At {
  readonly kind: 'assign';
  readonly target: Target;
  readonly value: Expression;
}
export interface AssignBlockNode extends At {
  readonly kind: 'assign-block';
  readonly target: Target;
  readonly filter: FilterNode | null;
  readonly body: readonly Statement[];
}
export interface FilterBlockNode extends At {
  readonly kind: 'filter-block';
  readonly filter: FilterNode;
  readonly body: readonly Statement[];
}
export interface WithNode extends At {
  readonly kind: 'with';
  readonly targets: readonly Target[];
  readonly values: readonly Expression[];
  readonly body: readonly Statement[];
}
export interface BlockNode extends At {
  readonly kind: 'block';
  readonly name: string;
  readonly scoped: boolean;
  readonly body: readonly Statement[];
}
/** `include`, `import`, `from` and `extends`: read, and refused where they are reached. */
export interface LoadNode extends At {
  readonly kind: 'load';
  readonly tag: string;
  readonly template: Expression;
  readonly names: readonly string[];
}
export interface OutputNode extends At {
  readonly kind: 'output';
  /** Strings are the template's own text. */
  readonly items: readonly (string | Expression)[];
}

export type Statement =
  | OutputNode
  | ForNode
  | IfNode
  | MacroNode
  | CallBlockNode
  | AssignNode
  | AssignBlockNode
  | FilterBlockNode
  | WithNode
  | BlockNode
  | LoadNode
  | (At & { readonly kind: 'break' | 'continue' });

export type Node = Expression | Statement;

const argumentNodes = (node: CallArguments): (Expression | null)[] => [
  ...node.args,
  ...node.kwargs.map(({ value }) => value),
  node.restArgs,
  node.restKwargs,
];

function expressionChildren(node: Expression): readonly (Node | null)[] {
  switch (node.kind) {
    case 'tuple':
    case 'list':
    case 'concat':
      return node.items;
    case 'slice':
      return node.parts;
    case 'call':
      return [node.callee, ...argumentNodes(node)];
    case 'filter':
    case 'test':
      return [node.input, ...argumentNodes(node)];
    case 'binary':
    case 'logic':
      return [node.left, node.right];
    case 'compare':
      return [node.first, ...node.rest.map(({ right }) => right)];
    case 'conditional':
      return [node.test, node.value, node.otherwise];
    case 'dict':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'unary':
      return [node.operand];
    case 'attribute':
      return [node.object];
    case 'item':
      return [node.object, node.index];
    default:
      return [];
  }
}

function statementChildren(node: Statement): readonly (Node | null)[] {
  switch (node.kind) {
    case 'output':
      return node.items.filter((item) => typeof item !== 'string');
    case 'for':
      return [node.target, node.iterable, ...node.body, ...node.otherwise, node.test];
    case 'if':
      return [node.test, ...node.body, ...node.elifs, ...node.otherwise];
    case 'macro':
      return [...node.parameters, ...node.defaults, ...node.body];
    case 'call-block':
      return [node.call, ...node.parameters, ...node.defaults, ...node.body];
    case 'assign':
      return [node.target, node.value];
    case 'assign-block':
      return [node.target, node.filter, ...node.body];
    case 'filter-block':
      return [...node.body, node.filter];
    case 'with':
      return [...node.targets, ...node.values, ...node.body];
    case 'block':
      return node.body;
    case 'load':
      return [node.template];
    default:
      return [];
  }
}

const statementKinds: ReadonlySet<string> = new Set<Statement['kind']>([
  'output',
  'for',
  'if',
  'macro',
  'call-block',
  'assign',
  'assign-block',
  'filter-block',
  'with',
  'block',
  'load',
  'break',
  'continue',
]);

/** The nodes right below one, in the order that counts for names. */
export function childrenOf(node: Node): Node[] {
  const all = statementKinds.has(node.kind)
    ? statementChildren(node as Statement)
    : expressionChildren(node as Expression);
  return all.filter((child) => child !== null);
}
