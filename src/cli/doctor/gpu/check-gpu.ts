/**
 * `parlance doctor --gpu`: which GPUs are there, whether the engine can use them, and which package
 * would let it. A machine without a GPU is in order: the processor computes.
 */

import {
  findGpuLibraries,
  probeLibrary,
  type GpuPackage,
  type LibraryProbe,
} from '../../../engine/index.ts';
import { formatBytes } from '../../../models/index.ts';
import { ok, warn, type Finding } from '../finding.ts';
import { choosePackage, detectGpus, readLibraries } from './detect-gpus.ts';
import type { GpuSystem } from './system.ts';

export interface GpuReport {
  readonly findings: readonly Finding[];
  /** The package that fits and is not installed; null where there is nothing to install. */
  readonly installable: GpuPackage | null;
}

export interface GpuQuestions {
  readonly probe: () => Promise<LibraryProbe>;
  /** Names of the GPU packages that are installed. */
  readonly installed: () => readonly string[];
}

const realQuestions: GpuQuestions = {
  probe: probeLibrary,
  installed: () => findGpuLibraries().map((found) => found.package),
};

export async function checkGpu(
  system: GpuSystem,
  { probe, installed }: GpuQuestions = realQuestions,
): Promise<GpuReport> {
  const gpus = await detectGpus(system);
  const packages = installed();
  const used = packages.length === 0 ? null : await probe();
  if (used?.opens === true && used.gpu.package !== null) {
    const devices = used.gpu.devices.map(
      ({ description, totalBytes }) => `${description} (${formatBytes(totalBytes)})`,
    );
    return {
      findings: [
        ok('gpu', devices.join('; ')),
        ok('gpu engine', `${used.gpu.package} works; deployments use it (gpu_layers: auto)`),
      ],
      installable: null,
    };
  }
  const notes = used === null ? [] : used.opens ? used.gpu.notes : [used.message];
  const broken = notes.map((note) => warn('gpu engine', `${note}; the processor computes`, null));
  if (gpus.length === 0) {
    return {
      findings: [ok('gpu', 'none found; the processor computes'), ...broken],
      installable: null,
    };
  }
  const found = gpus.map(({ text }) => ok('gpu', text));
  const fit = choosePackage(gpus, await readLibraries(system), system);
  if (fit.package === null) {
    const finding = warn('gpu package', `the processor computes: ${fit.why}`, fit.fix);
    return { findings: [...found, ...broken, finding], installable: null };
  }
  const { name, downloadBytes } = fit.package;
  if (packages.includes(name)) return { findings: [...found, ...broken], installable: null };
  const finding = warn(
    'gpu package',
    `${name} fits and is not installed, so the processor computes`,
    `parlance doctor --gpu --install (fetches ${formatBytes(downloadBytes)})`,
  );
  return { findings: [...found, ...broken, finding], installable: fit.package };
}
