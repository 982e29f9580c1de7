/**
 * Tries the Q8_0 form of a served model's weights while nothing is asked of it: rewrites, measures, keeps
 * the faster for the next start. A request that comes ends the try at once; nothing unfinished is left.
 * The runtime `embedded` has one for each engine whose weights may have such a form.
 */

import type { RequantiseResult, RequantiseStep } from '../../models/index.ts';
import type { Load } from './runtime.ts';

export type RequantiseView =
  | {
      readonly state: 'waiting';
      readonly for: 'a quiet moment';
      /** Why the last try came to nothing. */
      readonly last?: string;
    }
  | { readonly state: 'rewriting' | 'measuring' }
  | {
      readonly state: 'done';
      readonly outcome: RequantiseResult['outcome'];
      readonly note: string;
    };

export interface IdleRequantiseOptions {
  readonly load: () => Load;
  readonly work: (
    signal: AbortSignal,
    onStep: (step: RequantiseStep) => void,
  ) => Promise<RequantiseResult>;
  readonly onDone: (note: string) => void;
}

/** How often it looks, and for how long nothing must have been asked before it begins. */
const lookMs = 200;
const quietMs = 20_000;
/** So many tries that came to nothing mean that there is never enough quiet. */
const mostTries = 5;
/** Before it tries again what the machine, not a request, stood in the way of. */
const pauseMs = 5 * 60_000;

export class IdleRequantise {
  readonly #options: IdleRequantiseOptions;
  readonly #timer: NodeJS.Timeout;
  #view: RequantiseView = { state: 'waiting', for: 'a quiet moment' };
  #quiet = 0;
  #pause = 0;
  #tries = 0;
  #running: { readonly controller: AbortController; readonly ended: Promise<void> } | null = null;

  constructor(options: IdleRequantiseOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.look(), lookMs).unref();
  }

  get view(): RequantiseView {
    return this.#view;
  }

  /** Called by its own timer; `milliseconds` have passed since the last look. */
  look(milliseconds = lookMs): void {
    if (this.#view.state === 'done') return;
    this.#pause = Math.max(0, this.#pause - milliseconds);
    const { running, waiting } = this.#options.load();
    if (running + waiting > 0) {
      this.#quiet = 0;
      this.#running?.controller.abort(new Error('a request came'));
      return;
    }
    this.#quiet += milliseconds;
    if (this.#running !== null || this.#pause > 0 || this.#quiet < quietMs) return;
    this.#begin();
  }

  /** Resolves when nothing of it is at work any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#running?.controller.abort(new Error('the deployment is going'));
    await this.#running?.ended;
  }

  #begin(): void {
    this.#tries += 1;
    const controller = new AbortController();
    const { signal } = controller;
    const onStep = ({ step }: RequantiseStep): void => {
      this.#view = { state: step };
    };
    const ended = this.#options
      .work(signal, onStep)
      .then(
        (result) => this.#ended(result),
        (error: unknown) => this.#failed(signal, error),
      )
      .finally(() => {
        this.#running = null;
      });
    this.#running = { controller, ended };
  }

  #ended(result: RequantiseResult): void {
    if (result.outcome !== 'skipped' || result.passing !== true || this.#tries >= mostTries) {
      this.#done(result.outcome, noteOf(result));
      return;
    }
    this.#pause = pauseMs;
    this.#view = { state: 'waiting', for: 'a quiet moment', last: result.why };
  }

  #failed(signal: AbortSignal, error: unknown): void {
    this.#quiet = 0;
    if (signal.aborted && this.#tries < mostTries) {
      this.#view = { state: 'waiting', for: 'a quiet moment' };
      return;
    }
    const why = signal.aborted ? 'requests come too often' : String(error);
    this.#done('skipped', `No Q8_0 form was tried: ${why}.`);
  }

  #done(outcome: RequantiseResult['outcome'], note: string): void {
    clearInterval(this.#timer);
    this.#view = { state: 'done', outcome, note };
    this.#options.onDone(note);
  }
}

function noteOf(result: RequantiseResult): string {
  if (result.outcome === 'skipped') return `No Q8_0 form was tried: ${result.why}.`;
  const { from, speeds } = result.verdict;
  const times = (speeds.to.prefill / speeds.from.prefill).toFixed(2);
  return result.outcome === 'faster'
    ? `The weights were rewritten from ${from} to Q8_0, which reads prompts ${times}x as fast; the next start serves them.`
    : `Q8_0 weights read prompts ${times}x as fast as ${from} here, which is not worth it; they are not kept.`;
}
