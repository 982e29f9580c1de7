/**
 * Small constructors for constraints: sequences that join neighbouring texts, patterns as they are written.
 * Used by what writes the constraint of a call. Pure.
 */

import type { ConstraintSpec } from '../../../constraint/index.ts';
import { compilePattern, writtenPieces } from '../pattern.ts';

export const literal = (text: string): ConstraintSpec => ({ kind: 'literal', text });

export const regex = (pattern: string): ConstraintSpec => ({ kind: 'regex', pattern });

export const textUntil = (until: string): ConstraintSpec => ({ kind: 'text-until', until });

/** Any text up to and with the first of several marks. */
export function textUntilAny(marks: readonly string[]): ConstraintSpec {
  const [only] = marks;
  if (marks.length === 1 && only !== undefined) return textUntil(only);
  return {
    kind: 'tags',
    triggers: marks,
    tags: marks.map((begin) => ({ begin, content: literal(''), end: '' })),
    atLeastOne: true,
    stopAfterFirst: true,
  };
}

export const json = (schema: string): ConstraintSpec => ({
  kind: 'json',
  schema,
  whitespace: null,
});

/** One of them, without a choice where there is only one. */
export function either(of: readonly ConstraintSpec[]): ConstraintSpec {
  const [only] = of;
  return of.length === 1 && only !== undefined ? only : { kind: 'either', of };
}

export const optional = (of: ConstraintSpec): ConstraintSpec => ({
  kind: 'repeat',
  of,
  min: 0,
  max: 1,
  separator: '',
});

export const anyNumber = (of: ConstraintSpec, separator = ''): ConstraintSpec => ({
  kind: 'repeat',
  of,
  min: 0,
  max: null,
  separator,
});

/** The parts one after the other, sequences in them dissolved, neighbouring texts joined. */
export function flatParts(parts: readonly ConstraintSpec[]): readonly ConstraintSpec[] {
  const flat: ConstraintSpec[] = [];
  for (const part of parts) {
    for (const one of part.kind === 'sequence' ? flatParts(part.parts) : [part]) {
      const last = flat.at(-1);
      if (one.kind === 'literal' && one.text === '') continue;
      if (one.kind === 'literal' && last?.kind === 'literal') {
        flat[flat.length - 1] = literal(last.text + one.text);
      } else flat.push(one);
    }
  }
  return flat;
}

export function sequence(...parts: readonly ConstraintSpec[]): ConstraintSpec {
  const flat = flatParts(parts);
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { kind: 'sequence', parts: flat };
}

export interface Fillings {
  readonly name?: string;
  readonly key?: ConstraintSpec;
  readonly type?: string;
  /** Regex of an id. */
  readonly id?: string | null;
}

const anyIndex = '[0-9]+';
const anyKey = '[^<>"\\n/][^<>"\\n]*';

export const unknownKey: ConstraintSpec = regex(anyKey);

/** A pattern as the model has to write it. */
export function writePattern(source: string, fillings: Fillings): ConstraintSpec {
  const parts = writtenPieces(compilePattern(source)).map((piece): ConstraintSpec => {
    if (piece === null) return regex('\\n?');
    if (typeof piece === 'string') return literal(piece);
    switch (piece.place) {
      case 'name':
        return literal(fillings.name ?? '');
      case 'key':
        return fillings.key ?? unknownKey;
      case 'type':
        return literal(fillings.type ?? '');
      case 'id':
        return regex(fillings.id ?? anyIndex);
      default:
        return regex(anyIndex);
    }
  });
  return sequence(...parts);
}
