/**
 * Progress of a fetch: the event that listeners get, and the meter that makes it. The meter is a
 * state with a pure `step`; time comes in from outside. Drawing it is `progress-line.ts`.
 */

export interface Progress {
  /** Where the bytes come from, in words for people. */
  readonly source: string;
  readonly phase: 'download' | 'verify' | 'unpack';
  readonly bytes: number;
  readonly totalBytes: number | null;
  readonly bytesPerSecond: number;
  /** Whole seconds; null while the speed or the total is unknown. */
  readonly etaSeconds: number | null;
}

export type ProgressListener = (progress: Progress) => void;

export interface MeterState {
  /** Samples of the last seconds, oldest first. */
  readonly samples: readonly (readonly [ms: number, bytes: number])[];
  /** Time of the last event that was given out. */
  readonly emittedMs: number;
}

const windowMs = 5000;
const emitEveryMs = 100;

export const emptyMeter: MeterState = { samples: [], emittedMs: Number.NEGATIVE_INFINITY };

export interface MeterStep {
  readonly state: MeterState;
  /** null while the last event is too fresh. */
  readonly rate: { readonly bytesPerSecond: number; readonly etaSeconds: number | null } | null;
}

/** Takes one reading of the byte count; at most ten a second are given out, and always the last. */
export function stepMeter(
  state: MeterState,
  reading: { readonly ms: number; readonly bytes: number; readonly totalBytes: number | null },
): MeterStep {
  const { ms, bytes, totalBytes } = reading;
  const finished = totalBytes !== null && bytes >= totalBytes;
  if (!finished && ms - state.emittedMs < emitEveryMs) return { state, rate: null };
  const samples = [...state.samples.filter(([at]) => ms - at <= windowMs), [ms, bytes] as const];
  const [firstMs, firstBytes] = samples[0] ?? [ms, bytes];
  const seconds = (ms - firstMs) / 1000;
  const bytesPerSecond = seconds > 0 ? Math.max(0, (bytes - firstBytes) / seconds) : 0;
  const etaSeconds =
    totalBytes === null || bytesPerSecond === 0
      ? null
      : Math.ceil(Math.max(0, totalBytes - bytes) / bytesPerSecond);
  return { state: { samples, emittedMs: ms }, rate: { bytesPerSecond, etaSeconds } };
}

export interface ProgressMeter {
  /** @param bytes of this phase, in all so far. */
  at(bytes: number): void;
}

/** A meter for one phase of one source; without a listener it does nothing. */
export function createMeter(
  what: Pick<Progress, 'source' | 'phase' | 'totalBytes'>,
  listener: ProgressListener | undefined,
): ProgressMeter {
  let state = emptyMeter;
  return {
    at(bytes) {
      if (listener === undefined) return;
      const step = stepMeter(state, { ms: performance.now(), bytes, totalBytes: what.totalBytes });
      state = step.state;
      if (step.rate !== null) listener({ ...what, bytes, ...step.rate });
    },
  };
}
