/**
 * Random texts that satisfy a constraint on calls, drawn from the constraint itself: for tests that what a
 * model may write is what the parser reads. Knows the few regexes and schemas that such constraints have.
 */

import type { ConstraintSpec } from '../../constraint/index.ts';

type Random = () => number;

const texts = ['Paris', 'a "b" \\ c', '你好 🌦', 'x\ny', '5', 'true', "it's", '<b>', '{', ''];

/** Texts that match the regexes of our constraints. */
const matching: Readonly<Record<string, readonly string[]>> = {
  '\\n?': ['', '\n'],
  '\\n{0,2}': ['', '\n', '\n\n'],
  '[0-9]+': ['0', '12'],
  '[^<\\]]{0,8}': ['', 'x "y"'],
  '[^<]*': ['', 'Paris', 'a\nb'],
  '[a-zA-Z0-9]{9}': ['aB3aB3aB3'],
  '[a-z0-9]{10}': ['a1b2c3d4e5'],
  '[^<>"\\n/][^<>"\\n]*': ['key', 'a key'],
  [`'(?:[^'\\\\\\n]|\\\\[^\\n])*'`]: [`'Paris'`, `'it\\'s'`, `''`, `'a, b)'`],
  '\\s*([^\\s{][\\s\\S]*)?': ['', 'Hello {"name": "add"}', ' \nText'],
  '\\s*([^\\s\\[][\\s\\S]*)?': ['', 'Hello [add(a=1)]'],
};

export function randomText(spec: ConstraintSpec, random: Random): string {
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  const draw = (inner: ConstraintSpec): string => randomText(inner, random);
  switch (spec.kind) {
    case 'literal':
      return spec.text;
    case 'regex':
      return pick(matching[spec.pattern] ?? unknownRegex(spec.pattern));
    case 'choice':
      return pick(spec.options);
    case 'text':
      return pick(texts);
    case 'text-until':
      return pick(texts) + spec.until;
    case 'sequence':
      return spec.parts.map(draw).join('');
    case 'either':
      return draw(pick(spec.of));
    case 'repeat': {
      const most = Math.min(spec.max ?? spec.min + 2, spec.min + 2);
      const count = spec.min + Math.floor(random() * (most - spec.min + 1));
      return Array.from({ length: count }, () => draw(spec.of)).join(spec.separator);
    }
    case 'tags': {
      const tag = (): string => {
        const { begin, content, end } = pick(spec.tags);
        return begin + draw(content) + end;
      };
      const before = pick(['', 'Let me see.\n', 'a < b ']);
      if (spec.stopAfterFirst) return before + tag();
      return before + Array.from({ length: 1 + Math.floor(random() * 2) }, tag).join('\n');
    }
    case 'json':
      return randomJson(JSON.parse(spec.schema) as Schema, random, pick);
    case 'grammar':
      throw new TypeError('no grammar is expected here');
  }
}

function unknownRegex(pattern: string): never {
  throw new TypeError(`no text is known for ${pattern}`);
}

type Schema = Readonly<Record<string, unknown>>;

function randomJson(schema: Schema, random: Random, pick: <T>(items: readonly T[]) => T): string {
  const { enum: values, type, properties, required, items } = schema;
  if (Array.isArray(values)) return JSON.stringify(pick(values));
  const inner = (of: unknown): string => randomJson((of ?? {}) as Schema, random, pick);
  switch (type === undefined ? 'string' : pick([type].flat())) {
    case 'object': {
      const needed = new Set(Array.isArray(required) ? required : []);
      const members = Object.entries((properties ?? {}) as Schema)
        .filter(([name]) => needed.has(name) || random() < 0.5)
        .map(([name, of]) => `${JSON.stringify(name)}: ${inner(of)}`);
      return `{${members.join(', ')}}`;
    }
    case 'array':
      return `[${Array.from({ length: Math.floor(random() * 3) }, () => inner(items)).join(', ')}]`;
    case 'integer':
      return pick(['0', '-12', '7']);
    case 'number':
      return pick(['1.5', '-3', '2e3']);
    case 'boolean':
      return pick(['true', 'false']);
    case 'null':
      return 'null';
    default:
      if (typeof schema['maxLength'] === 'number') return pick(['"x"', '"\\u00e9"']);
      return JSON.stringify(pick([...texts, '</tool_call>', '<|call|>']));
  }
}
