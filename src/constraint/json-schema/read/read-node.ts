/**
 * One schema object as a node: every keyword that asserts something, in the words of `node.ts`. Which
 * node a schema below it becomes is its caller's matter; so are references.
 */

import { ParlanceError } from '../../../contract/errors.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { JsonValue } from '../../json/json-value.ts';
import { compareNumbers } from '../../json/decimal.ts';
import { parseRegex } from '../../regex/parse-regex.ts';
import { freeNode } from '../free-node.ts';
import type {
  ArrayRules,
  FormatName,
  NodeId,
  NumberRules,
  ObjectRules,
  SchemaNode,
  StringRules,
  TypeName,
} from '../node.ts';
import { refuse, shorten } from './schema-keywords.ts';
import type { SchemaKeywords } from './schema-keywords.ts';

/** Makes the schema below a keyword a node. */
export interface Children {
  node(keyword: string, step?: string | number): NodeId;
  /** What a reference means. */
  reference(keyword: string): NodeId;
}

/**
 * The node of one schema object. It keeps `if` and `contains` also where they assert nothing, since what
 * they find counts as evaluated. Throws `invalid_constraint` for keywords of wrong types.
 */
export function readNode(keywords: SchemaKeywords, children: Children): SchemaNode {
  const { place } = keywords;
  const free = freeNode(place.pointer);
  if (keywords.has('$ref') && place.dialect.draft <= 7) {
    return { ...free, allOf: [children.reference('$ref')] };
  }
  const list = (name: string): NodeId[] =>
    schemasIn(keywords, name).map((_, index) => children.node(name, index));
  return {
    ...free,
    ...readTypes(keywords),
    values: readValues(keywords),
    number: readNumber(keywords),
    string: readString(keywords),
    array: readArray(keywords, children),
    object: readObject(keywords, children),
    allOf: keywords.names().flatMap((name) => {
      if (name === 'allOf') return list(name);
      return name.endsWith('Ref') || name === '$ref' ? [children.reference(name)] : [];
    }),
    anyOf: keywords.has('anyOf') ? [list('anyOf')] : [],
    oneOf: keywords.has('oneOf') ? [list('oneOf')] : [],
    not: keywords.has('not') ? [children.node('not')] : [],
    conditions: readConditions(keywords, children),
  };
}

function schemasIn(keywords: SchemaKeywords, name: string): readonly JsonValue[] {
  const items = keywords.items(name);
  if (items.length === 0 && keywords.has(name)) {
    throw refuse(keywords.place, name, 'must hold at least one schema.');
  }
  return items;
}

const typeNames = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);

function readTypes(keywords: SchemaKeywords): Pick<SchemaNode, 'types' | 'integer'> {
  const found = keywords.get('type');
  if (found === null) return { types: null, integer: false };
  const names = keywords.textsOf('type', found.type === 'array' ? found.items : [found]);
  const unknown = names.find((name) => !typeNames.has(name));
  if (unknown !== undefined || names.length === 0) {
    throw refuse(
      keywords.place,
      'type',
      'must be null, boolean, object, array, number, string or integer, or a list of them.',
    );
  }
  const types = new Set(names.map((name) => (name === 'integer' ? 'number' : name) as TypeName));
  return { types: [...types], integer: names.includes('integer') && !names.includes('number') };
}

function readValues(keywords: SchemaKeywords): readonly JsonValue[] | null {
  const only = keywords.get('const');
  if (!keywords.has('enum')) return only === null ? null : [only];
  const values = keywords.items('enum');
  if (only === null) return values;
  const text = canonicalJson(only);
  return values.filter((value) => canonicalJson(value) === text);
}

function readNumber(keywords: SchemaKeywords): NumberRules | null {
  const minimum = readBound(keywords, 'minimum', 'exclusiveMinimum');
  const maximum = readBound(keywords, 'maximum', 'exclusiveMaximum');
  const step = keywords.number('multipleOf');
  if (step !== null && compareNumbers(step, '0') <= 0) {
    throw refuse(keywords.place, 'multipleOf', 'must be greater than zero.');
  }
  if (minimum === null && maximum === null && step === null) return null;
  return { minimum, maximum, multipleOf: step === null ? [] : [step] };
}

type Bound = NumberRules['minimum'];

/** The tighter of a bound and its exclusive form, which is a flag in draft-04 and a number later. */
function readBound(
  keywords: SchemaKeywords,
  name: 'minimum' | 'maximum',
  exclusiveName: string,
): Bound {
  const { draft, mixed } = keywords.place.dialect;
  const value = keywords.number(name);
  const exclusive = keywords.get(exclusiveName);
  if (exclusive === null) return value === null ? null : { value, exclusive: false };
  if (exclusive.type === 'boolean' && (mixed || draft === 4)) {
    return value === null ? null : { value, exclusive: exclusive.value };
  }
  if (exclusive.type !== 'number' || draft === 4) {
    const words = draft === 4 ? 'must be true or false in draft-04.' : 'must be a number.';
    throw refuse(keywords.place, exclusiveName, words);
  }
  const open = { value: exclusive.text, exclusive: true };
  if (value === null) return open;
  const order = compareNumbers(value, exclusive.text) * (name === 'minimum' ? 1 : -1);
  return order > 0 ? { value, exclusive: false } : open;
}

const formats: ReadonlySet<string> = new Set<FormatName>([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
]);

