/**
 * Measures anything that answers a prompt with a stream of tokens: so many requests at once, when
 * each token of each came. How a request is sent is the caller's (`SendRequest`), so that the engine
 * alone, a server in front of it and a proxy in front of that are measured alike.
 */

/** Sends request number `index`; tells the time (`performance.now()`) of each token as it comes. */
export type SendRequest = (index: number, onToken: (at: number) => void) => Promise<void>;

export interface Measurement {
  readonly streams: number;
  readonly tokens: number;
  /** From the first send to the last token, prompts included. */
  readonly tokensPerSecond: number;
  /** After each stream's first token: how fast text grows for one reader. */
  readonly tokensPerSecondOfOne: number;
  /** Milliseconds from sending to the first token: the median stream and the slowest. */
  readonly firstTokenMs: number;
  readonly slowestFirstTokenMs: number;
}

/** Sends `streams` requests together and waits for the end of all; `now` is the clock of the tokens. */
export async function measureStreams(
  send: SendRequest,
  streams: number,
  now: () => number = () => performance.now(),
): Promise<Measurement> {
  const begin = now();
  const times = await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      const own: number[] = [];
      await send(index, (at) => own.push(at));
      return own;
    }),
  );
  const firsts = times.map((own) => (own[0] ?? Number.NaN) - begin);
  const last = Math.max(...times.map((own) => own.at(-1) ?? begin));
  const tokens = times.reduce((sum, own) => sum + own.length, 0);
  return {
    streams,
    tokens,
    tokensPerSecond: (tokens / (last - begin)) * 1000,
    tokensPerSecondOfOne: median(times.map(rateAfterFirst)),
    firstTokenMs: median(firsts),
    slowestFirstTokenMs: Math.max(...firsts),
  };
}

/** The run in the middle by tokens a second: one slow run says more of the machine than of us. */
export function medianRun(runs: readonly Measurement[]): Measurement {
  const sorted = [...runs].sort((a, b) => a.tokensPerSecond - b.tokensPerSecond);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('There is no run to take the median of.');
  return middle;
}

/** The median of the tokens a second of each run over those of the base in the same run. */
export function medianRatio(runs: readonly Measurement[], base: readonly Measurement[]): number {
  const ratios = runs.map(
    (run, at) => run.tokensPerSecond / (base[at]?.tokensPerSecond ?? Number.NaN),
  );
  return median(ratios);
}

function rateAfterFirst(times: readonly number[]): number {
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  return ((times.length - 1) / (last - first)) * 1000;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
