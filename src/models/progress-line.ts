/**
 * Draws the progress of a fetch: one line that is rewritten in a terminal, a plain line now and then
 * in a log. The line itself is a pure function; the writer only decides when.
 */

import type { Progress } from './progress.ts';

const verbs: Readonly<Record<Progress['phase'], string>> = {
  download: '',
  verify: ', checking',
  unpack: ', unpacking',
};

/** One line without a line end, at most `columns` wide. */
export function renderProgressLine(progress: Progress, columns: number): string {
  const { bytes, totalBytes, bytesPerSecond, etaSeconds } = progress;
  const head = `${progress.source}${verbs[progress.phase]}`;
  const counts =
    totalBytes === null
      ? formatBytes(bytes)
      : `${(Math.min(bytes, totalBytes) / 1e6).toFixed(1)}/${formatBytes(totalBytes)}`;
  const speed = bytesPerSecond > 0 ? `  ${formatBytes(bytesPerSecond)}/s` : '';
  const left = etaSeconds === null ? '' : `  ${formatSeconds(etaSeconds)} left`;
  const tail = `${counts}${speed}${left}`;
  if (totalBytes === null) return clip(`${head}  ${tail}`, columns);
  const fraction = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
  const percent = `${Math.floor(fraction * 100)}%`.padStart(4);
  const room = columns - head.length - percent.length - tail.length - 8;
  if (room < 8) return clip(`${head} ${percent}  ${tail}`, columns);
  const width = Math.min(room, 30);
  const filled = Math.floor(fraction * width);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
  return `${head}  ${bar} ${percent}  ${tail}`;
}

/** Decimal units, as disks and networks are sold. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  if (bytes >= 1e3) return `${(bytes / 1e3).toFixed(0)} kB`;
  return `${Math.round(bytes)} B`;
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function clip(line: string, columns: number): string {
  return line.length <= columns ? line : line.slice(0, Math.max(0, columns));
}

/** What the writer needs of a terminal or a log; `process.stderr` is one. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface ProgressWriter {
  update(progress: Progress): void;
  /** Ends the line that is being rewritten, so that other output begins on its own. */
  done(): void;
}

const plainEveryMs = 5000;
const plainEveryFraction = 0.1;

export function createProgressWriter(
  output: ProgressOutput,
  now: () => number = () => performance.now(),
): ProgressWriter {
  return output.isTTY === true ? terminalWriter(output) : plainWriter(output, now);
}

function terminalWriter(output: ProgressOutput): ProgressWriter {
  let open = false;
  return {
    update(progress) {
      const columns = Math.max(20, (output.columns ?? 80) - 1);
      output.write(`\r${renderProgressLine(progress, columns)}\u001B[K`);
      open = true;
    },
    done() {
      if (open) output.write('\n');
      open = false;
    },
  };
}

function plainWriter(output: ProgressOutput, now: () => number): ProgressWriter {
  let phase = '';
  let lastMs = Number.NEGATIVE_INFINITY;
  let lastTenth = -1;
  return {
    update(progress) {
      const current = `${progress.source} ${progress.phase}`;
      const fraction = progress.totalBytes === null ? 0 : progress.bytes / progress.totalBytes;
      const tenth = Math.floor(fraction / plainEveryFraction);
      const due = current !== phase || tenth > lastTenth || now() - lastMs >= plainEveryMs;
      if (!due) return;
      phase = current;
      lastTenth = tenth;
      lastMs = now();
      output.write(`${renderProgressLine(progress, 78)}\n`);
    },
    done() {},
  };
}
