import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { TimedBudget } from '../budget.ts';
import type { JsonValue } from '../json/json-value.ts';
import { membersOf } from '../json/members.ts';
import { readJson } from '../json/read-json.ts';
import { writeJson } from '../json/write-json.ts';
import { readSchema } from '../json-schema/read-schema.ts';
import { evaluate } from './evaluate.ts';
import { RegexTests } from './text-tests.ts';
import { JsonVerifier } from './verify-json.ts';

const corpus = resolve(import.meta.dirname, '../../../../shared/schemas/maskbench.jsonl');
const skip = existsSync(corpus) ? false : `no corpus at ${corpus}`;

interface Entry {
  readonly id: string;
  readonly schema: string;
  readonly instances: readonly { readonly valid: boolean; readonly data: JsonValue }[];
}

/** Read exactly: numbers are spelled as in the file. */
function readEntries(): Entry[] {
  const lines = readFileSync(corpus, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const entry = membersOf(readJson(line));
    const id = entry.get('id');
    const tests = entry.get('tests');
    assert.ok(id?.type === 'string' && tests?.type === 'array');
    return {
      id: id.value,
      schema: writeJson(entry.get('schema') as JsonValue),
      instances: tests.items.map((one) => {
        const members = membersOf(one);
        const valid = members.get('valid');
        return {
          valid: valid?.type === 'boolean' && valid.value,
          data: members.get('data') as JsonValue,
        };
      }),
    };
  });
}

test('every schema of the corpus is read, and every label agreed with', { skip }, () => {
  const wrong: string[] = [];
  let instances = 0;
  for (const { id, schema, instances: tests } of readEntries()) {
    const budget = new TimedBudget();
    const texts = new RegexTests(budget);
    try {
      const graph = readSchema(schema, budget);
      for (const { valid, data } of tests) {
        instances++;
        const failure = evaluate(graph, data, texts);
        if ((failure === null) !== valid) wrong.push(`${id}: ${valid} ${JSON.stringify(failure)}`);
      }
    } catch (error) {
      if (!(error instanceof ParlanceError)) throw error;
      wrong.push(`${id}: ${error.keyword} ${error.message}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(instances > 1700, `${instances} instances`);
});

test('the verifier, Ajv included, agrees with the labels of a sample', { skip }, () => {
  const wrong = readEntries()
    .filter((_, at) => at % 12 === 0)
    .flatMap(({ id, schema, instances }) => {
      const verifier = new JsonVerifier(schema);
      return instances.flatMap(({ valid, data }) => {
        const verdict = verifier.verify(writeJson(data));
        return verdict.ok === valid ? [] : [`${id}: ${valid} ${JSON.stringify(verdict)}`];
      });
    });
  assert.deepEqual(wrong, []);
});
