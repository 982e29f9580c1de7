/**
 * From a request to the one constraint that it asks for, whatever its spelling. Every target's way begins
 * here. Schemas are taken from the source text, since their spelling and order count.
 */

import { asParlanceError, ParlanceError } from '../contract/errors.ts';
import type { ChatRequest } from '../contract/index.ts';
import { sourceTextAt } from '../contract/index.ts';
import { anyObjectSchema } from './any-object.ts';
import type { ConstraintSpec } from './spec.ts';
import { parseStructuralTag } from './structural-tag.ts';

/** `field` is the client's own spelling of where it stands, for errors and receipts. */
export interface AskedConstraint {
  readonly spec: ConstraintSpec;
  readonly field: string;
}

/** Throws `invalid_constraint` where the spelling makes no sense; schemas are not looked into. */
export function readConstraint(request: ChatRequest): AskedConstraint | null {
  const format = request.parameters.response_format;
  if (format !== undefined && format.type !== 'text') return readFormat(request, format);
  return readGuided(request);
}

type Format = NonNullable<ChatRequest['parameters']['response_format']>;

function readFormat(request: ChatRequest, format: Format): AskedConstraint | null {
  switch (format.type) {
    case 'text':
      return null;
    case 'json_object':
      return { field: 'response_format', spec: jsonSpec(request, anyObjectSchema) };
    case 'json_schema': {
      const path = ['response_format', 'json_schema', 'schema'];
      const text = sourceTextAt(request.source, path);
      const schema = text === null || text === 'null' ? '{}' : text;
      return { field: path.join('.'), spec: jsonSpec(request, schema) };
    }
    case 'regex':
      return {
        field: 'response_format.pattern',
        spec: { kind: 'regex', pattern: format.pattern },
      };
    case 'grammar':
      return {
        field: 'response_format.grammar',
        spec: { kind: 'grammar', source: format.grammar },
      };
    case 'structural_tag':
      return readTag(request, ['response_format', 'structural_tag'], format.structural_tag);
    default:
      return format satisfies never;
  }
}

function readGuided(request: ChatRequest): AskedConstraint | null {
  const {
    guided_json: json,
    guided_regex: pattern,
    guided_choice: options,
    guided_grammar: source,
    structural_tag: tag,
  } = request.parameters;
  if (json !== undefined) {
    const text = typeof json === 'string' ? json : sourceTextAt(request.source, ['guided_json']);
    return { field: 'guided_json', spec: jsonSpec(request, text ?? '{}') };
  }
  if (pattern !== undefined) return { field: 'guided_regex', spec: { kind: 'regex', pattern } };
  if (options !== undefined) return { field: 'guided_choice', spec: { kind: 'choice', options } };
  if (source !== undefined) return { field: 'guided_grammar', spec: { kind: 'grammar', source } };
  return tag === undefined ? null : readTag(request, ['structural_tag'], tag);
}

const jsonSpec = ({ parameters }: ChatRequest, schema: string): ConstraintSpec => ({
  kind: 'json',
  schema,
  whitespace: parameters.guided_whitespace_pattern ?? null,
});

function readTag(
  { source }: ChatRequest,
  path: readonly string[],
  value: string | object,
): AskedConstraint {
  const field = path.join('.');
  const text = typeof value === 'string' ? value : sourceTextAt(source, path);
  if (text === null) throw new ParlanceError('invalid_value', `${field}: nothing is there.`);
  try {
    return { field, spec: parseStructuralTag(text) };
  } catch (error) {
    const { reason, message, keyword } = asParlanceError(error);
    const named = keyword === null ? {} : { keyword };
    throw new ParlanceError(reason, `${field}: ${message}`, { param: field, ...named });
  }
}
