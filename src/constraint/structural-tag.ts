/**
 * Structural tags of the API as constraints: the older shape with `structures` and `triggers`, and the
 * newer one with a `format` that nests. Types that are not supported are refused by their name. Called
 * by `read-constraint.ts`.
 */

import { ParlanceError } from '../contract/errors.ts';
import type { JsonValue } from './json/json-value.ts';
import { membersOf } from './json/members.ts';
import { readJson } from './json/read-json.ts';
import { writeJson } from './json/write-json.ts';
import type { ConstraintSpec, TagSpec } from './spec.ts';

/** Formats in formats. */
const deepest = 100;

/**
 * @param text JSON
 * @throws ParlanceError `invalid_constraint`; schemas, regexes and grammars are not looked into
 */
export function parseStructuralTag(text: string): ConstraintSpec {
  const value = readJson(text);
  if (value.type !== 'object') throw refusal('structural_tag', 'must be an object');
  const members = membersOf(value);
  const type = members.get('type');
  if (type !== undefined && (type.type !== 'string' || type.value !== 'structural_tag')) {
    throw refusal('type', 'must be "structural_tag"');
  }
  const format = members.get('format');
  if (format !== undefined) return readFormat(format, 0);
  if (!members.has('structures'))
    throw refusal('structural_tag', 'needs `format`, or `structures`');
  return {
    kind: 'tags',
    triggers: textsOf(value, 'triggers'),
    tags: listOf(value, 'structures').map((one) => ({
      begin: textOf(one, 'begin'),
      content: { kind: 'json', schema: schemaOf(one, 'schema'), whitespace: null },
      end: textOf(one, 'end'),
    })),
    atLeastOne: false,
    stopAfterFirst: false,
  };
}

type FormatReader = (format: JsonValue, depth: number) => ConstraintSpec;

/** By `type`. */
const readers: Readonly<Record<string, FormatReader>> = {
  const_string: (format) => ({ kind: 'literal', text: textOf(format, 'value') }),
  json_schema: (format) => {
    const style = membersOf(format).get('style');
    if (style !== undefined && (style.type !== 'string' || style.value !== 'json')) {
      throw refusal('style', 'must be "json"; other styles are not supported');
    }
    return { kind: 'json', schema: schemaOf(format, 'json_schema'), whitespace: null };
  },
  regex: (format) => {
    refuseExclusions(format);
    return { kind: 'regex', pattern: textOf(format, 'pattern') };
  },
  grammar: (format) => ({ kind: 'grammar', source: textOf(format, 'grammar') }),
  any_text: (format) => {
    refuseExclusions(format);
    return { kind: 'text' };
  },
  sequence: (format, depth) => ({ kind: 'sequence', parts: formatsOf(format, 'elements', depth) }),
  or: (format, depth) => ({ kind: 'either', of: formatsOf(format, 'elements', depth) }),
  optional: (format, depth) => repeatOf(format, depth, [0, 1]),
  star: (format, depth) => repeatOf(format, depth, [0, null]),
  plus: (format, depth) => repeatOf(format, depth, [1, null]),
  tag: (format, depth) => eitherOf(tagsOf(format, depth).map(wholeTag)),
  triggered_tags: (format, depth) => {
    refuseExclusions(format);
    return {
      kind: 'tags',
      triggers: textsOf(format, 'triggers'),
      tags: listOf(format, 'tags').flatMap((one) => tagsOf(one, depth)),
      atLeastOne: flagOf(format, 'at_least_one'),
      stopAfterFirst: flagOf(format, 'stop_after_first'),
    };
  },
  tags_with_separator: (format, depth) => ({
    kind: 'repeat',
    of: eitherOf(
      listOf(format, 'tags')
        .flatMap((one) => tagsOf(one, depth))
        .map(wholeTag),
    ),
    min: flagOf(format, 'at_least_one') ? 1 : 0,
    max: flagOf(format, 'stop_after_first') ? 1 : null,
    separator: textOf(format, 'separator'),
  }),
};

