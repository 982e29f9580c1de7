/**
 * JSON text as values for a template, spelled as its author spelled it: 1.0 stays a float, and keys keep
 * their order. What is no JSON stays text.
 */

import { readJsonValue } from './jinja/values/read-json.ts';

/** @returns for a template's context and for nothing else */
export function exactValue(json: string | null | undefined): unknown {
  if (json === null || json === undefined) return null;
  try {
    return readJsonValue(json);
  } catch {
    return json;
  }
}
