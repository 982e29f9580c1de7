/**
 * What lies in `<home>/models`, for `parlance models` and error messages. It reads headers only, and
 * a broken file is a line of the list, not an error.
 */

import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

import { ParlanceError } from '../contract/index.ts';
import { catalogue } from './catalogue.ts';
import { readModelMetadata, type ModelMetadata } from './gguf/model-metadata.ts';
import { modelsFolder, toHomeError } from './home-folder.ts';
import { stemOf } from './model-spec.ts';
import { sourceOf } from './requantise/verdict-file.ts';

export interface InstalledModel {
  /** What `--model` takes: a catalogue name, a stem, or an `hf:` spec. */
  readonly name: string;
  readonly path: string;
  /** null when the file cannot be served; `problem` says why. */
  readonly metadata: ModelMetadata | null;
  readonly problem: string | null;
  /** Path of a Q8_0 form that `parlance pull` made beside it; served where it is faster. */
  readonly requantised: string | null;
}

/** The models of a home folder by name; a folder that is not there has none. */
export async function listModels(home: string): Promise<InstalledModel[]> {
  const folder = modelsFolder(home);
  const paths = (await listFiles(folder)).filter((path) => /\.gguf$/i.test(path));
  const models: InstalledModel[] = [];
  const sources = new Map(paths.map((path) => [sourceOf(path), path]));
  for (const path of paths) {
    const source = sourceOf(path);
    // One whose source is gone is a model of its own.
    if (source !== null && paths.includes(source)) continue;
    models.push({ ...(await describe(path, folder)), requantised: sources.get(path) ?? null });
  }
  return models.sort((a, b) => a.name.localeCompare(b.name));
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw toHomeError(error, folder) ?? error;
  }
}

async function describe(
  path: string,
  folder: string,
): Promise<Omit<InstalledModel, 'requantised'>> {
  const name = nameOf(relative(folder, path));
  try {
    return { name, path, metadata: await readModelMetadata(path), problem: null };
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    return { name, path, metadata: null, problem: error.message };
  }
}

function nameOf(file: string): string {
  const entry = catalogue.find((known) => known.file === file);
  if (entry !== undefined) return entry.name;
  const [owner, repo, ...rest] = file.split(sep);
  if (owner === undefined || repo === undefined || rest.length === 0) return stemOf(file);
  const [repoName = repo, revision] = repo.split('@');
  const at = revision === undefined ? '' : `@${revision}`;
  return `hf:${owner}/${repoName}/${rest.join('/')}${at}`;
}
