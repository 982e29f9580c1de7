/**
 * Puts the start options together: flag, else environment, else `parlance.yaml`, else default. Each
 * value keeps its origin, so that an error names the place to mend. Called once by the CLI.
 */

import { dirname, join, resolve } from 'node:path';
import { homedir } from 'node:os';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

import { suggest } from '../contract/index.ts';
import { readConfigFile, type ConfigFile } from './config-file.ts';
import {
  optionsSchema,
  optionTable,
  type OptionName,
  type OptionRow,
  type Options,
} from './options.ts';
import { wrongValue, type Origin } from './origin.ts';
import { readBytes, readText } from './read-text.ts';

export interface LoadRequest {
  /** By option name (`allowApiKeyEnv`), the text that followed the flag; `config` names the file. */
  readonly flags: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths of flags and variables start here. */
  readonly cwd: string;
}

export interface LoadedOptions {
  /** Folders are absolute paths, and so is a model that is a file. */
  readonly options: Options;
  readonly origins: Readonly<Record<OptionName, Origin>>;
  /** The `parlance.yaml` that was read. */
  readonly configFile: string | null;
  /** For people to read at start: variables that look like a misspelt option. */
  readonly warnings: readonly string[];
}

interface Found {
  readonly value: unknown;
  readonly origin: Origin;
}

const compiled = new Map<OptionName, { Check(value: unknown): boolean }>(
  optionTable.map(({ name }) => [name, Compile<TSchema>(optionsSchema.properties[name])]),
);

/** @throws ParlanceError `invalid_option` that names flag, variable, or line of the file */
export function loadOptions(request: LoadRequest): LoadedOptions {
  const file = findFile(request);
  const options: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const row of optionTable) {
    const { value, origin } = findValue(row, request, file);
    if (compiled.get(row.name)?.Check(value) !== true) throw wrongValue(row.name, origin, value);
    options[row.name] = toAbsolute(row.name, value, baseOf(origin, request.cwd));
    origins[row.name] = origin;
  }
  return {
    options: options as Options,
    origins: origins as Record<OptionName, Origin>,
    configFile: file?.path ?? null,
    warnings: findMisspelt(request.env),
  };
}

function findFile(request: LoadRequest): ConfigFile | null {
  const { flags, env, cwd } = request;
  const flag = flags['config'];
  const named =
    typeof flag === 'string'
      ? { path: flag, by: '--config' }
      : env['PARLANCE_CONFIG']
        ? { path: env['PARLANCE_CONFIG'], by: 'PARLANCE_CONFIG' }
        : null;
  const row = optionTable.find(({ name }) => name === 'home') as OptionRow;
  const home = String(findValue(row, request, null).value);
  return readConfigFile({
    named: named === null ? null : { ...named, path: expandHome(named.path) },
    cwd,
    home: resolve(cwd, expandHome(home)),
  });
}

function findValue(row: OptionRow, { flags, env }: LoadRequest, file: ConfigFile | null): Found {
  const flag = flags[row.name];
  if (flag !== undefined) {
    return { value: readText(row, flag), origin: { kind: 'flag', flag: row.flag } };
  }
  // An empty variable is how many tools say that it is not set.
  const variable = env[row.env];
  if (variable !== undefined && variable !== '') {
    return { value: readText(row, variable), origin: { kind: 'variable', variable: row.env } };
  }
  const written = file?.values.get(row.name);
  if (written !== undefined) return { ...written, value: readWritten(row, written.value) };
  return { value: row.default, origin: { kind: 'default' } };
}

/** YAML has types of its own; only sizes with a unit and single names for a list need a reading. */
function readWritten(row: OptionRow, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (row.default === null && value === row.unset) return null;
  if (row.reading === 'bytes') return readBytes(value);
  return row.reading === 'list' ? readText(row, value) : value;
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

const baseOf = (origin: Origin, cwd: string): string =>
  origin.kind === 'file' ? dirname(origin.path) : cwd;

function toAbsolute(name: OptionName, value: unknown, base: string): unknown {
  if (typeof value !== 'string') return value;
  const isFolder = name === 'home' || name === 'prefixCacheDir';
  const isModel = name === 'model' || name === 'draftModel';
  const isFile = isModel && /\.gguf$/i.test(value) && !value.startsWith('hf:');
  const isTemplate = name === 'chatTemplate' && /^[^{]*\.(?:jinja2?|j2)$/i.test(value);
  return isFolder || isFile || isTemplate ? resolve(base, expandHome(value)) : value;
}

function findMisspelt(env: LoadRequest['env']): string[] {
  const known = [...optionTable.map((row) => row.env), 'PARLANCE_CONFIG'];
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith('PARLANCE_') || known.includes(name)) return [];
    const ends = known.map((one) => one.slice('PARLANCE_'.length));
    const meant = suggest(name.slice('PARLANCE_'.length), ends);
    if (meant === null) return [];
    return [`The variable ${name} is no option and is not read; did you mean PARLANCE_${meant}?`];
  });
}
