/** Random constraints, right and wrong ones, for tests that try many. */

import type { Body } from './ask.ts';

type Random = () => number;

const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)]!;

const whole = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));

const many = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: whole(random, 0, most) }, make);

const names = ['a', 'b', 'name', 'items', '', 'ä', '$ref', '__proto__', 'constructor'] as const;

/** Whatever a client may send by mistake. */
const strange = (random: Random): unknown =>
  pick(random, [
    null,
    -1,
    1.5,
    1e300,
    '',
    'x',
    '[',
    [],
    {},
    true,
    false,
    '\u0000',
    '\ud800',
  ] as const);

function randomNumbers(random: Random): object {
  const low = whole(random, -5, 5);
  return {
    type: pick(random, ['integer', 'number'] as const),
    minimum: low,
    maximum: low + whole(random, -1, 9),
    ...(random() < 0.3 ? { multipleOf: pick(random, [0.1, 2, 3, 1e-9] as const) } : {}),
  };
}

function randomText(random: Random): object {
  return {
    type: 'string',
    ...(random() < 0.5 ? { minLength: whole(random, 0, 4), maxLength: whole(random, 2, 9) } : {}),
    ...(random() < 0.4 ? { pattern: randomRegex(random, 2) } : {}),
    ...(random() < 0.2 ? { format: pick(random, ['date', 'uuid', 'email', 'odd'] as const) } : {}),
  };
}

function randomObject(random: Random, depth: number): object {
  const members = many(random, 4, () => [pick(random, names), randomSchema(random, depth - 1)]);
  return {
    type: 'object',
    properties: Object.fromEntries(members) as object,
    required: many(random, 3, () => pick(random, names)).filter(
      (one, at, all) => all.indexOf(one) === at,
    ),
    ...(random() < 0.5
      ? { additionalProperties: random() < 0.7 ? false : randomSchema(random, 0) }
      : {}),
    ...(random() < 0.2
      ? { minProperties: whole(random, 0, 3), maxProperties: whole(random, 0, 3) }
      : {}),
    ...(random() < 0.2
      ? { patternProperties: { [randomRegex(random, 1)]: randomSchema(random, 0) } }
      : {}),
    ...(random() < 0.1 ? { propertyNames: randomText(random) } : {}),
  };
}

function randomArray(random: Random, depth: number): object {
  return {
    type: 'array',
    items: randomSchema(random, depth - 1),
    ...(random() < 0.6 ? { minItems: whole(random, 0, 2), maxItems: whole(random, 1, 4) } : {}),
    ...(random() < 0.3 ? { uniqueItems: true } : {}),
    ...(random() < 0.2 ? { contains: randomSchema(random, 0) } : {}),
    ...(random() < 0.2 ? { prefixItems: many(random, 2, () => randomSchema(random, 0)) } : {}),
  };
}

const choices = (random: Random, depth: number): object[] => [
  randomSchema(random, depth - 1),
  ...many(random, 2, () => randomSchema(random, depth - 1)),
];

const schemaMakers: readonly ((random: Random, depth: number) => object)[] = [
  randomNumbers,
  randomText,
  randomObject,
  randomObject,
  randomArray,
  (random) => ({ enum: many(random, 4, () => strange(random)) }),
  (random) => ({ const: strange(random) }),
  (random, depth) => ({ anyOf: choices(random, depth) }),
  (random, depth) => ({ oneOf: choices(random, depth) }),
  (random, depth) => ({ allOf: choices(random, depth) }),
  (random, depth) => ({ not: randomSchema(random, depth - 1) }),
  (random, depth) => ({ if: randomSchema(random, 0), else: randomSchema(random, depth - 1) }),
  (random) => ({
    $ref: pick(random, ['#', '#/$defs/x', '#/properties/a', 'other.json', '#/%'] as const),
  }),
  // A keyword with a value that it cannot have, mostly.
  (random) => ({
    [pick(random, [
      'type',
      'minLength',
      'items',
      'required',
      'pattern',
      'properties',
      'allOf',
      '$ref',
    ] as const)]: strange(random),
  }),
];

