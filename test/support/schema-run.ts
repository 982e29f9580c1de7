/**
 * Real schemas over HTTP: a seeded sample of the corpus is asked for at temperature 1, and each answer
 * is judged by an Ajv of the tests' own.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { chatBody, chatUrl, errorOf, jsonOf, post, type Completion } from './ask.ts';
import { inCompany } from './in-company.ts';
import { createRandom } from './random-numbers.ts';
import { root } from './server-process.ts';

// Its types name a default export that Node does not see.
const Ajv04 = createRequire(import.meta.url)('ajv-draft-04') as typeof Ajv;

const corpus = join(root, '..', 'shared', 'schemas', 'maskbench.jsonl');

export const withoutCorpus = existsSync(corpus)
  ? false
  : 'NO CORPUS: ../shared/schemas/maskbench.jsonl is not there';

interface Row {
  readonly id: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The same rows for the same seed. */
export function sampleSchemas(count: number, seed: number): Row[] {
  const random = createRandom(seed);
  const rows = readFileSync(corpus, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ line, at: random() }));
  return rows
    .toSorted((one, other) => one.at - other.at)
    .slice(0, count)
    .map(({ line }) => JSON.parse(line) as Row);
}

export interface SchemaCounts {
  /** Finished, and right. */
  stop: number;
  /** Cut off by max_tokens. */
  length: number;
  notMet: number;
  refused: number;
  /** Of `stop`: schemas that Ajv cannot compile, so that JSON is all that was looked at. */
  unchecked: number;
  /** What was not plainly good, a line each. */
  readonly notes: string[];
}

const makers = [
  ['draft-04', [Ajv04, Ajv]],
  ['draft-06', [Ajv]],
  ['draft-07', [Ajv]],
  ['2019-09', [Ajv2019]],
  ['', [Ajv2020, Ajv, Ajv04]],
] as const;

/** The first Ajv that takes the schema, beginning with its dialect's; null where none does. */
function compile({ $schema, ...schema }: Row['schema']): ValidateFunction | null {
  const dialect = typeof $schema === 'string' ? $schema : '';
  const [, candidates] = makers.find(([name]) => dialect.includes(name)) ?? makers[4];
  const { $async: _, ...plain } = schema;
  for (const Maker of candidates) {
    try {
      const options = { strict: false, logger: false, validateFormats: false } as const;
      return new Maker({ ...options, validateSchema: false, meta: false }).compile(plain);
    } catch {
      // The next one may know the spelling.
    }
  }
  return null;
}

/** Anything but a right text, a text that was cut off, and an honest refusal fails the test. */
export async function runSchemas(
  server: { readonly url: string },
  rows: readonly Row[],
  atOnce = 4,
): Promise<SchemaCounts> {
  const counts: SchemaCounts = {
    stop: 0,
    length: 0,
    notMet: 0,
    refused: 0,
    unchecked: 0,
    notes: [],
  };
  await inCompany(rows, (row) => runOne(server, row, counts), atOnce);
  return counts;
}

async function runOne(
  server: { readonly url: string },
  { id, schema }: Row,
  counts: SchemaCounts,
): Promise<void> {
  const begin = JSON.stringify(schema).slice(0, 600);
  const content = `Write a short example in JSON for this JSON schema: ${begin}`;
  const reply = await post(
    chatUrl(server),
    chatBody({
      messages: [{ role: 'user', content }],
      response_format: { type: 'json_schema', json_schema: { name: 'row', schema } },
      temperature: 1,
      seed: 1,
      max_tokens: 400,
    }),
  );
  if (reply.status !== 200) {
    const { reason, message } = errorOf(reply);
    assert.ok(
      ['invalid_constraint', 'constraint_not_met'].includes(reason),
      `${id}: ${reply.text}`,
    );
    if (reason === 'constraint_not_met') counts.notMet += 1;
    else counts.refused += 1;
    counts.notes.push(`${id}: ${message}`);
    return;
  }
  const [choice] = jsonOf<Completion>(reply).choices;
  if (choice?.finish_reason !== 'stop') {
    assert.equal(choice?.finish_reason, 'length', id);
    counts.length += 1;
    return;
  }
  const value: unknown = JSON.parse(choice.message.content);
  const validate = compile(schema);
  counts.stop += 1;
  if (validate === null) {
    counts.unchecked += 1;
    counts.notes.push(`${id}: Ajv takes no such schema`);
    return;
  }
  const problems = (): string =>
    `${id}: ${choice.message.content} ${JSON.stringify(validate.errors)}`;
  assert.ok(validate(value), problems());
}
