/**
 * Every start option: its type and range, its default, and what it is called as a flag, as an
 * environment variable and in `parlance.yaml`. The CLI makes its flags from this table, and the
 * reference page is made from it; nothing else knows these names.
 */

import { Type, type Static, type TProperties } from 'typebox';

const closed = { additionalProperties: false } as const;
const chosen = <S extends TProperties[string]>(schema: S) => Type.Union([schema, Type.Null()]);

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** One schema for all sources; null means "let Parlance choose". */
export const optionsSchema = Type.Object(
  {
    port: Type.Integer({ minimum: 0, maximum: 65_535 }),
    host: Type.String({ minLength: 1 }),
    model: Type.String({ minLength: 1 }),
    home: Type.String({ minLength: 1 }),
    logLevel: Type.Enum(logLevels),
    slots: chosen(Type.Integer({ minimum: 1, maximum: 256 })),
    context: chosen(Type.Integer({ minimum: 128 })),
    threads: chosen(Type.Integer({ minimum: 1, maximum: 1024 })),
    deterministic: chosen(Type.Boolean()),
    gpuLayers: chosen(Type.Integer({ minimum: 0, maximum: 10_000 })),
    draftModel: chosen(Type.String({ minLength: 1 })),
    speculation: Type.Enum(['auto', 'off']),
    chatTemplate: chosen(Type.String({ minLength: 1 })),
    prefixCacheBytes: chosen(Type.Integer({ minimum: 0 })),
    prefixCacheDir: chosen(Type.String({ minLength: 1 })),
    requantise: Type.Enum(['auto', 'off']),
    queue: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    maxBody: Type.Integer({ minimum: 1024 }),
    allowApiKeyEnv: Type.Array(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })),
    allowedHosts: Type.Array(Type.String({ minLength: 1 })),
    heartbeat: Type.Integer({ minimum: 1, maximum: 3600 }),
    usageChunk: Type.Enum(['last', 'separate']),
    recordDays: Type.Integer({ minimum: 0, maximum: 3650 }),
    fetchRemote: Type.Boolean(),
    fetchHttp: Type.Boolean(),
    fetchPrivate: Type.Array(Type.String({ minLength: 1 })),
  },
  closed,
);

export type Options = Static<typeof optionsSchema>;
export type OptionName = keyof Options;

export interface OptionRow {
  readonly name: OptionName;
  readonly flag: string;
  /** What the flag's value is called in `--help`. */
  readonly argument: string;
  readonly env: string;
  /** Path of keys in `parlance.yaml`. */
  readonly file: readonly string[];
  /** How the text of a flag or a variable is read. */
  readonly reading: 'text' | 'number' | 'bytes' | 'boolean' | 'list';
  /** The word for null, where null is a value. */
  readonly unset: 'auto' | 'none';
  readonly default: Options[OptionName];
  /** The default, for people. */
  readonly defaultText: string;
  readonly description: string;
}

type Row = Omit<OptionRow, 'name' | 'flag' | 'env' | 'file' | 'defaultText' | 'unset'> & {
  readonly unset?: OptionRow['unset'];
  readonly defaultText?: string;
  readonly file?: readonly string[];
};

