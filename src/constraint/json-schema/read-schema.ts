/**
 * Reads a schema's text into the graph that the machine, the evaluator and `check` work on. Only what
 * can be reached from the root becomes nodes. It refuses what it cannot keep to, and schemas that
 * nothing satisfies.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { readJson } from '../json/read-json.ts';
import type { Budget } from '../machine.ts';
import type { NodeId, SchemaGraph, SchemaNode } from './node.ts';
import { childrenOf, mixedDialect } from './read/dialect.ts';
import { closeUnevaluated, withoutSilent } from './read/close-unevaluated.ts';
import type { Unevaluated } from './read/close-unevaluated.ts';
import { checkInPlace } from './read/check-in-place.ts';
import { outerScope } from './read/dynamic-scope.ts';
import type { DynamicScope } from './read/dynamic-scope.ts';
import { findTarget } from './read/find-target.ts';
import { freeNode } from './free-node.ts';
import { readNode } from './read/read-node.ts';
import { SchemaDocuments } from './read/schema-documents.ts';
import type { Place } from './read/schema-documents.ts';
import { findConflicts } from './read/satisfiable.ts';
import type { Conflict } from './read/satisfiable.ts';
import { refuse, SchemaKeywords, shorten } from './read/schema-keywords.ts';
import { RegexTests } from '../verify/text-tests.ts';

/**
 * The graph of a schema in any dialect from draft-04 to 2020-12, as `$schema` says.
 *
 * Throws `invalid_constraint`, with the keyword at fault, where the text is no JSON or no schema, where
 * it uses what is not supported (references to other documents, references that lead to themselves),
 * where nothing satisfies it, and where the budget is spent.
 */
export function readSchema(text: string, budget: Budget): SchemaGraph {
  const documents = new SchemaDocuments(readJson(text));
  const reader = new GraphReader(documents, budget);
  const read = reader.read();
  checkInPlace(read);
  closeUnevaluated(read, reader.unevaluated, documents.root.dialect.draft === 2020);
  const nodes = read.map(withoutSilent);
  const strictIntegers = documents.root.dialect.draft === 4;
  const graph = { nodes, root: 0, strictIntegers };
  const conflicts = findConflicts(graph, new RegexTests(budget), budget);
  const root = conflicts[0] ?? null;
  if (root !== null) throw unsatisfiable(root);
  return {
    ...graph,
    nodes: nodes.map((node, id) => (conflicts[id] === null ? node : { ...node, never: true })),
  };
}

function unsatisfiable(conflict: Conflict): ParlanceError {
  const { path } = conflict;
  const keyword = conflict.keyword === 'false' ? holderOf(path) : conflict.keyword;
  return new ParlanceError(
    'invalid_constraint',
    `Nothing satisfies the schema: \`${keyword}\` at ${shorten(path)} of it rules out every finite value together with the rest. Loosen one of them.`,
    { keyword },
  );
}

interface Pending {
  readonly place: Place;
  readonly scope: DynamicScope;
  /** That led here; named where the schema is none. */
  readonly keyword: string;
}

class GraphReader {
  readonly unevaluated: Unevaluated[] = [];
  readonly #documents: SchemaDocuments;
  readonly #budget: Budget;
  readonly #ids = new Map<unknown, Map<string, NodeId>>();
  readonly #pending: Pending[] = [];

  constructor(documents: SchemaDocuments, budget: Budget) {
    this.#documents = documents;
    this.#budget = budget;
  }

  read(): SchemaNode[] {
    const nodes: SchemaNode[] = [];
    const root = this.#documents.root;
    this.#id({
      place: root,
      scope: outerScope.enter(root.base, this.#documents),
      keyword: 'schema',
    });
    // It grows while it is read.
    for (const [id, pending] of this.#pending.entries()) nodes.push(this.#node(id, pending));
    return nodes;
  }

  #id(pending: Pending): NodeId {
    const { place, scope, keyword } = pending;
    const scopes = this.#ids.get(place.value) ?? new Map<string, NodeId>();
    this.#ids.set(place.value, scopes);
    const known = scopes.get(scope.key);
    if (known !== undefined) return known;
    this.#budget.spend(10, 4, keyword);
    scopes.set(scope.key, this.#pending.length);
    return this.#pending.push(pending) - 1;
  }

  #node(id: NodeId, { place, scope, keyword }: Pending): SchemaNode {
    const { value } = place;
    if (value.type === 'boolean') return { ...freeNode(place.pointer), never: !value.value };
    if (value.type !== 'object') {
      throw refuse(place, keyword, 'should be a schema: an object, true or false.');
    }
    const keywords = new SchemaKeywords(place);
    const below = (name: string, step?: string | number): NodeId => {
      const child = this.#documents.child(place, name, step);
      if (child === null) throw refuse(place, name, 'holds no schema.');
      return this.#enter(child, scope, name);
    };
    if (place.dialect.draft >= 2019) {
      for (const name of ['unevaluatedProperties', 'unevaluatedItems'] as const) {
        if (keywords.has(name))
          this.unevaluated.push({ node: id, keyword: name, rest: below(name) });
      }
    }
    return readNode(keywords, {
      node: below,
      reference: (name) =>
        this.#enter(findTarget(this.#documents, keywords, name, scope), scope, name),
    });
  }

  #enter(place: Place, scope: DynamicScope, keyword: string): NodeId {
    return this.#id({ place, scope: scope.enter(place.base, this.#documents), keyword });
  }
}

/** The keyword that a schema stands under, by its path. */
function holderOf(path: string): string {
  const steps = path.split('/').slice(1);
  return steps.findLast((step) => childrenOf(mixedDialect, step) !== null) ?? 'false';
}
