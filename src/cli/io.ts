/**
 * What a command sees of the world: its streams, environment and folder, and which colours it may
 * use. Commands take it instead of `process`, so that tests can put their own in its place.
 */

import picocolors from 'picocolors';

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface Input extends AsyncIterable<unknown> {
  readonly isTTY?: boolean | undefined;
}

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

export type Colours = ReturnType<typeof picocolors.createColors>;

/** Colours only in a terminal that can show them, and never against https://no-color.org. */
export function hasColours(io: Io, output: Output): boolean {
  const refused = (io.env['NO_COLOR'] ?? '') !== '' || io.env['TERM'] === 'dumb';
  return output.isTTY === true && !refused;
}

/** Functions that colour a text, or leave it as it is where colours are not wanted. */
export function coloursFor(io: Io, output: Output): Colours {
  return picocolors.createColors(hasColours(io, output));
}

/** Writes one JSON document, as `--json` promises. */
export function printJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Where lines of a table are cut: at a terminal's edge, and nowhere in a pipe. */
export function tableWidth(output: Output): number | undefined {
  // Some terminals do not know their width and say 0.
  return output.isTTY === true && output.columns ? output.columns : undefined;
}