/** The pattern. Throws `invalid_constraint` where it is malformed or not supported. */
function checked(keywords: SchemaKeywords, name: string, pattern: string): string {
  try {
    parseRegex(pattern);
    return pattern;
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    const where = `\`${name}\` at ${shorten(keywords.place.pointer)} of the schema`;
    throw new ParlanceError(error.reason, `${where}: ${error.message}`, {
      keyword: error.keyword ?? name,
    });
  }
}

const variable = String.raw`(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*(?::[1-9][0-9]{0,3}|\*)?`;

/** RFC 6570, section 2. A regex here, since it is the one standard format that has no row of its own. */
export const uriTemplate = String.raw`^(?:[^\x00-\x20"%<>\\^\x60{|}\x7f]|%[0-9A-Fa-f]{2}|\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\})*$`;

function readString(keywords: SchemaKeywords): StringRules | null {
  const pattern = keywords.string('pattern');
  const format = keywords.string('format');
  const rules: StringRules = {
    minLength: keywords.count('minLength', 0),
    maxLength: keywords.count('maxLength', Infinity),
    patterns: [
      ...(pattern === null ? [] : [checked(keywords, 'pattern', pattern)]),
      ...(format === 'uri-template' ? [uriTemplate] : []),
    ],
    formats: format !== null && formats.has(format) ? [format as FormatName] : [],
  };
  const says =
    rules.minLength > 0 ||
    rules.maxLength < Infinity ||
    rules.patterns.length > 0 ||
    rules.formats.length > 0;
  return says ? rules : null;
}

function readArray(keywords: SchemaKeywords, children: Children): ArrayRules | null {
  const rules: ArrayRules = {
    minItems: keywords.count('minItems', 0),
    maxItems: keywords.count('maxItems', Infinity),
    ...readItems(keywords, children),
    unique: keywords.flag('uniqueItems'),
    contains: readContains(keywords, children),
  };
  const says =
    rules.minItems > 0 ||
    rules.maxItems < Infinity ||
    rules.prefix.length > 0 ||
    rules.rest !== null ||
    rules.unique ||
    rules.contains.length > 0;
  return says ? rules : null;
}

function readItems(
  keywords: SchemaKeywords,
  children: Children,
): Pick<ArrayRules, 'prefix' | 'rest'> {
  const { draft, mixed } = keywords.place.dialect;
  const items = keywords.get('items');
  const prefixed = keywords.has('prefixItems');
  if (items?.type !== 'array') {
    const prefix = keywords.items('prefixItems').map((_, at) => children.node('prefixItems', at));
    return { prefix, rest: items === null ? null : children.node('items') };
  }
  if ((draft === 2020 && !mixed) || prefixed) {
    throw refuse(keywords.place, 'items', 'must be a schema; `prefixItems` takes a list.');
  }
  return {
    prefix: items.items.map((_, at) => children.node('items', at)),
    rest: keywords.has('additionalItems') ? children.node('additionalItems') : null,
  };
}

function readContains(keywords: SchemaKeywords, children: Children): ArrayRules['contains'] {
  const min = keywords.count('minContains', 1);
  const max = keywords.count('maxContains', Infinity);
  return keywords.has('contains') ? [{ node: children.node('contains'), min, max }] : [];
}

function readObject(keywords: SchemaKeywords, children: Children): ObjectRules | null {
  const map = (name: string): (readonly [string, NodeId])[] =>
    [...keywords.members(name).keys()].map((one) => [one, children.node(name, one)]);
  const dependencies = [...keywords.members('dependencies')];
  const rules: ObjectRules = {
    minProperties: keywords.count('minProperties', 0),
    maxProperties: keywords.count('maxProperties', Infinity),
    properties: map('properties'),
    patterns: map('patternProperties').map(([pattern, id]) => [
      checked(keywords, 'patternProperties', pattern),
      id,
    ]),
    additional: keywords.has('additionalProperties') ? children.node('additionalProperties') : null,
    required: keywords.strings('required'),
    names: keywords.has('propertyNames') ? [children.node('propertyNames')] : [],
    dependentRequired: [
      ...readDependentNames(keywords, 'dependencies'),
      ...readDependentNames(keywords, 'dependentRequired'),
    ],
    dependentSchemas: [
      ...map('dependentSchemas'),
      ...dependencies
        .filter(([, value]) => value.type !== 'array')
        .map(([name]): readonly [string, NodeId] => [name, children.node('dependencies', name)]),
    ],
  };
  const says =
    rules.minProperties > 0 ||
    rules.maxProperties < Infinity ||
    rules.additional !== null ||
    [
      rules.properties,
      rules.patterns,
      rules.required,
      rules.names,
      rules.dependentRequired,
      rules.dependentSchemas,
    ].some((list) => list.length > 0);
  return says ? rules : null;
}

function readDependentNames(
  keywords: SchemaKeywords,
  name: 'dependencies' | 'dependentRequired',
): (readonly [string, readonly string[]])[] {
  return [...keywords.members(name)].flatMap(([key, value]) => {
    if (value.type === 'array') return [[key, keywords.textsOf(name, value.items)]];
    if (name === 'dependencies') return [];
    throw refuse(keywords.place, name, 'must hold arrays of names.');
  });
}

function readConditions(keywords: SchemaKeywords, children: Children): SchemaNode['conditions'] {
  const branch = (name: string): NodeId | null => (keywords.has(name) ? children.node(name) : null);
  if (!keywords.has('if')) return [];
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name; never awaited
  return [{ if: children.node('if'), then: branch('then'), else: branch('else') }];
}
