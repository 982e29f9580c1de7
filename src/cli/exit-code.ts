/** The exit codes of every command, as the help and `docs/cli.md` promise them. */

export const exitCodes = {
  fine: 0,
  failed: 1,
  usage: 2,
  interrupted: 130,
} as const;

/** Ends a command early with this exit code; what had to be said was said. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.name = 'Exit';
    this.code = code;
  }
}
