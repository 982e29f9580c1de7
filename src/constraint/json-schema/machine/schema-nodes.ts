/**
 * The nodes of a schema graph as the machine wants them: values that are arrays or objects become nodes
 * about their items and members, and nodes made while running are added. One for each compiled schema.
 */

import type { Budget } from '../../machine.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { JsonValue } from '../../json/json-value.ts';
import { freeNode } from '../free-node.ts';
import type { NodeId, SchemaGraph, SchemaNode, TypeName } from '../node.ts';

/** Says nothing about any value. */
export const anything: SchemaNode = freeNode('');

export class SchemaNodes {
  readonly strictIntegers: boolean;
  readonly budget: Budget;
  readonly never: NodeId;
  readonly #nodes: (SchemaNode | null)[];
  readonly #source: readonly SchemaNode[];
  readonly #constants = new Map<string, NodeId>();

  constructor(graph: SchemaGraph, budget: Budget) {
    this.strictIntegers = graph.strictIntegers;
    this.budget = budget;
    this.#source = graph.nodes;
    this.#nodes = graph.nodes.map(() => null);
    this.never = this.add({ ...anything, never: true });
  }

  get(id: NodeId): SchemaNode {
    const known = this.#nodes[id];
    if (known !== null && known !== undefined) return known;
    const node = this.#rewritten(this.#source[id]!);
    this.#nodes[id] = node;
    return node;
  }

  add(node: SchemaNode): NodeId {
    this.budget.spend(1, 2, 'enum');
    this.#nodes.push(node);
    return this.#nodes.length - 1;
  }

  /** Whether it says nothing about any value. */
  trivial(id: NodeId): boolean {
    const node = this.get(id);
    return (
      !node.never &&
      node.types === null &&
      node.values === null &&
      !node.integer &&
      node.number === null &&
      node.string === null &&
      node.array === null &&
      node.object === null &&
      node.anyOf.length + node.oneOf.length + node.not.length + node.conditions.length === 0 &&
      node.allOf.length === 0
    );
  }

  /** A node that one of the values satisfies, and nothing else. */
  oneOfValues(values: readonly JsonValue[]): NodeId {
    return this.add(this.#rewritten({ ...anything, values }));
  }

  #rewritten(node: SchemaNode): SchemaNode {
    const { values } = node;
    if (values === null) return node;
    const composite = (one: JsonValue): boolean => one.type === 'array' || one.type === 'object';
    const scalars = values.filter((one) => !composite(one));
    if (scalars.length === values.length) return node;
    const allowed = (one: JsonValue): boolean =>
      node.types === null || node.types.includes(one.type);
    const composites = values.filter((one) => composite(one) && allowed(one));
    const ways = composites.map((one) => this.#constant(one));
    if (scalars.length > 0) ways.push(this.add({ ...anything, values: scalars }));
    return { ...node, values: null, anyOf: [...node.anyOf, ways] };
  }

  #constant(value: JsonValue): NodeId {
    const key = canonicalJson(value);
    const known = this.#constants.get(key);
    if (known !== undefined) return known;
    this.budget.spend(1 + key.length / 50, 1 + key.length / 50, 'enum');
    const id = this.add(this.#constantNode(value));
    this.#constants.set(key, id);
    return id;
  }

  #constantNode(value: JsonValue): SchemaNode {
    const types: readonly TypeName[] = [value.type];
    if (value.type === 'array') {
      const prefix = value.items.map((item) => this.#constant(item));
      const count = prefix.length;
      return {
        ...anything,
        types,
        array: {
          minItems: count,
          maxItems: count,
          prefix,
          rest: this.never,
          unique: false,
          contains: [],
        },
      };
    }
    if (value.type !== 'object') return { ...anything, types, values: [value] };
    const members = [...new Map(value.members)];
    return {
      ...anything,
      types,
      object: {
        minProperties: members.length,
        maxProperties: members.length,
        properties: members.map(([name, one]) => [name, this.#constant(one)]),
        patterns: [],
        additional: this.never,
        required: members.map(([name]) => name),
        names: [],
        dependentRequired: [],
        dependentSchemas: [],
      },
    };
  }
}
