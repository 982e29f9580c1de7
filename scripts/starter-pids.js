/**
 * The processes that started the server and whose end must end it: this one when the server is its
 * child, and everything up to the `npm start` around it. npm that is sent SIGTERM ends at once and
 * leaves its children behind, so the server watches these (`src/cli/starter-watch.ts`).
 */

import { readFileSync } from 'node:fs';

const maxDepth = 6;

/**
 * @param {{ self: boolean }} options `self`: the server will be a child of this process.
 * @returns {number[]} process ids, nearest first; empty when nobody is to be watched.
 */
export function starterPids({ self }) {
  return [...(self ? [process.pid] : []), ...pidsUpToNpm()];
}

function pidsUpToNpm() {
  if (process.env.npm_lifecycle_event === undefined && process.env.npm_command === undefined)
    return [];
  const pids = [];
  let pid = process.ppid;
  for (let depth = 0; depth < maxDepth && pid > 1; depth++) {
    pids.push(pid);
    if (isNpm(pid)) return pids;
    pid = parentOf(pid);
  }
  return [];
}

/** npm writes its command over its own command line (`npm start`); before that it reads `node …/npm-cli.js`. */
function isNpm(pid) {
  const line = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  const script = process.env.npm_execpath;
  return /^(npm|npx)( |$)/.test(line) || (script !== undefined && line.includes(script));
}

function parentOf(pid) {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
