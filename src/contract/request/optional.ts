/**
 * Building blocks that the request schema repeats: optional fields that take null (null means
 * absent), integers beyond 2^53, token IDs. Used by the field files beside it and by nothing else.
 */

import { Type, type TSchema } from 'typebox';

/** A field that may be left out or null; both mean the same. */
export function optional<S extends TSchema>(schema: S, description?: string) {
  return Type.Optional(
    Type.Union([schema, Type.Null()], description === undefined ? {} : { description }),
  );
}

/** An object that refuses keys it does not know. */
export const closed = { additionalProperties: false } as const;

/** A signed 64-bit integer; values beyond 2^53 arrive as BigInt from the source text. */
export const int64 = Type.Union([Type.Integer(), Type.BigInt()]);

/** Whether an ID is in the vocabulary is for the target to say: it knows the model. */
export const tokenId = Type.Integer({ minimum: 0 });

/** An object of strings; unlike a record by key pattern it holds for every key, newlines included. */
export const stringMap = Type.Unsafe<Record<string, string>>(
  Type.Object({}, { additionalProperties: Type.String() }),
);

export const anyObject = Type.Record(Type.String(), Type.Unknown());
