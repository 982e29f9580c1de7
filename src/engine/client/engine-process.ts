/**
 * One process of the engine: starts it, hands it the weights, passes messages both ways, keeps the
 * end of what it wrote. The supervisor makes a new one for every start; it decides nothing itself.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { EngineOptions, FromEngine, ToEngine } from '../protocol.ts';
import type { WeightsFile } from './weights-file.ts';

export interface EngineExit {
  /** `exit code 1`, `signal SIGKILL`. */
  readonly how: string;
  /** The end of what it wrote to stdout and stderr. */
  readonly output: string;
}

export interface EngineFiles {
  readonly weights: WeightsFile;
  /** Weights of the draft model. */
  readonly draft: WeightsFile | null;
}

export interface ProcessEvents {
  onMessage(message: FromEngine): void;
  onExit(exit: EngineExit): void;
}

const keptOutput = 4096;

/** What the engine needs of the environment; keys and tokens stay here. */
const passedVariables =
  /^(?:PATH|HOME|LANG|LC_.*|TZ|TMPDIR|LD_LIBRARY_PATH|NODE_OPTIONS|NODE_COMPILE_CACHE|GGML_.*|OMP_.*|CUDA_.*|VK_.*|PARLANCE_GPU_DIR)$/;

export class EngineProcess {
  readonly #child: ChildProcess;
  #output = '';
  #over = false;

  /** Starts at once; `onExit` is called exactly once, also when the start itself fails. */
  constructor(files: EngineFiles, options: EngineOptions, events: ProcessEvents) {
    const entry = fileURLToPath(
      new URL(`../main${extname(import.meta.filename)}`, import.meta.url),
    );
    const weights = files.weights.forChild(4);
    const draft = files.draft?.forChild(5) ?? null;
    this.#child = spawn(process.execPath, [entry], {
      stdio: [
        'ignore',
        'pipe',
        'pipe',
        'ipc',
        weights.descriptor ?? 'ignore',
        draft?.descriptor ?? 'ignore',
      ],
      env: filterEnvironment(process.env),
      serialization: 'json',
    });
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString('utf8')).slice(-keptOutput);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    this.#child.on('message', (message) => events.onMessage(message as FromEngine));
    const exit = (how: string): void => {
      if (this.#over) return;
      this.#over = true;
      events.onExit({ how, output: this.#output.trim() });
    };
    this.#child.on('error', (error) => {
      // A failed send or kill of a process that is there is followed by its exit.
      if (this.#child.pid === undefined) exit(`it could not be started (${error.message})`);
    });
    this.#child.on('close', (code, signal) =>
      exit(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
    this.send({ type: 'load', path: weights.path, draft: draft?.path ?? null, options });
  }

  get pid(): number | null {
    return this.#child.pid ?? null;
  }

  /** A process that is gone is told nothing; its exit is what counts. */
  send(message: ToEngine): void {
    if (!this.#child.connected) return;
    this.#child.send(message, () => {});
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

function filterEnvironment(all: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(all).filter(([name]) => passedVariables.test(name)));
}
