/**
 * The schemas of the dialects themselves, for references to them. They come with Ajv. Each is read when
 * it is first asked for.
 */

import { createRequire } from 'node:module';

import type { JsonValue } from '../../json/json-value.ts';
import { readJson } from '../../json/read-json.ts';

const require = createRequire(import.meta.url);

const draft2019 = ['applicator', 'content', 'core', 'format', 'meta-data', 'validation'];
const draft2020 = [
  'applicator',
  'content',
  'core',
  'format-annotation',
  'meta-data',
  'unevaluated',
  'validation',
];

/** Address without its scheme -> module. */
const modules = new Map<string, string>([
  ['json-schema.org/draft-04/schema', 'ajv-draft-04/dist/refs/json-schema-draft-04.json'],
  ['json-schema.org/draft-06/schema', 'ajv/dist/refs/json-schema-draft-06.json'],
  ['json-schema.org/draft-07/schema', 'ajv/dist/refs/json-schema-draft-07.json'],
  ...year('2019-09', draft2019),
  ...year('2020-12', draft2020),
]);

function year(name: string, vocabularies: readonly string[]): [string, string][] {
  const folder = `ajv/dist/refs/json-schema-${name}`;
  return [
    [`json-schema.org/draft/${name}/schema`, `${folder}/schema.json`],
    ...vocabularies.map((one): [string, string] => [
      `json-schema.org/draft/${name}/meta/${one}`,
      `${folder}/meta/${one}.json`,
    ]),
  ];
}

const read = new Map<string, JsonValue>();

/** The meta-schema with this address (no fragment); null where it is none. */
export function findMetaSchema(address: string): JsonValue | null {
  const module = modules.get(address.replace(/^https?:\/\//, ''));
  if (module === undefined) return null;
  const known = read.get(module) ?? readJson(JSON.stringify(require(module)));
  read.set(module, known);
  return known;
}
