/** What a reference in a schema leads to, or why nothing. The reader and the maker of Ajv's schemas ask. */

import { ParlanceError } from '../../../contract/errors.ts';
import type { DynamicScope } from './dynamic-scope.ts';
import type { Place, SchemaDocuments } from './schema-documents.ts';
import { shorten } from './schema-keywords.ts';
import type { SchemaKeywords } from './schema-keywords.ts';

export const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** Throws `invalid_constraint` where the schema has nothing by that name. */
export function findTarget(
  documents: SchemaDocuments,
  keywords: SchemaKeywords,
  name: string,
  scope: DynamicScope,
): Place {
  const reference = keywords.string(name) ?? '';
  const found = documents.resolve(reference, keywords.place);
  if (found === null) {
    throw new ParlanceError(
      'invalid_constraint',
      `\`${name}\` at ${shorten(keywords.place.pointer)} of the schema leads to \`${reference.slice(0, 200)}\`, which is not in it. Nothing is fetched: put what it means under \`$defs\`.`,
      { keyword: name },
    );
  }
  if (name === '$dynamicRef') return scope.anchor(reference, found);
  if (name === '$recursiveRef') return scope.recursive(found, documents);
  return found;
}
