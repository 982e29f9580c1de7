/**
 * The runtime `external`: something that runs already and speaks the OpenAI dialect. Starting it is
 * only making the target. A key comes from an environment variable that the start options allow:
 * whoever may deploy must not be able to send any secret of the environment to any address.
 */

import { createExternalTarget, type TargetServices } from '../../targets/index.ts';
import { invalidDeployment } from '../check-fields.ts';
import type { ExternalSpec } from '../spec.ts';
import type { Runtime } from './runtime.ts';

export interface ExternalRuntimeOptions {
  readonly services: Pick<TargetServices, 'verifier'>;
  /** Names of the variables that a deployment may use. */
  readonly allowApiKeyEnv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createExternalRuntime(options: ExternalRuntimeOptions): Runtime<ExternalSpec> {
  return {
    check(spec) {
      readApiKey(spec, options);
      return spec;
    },
    start(spec) {
      const target = createExternalTarget({
        name: spec.name,
        baseUrl: spec.base_url,
        apiKey: readApiKey(spec, options),
        model: spec.model,
        parameters: spec.options.parameters,
        verifier: options.services.verifier,
      });
      return Promise.resolve({
        target,
        details: () => null,
        load: () => null,
        stop: () => target.close(),
      });
    },
  };
}

function readApiKey(
  { api_key_env: name }: ExternalSpec,
  { allowApiKeyEnv, env }: ExternalRuntimeOptions,
): string | null {
  if (name === null) return null;
  // Names off the list are refused before a look at the environment, so that the answer tells
  // nothing about it.
  if (!allowApiKeyEnv.includes(name)) {
    throw invalidDeployment(
      'api_key_env',
      `${name.slice(0, 64)} is not on the list of variables that deployments may use. ` +
        `Start the server with --allow-api-key-env ${name.slice(0, 64)} (or PARLANCE_ALLOW_API_KEY_ENV) to allow it.`,
    );
  }
  const key = env[name]?.trim() ?? '';
  if (key === '') {
    throw invalidDeployment(
      'api_key_env',
      `${name} is allowed, but is not set in the environment that the server was started with.`,
    );
  }
  return key;
}
