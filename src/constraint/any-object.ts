/** The schema of what is only known to be an object: `json_object`, and arguments of unknown shape. */

export const anyObjectSchema = '{"type":"object"}';
