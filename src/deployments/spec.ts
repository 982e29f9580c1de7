/**
 * What `POST /deploy` takes, and its normal form: every option there, null where Parlance chooses,
 * addresses and paths written in one way. The normal form is stored, compared and shown; it is
 * itself a valid body.
 */

import { Type } from 'typebox';

import { createValidator, didYouMean, type ParlanceError } from '../contract/index.ts';
import { checkBaseUrl, checkName, checkParameters, invalidDeployment } from './check-fields.ts';
import { embeddedOptions, normaliseOptions, type EmbeddedOptions } from './embedded-options.ts';
import { optionalField } from './optional-field.ts';

export interface EmbeddedSpec {
  readonly name: string;
  readonly runtime: 'embedded';
  /** A catalogue name, an absolute path, or `hf:owner/repo/file.gguf`. */
  readonly model: string;
  readonly options: EmbeddedOptions;
}

/** Weights that change a base model a little and run on its engine. */
export interface AdapterSpec {
  readonly name: string;
  readonly runtime: 'adapter';
  /** The deployment that it changes. */
  readonly adapter_of: string;
  /** A GGUF file of an adapter, absolute. */
  readonly path: string;
  readonly options: Readonly<Record<string, never>>;
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

export type DeploymentSpec = EmbeddedSpec | ExternalSpec | AdapterSpec;
export type RuntimeName = DeploymentSpec['runtime'];

const closed = { additionalProperties: false } as const;
const text = Type.String({ minLength: 1, maxLength: 4096 });

const runtimeNames: readonly string[] = ['embedded', 'external', 'adapter'] satisfies RuntimeName[];
const laterRuntimes: ReadonlySet<string> = new Set([
  'vllm',
  'sglang',
  'llama-server',
  'ray',
  'tgi',
]);

const validateKind = createValidator(
  Type.Object({ runtime: Type.Enum(['embedded', 'external', 'adapter'] satisfies RuntimeName[]) }),
);

const validateEmbedded = createValidator(
  Type.Object(
    {
      name: text,
      runtime: Type.Literal('embedded'),
      model: text,
      options: optionalField(embeddedOptions),
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
      api_key_env: optionalField(text),
      model: text,
      options: optionalField(
        Type.Object(
          {
            parameters: optionalField(Type.Union([Type.Literal('all'), Type.Array(Type.String())])),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
);

const validateAdapter = createValidator(
  Type.Object(
    {
      name: text,
      runtime: optionalField(Type.Literal('adapter')),
      adapter_of: text,
      path: text,
      options: optionalField(Type.Object({}, closed)),
    },
    closed,
  ),
);

/**
 * @throws ParlanceError `missing_field`, `unknown_field`, `invalid_value` for the shape of the body,
 *   `invalid_deployment` for what no schema can say
 */
export function parseDeployment(body: unknown): DeploymentSpec {
  const { runtime: named = null, adapter_of: base } = (body ?? {}) as Partial<AdapterSpec>;
  if (typeof named === 'string' && !runtimeNames.includes(named)) throw unknownRuntime(named);
  if (named === null && base !== undefined) return parseAdapter(body);
  switch (validateKind(body).value.runtime) {
    case 'embedded':
      return parseEmbedded(body);
    case 'external':
      return parseExternal(body);
    case 'adapter':
      return parseAdapter(body);
  }
}

function parseEmbedded(body: unknown): EmbeddedSpec {
  const { value } = validateEmbedded(body);
  return {
    name: checkName(value.name),
    runtime: 'embedded',
    model: value.model.trim(),
    options: normaliseOptions(value.options),
  };
}

function parseAdapter(body: unknown): AdapterSpec {
  const { value } = validateAdapter(body);
  return {
    name: checkName(value.name),
    runtime: 'adapter',
    adapter_of: value.adapter_of,
    path: value.path,
    options: {},
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

function unknownRuntime(runtime: string): ParlanceError {
  const works = `This version runs ${runtimeNames.join(', ')}`;
  const message = laterRuntimes.has(runtime)
    ? `"${runtime}" cannot be started by this version yet. ${works}; a server that already runs is ` +
      'deployed with runtime "external" and its base_url.'
    : `there is no runtime "${runtime.slice(0, 64)}"${didYouMean(runtime, runtimeNames)}. ${works}.`;
  return invalidDeployment('runtime', message);
}
