/**
 * The adapters of one embedded engine: each is a deployment with a target of its own that shares the
 * engine with its base. The runtime `embedded` makes one of these for every engine it starts.
 */

import { hash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

import { ParlanceError } from '../../contract/index.ts';
import type { Engine } from '../../engine/index.ts';
import { createEmbeddedTarget } from '../../targets/index.ts';
import { invalidDeployment } from '../check-fields.ts';
import type { AdapterSpec } from '../spec.ts';
import type { Attached, StartContext } from './runtime.ts';

/**
 * Measured: the same greedy request with a cold and with a warm prefix ended in two texts. The library
 * adds up floating-point matrices in another order for one token than for several.
 */
const noRepeat =
  'its weights are no quantised ones, and what they give depends on how tokens are grouped';

type BaseTarget = Omit<Parameters<typeof createEmbeddedTarget>[0], 'name' | 'adapter'>;

interface Entry {
  readonly spec: AdapterSpec;
  readonly context: Pick<StartContext, 'onFailed'>;
}

export class Adapters {
  readonly #base: BaseTarget;
  readonly #engine: Engine;
  readonly #mustRepeat: boolean;
  /** By the engine's names. */
  readonly #entries = new Map<string, Entry>();

  /** @param mustRepeat the deployment was asked to give the same bytes whatever else runs */
  constructor(base: BaseTarget, mustRepeat: boolean) {
    this.#base = base;
    this.#engine = base.engine;
    this.#mustRepeat = mustRepeat;
  }

  get names(): string[] {
    return [...this.#entries.values()].map(({ spec }) => spec.name);
  }

  /** @throws ParlanceError `invalid_deployment`, `invalid_adapter` */
  async attach(spec: AdapterSpec, context: Pick<StartContext, 'onFailed'>): Promise<Attached> {
    if (this.#mustRepeat) {
      throw invalidDeployment(
        'adapter_of',
        `"${spec.adapter_of}" has the option deterministic: true, which no adapter can keep: ${noRepeat}. Deploy the model without that option for adapters.`,
      );
    }
    const { bytes, identity } = readIdentity(spec.path);
    // The file is in the name, so that what was computed with one file is never taken for another's.
    const name = `${spec.name}@${identity}`;
    await this.#load(name, spec.path);
    this.#entries.set(name, { spec, context });
    const adapter = { name, identity };
    return {
      target: createEmbeddedTarget({ ...this.#base, name: spec.name, adapter }),
      details: () => ({
        state: this.#engine.state.state,
        file: spec.path,
        bytes,
        deterministic: { on: false, why: noRepeat },
      }),
      // What it runs is counted with its base.
      load: () => ({ running: 0, waiting: 0 }),
      stop: () => {
        this.#entries.delete(name);
        return this.#engine.unloadAdapter(name);
      },
    };
  }

  async #load(name: string, path: string): Promise<void> {
    try {
      await this.#engine.loadAdapter(name, path);
    } catch (error) {
      if (!(error instanceof ParlanceError) || error.reason !== 'invalid_adapter') throw error;
      throw new ParlanceError(error.reason, error.message, { param: 'path', cause: error });
    }
  }

  /** The engine could not load it again after a restart. */
  lost(name: string, error: ParlanceError): void {
    this.#entries.get(name)?.context.onFailed(error);
    this.#entries.delete(name);
  }

  /** The engine has ended for good, and they with it. */
  failAll(error: ParlanceError): void {
    for (const { context } of this.#entries.values()) context.onFailed(error);
    this.#entries.clear();
  }
}

/** The spec with an absolute path. @throws ParlanceError `invalid_deployment` when no file is there */
export function checkAdapter(spec: AdapterSpec): AdapterSpec {
  const path = resolve(spec.path);
  readIdentity(path);
  return { ...spec, path };
}

function readIdentity(path: string): { bytes: number; identity: string } {
  try {
    accessSync(path, constants.R_OK);
    const file = statSync(path, { bigint: true });
    if (!file.isFile()) throw invalidDeployment('path', `${path} is no file.`);
    const { dev, ino, size, mtimeNs } = file;
    const identity = hash('sha256', `${dev}:${ino}:${size}:${mtimeNs}`).slice(0, 16);
    return { bytes: Number(size), identity };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'ENOENT' ? 'does not exist on the server' : `cannot be read (${code})`;
    throw invalidDeployment('path', `the file ${path} ${why}.`);
  }
}
