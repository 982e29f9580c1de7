/**
 * What short timed passes say about the speed of weights. Pure: `measure-weights.ts` takes the times.
 * Other programs run meanwhile, so a pass counts only where it had its cores all the time: ggml's
 * threads spin while they wait for each other, so an undisturbed pass burns all the processor time
 * that its wall time offers.
 */

export interface SpeedSample {
  /** Which of the files. */
  readonly file: number;
  readonly kind: 'prefill' | 'decode';
  readonly tokens: number;
  readonly wallMs: number;
  /** Processor time of all threads together. */
  readonly cpuMs: number;
}

/** Tokens a second. */
export interface WeightsSpeed {
  readonly prefill: number;
  readonly decode: number;
}

/** Share of the cores' time that an undisturbed pass gets. */
const undisturbedShare = 0.85;
/** Undisturbed passes of a kind that a figure needs. */
export const wantedSamples = 3;

const isUndisturbed = (sample: SpeedSample, threads: number): boolean =>
  sample.cpuMs >= undisturbedShare * threads * sample.wallMs;

/** The fastest undisturbed pass of a file and kind, or null where there are too few. */
function bestOf(samples: readonly SpeedSample[], threads: number): number | null {
  const speeds = samples
    .filter((sample) => isUndisturbed(sample, threads))
    .map(({ tokens, wallMs }) => (1000 * tokens) / wallMs);
  return speeds.length < wantedSamples ? null : Math.max(...speeds);
}

/**
 * The speed of each file, or null for a file that was disturbed too often to say.
 * @param threads that each pass ran on
 */
export function toSpeeds(
  samples: readonly SpeedSample[],
  files: number,
  threads: number,
): (WeightsSpeed | null)[] {
  return Array.from({ length: files }, (_, file) => {
    const of = (kind: SpeedSample['kind']): number | null =>
      bestOf(
        samples.filter((sample) => sample.file === file && sample.kind === kind),
        threads,
      );
    const [prefill, decode] = [of('prefill'), of('decode')];
    return prefill === null || decode === null ? null : { prefill, decode };
  });
}
