/**
 * The MaskBench sample as texts: each schema, and its instances as Python's json.dumps writes them. For
 * tests and the corpus run.
 */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import type { JsonValue } from '../../json/json-value.ts';
import { readJson } from '../../json/read-json.ts';

const file = resolve(import.meta.dirname, '../../../../../shared/schemas/maskbench.jsonl');

export interface MaskbenchCase {
  readonly id: string;
  readonly schema: string;
  readonly tests: readonly { readonly valid: boolean; readonly text: string }[];
}

/** null where the corpus is not beside the repository. */
export function readMaskbench(): MaskbenchCase[] | null {
  if (!existsSync(file)) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => caseOf(readJson(line)));
}

function caseOf(value: JsonValue): MaskbenchCase {
  const id = member(value, 'id');
  const tests = member(value, 'tests');
  return {
    id: id.type === 'string' ? id.value : '',
    schema: dumps(member(value, 'schema')),
    tests: (tests.type === 'array' ? tests.items : []).map((one) => {
      const valid = member(one, 'valid');
      return { valid: valid.type === 'boolean' && valid.value, text: dumps(member(one, 'data')) };
    }),
  };
}

function member(value: JsonValue, name: string): JsonValue {
  const members = value.type === 'object' ? value.members : [];
  return members.find(([own]) => own === name)?.[1] ?? { type: 'null' };
}

/** As json.dumps with ensure_ascii off. */
export function dumps(value: JsonValue): string {
  switch (value.type) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(value.value);
    case 'number':
      return value.text;
    case 'string':
      return JSON.stringify(value.value);
    case 'array':
      return `[${value.items.map(dumps).join(', ')}]`;
    case 'object':
      return `{${value.members.map(([name, one]) => `${JSON.stringify(name)}: ${dumps(one)}`).join(', ')}}`;
  }
}