function randomSchema(random: Random, depth: number): object {
  const makers = depth <= 0 ? schemaMakers.slice(0, 2) : schemaMakers;
  return pick(random, makers)(random, depth);
}

function randomRegex(random: Random, depth: number): string {
  const leaf = (): string =>
    pick(random, [
      'a',
      '[a-c]',
      '\\d',
      '.',
      '\\w',
      '[^x]',
      'ä',
      '\\p{L}',
      '^',
      '$',
      '\\b',
      '',
    ] as const);
  if (depth <= 0) return leaf();
  const inner = (): string => randomRegex(random, depth - 1);
  return pick(random, [
    () => `${inner()}${inner()}`,
    () => `(${inner()}|${inner()})`,
    () => `(?:${inner()})${pick(random, ['*', '+', '?', '{2}', '{1,3}', '{3,1}', '*?'] as const)}`,
    () => `[${inner()}]`,
    () => `(${inner()}`,
    () => `(?=${inner()})${inner()}`,
    leaf,
  ] as const)();
}

function randomGrammar(random: Random): string {
  const body = (): string =>
    pick(random, [
      '"a"',
      '[a-z]',
      '"b" x',
      'x',
      '"" | "c"',
      '("a" | x)*',
      '"d"{2}',
      '"',
      'y',
      '(',
      '[a-',
    ] as const);
  return random() < 0.6
    ? `root ::= ${body()} ${body()}\nx ::= ${body()}`
    : `start: x "e"\nx: /${randomRegex(random, 1)}/ | ${body()}`;
}

function randomTag(random: Random): unknown {
  const content = pick(random, [
    { type: 'json_schema', json_schema: randomSchema(random, 1) },
    { type: 'regex', pattern: randomRegex(random, 1) },
    { type: 'any_text' },
    { type: 'const_string', value: 'v' },
    strange(random),
  ]);
  const begin = pick(random, ['<t>', '<', '', '<|im_end|>'] as const);
  const tag = { type: 'tag', begin, content, end: pick(random, ['</t>', '>', ''] as const) };
  return {
    type: 'structural_tag',
    format: pick(random, [
      tag,
      { type: 'triggered_tags', triggers: ['<'], tags: [tag] },
      { type: 'sequence', elements: [tag, content] },
      { type: 'or', elements: [tag, content] },
      strange(random),
    ]),
  };
}

/** Fields of a request that constrain its text; about half of them make sense. */
export function randomConstraint(random: Random): Body {
  return pick(random, [
    () => ({ guided_json: randomSchema(random, 3) }),
    () => ({
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: randomSchema(random, 3) },
      },
    }),
    () => ({
      guided_json: JSON.stringify(randomSchema(random, 2)).slice(0, random() < 0.8 ? undefined : 9),
    }),
    () => ({ guided_regex: randomRegex(random, 3) }),
    () => ({ response_format: { type: 'regex', pattern: randomRegex(random, 2) } }),
    () => ({
      guided_choice: [
        'a',
        ...many(random, 4, () => pick(random, ['', 'a', 'ab', '\n', '\ud800', '🙂'] as const)),
      ],
    }),
    () => ({ guided_grammar: randomGrammar(random) }),
    () => ({ structural_tag: randomTag(random) }),
    () => ({ response_format: { type: 'structural_tag', structural_tag: randomTag(random) } }),
    () => ({
      guided_json: randomSchema(random, 1),
      guided_whitespace_pattern: randomRegex(random, 2),
    }),
  ] as const)();
}

/** What else the request asks for. */
export const randomCompany = (random: Random): Body =>
  pick(random, [
    {},
    {},
    { n: 2 },
    { stop: ['a'] },
    { logprobs: true, top_logprobs: 1 },
    { min_tokens: 3 },
    { ignore_eos: true },
    { bad: ['a'] },
    { prediction: { type: 'content', content: '{"a": 1}' } },
    { temperature: 0 },
  ] as const);
