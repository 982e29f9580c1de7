/**
 * The body of `POST /deploy` from the flags of `parlance deploy`. Pure. Values are judged by the
 * server, which words its errors better; only what cannot be written as JSON is refused here.
 */

import { resolve } from 'node:path';

import { readBytes } from '../../config/index.ts';
import { didYouMean, ParlanceError } from '../../contract/index.ts';
import { parseModelSpec } from '../../models/index.ts';

/** Flags that belong to one kind of deployment, by that kind. */
const kinds = {
  model: [
    'slots',
    'context',
    'threads',
    'deterministic',
    'gpuLayers',
    'draftModel',
    'speculation',
    'prefixCacheBytes',
    'chatTemplate',
    'toolFormat',
    'reasoningFormat',
  ],
  baseUrl: ['upstreamModel', 'apiKeyEnv', 'parameters'],
  adapterOf: ['path'],
} as const;

type Kind = keyof typeof kinds;
type FlagName = Kind | (typeof kinds)[Kind][number];

export type BodyFlags = { readonly [K in FlagName]?: string };

/** @throws ParlanceError `invalid_option` for flags that do not go together */
export function toBody(name: string | undefined, flags: BodyFlags): Record<string, unknown> {
  if (name === undefined) {
    throw usage('Say under which name: parlance deploy NAME --model SPEC, or --base-url URL.');
  }
  const given = (Object.keys(kinds) as Kind[]).filter((kind) => flags[kind] !== undefined);
  const [kind, second] = given;
  if (kind === undefined) {
    const meant = didYouMean(name, ['list', 'show', 'remove']);
    throw usage(`"${name}" needs --model SPEC, --base-url URL or --adapter-of DEPLOYMENT${meant}.`);
  }
  if (second !== undefined) {
    throw usage(
      `${toFlag(kind)} and ${toFlag(second)} exclude each other: one loads weights, one goes elsewhere, one changes what is there.`,
    );
  }
  refuseFlagsOfOthers(kind, flags);
  switch (kind) {
    case 'model':
      return embeddedBody(name, flags);
    case 'baseUrl':
      return externalBody(name, flags);
    case 'adapterOf':
      return adapterBody(name, flags);
  }
}

function refuseFlagsOfOthers(kind: Kind, flags: BodyFlags): void {
  for (const other of Object.keys(kinds) as Kind[]) {
    const wrong = kinds[other].find((name) => flags[name] !== undefined);
    if (other === kind || wrong === undefined) continue;
    throw usage(`${toFlag(wrong)} only means something together with ${toFlag(other)}.`);
  }
}

function embeddedBody(name: string, flags: BodyFlags): Record<string, unknown> {
  const options = withoutAbsent({
    slots: toCount('slots', flags),
    context: toCount('context', flags),
    threads: toCount('threads', flags),
    deterministic: toBoolean('deterministic', flags),
    gpu_layers: flags.gpuLayers === 'auto' ? 'auto' : toCount('gpuLayers', flags),
    draft_model: flags.draftModel === undefined ? undefined : toModel(flags.draftModel),
    speculation: flags.speculation,
    prefix_cache_bytes: toByteCount('prefixCacheBytes', flags),
    chat_template: toTemplate(flags.chatTemplate),
    tool_format: flags.toolFormat,
    reasoning_format: flags.reasoningFormat,
  });
  return {
    name,
    runtime: 'embedded',
    model: toModel(flags.model ?? ''),
    ...(options === null ? {} : { options }),
  };
}

/** The server's folder is another one, so a relative path would mean something else there. */
function toModel(model: string): string {
  const spec = parseModelSpec(model);
  return spec.kind === 'file' ? spec.path : model;
}

/** A file by its whole path; words and the text of a template as they are. */
function toTemplate(given: string | undefined): string | undefined {
  const isFile = given !== undefined && /^[^{]*\.(?:jinja2?|j2)$/i.test(given);
  return isFile ? resolve(given) : given;
}

function externalBody(name: string, flags: BodyFlags): Record<string, unknown> {
  const { parameters, apiKeyEnv } = flags;
  const list = parameters?.split(',').map((one) => one.trim());
  return {
    name,
    runtime: 'external',
    base_url: flags.baseUrl,
    model: flags.upstreamModel ?? name,
    ...(apiKeyEnv === undefined ? {} : { api_key_env: apiKeyEnv }),
    ...(list === undefined
      ? {}
      : {
          options: { parameters: parameters === 'all' ? 'all' : list.filter((one) => one !== '') },
        }),
  };
}

function adapterBody(name: string, { adapterOf, path }: BodyFlags): Record<string, unknown> {
  if (path === undefined)
    throw usage('--adapter-of needs --path FILE: the adapter as a GGUF file.');
  return { name, runtime: 'adapter', adapter_of: adapterOf, path: resolve(path) };
}

function toFlag(name: FlagName): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function toCount(name: FlagName, flags: BodyFlags): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) {
    throw usage(`${toFlag(name)}: expected a whole number, got "${text}".`);
  }
  return Number(text);
}

function toByteCount(name: FlagName, flags: BodyFlags): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const bytes = readBytes(text);
  if (typeof bytes === 'number') return bytes;
  throw usage(`${toFlag(name)}: expected a number of bytes, such as 2GiB, got "${text}".`);
}

function toBoolean(name: FlagName, flags: BodyFlags): boolean | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw usage(`${toFlag(name)}: expected true or false, got "${text}".`);
}

function withoutAbsent(values: Record<string, unknown>): Record<string, unknown> | null {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}

export function usage(message: string): ParlanceError {
  return new ParlanceError('invalid_option', message);
}
