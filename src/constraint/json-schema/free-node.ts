/** The node that says nothing about any value: what readers and the machine begin with. */

import type { SchemaNode } from './node.ts';

export const freeNode = (path: string): SchemaNode => ({
  path,
  never: false,
  types: null,
  integer: false,
  values: null,
  number: null,
  string: null,
  array: null,
  object: null,
  allOf: [],
  anyOf: [],
  oneOf: [],
  not: [],
  conditions: [],
});
