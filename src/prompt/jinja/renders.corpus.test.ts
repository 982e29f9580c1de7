/** Real templates on real conversations: the same text as Python's Jinja2, or an error where it gives one. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { readJsonObject } from './template-input.ts';
import { compileTemplate } from './template.ts';

interface Row {
  readonly template: string;
  readonly source: string;
  readonly renders: Readonly<Record<string, { text: string } | { error: string }>>;
}

const folder = '../shared/templates';
const skip = existsSync(`${folder}/renders.jsonl`) ? false : `${folder} is not here`;

function render(source: string, context: ReadonlyMap<string, unknown>): string | null {
  try {
    return compileTemplate(source).render(context, { now: new Date(2026, 10, 21) });
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'ParlanceError', String(error));
    return null;
  }
}

test('every template renders as in Python', { skip }, () => {
  const rows = readFileSync(`${folder}/renders.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  const texts = JSON.parse(readFileSync(`${folder}/conversations.json`, 'utf8')) as Record<
    string,
    unknown
  >;
  const contexts = new Map(
    Object.entries(texts).map(([name, context]) => [
      name,
      readJsonObject(JSON.stringify(context), name),
    ]),
  );
  let count = 0;
  const different: string[] = [];
  for (const { template, source, renders } of rows) {
    for (const [name, expected] of Object.entries(renders)) {
      const context = contexts.get(name);
      assert.ok(context !== undefined, name);
      count++;
      const text = render(source, context);
      const isRight = 'text' in expected ? text === expected.text : text === null;
      if (!isRight) different.push(`${template} ${name}`);
    }
  }
  assert.ok(count > 600, `${count} renders`);
  assert.deepEqual(different, []);
});
