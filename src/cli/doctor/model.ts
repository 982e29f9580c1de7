/**
 * The model that would be served: sound on the disk and within the memory, or else whether it could
 * be fetched. Nothing is fetched and nothing is loaded.
 */

import { stat } from 'node:fs/promises';

import { ParlanceError } from '../../contract/index.ts';
import { planCapacity, readFreeMemory } from '../../engine/index.ts';
import {
  formatBytes,
  modelPath,
  parseModelSpec,
  readModelMetadata,
  type CatalogueEntry,
  type ModelMetadata,
  roomToFetch,
} from '../../models/index.ts';
import { fail, ok, type Finding } from './finding.ts';
import { checkSources } from './sources.ts';

export interface ModelWish {
  readonly model: string;
  readonly home: string;
  readonly slots: number | null;
  readonly context: number | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ModelState {
  readonly findings: readonly Finding[];
  /** Bytes that a fetch would still need on the disk. */
  readonly missingBytes: number;
}

/** Looks at the file, or at the sources when it is not there. */
export async function checkModel(wish: ModelWish): Promise<ModelState> {
  if (wish.model === 'none') return { findings: [ok('model', 'none asked for')], missingBytes: 0 };
  try {
    const spec = parseModelSpec(wish.model);
    const path = modelPath(wish.model, wish.home);
    const entry = spec.kind === 'catalogue' ? spec.entry : null;
    if (await isThere(path))
      return { findings: await checkFile(wish, path, entry), missingBytes: 0 };
    if (spec.kind === 'catalogue' || spec.kind === 'hub') {
      const missingBytes = entry ? roomToFetch(entry) : 0;
      const withWheel = entry !== null && entry.wheel !== null;
      return { findings: [await checkSources(wish, path, withWheel)], missingBytes };
    }
    const fix = 'Give a name from "parlance models", or the path of a .gguf file.';
    return { findings: [fail('model', `there is no file ${path}`, fix)], missingBytes: 0 };
  } catch (error) {
    if (!(error instanceof ParlanceError)) throw error;
    return { findings: [fail('model', error.message, null)], missingBytes: 0 };
  }
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function checkFile(
  wish: ModelWish,
  path: string,
  entry: CatalogueEntry | null,
): Promise<Finding[]> {
  const metadata = await readModelMetadata(path);
  const fetchAgain = `Delete it and fetch it again: parlance pull ${wish.model}`;
  if (entry !== null && entry.sha256 !== null && metadata.fileBytes !== entry.bytes) {
    const message = `${path} has ${metadata.fileBytes} bytes, but ${entry.name} has ${entry.bytes}`;
    return [fail('model', message, fetchAgain)];
  }
  const size = formatBytes(metadata.fileBytes);
  const kind = metadata.quantisation ?? 'unknown quantisation';
  return [ok('model', `${path}: sound (${size}, ${kind})`), checkMemory(wish, metadata)];
}

/** Sequences that llama.cpp keeps apart at the most. */
const maxSlots = 256;

function checkMemory(wish: ModelWish, metadata: ModelMetadata): Finding {
  const free = readFreeMemory();
  const { layers, kvHeads, keyLength, valueLength, contextLength } = metadata;
  const known = [layers, kvHeads, keyLength, valueLength, contextLength].every(
    (count) => count !== null,
  );
  const text = `${formatBytes(free)} free`;
  if (!known) return ok('memory', `${text}; the file does not say how much its context needs`);
  const capacity = planCapacity({
    shape: {
      layers: layers ?? 0,
      kvHeads: kvHeads ?? 0,
      keyLength: keyLength ?? 0,
      valueLength: valueLength ?? 0,
      trainedContext: contextLength ?? 0,
    },
    freeBytes: Math.max(0, free - metadata.fileBytes),
    slots: wish.slots,
    context: wish.context,
    maxSlots,
  });
  if (!capacity.fits) {
    return fail(
      'memory',
      capacity.message,
      'Close other programs, take a smaller model, or give fewer --slots or less --context.',
    );
  }
  const { slots, context, kvBytes } = capacity;
  return ok(
    'memory',
    `${text}; ${slots} ${slots === 1 ? 'slot' : 'slots'} of ${context} tokens take ${formatBytes(kvBytes)}, the weights ${formatBytes(metadata.fileBytes)}`,
  );
}
