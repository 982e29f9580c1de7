/** The kinds of "changes nothing" that rows of the parameter table use, each with its wording. */

interface Neutral<V> {
  readonly neutral: (value: V) => boolean;
  readonly neutralText: string;
}

export function only<V extends string | number | boolean>(...values: V[]): Neutral<unknown> {
  return {
    neutral: (value) => values.includes(value as V),
    neutralText: values.map((value) => `\`${JSON.stringify(value)}\``).join(', '),
  };
}

/** No value is neutral: whoever sends the field means it. */
export const never: Neutral<unknown> = { neutral: () => false, neutralText: 'none' };

export const emptyList: Neutral<unknown> = {
  neutral: (value) => Array.isArray(value) && value.length === 0,
  neutralText: '`[]`',
};

export const emptyObject: Neutral<unknown> = {
  neutral: (value) =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  neutralText: '`{}`',
};
