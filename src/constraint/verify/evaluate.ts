/**
 * Whether a value satisfies a schema: a plain recursive evaluation of the graph, exact where doubles
 * are not. The verifier's own opinion, and the reference that the byte machine is tested against. Pure.
 */

import { canonicalJson } from '../json/canonical-json.ts';
import type { JsonValue } from '../json/json-value.ts';
import { membersOf } from '../json/members.ts';
import type {
  FormatName,
  NodeId,
  ObjectRules,
  SchemaGraph,
  SchemaNode,
} from '../json-schema/node.ts';
import { findNumberFailure } from './evaluate-number.ts';

/** Why a value does not satisfy a schema. */
export interface Failure {
  /** Where in the value, as a JSON pointer. */
  readonly path: string;
  readonly keyword: string;
  /** What is wrong there, after "the value at ...". Quotes nothing of the value. */
  readonly words: string;
}

/** What is asked of strings, answered in linear time. */
export interface TextTests {
  /** Whether the pattern is found somewhere in the text. Throws `invalid_constraint` for a bad pattern. */
  finds(pattern: string, text: string): boolean;
  isFormat(format: FormatName, text: string): boolean;
}

/** The first failure that is found; null where the value satisfies the schema. */
export function evaluate(
  graph: SchemaGraph,
  value: JsonValue,
  texts: TextTests,
  root: NodeId = graph.root,
): Failure | null {
  return new Evaluation(graph, texts).check(root, value, '#');
}

class Evaluation {
  readonly #graph: SchemaGraph;
  readonly #texts: TextTests;
  /** Schemas that share parts would be evaluated exponentially often without it. */
  readonly #known = new Map<JsonValue, Map<NodeId, Failure | null>>();

  constructor(graph: SchemaGraph, texts: TextTests) {
    this.#graph = graph;
    this.#texts = texts;
  }

  check(id: NodeId, value: JsonValue, path: string): Failure | null {
    const known = this.#known.get(value) ?? new Map<NodeId, Failure | null>();
    this.#known.set(value, known);
    const before = known.get(id);
    if (before !== undefined) return before;
    const node = this.#graph.nodes[id];
    const failure = node === undefined ? null : this.#node(node, value, path);
    known.set(id, failure);
    return failure;
  }

