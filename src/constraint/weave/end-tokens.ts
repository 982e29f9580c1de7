/**
 * Constraints that cannot be met because a token that ends the model's answer stands before their end:
 * which of their texts names it, and how they are refused. Called by `compile.ts`.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { ConstraintSpec } from '../spec.ts';

/** A text of a constraint, and the field that its author wrote it in. */
type Field = readonly [keyword: string, text: string];

/**
 * @param ends names of the tokens that end an answer
 * @param rule the grammar's rule that nothing can complete; null where there is none
 */
export function endsTooEarly(
  spec: ConstraintSpec,
  ends: readonly string[],
  rule: string | null,
): ParlanceError {
  const named = fieldsOf(spec, spec.kind).flatMap(([field, text]) => {
    const name = ends.find((one) => text.includes(one));
    return name === undefined ? [] : [{ field, name }];
  });
  const [first] = named;
  const keyword = rule ?? first?.field ?? spec.kind;
  const token = first === undefined ? 'a token' : `\`${first.name}\``;
  return new ParlanceError(
    'invalid_constraint',
    `The constraint's \`${keyword}\` asks for ${token} before its end, and with that token the model ends its answer: nothing can follow. Use another text.`,
    { keyword },
  );
}

function fieldsOf(spec: ConstraintSpec, keyword: string): readonly Field[] {
  switch (spec.kind) {
    case 'literal':
      return [[keyword, spec.text]];
    case 'text-until':
      return [[keyword === 'text-until' ? 'until' : keyword, spec.until]];
    case 'sequence':
      return spec.parts.flatMap((part, index) => fieldsOf(part, index === 0 ? 'begin' : 'end'));
    case 'either':
      return spec.of.flatMap((one) => fieldsOf(one, keyword));
    case 'repeat':
      return [...fieldsOf(spec.of, keyword), ['separator', spec.separator]];
    case 'tags':
      return [
        ...spec.tags.flatMap((tag): readonly Field[] => [
          ['begin', tag.begin],
          ...fieldsOf(tag.content, 'content'),
          ['end', tag.end],
        ]),
        ...spec.triggers.map((trigger): Field => ['triggers', trigger]),
      ];
    case 'grammar':
      return [['grammar', spec.source]];
    default:
      return [];
  }
}
