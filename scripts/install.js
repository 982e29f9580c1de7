/**
 * Makes node_modules match package-lock.json before anything else runs. Plain JavaScript for Node 20
 * and newer, with nothing but Node's own modules; `npm start`, `npm test` and `npm run check` call it.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { root, SetupError } from './node.js';

/**
 * Installs when something that the lock names is missing or of another version.
 * @param {{ dev: boolean }} options `dev`: the tools for tests and checks are needed too. An
 *   installation that has them satisfies a start, and keeps them when it is renewed.
 * @throws SetupError when the machine cannot run Parlance, or the installation failed.
 */
export async function ensureInstalled({ dev }) {
  const missing = missingPackages(dev);
  if (missing.length === 0) return;
  checkMachine();
  const withDev = dev || installedPaths().some((entry) => entry.dev);
  await runNpmCi(withDev);
  const still = missingPackages(dev);
  if (still.length > 0) {
    throw new SetupError(
      `npm ci ended well, but these packages are missing: ${still.slice(0, 5).join(', ')}.\n` +
        'If npm leaves out optional packages here (npm config get omit), run "npm ci --include=optional".',
    );
  }
}

/** Paths that the lock asks for on this machine and that are not installed in that version. */
export function missingPackages(dev) {
  const lock = readJson(join(root, 'package-lock.json'));
  if (lock === undefined)
    throw new SetupError('package-lock.json is missing; clone the repository again.');
  const installed = new Map(installedPaths().map((entry) => [entry.path, entry.version]));
  return wantedPackages(lock, dev)
    .filter(([path, version]) => installed.get(path) !== version)
    .map(([path]) => path);
}

/** Pairs of path and version, without packages for other machines. */
export function wantedPackages(lock, dev, machine = process) {
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .filter(([, entry]) => dev || entry.dev !== true)
    .filter(([, entry]) => fits(entry.os, machine.platform) && fits(entry.cpu, machine.arch))
    .filter(([, entry]) => entry.libc === undefined || fits(entry.libc, 'glibc'))
    .map(([path, entry]) => [path, entry.version]);
}

/** npm's rule for `os` and `cpu`: a list of what is allowed, or of what is not (`!win32`); or one name. */
function fits(field, value) {
  if (field === undefined) return true;
  const list = [field].flat();
  if (list.includes(`!${value}`)) return false;
  return list.every((name) => name.startsWith('!')) || list.includes(value);
}

/** What npm noted at the end of its last complete installation. */
function installedPaths() {
  const noted = readJson(join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(noted?.packages ?? {}).map(([path, entry]) => ({
    path,
    version: existsSync(join(root, path, 'package.json')) ? entry.version : undefined,
    dev: entry.dev === true,
  }));
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Refuses a machine on which the pinned packages cannot work, before minutes go into it. */
function checkMachine() {
  const { platform, arch } = process;
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new SetupError(`Node 20 or newer is needed; this is ${process.versions.node}.`);
  }
  if (platform !== 'linux') {
    throw new SetupError(
      `Parlance runs on Linux; ${platform} is untested, and the pinned versions of Node and of the engine have no packages for it yet.\n` +
        'Linux in a container or a virtual machine (on Windows: WSL 2) works.',
    );
  }
  if (arch !== 'x64' && arch !== 'arm64') {
    throw new SetupError(`Parlance has packages for x64 and arm64; this machine is ${arch}.`);
  }
  process.report.excludeNetwork = true;
  if (process.report.getReport().header.glibcVersionRuntime === undefined) {
    throw new SetupError(
      'This Linux uses musl (Alpine, for example); the engine needs glibc.\n' +
        'Use a distribution with glibc, such as Debian, Ubuntu or Fedora; in a container, node:24-slim.',
    );
  }
}

function npmCommand() {
  const path = process.env.npm_execpath;
  if (path !== undefined && /^npm(-cli)?\.c?js$/.test(basename(path)) && existsSync(path)) {
    return [process.execPath, path];
  }
  return ['npm'];
}

async function runNpmCi(dev) {
  const [file, ...start] = npmCommand();
  const args = [...start, 'ci', '--include=optional', '--loglevel=error', '--no-progress'];
  args.push(dev ? '--include=dev' : '--omit=dev');
  const wanted = wantedPackages(readJson(join(root, 'package-lock.json')), dev).map(
    ([path]) => path,
  );
  const progress = showProgress(wanted);
  const child = spawn(file, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, npm_config_fetch_retry_mintimeout: '1000' },
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const { code, error } = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, error }));
    child.once('close', (code) => resolve({ code, error: null }));
  });
  progress.end(code === 0);
  if (error !== null) {
    throw new SetupError(
      error.code === 'ENOENT'
        ? 'npm is not on this machine; it comes with Node (https://nodejs.org).'
        : `npm could not be started (${error.message}).`,
    );
  }
  if (code !== 0) throw new SetupError(describeFailure(code, errors));
}

function describeFailure(code, errors) {
  const network =
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/.exec(
      errors,
    );
  const disk = /\b(ENOSPC|EACCES|EROFS|EPERM)\b/.exec(errors);
  const hint =
    network !== null
      ? `The package registry cannot be reached (${network[1]}). Check the network; behind a proxy set HTTPS_PROXY, for a mirror run "npm config set registry URL".`
      : disk !== null
        ? `The folder ${root} cannot be written (${disk[1]}): the disk is full, or belongs to another user.`
        : 'What npm said:';
  const said = errors.split('\n').filter((line) => line !== '' && !/^npm error {4,}at /.test(line));
  return [`npm ci failed (exit code ${code}). ${hint}`, ...said.slice(0, 8)].join('\n');
}

/** Counts the packages that have arrived: a line that is rewritten, or in a log one every 10 s. */
function showProgress(paths) {
  const started = Date.now();
  const terminal = process.stderr.isTTY;
  const folders = paths.map((path) => join(root, path, 'package.json'));
  const line = () => {
    const there = folders.filter((path) => existsSync(path)).length;
    const seconds = Math.round((Date.now() - started) / 1000);
    return `Installing packages  ${there}/${folders.length}  ${seconds} s`;
  };
  process.stderr.write(terminal ? '' : `Installing ${folders.length} packages (npm ci) ...\n`);
  const timer = setInterval(
    () => process.stderr.write(terminal ? `\r${line()}\u001B[K` : `${line()}\n`),
    terminal ? 250 : 10_000,
  );
  return {
    end(ok) {
      clearInterval(timer);
      process.stderr.write(terminal ? '\r\u001B[K' : '');
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (ok) process.stderr.write(`Installed ${folders.length} packages in ${seconds} s.\n`);
    },
  };
}