function readFormat(format: JsonValue, depth: number): ConstraintSpec {
  if (depth > deepest) throw refusal('format', `is nested more than ${deepest} deep`);
  const type = textOf(format, 'type');
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined) {
    throw refusal(type, `is not supported; formats are ${Object.keys(readers).join(', ')}`);
  }
  return read(format, depth + 1);
}

/** One tag, or several that end differently. */
function tagsOf(value: JsonValue, depth: number): TagSpec[] {
  const type = membersOf(value).get('type');
  if (type !== undefined && (type.type !== 'string' || type.value !== 'tag')) {
    throw refusal('tags', 'may hold formats of the type "tag" only');
  }
  const content = membersOf(value).get('content');
  if (content === undefined) throw refusal('content', 'is missing from a tag');
  const end = membersOf(value).get('end');
  const ends = end?.type === 'array' ? textsOf(value, 'end') : [textOf(value, 'end')];
  if (ends.length === 0) throw refusal('end', 'has no texts');
  const tag = { begin: textOf(value, 'begin'), content: readFormat(content, depth) };
  return ends.map((one) => ({ ...tag, end: one }));
}

function wholeTag({ begin, content, end }: TagSpec): ConstraintSpec {
  const start: ConstraintSpec = { kind: 'literal', text: begin };
  // Free text goes up to the first end.
  if (content.kind === 'text' && end !== '') {
    return { kind: 'sequence', parts: [start, { kind: 'text-until', until: end }] };
  }
  return { kind: 'sequence', parts: [start, content, { kind: 'literal', text: end }] };
}

function eitherOf(of: readonly ConstraintSpec[]): ConstraintSpec {
  if (of.length === 0) throw refusal('tags', 'is empty');
  return of.length === 1 ? of[0]! : { kind: 'either', of };
}

function repeatOf(
  format: JsonValue,
  depth: number,
  [min, max]: readonly [number, number | null],
): ConstraintSpec {
  const content = membersOf(format).get('content');
  if (content === undefined) throw refusal('content', 'is missing');
  return { kind: 'repeat', of: readFormat(content, depth), min, max, separator: '' };
}

function refuseExclusions(format: JsonValue): void {
  for (const name of ['excludes', 'excluded_str', 'excluded_strs']) {
    const value = membersOf(format).get(name);
    const isNone = value === undefined || value.type === 'null';
    if (!isNone && !(value.type === 'array' && value.items.length === 0)) {
      throw refusal(name, 'is not supported');
    }
  }
}

function formatsOf(format: JsonValue, name: string, depth: number): ConstraintSpec[] {
  return listOf(format, name).map((one) => readFormat(one, depth));
}

function listOf(value: JsonValue, name: string): readonly JsonValue[] {
  const list = membersOf(value).get(name);
  if (list?.type !== 'array') throw refusal(name, 'must be a list');
  return list.items;
}

function textOf(value: JsonValue, name: string): string {
  const text = membersOf(value).get(name);
  if (text?.type !== 'string') throw refusal(name, 'must be a string');
  return text.value;
}

function textsOf(value: JsonValue, name: string): string[] {
  return listOf(value, name).map((one) => {
    if (one.type !== 'string') throw refusal(name, 'must be a list of strings');
    return one.value;
  });
}

function flagOf(value: JsonValue, name: string): boolean {
  const flag = membersOf(value).get(name);
  if (flag === undefined || flag.type === 'null') return false;
  if (flag.type !== 'boolean') throw refusal(name, 'must be true or false');
  return flag.value;
}

/** The text of a schema: an object, true, false, or a string that holds one. */
function schemaOf(value: JsonValue, name: string): string {
  const schema = membersOf(value).get(name);
  if (schema?.type === 'string') return schema.value;
  if (schema?.type === 'object' || schema?.type === 'boolean') return writeJson(schema);
  if (schema?.type === 'null') return '{}';
  throw refusal(name, 'must be a JSON schema');
}

function refusal(keyword: string, what: string): ParlanceError {
  return new ParlanceError('invalid_constraint', `The structural tag's \`${keyword}\` ${what}.`, {
    keyword,
  });
}