const rows: { readonly [K in OptionName]: Row & { readonly default: Options[K] } } = {
  port: {
    argument: 'PORT',
    reading: 'number',
    default: 8000,
    description: 'Port to listen on; 0 takes a free one.',
  },
  host: {
    argument: 'ADDRESS',
    reading: 'text',
    default: '127.0.0.1',
    description: 'Address to listen on. Another one than loopback needs an API key first.',
  },
  model: {
    argument: 'MODEL',
    reading: 'text',
    default: 'smollm2-135m',
    description:
      'Model to serve: a name of the catalogue, a .gguf file, hf:owner/repo/file.gguf, or none.',
  },
  home: {
    argument: 'FOLDER',
    reading: 'text',
    default: '~/.parlance',
    description: 'Home folder: weights and the database.',
  },
  logLevel: {
    argument: 'LEVEL',
    reading: 'text',
    default: 'warn',
    description: `What is logged: ${logLevels.join(', ')}. From info on, every request is a line.`,
  },
  slots: {
    argument: 'N',
    reading: 'number',
    default: null,
    defaultText: '8, fewer where memory is short',
    description: 'How many requests the start model runs at a time.',
  },
  context: {
    argument: 'TOKENS',
    reading: 'number',
    default: null,
    defaultText: 'what the model was trained for, less where memory is short',
    description: 'Context of each slot of the start model.',
  },
  threads: {
    argument: 'N',
    reading: 'number',
    default: null,
    defaultText: 'the number of cores, fewer while other processes want them',
    description: 'Threads that compute for the start model.',
  },
  deterministic: {
    argument: 'true|false',
    reading: 'boolean',
    default: null,
    defaultText: 'true where the model allows it',
    description:
      'Whether the start model answers with the same bytes whatever else runs; true: or does not start.',
  },
  gpuLayers: {
    argument: 'N',
    reading: 'number',
    default: null,
    defaultText: 'all where there is a GPU',
    description: 'Layers of the start model that a GPU computes; 0 keeps to the CPU.',
  },
  draftModel: {
    argument: 'MODEL',
    reading: 'text',
    default: null,
    unset: 'none',
    defaultText: 'none',
    description: 'A small model of the same vocabulary that proposes tokens to the start model.',
  },
  speculation: {
    argument: 'auto|off',
    reading: 'text',
    default: 'auto',
    description: 'Whether the start model verifies proposed tokens, where that is faster.',
  },
  chatTemplate: {
    argument: 'TEMPLATE',
    reading: 'text',
    default: null,
    defaultText: 'that of the model’s file, or of its family',
    description:
      'Chat template of the start model: a .jinja file, the text of a template, or none for raw prompts only.',
  },
  prefixCacheBytes: {
    argument: 'BYTES',
    reading: 'bytes',
    default: null,
    defaultText: 'a share of the free memory',
    description: 'Most memory for computed prefixes of the start model; 0 keeps none.',
  },
  prefixCacheDir: {
    argument: 'FOLDER',
    reading: 'text',
    default: null,
    unset: 'none',
    defaultText: 'none',
    description: 'Folder in which the computed prefixes of all models outlive a restart.',
  },
  requantise: {
    argument: 'auto|off',
    reading: 'text',
    default: 'auto',
    description:
      'Whether a Q8_0 form of the weights, which "parlance pull" makes where it is faster, is used.',
  },
  queue: {
    argument: 'N',
    reading: 'number',
    default: 512,
    description: 'Requests that may wait for a slot, for each model; beyond it the answer is 503.',
  },
  maxBody: {
    argument: 'BYTES',
    reading: 'bytes',
    default: 32 * 1024 * 1024,
    defaultText: '32MiB',
    description: 'Largest request body; 1048576, 512KiB and 32MiB are understood.',
  },
  allowApiKeyEnv: {
    argument: 'NAMES',
    reading: 'list',
    default: [],
    defaultText: 'none',
    description:
      'Environment variables, separated by commas, that a deployment may name as api_key_env.',
  },
  allowedHosts: {
    argument: 'HOSTS',
    reading: 'list',
    default: [],
    defaultText: 'loopback and the host listened on',
    description: 'More host names, separated by commas, under which /deploy may be called.',
  },
  heartbeat: {
    argument: 'SECONDS',
    reading: 'number',
    default: 15,
    description: 'Silence after which a stream sends a comment, so that proxies do not cut it.',
  },
  usageChunk: {
    argument: 'WHERE',
    reading: 'text',
    file: ['stream', 'usage_chunk'],
    default: 'last',
    description: 'Where a stream carries usage: on its last chunk, or in a separate one after it.',
  },
  recordDays: {
    argument: 'DAYS',
    reading: 'number',
    default: 30,
    description:
      'How long the record of an inference is kept (facts and counts, no text); 0: none is made.',
  },
  fetchRemote: {
    argument: 'true|false',
    reading: 'boolean',
    default: false,
    description: 'Whether files that a request names by an https URL are fetched.',
  },
  fetchHttp: {
    argument: 'true|false',
    reading: 'boolean',
    default: false,
    description: 'Whether they are fetched over http too.',
  },
  fetchPrivate: {
    argument: 'NETWORKS',
    reading: 'list',
    default: [],
    defaultText: 'none',
    description:
      'Addresses and networks (10.1.0.0/16), separated by commas, that they may come from though they are not public.',
  },
};

const words = (name: string): string[] => name.replaceAll(/[A-Z]/g, ' $&').toLowerCase().split(' ');

export const optionTable: readonly OptionRow[] = (Object.keys(rows) as OptionName[]).map((name) => {
  const row = rows[name];
  return {
    ...row,
    name,
    flag: `--${words(name).join('-')}`,
    env: `PARLANCE_${words(name).join('_').toUpperCase()}`,
    file: row.file ?? [words(name).join('_')],
    unset: row.unset ?? 'auto',
    defaultText: row.defaultText ?? String(row.default),
  };
});
