/**
 * What `POST /deploy` takes, and its normal form: every option there, null where Parlance chooses,
 * addresses and paths written in one way. The normal form is stored, compared and shown; it is
 * itself a valid body.
 */

import { Type, type TSchema } from 'typebox';

import {
  createValidator,
  didYouMean,
  ParlanceError,
  parameterTable,
  type ParameterRow,
} from '../contract/index.ts';

export interface EmbeddedSpec {
  readonly name: string;
  readonly runtime: 'embedded';
  /** A catalogue name, an absolute path, or `hf:owner/repo/file.gguf`. */
  readonly model: string;
  /** null: chosen at load. */
  readonly options: {
    readonly slots: number | null;
    readonly context: number | null;
    readonly threads: number | null;
  };
}

export interface ExternalSpec {
  readonly name: string;
  readonly runtime: 'external';
  /** Ends without a slash. */
  readonly base_url: string;
  /** The environment variable that holds the upstream's key. */
  readonly api_key_env: string | null;
  /** The name that the upstream knows the model by. */
  readonly model: string;
  readonly options: {
    /** Parameters beyond OpenAI's own that the upstream honours. */
    readonly parameters: readonly string[] | 'all';
  };
}

export type DeploymentSpec = EmbeddedSpec | ExternalSpec;
export type RuntimeName = DeploymentSpec['runtime'];

const closed = { additionalProperties: false } as const;
const optional = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
const text = Type.String({ minLength: 1, maxLength: 4096 });

const runtimeNames: readonly string[] = ['embedded', 'external'] satisfies RuntimeName[];
const laterRuntimes: ReadonlySet<string> = new Set([
  'vllm',
  'sglang',
  'llama-server',
  'ray',
  'tgi',
]);

const validateKind = createValidator(
  Type.Object({ runtime: Type.Enum(['embedded', 'external'] satisfies RuntimeName[]) }),
);

const validateEmbedded = createValidator(
  Type.Object(
    {
      name: text,
      runtime: Type.Literal('embedded'),
      model: text,
      options: optional(
        Type.Object(
          {
            slots: optional(Type.Integer({ minimum: 1, maximum: 256 })),
            context: optional(Type.Integer({ minimum: 128 })),
            threads: optional(Type.Integer({ minimum: 1, maximum: 1024 })),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
);

const validateExternal = createValidator(
  Type.Object(
    {
      name: text,
      runtime: Type.Literal('external'),
      base_url: text,
      api_key_env: optional(text),
      model: text,
      options: optional(
        Type.Object(
          { parameters: optional(Type.Union([Type.Literal('all'), Type.Array(Type.String())])) },
          closed,
        ),
      ),
    },
    closed,
  ),
);

/**
 * @throws ParlanceError `missing_field`, `unknown_field`, `invalid_value` for the shape of the body,
 *   `invalid_deployment` for what no schema can say
 */
export function parseDeployment(body: unknown): DeploymentSpec {
  const named = (body as { runtime?: unknown } | null | undefined)?.runtime;
  if (typeof named === 'string' && !runtimeNames.includes(named)) throw unknownRuntime(named);
  const { runtime } = validateKind(body).value;
  return runtime === 'embedded' ? parseEmbedded(body) : parseExternal(body);
}

function parseEmbedded(body: unknown): EmbeddedSpec {
  const { value } = validateEmbedded(body);
  const { slots = null, context = null, threads = null } = value.options ?? {};
  return {
    name: checkName(value.name),
    runtime: 'embedded',
    model: value.model.trim(),
    options: { slots, context, threads },
  };
}

function parseExternal(body: unknown): ExternalSpec {
  const { value } = validateExternal(body);
  return {
    name: checkName(value.name),
    runtime: 'external',
    base_url: checkBaseUrl(value.base_url),
    api_key_env: value.api_key_env ?? null,
    model: value.model,
    options: { parameters: checkParameters(value.options?.parameters ?? []) },
  };
}

export function invalidDeployment(param: string, message: string): ParlanceError {
  return new ParlanceError('invalid_deployment', `${param}: ${message}`, { param });
}

function unknownRuntime(runtime: string): ParlanceError {
  const works = `This version runs ${runtimeNames.join(' and ')}`;
  const message = laterRuntimes.has(runtime)
    ? `"${runtime}" cannot be started by this version yet. ${works}; a server that already runs is ` +
      'deployed with runtime "external" and its base_url.'
    : `there is no runtime "${runtime.slice(0, 64)}"${didYouMean(runtime, runtimeNames)}. ${works}.`;
  return invalidDeployment('runtime', message);
}

const allowedName = /^[A-Za-z0-9._:/@-]{1,128}$/;
/** Names with these beginnings say how to look for a model, and can be no model's own. */
const reservedName = /^(?:parlance|tensorzero)::/;

function checkName(name: string): string {
  if (!allowedName.test(name)) {
    throw invalidDeployment(
      'name',
      'expected 1 to 128 letters, digits or characters of . _ : / @ -',
    );
  }
  if (reservedName.test(name)) {
    throw invalidDeployment(
      'name',
      'names that begin with parlance:: or tensorzero:: are reserved.',
    );
  }
  return name;
}

function checkBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw invalidDeployment(
      'base_url',
      'expected an http or https address, such as http://10.0.0.5:8000/v1',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidDeployment(
      'base_url',
      'must hold no user name or password; name an environment variable in api_key_env instead.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw invalidDeployment('base_url', 'must end with its path: no ?query and no #fragment.');
  }
  return url.href.replace(/\/+$/, '');
}

const parameterNames = Object.entries(parameterTable)
  .filter(([, row]) => (row as ParameterRow<unknown>).role === 'parameter')
  .map(([name]) => name);

function checkParameters(given: readonly string[] | 'all'): readonly string[] | 'all' {
  if (given === 'all') return given;
  for (const [index, name] of given.entries()) {
    if (parameterNames.includes(name)) continue;
    throw invalidDeployment(
      `options.parameters[${index}]`,
      `"${name.slice(0, 64)}" is no parameter of the contract${didYouMean(name, parameterNames)}`,
    );
  }
  return [...new Set(given)].toSorted();
}

/** What differs, one `field: old -> new` each; empty when both ask for the same. */
export function compareSpecs(one: DeploymentSpec, other: DeploymentSpec): string[] {
  const before = flatten(one);
  const after = flatten(other);
  const fields = [...new Set([...before.keys(), ...after.keys()])];
  const show = (value: string | undefined): string => value ?? 'nothing';
  return fields
    .filter((field) => before.get(field) !== after.get(field))
    .map((field) => `${field}: ${show(before.get(field))} -> ${show(after.get(field))}`);
}

function flatten({ options, ...fields }: DeploymentSpec): Map<string, string> {
  const all = [
    ...Object.entries(fields),
    ...Object.entries(options).map(([name, value]) => [`options.${name}`, value] as const),
  ];
  return new Map(all.map(([name, value]) => [name, JSON.stringify(value)]));
}
