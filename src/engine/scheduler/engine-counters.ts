/** What the scheduler counts, and the rates of the last seconds. The scheduler owns one. */

import type { EngineStats } from '../protocol.ts';

type Counted =
  | 'promptTokens'
  | 'cachedTokens'
  | 'generatedTokens'
  | 'preemptions'
  | 'draftTokens'
  | 'acceptedDraftTokens';

export interface StepCount {
  readonly milliseconds: number;
  readonly generatedTokens: number;
}

/** Weight of the past after so many milliseconds: 1/e. */
const memoryMs = 5000;

export class EngineCounters {
  readonly #sums = new Map<Counted, number>();
  #steps = 0;
  #milliseconds = 0;
  /** Fading sums, for rates. */
  #recent = { milliseconds: 0, tokens: 0, steps: 0 };

  add(what: Counted, count: number): void {
    this.#sums.set(what, this.get(what) + count);
  }

  get(what: Counted): number {
    return this.#sums.get(what) ?? 0;
  }

  addStep({ milliseconds, generatedTokens }: StepCount): void {
    this.#steps += 1;
    this.#milliseconds += milliseconds;
    this.add('generatedTokens', generatedTokens);
    const keep = Math.exp(-milliseconds / memoryMs);
    this.#recent = {
      milliseconds: this.#recent.milliseconds * keep + milliseconds,
      tokens: this.#recent.tokens * keep + generatedTokens,
      steps: this.#recent.steps * keep + 1,
    };
  }

  read(): Pick<
    EngineStats,
    Counted | 'steps' | 'stepSeconds' | 'tokensPerSecond' | 'stepMilliseconds'
  > {
    const { milliseconds, tokens, steps } = this.#recent;
    return {
      promptTokens: this.get('promptTokens'),
      cachedTokens: this.get('cachedTokens'),
      generatedTokens: this.get('generatedTokens'),
      preemptions: this.get('preemptions'),
      draftTokens: this.get('draftTokens'),
      acceptedDraftTokens: this.get('acceptedDraftTokens'),
      steps: this.#steps,
      stepSeconds: this.#milliseconds / 1000,
      tokensPerSecond: milliseconds === 0 ? 0 : (tokens / milliseconds) * 1000,
      stepMilliseconds: steps === 0 ? 0 : milliseconds / steps,
    };
  }
}
