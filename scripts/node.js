/**
 * Finds the Node that Parlance runs in: this one when it is new enough, else the one that npm put
 * into node_modules. Plain JavaScript for Node 20 and newer; the start scripts and `bin/` call it.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Node runs TypeScript by itself, and has the SQLite that is needed, from this version on. */
const wantedMajor = 24;

/** Something that a user can put right; printed without a stack. */
export class SetupError extends Error {}

export function runsInPlace() {
  return Number(process.versions.node.split('.')[0]) >= wantedMajor;
}

/**
 * Path of a Node of version 24 or newer.
 * @throws SetupError when there is none, or the one in node_modules does not run here.
 */
export function node24() {
  if (runsInPlace()) return process.execPath;
  const path = join(
    root,
    'node_modules',
    `node-${process.platform}-${process.arch}`,
    'bin',
    'node',
  );
  if (!existsSync(path)) {
    throw new SetupError(
      `Parlance needs Node ${wantedMajor} or newer; this is ${process.versions.node}, and node_modules has none for ${process.platform} ${process.arch}.\n` +
        'Run "npm ci --include=optional" in this folder, or install Node 24 from https://nodejs.org.',
    );
  }
  const probe = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (probe.status !== 0) {
    const why = probe.error?.message ?? (probe.stderr.trim().split('\n')[0] || 'no output');
    throw new SetupError(
      `The Node in ${path} does not run on this machine (${why}).\n` +
        'Install Node 24 from https://nodejs.org and run the command again.',
    );
  }
  return path;
}

/** Runs `main`, and prints a SetupError as what it is. */
export async function reportSetupErrors(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`\nParlance: ${error.message}`);
    process.exitCode = 1;
  }
}
