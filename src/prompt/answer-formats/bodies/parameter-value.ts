/**
 * The JSON text that a bare value means: `2` is a number where the schema says so or says nothing, and a
 * string where it says string. Pure.
 */

import { typeOfValue, type JsonType, type Types } from './parameter-types.ts';
import { pythonToJson } from './python-literal.ts';

/** Whether whatever stands there is a string. */
export const isString = (types: Types): boolean =>
  types !== null && types.size === 1 && types.has('string');

export const quote = (text: string): string => JSON.stringify(text);

/** The inside of a JSON string that means the text. */
export const quotedInside = (text: string): string => JSON.stringify(text).slice(1, -1);

/** `raw` as JSON text of one of the types if it is that, else as a string. */
export function valueToJson(raw: string, types: Types): string {
  if (isString(types)) return quote(raw);
  const text = raw.trim();
  const json = jsonOf(text);
  if (json === null) return quote(raw);
  const type = jsonType(json);
  // A quoted text is a string with quotes in it: bare is how strings are written here.
  if (type === 'string') return types !== null && !types.has('string') ? json : quote(raw);
  if (types !== null && types.has('string') && !types.has(type)) return quote(raw);
  return json;
}

/** The text where it is JSON already, Python's spelling of it as JSON otherwise; null where it is neither. */
function jsonOf(text: string): string | null {
  if (isJson(text)) return text;
  // Python's other numbers (`+49`) are more likely texts.
  return /^(?:[[{]|True$|False$|None$)/.test(text) ? pythonToJson(text) : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const jsonType = (json: string): JsonType => typeOfValue(JSON.parse(json));
