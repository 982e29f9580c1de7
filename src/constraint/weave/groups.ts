/**
 * Strongly connected groups of a graph, each after the groups that it leads to (Tarjan, 1972), without
 * recursion. Called by `frames.ts`.
 */

interface Visit<T> {
  readonly node: T;
  readonly edges: readonly T[];
  next: number;
}

/** @param edgesOf where a node leads; only nodes of the graph */
export function groupsOf<T>(nodes: readonly T[], edgesOf: (node: T) => readonly T[]): T[][] {
  const found = new Map<T, number>();
  const lowest = new Map<T, number>();
  const open: T[] = [];
  const isOpen = new Set<T>();
  const groups: T[][] = [];
  const path: Visit<T>[] = [];
  const enter = (node: T): void => {
    found.set(node, found.size);
    lowest.set(node, found.get(node)!);
    open.push(node);
    isOpen.add(node);
    path.push({ node, edges: edgesOf(node), next: 0 });
  };
  const lower = (node: T, to: number): void =>
    void lowest.set(node, Math.min(lowest.get(node)!, to));
  const leave = ({ node }: Visit<T>): void => {
    const parent = path.at(-1);
    if (parent !== undefined) lower(parent.node, lowest.get(node)!);
    if (lowest.get(node) !== found.get(node)) return;
    const group = open.splice(open.lastIndexOf(node));
    for (const member of group) isOpen.delete(member);
    groups.push(group);
  };
  for (const start of nodes) {
    if (!found.has(start)) enter(start);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const to = at.edges[at.next++];
      if (to === undefined) {
        path.pop();
        leave(at);
      } else if (!found.has(to)) enter(to);
      else if (isOpen.has(to)) lower(at.node, found.get(to)!);
    }
  }
  return groups;
}
