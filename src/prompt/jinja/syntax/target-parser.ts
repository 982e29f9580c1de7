/** What is assigned to: names, tuples of names, and `namespace.attribute`. Called by the statement parser. */

import type { Expression, NameNode, NamespaceNode, Target } from './ast.ts';
import { parseTuple } from './expression-parser.ts';
import { constants } from './literals.ts';
import type { TokenStream } from './token-stream.ts';

/** What stands left of `=` or after `for`. */
export function parseTarget(
  stream: TokenStream,
  rules: { readonly end?: string; readonly namespaces?: boolean; readonly mode?: 'param' } = {},
): Target {
  const node = parseTuple(stream, { ...rules, simplified: true });
  return asTarget(stream, node, rules.mode ?? 'store');
}

export function parseTargetName(stream: TokenStream, mode: 'store' | 'param'): NameNode {
  const { value, line } = stream.expectName();
  if (constants.has(value)) throw stream.fail("can't assign to 'name'", line);
  return { kind: 'name', name: value, mode, line };
}

function asTarget(stream: TokenStream, node: Expression, mode: 'store' | 'param'): Target {
  switch (node.kind) {
    case 'name':
      return { ...node, mode };
    case 'namespace':
      return node satisfies NamespaceNode;
    case 'tuple':
      return { ...node, items: node.items.map((item) => asTarget(stream, item, mode)) };
    default: {
      const kind = node.kind === 'constant' ? 'const' : node.kind;
      throw stream.fail(`can't assign to '${kind}'`, node.line);
    }
  }
}
