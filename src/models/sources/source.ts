/**
 * The contract between the fetch flow and the places that weights come from. A source puts the whole
 * file at `target` or leaves nothing there. `SourceFailure` means "try the next one"; a catalogued
 * error (the disk, above all) or an abort ends the fetch.
 */

import type { Disk } from '../home-folder.ts';
import type { ProgressListener } from '../progress.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Milliseconds, but for `emptyAttempts`. */
export interface FetchLimits {
  /** To open a connection. */
  readonly connectMs: number;
  /** Without a byte from a server. */
  readonly stallMs: number;
  /** Without a byte of growth from an installer's child process. */
  readonly childStallMs: number;
  /** Pause before a cut download goes on. */
  readonly retryMs: number;
  /** Attempts in a row that may bring no byte at all. */
  readonly emptyAttempts: number;
}

/** An unreachable source costs seconds; a slow one may take as long as it needs. */
export const defaultLimits: FetchLimits = {
  connectMs: 5000,
  stallMs: 20_000,
  childStallMs: 30_000,
  retryMs: 1000,
  emptyAttempts: 2,
};

export interface FetchContext {
  /** Path at which the finished file appears, by an atomic rename. Its folder exists. */
  readonly target: string;
  /** null where nothing is known before the source is asked. */
  readonly sha256: string | null;
  readonly bytes: number | null;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly onProgress: ProgressListener | undefined;
  readonly limits: FetchLimits;
  readonly disk: Disk;
}

export interface Fetched {
  readonly sha256: string;
  readonly bytes: number;
}

export interface Source {
  /** In words for people, such as `Hugging Face`. */
  readonly label: string;
  fetch(context: FetchContext): Promise<Fetched>;
}

/** Why a source could not deliver; the message goes into the list that the user reads at the end. */
export class SourceFailure extends Error {}

/** The connection broke, but the server did not say no: going on may help. */
export class CutShort extends SourceFailure {}