  #holds(id: NodeId, value: JsonValue): boolean {
    return this.check(id, value, '#') === null;
  }

  #node(node: SchemaNode, value: JsonValue, path: string): Failure | null {
    const fail = (keyword: string, words: string): Failure => ({ path, keyword, words });
    if (node.never) return fail('false', 'is not allowed');
    if (node.types !== null && !node.types.includes(value.type)) {
      return fail('type', `must be ${node.types.join(' or ')}`);
    }
    if (node.values !== null && !canonicalTexts(node.values).has(canonicalJson(value))) {
      return fail('enum', 'is none of the values that are allowed');
    }
    return this.#byType(node, value, path) ?? this.#inPlace(node, value, path);
  }

  #byType(node: SchemaNode, value: JsonValue, path: string): Failure | null {
    switch (value.type) {
      case 'number': {
        const found = findNumberFailure(node, value.text, this.#graph.strictIntegers);
        return found === null ? null : { path, ...found };
      }
      case 'string':
        return this.#string(node, value.value, path);
      case 'array':
        return this.#array(node, value.items, path);
      case 'object':
        return this.#object(node, value, path);
      default:
        return null;
    }
  }

  #string({ string: rules }: SchemaNode, text: string, path: string): Failure | null {
    if (rules === null) return null;
    const fail = (keyword: string, words: string): Failure => ({ path, keyword, words });
    if (rules.minLength > 0 || rules.maxLength < Infinity) {
      const length = codePoints(text);
      if (length < rules.minLength) {
        return fail('minLength', `must have at least ${rules.minLength} characters`);
      }
      if (length > rules.maxLength) {
        return fail('maxLength', `must have at most ${rules.maxLength} characters`);
      }
    }
    if (!rules.patterns.every((pattern) => this.#texts.finds(pattern, text))) {
      return fail('pattern', 'does not match the pattern');
    }
    const format = rules.formats.find((one) => !this.#texts.isFormat(one, text));
    return format === undefined ? null : fail('format', `must be a ${format}`);
  }

  #array({ array: rules }: SchemaNode, items: readonly JsonValue[], path: string): Failure | null {
    if (rules === null) return null;
    const fail = (keyword: string, words: string): Failure => ({ path, keyword, words });
    if (items.length < rules.minItems) {
      return fail('minItems', `must have at least ${rules.minItems} items`);
    }
    if (items.length > rules.maxItems) {
      return fail('maxItems', `must have at most ${rules.maxItems} items`);
    }
    for (const [index, item] of items.entries()) {
      const schema = rules.prefix[index] ?? rules.rest;
      const failure = schema === null ? null : this.check(schema, item, `${path}/${index}`);
      if (failure !== null) return failure;
    }
    if (rules.unique && new Set(items.map(canonicalJson)).size < items.length) {
      return fail('uniqueItems', 'has two equal items');
    }
    for (const { node, min, max } of rules.contains) {
      const count = items.filter((item) => this.#holds(node, item)).length;
      if (count < min) {
        return fail(min === 1 ? 'contains' : 'minContains', `must contain ${min} such items`);
      }
      if (count > max) return fail('maxContains', `may contain ${max} such items`);
    }
    return null;
  }

  #object(node: SchemaNode, value: JsonValue, path: string): Failure | null {
    const { object: rules } = node;
    if (rules === null) return null;
    const fail = (keyword: string, words: string): Failure => ({ path, keyword, words });
    const members = membersOf(value);
    if (members.size < rules.minProperties) {
      return fail('minProperties', `must have at least ${rules.minProperties} properties`);
    }
    if (members.size > rules.maxProperties) {
      return fail('maxProperties', `must have at most ${rules.maxProperties} properties`);
    }
    const missing = rules.required.find((name) => !members.has(name));
    if (missing !== undefined) return fail('required', `must have the property \`${missing}\``);
    for (const [name, others] of rules.dependentRequired) {
      const lacking = members.has(name) ? others.find((other) => !members.has(other)) : undefined;
      if (lacking !== undefined) {
        return fail(
          'dependentRequired',
          `must have the property \`${lacking}\` beside \`${name}\``,
        );
      }
    }
    for (const [name, member] of members) {
      const failure = this.#member(rules, name, member, path);
      if (failure !== null) return failure;
    }
    for (const [name, schema] of rules.dependentSchemas) {
      const failure = members.has(name) ? this.check(schema, value, path) : null;
      if (failure !== null) return failure;
    }
    return null;
  }

  #member(rules: ObjectRules, name: string, value: JsonValue, path: string): Failure | null {
    const below = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const named: JsonValue = { type: 'string', value: name };
    for (const schema of rules.names) {
      if (!this.#holds(schema, named)) {
        return { path: below, keyword: 'propertyNames', words: 'has a name that is not allowed' };
      }
    }
    const schemas = schemasFor(rules, name, this.#texts);
    if (schemas.length === 0 && rules.additional !== null) {
      const failure = this.check(rules.additional, value, below);
      const isNever = this.#graph.nodes[rules.additional]?.never === true;
      if (failure === null || !isNever) return failure;
      return { path: below, keyword: 'additionalProperties', words: 'is not allowed' };
    }
    for (const schema of schemas) {
      const failure = this.check(schema, value, below);
      if (failure !== null) return failure;
    }
    return null;
  }

  #inPlace(node: SchemaNode, value: JsonValue, path: string): Failure | null {
    const fail = (keyword: string, words: string): Failure => ({ path, keyword, words });
    for (const id of node.allOf) {
      const failure = this.check(id, value, path);
      if (failure !== null) return failure;
    }
    for (const list of node.anyOf) {
      if (!list.some((id) => this.#holds(id, value))) {
        return fail('anyOf', 'satisfies none of the alternatives');
      }
    }
    for (const list of node.oneOf) {
      const count = list.filter((id) => this.#holds(id, value)).length;
      if (count !== 1) {
        return fail('oneOf', `satisfies ${count === 0 ? 'none' : count} of the alternatives`);
      }
    }
    if (node.not.some((id) => this.#holds(id, value))) {
      return fail('not', 'satisfies what it must not');
    }
    for (const condition of node.conditions) {
      const branch = this.#holds(condition.if, value) ? condition.then : condition.else;
      const failure = branch === null ? null : this.check(branch, value, path);
      if (failure !== null) return failure;
    }
    return null;
  }
}

const textsOf = new WeakMap<readonly JsonValue[], ReadonlySet<string>>();

/** The canonical texts of listed values; kept as long as the list is. */
export function canonicalTexts(values: readonly JsonValue[]): ReadonlySet<string> {
  const known = textsOf.get(values);
  if (known !== undefined) return known;
  const made = new Set(values.map(canonicalJson));
  textsOf.set(values, made);
  return made;
}

const propertiesOf = new WeakMap<ObjectRules['properties'], ReadonlyMap<string, NodeId>>();

/** The schemas that `properties` and `patternProperties` have for a name. */
export function schemasFor(rules: ObjectRules, name: string, texts: TextTests): NodeId[] {
  const known = propertiesOf.get(rules.properties) ?? new Map(rules.properties);
  propertiesOf.set(rules.properties, known);
  const declared = known.get(name);
  return [
    ...(declared === undefined ? [] : [declared]),
    ...rules.patterns.filter(([pattern]) => texts.finds(pattern, name)).map(([, id]) => id),
  ];
}

function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}
