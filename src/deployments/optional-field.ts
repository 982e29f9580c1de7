/** A field of a body that may be left out or null; both mean the same. Schemas of this room use it. */

import { Type, type TSchema } from 'typebox';

export const optionalField = <S extends TSchema>(schema: S) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
