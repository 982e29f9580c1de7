/** Where the value of an option came from, and the errors that name that place. Pure. */

import { describe, ParlanceError, type Schema } from '../contract/index.ts';
import { optionsSchema, type OptionName } from './options.ts';

export type Origin =
  | { readonly kind: 'flag'; readonly flag: string }
  | { readonly kind: 'variable'; readonly variable: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Both from 1. */
      readonly line: number;
      readonly column: number;
      readonly key: string;
    }
  | { readonly kind: 'default' };

/** `--port`, `PARLANCE_PORT`, or `/etc/parlance.yaml:3:7: port`. */
export function showOrigin(origin: Origin, name: string): string {
  switch (origin.kind) {
    case 'flag':
      return origin.flag;
    case 'variable':
      return origin.variable;
    case 'file':
      return `${origin.path}:${origin.line}:${origin.column}: ${origin.key}`;
    case 'default':
      return name;
  }
}

export function invalidOption(message: string, param?: string): ParlanceError {
  return new ParlanceError('invalid_option', message, param === undefined ? {} : { param });
}

/** What an option wants, as a noun phrase. */
export function describeOption(name: OptionName): string {
  if (name === 'maxBody') return 'a number of bytes of at least 1024, such as 32MiB';
  if (name === 'prefixCacheBytes') return 'a number of bytes, such as 2GiB, or 0';
  if (name === 'allowApiKeyEnv') return 'names of environment variables';
  const schema: Schema = optionsSchema.properties[name];
  const items: Schema | undefined = schema.items;
  return items === undefined ? describe(schema) : 'a list of names';
}

const shownCharacters = 60;

export function wrongValue(name: OptionName, origin: Origin, got: unknown): ParlanceError {
  const text = typeof got === 'string' ? `"${got}"` : JSON.stringify(got);
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  return invalidOption(
    `${showOrigin(origin, name)}: expected ${describeOption(name)}, got ${shown}`,
    name,
  );
}
