import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { TimedBudget } from '../budget.ts';
import { readJson } from '../json/read-json.ts';
import type { SchemaGraph } from '../json-schema/node.ts';
import { readSchema } from '../json-schema/read-schema.ts';
import { randomNumbers, RandomSchemas } from '../json-schema/read/random-schemas.test-support.ts';
import { AjvOpinion } from './ajv-opinion.ts';
import { evaluate } from './evaluate.ts';
import { RegexTests } from './text-tests.ts';

/** The graph; null where nothing satisfies the schema or it refers to itself in place. */
function graphOf(schema: string): SchemaGraph | null {
  try {
    return readSchema(schema, new TimedBudget());
  } catch (error) {
    if (error instanceof ParlanceError && error.reason === 'invalid_constraint') return null;
    throw error;
  }
}

test('random schemas and values: our evaluation agrees with Ajv', () => {
  const random = new RandomSchemas(randomNumbers(11));
  const counts = { schemas: 0, valid: 0, invalid: 0, refused: 0 };
  for (let round = 0; round < 500; round++) {
    const schema = JSON.stringify(random.document(2));
    const graph = graphOf(schema);
    const texts = new RegexTests(new TimedBudget());
    if (graph === null) counts.refused++;
    else counts.schemas++;
    // Ajv loses an unmet `contains` of an empty array beside `prefixItems`.
    if (schema.includes('"contains"') && schema.includes('"prefixItems"')) continue;
    // A schema that applies itself to the same value is refused, and would never end in Ajv.
    if (graph === null && schema.includes('"$ref"')) continue;
    const ajv = new AjvOpinion(schema, texts);
    for (let at = 0; at < 15; at++) {
      const text = JSON.stringify(random.value(2));
      const value = readJson(text);
      const opinion = ajv.of(value);
      const ours = graph !== null && evaluate(graph, value, texts) === null;
      if (opinion !== null) assert.equal(ours, opinion, `${schema} ${text}`);
      counts[ours ? 'valid' : 'invalid']++;
    }
  }
  assert.ok(counts.schemas > 350 && counts.refused > 20, JSON.stringify(counts));
  assert.ok(counts.valid > 1000 && counts.invalid > 1000, JSON.stringify(counts));
});
