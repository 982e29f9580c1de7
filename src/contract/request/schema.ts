/**
 * The body of POST /v1/chat/completions: every field of the contract, once. TypeScript types,
 * validation, the OpenAPI document and the reference page all come from here.
 */

import { Type, type Static } from 'typebox';
import { inputFields } from './input-fields.ts';
import { closed } from './optional.ts';
import { outputFields } from './output-fields.ts';
import { samplingFields } from './sampling-fields.ts';
import { structureFields } from './structure-fields.ts';

export const chatCompletionRequest = Type.Object(
  { ...inputFields, ...outputFields, ...samplingFields, ...structureFields },
  closed,
);

/** A body as it comes over the wire, once it has been validated. */
export type WireRequest = Static<typeof chatCompletionRequest>;

export type FieldName = keyof WireRequest;
