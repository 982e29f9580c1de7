/** Random schemas and values over few names, for property tests of readers, evaluators and machines. */

/** What JSON.stringify takes. */
export type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain };

/** A reproducible source of numbers in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const names = ['a', 'b', 'c', 'ab'];
const patterns = ['^a', 'b$', '^[a-c]+$', '[0-9]'];
const scalars: readonly Plain[] = [
  null,
  true,
  false,
  0,
  1,
  2,
  3,
  1.5,
  -1,
  '',
  'a',
  'ab',
  'b1',
  'é',
];

const flat = [
  'type',
  'type',
  'enum',
  'const',
  'minimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'required',
  'minProperties',
  'maxProperties',
  'minItems',
  'maxItems',
  'uniqueItems',
  'dependentRequired',
] as const;
const nested = [
  'properties',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'items',
  'prefixItems',
  'contains',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
  '$ref',
] as const;

/** A schema of 2020-12 with up to `depth` levels, and with references where `definitions` is not 0. */
export class RandomSchemas {
  readonly #next: () => number;

  constructor(next: () => number) {
    this.#next = next;
  }

  /** With `$defs` that its references lead to. */
  document(depth: number): Plain {
    const schema = this.schema(depth);
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
    return { ...schema, $defs: { a: this.schema(1), b: this.schema(depth) } };
  }

  schema(depth: number): Plain {
    if (this.#next() < 0.06) return this.#next() < 0.7;
    const schema: { [name: string]: Plain } = {};
    for (let left = 1 + this.#below(3); left > 0; left--) {
      if (depth > 0 && this.#next() < 0.5) this.#nest(schema, depth - 1);
      else this.#assert(schema);
    }
    return schema;
  }

  value(depth: number): Plain {
    const kind = this.#next();
    if (depth === 0 || kind < 0.35) return this.#pick(scalars);
    const size = this.#below(4);
    if (kind < 0.6) return Array.from({ length: size }, () => this.value(depth - 1));
    return Object.fromEntries(
      Array.from({ length: size }, () => [this.#pick(names), this.value(depth - 1)]),
    );
  }

  #assert(schema: { [name: string]: Plain }): void {
    const keyword = this.#pick(flat);
    const choose = (): Plain => {
      switch (keyword) {
        case 'type':
          return this.#pick(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);
        case 'enum':
          return [this.#pick(scalars), this.#pick(scalars), this.value(1)];
        case 'const':
          return this.value(1);
        case 'multipleOf':
          return this.#pick([1, 2, 0.5, 3]);
        case 'pattern':
          return this.#pick(patterns);
        case 'required':
          return [this.#pick(names)];
        case 'uniqueItems':
          return this.#next() < 0.7;
        case 'dependentRequired':
          return { [this.#pick(names)]: [this.#pick(names)] };
        default:
          return this.#below(3);
      }
    };
    schema[keyword] = choose();
  }

  #nest(schema: { [name: string]: Plain }, depth: number): void {
    const keyword = this.#pick(nested);
    const one = (): Plain => this.schema(depth);
    switch (keyword) {
      case 'properties':
      case 'dependentSchemas':
        schema[keyword] = { [this.#pick(names)]: one(), [this.#pick(names)]: one() };
        return;
      case 'patternProperties':
        schema[keyword] = { [this.#pick(patterns)]: one() };
        return;
      case 'prefixItems':
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        schema[keyword] = Array.from({ length: 1 + this.#below(3) }, one);
        return;
      case 'if':
        schema['if'] = one();
        // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name; never awaited
        if (this.#next() < 0.7) schema['then'] = one();
        if (this.#next() < 0.5) schema['else'] = one();
        return;
      case 'contains':
        schema['contains'] = one();
        if (this.#next() < 0.4) schema['minContains'] = this.#below(3);
        if (this.#next() < 0.3) schema['maxContains'] = 1 + this.#below(2);
        return;
      case '$ref':
        schema['$ref'] = this.#pick(['#/$defs/a', '#/$defs/b', '#']);
        return;
      default:
        schema[keyword] = one();
    }
  }

  #below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }
}
