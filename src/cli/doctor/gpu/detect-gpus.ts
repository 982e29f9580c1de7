/**
 * Which GPUs a machine has, and which package would bring them to the engine. It reads what drivers
 * show and opens nothing: whether a library works is found out by loading it, in another process.
 */

import { gpuPackages, type GpuPackage } from '../../../engine/index.ts';
import type { GpuSystem } from './system.ts';

export interface FoundGpu {
  readonly maker: 'nvidia' | 'apple' | 'other';
  /** Such as `NVIDIA GeForce RTX 4090, 24564 MiB, driver 570.86`. */
  readonly text: string;
}

export async function detectGpus(system: GpuSystem): Promise<FoundGpu[]> {
  if (system.platform === 'darwin') {
    return system.arch === 'arm64' ? [{ maker: 'apple', text: 'Apple GPU (Metal)' }] : [];
  }
  if (system.platform !== 'linux') return [];
  const [nvidia, other] = await Promise.all([detectNvidia(system), detectRendering(system)]);
  // An NVIDIA driver makes rendering nodes too.
  return nvidia.length > 0 ? nvidia : other;
}

async function detectNvidia(system: GpuSystem): Promise<FoundGpu[]> {
  const query = '--query-gpu=name,memory.total,driver_version';
  const table = await system.run('nvidia-smi', [query, '--format=csv,noheader']);
  const lines = (table ?? '').split('\n').filter((line) => line.split(',').length === 3);
  if (lines.length > 0) {
    return lines.map((line) => {
      const [name = '', memory = '', driver = ''] = line.split(',').map((part) => part.trim());
      return { maker: 'nvidia', text: `${name}, ${memory}, driver ${driver}` };
    });
  }
  const cards = await system.list('/proc/driver/nvidia/gpus');
  return cards.map((card) => ({
    maker: 'nvidia',
    text: `NVIDIA GPU at ${card} (nvidia-smi does not answer)`,
  }));
}

async function detectRendering(system: GpuSystem): Promise<FoundGpu[]> {
  const nodes = (await system.list('/dev/dri')).filter((name) => name.startsWith('renderD'));
  if (nodes.length === 0) return [];
  const names = parseVulkanSummary((await system.run('vulkaninfo', ['--summary'])) ?? '');
  const texts = names.length > 0 ? names : nodes.map((node) => `GPU at /dev/dri/${node}`);
  return texts.map((text) => ({ maker: 'other', text }));
}

/** The names of the devices that are no software renderers. */
export function parseVulkanSummary(text: string): string[] {
  const devices = text.split(/^GPU\d+:/m).slice(1);
  return devices.flatMap((device) => {
    const of = (key: string) => new RegExp(`^\\s*${key}\\s*=\\s*(.+)$`, 'm').exec(device)?.[1];
    const name = of('deviceName')?.trim();
    return name === undefined || of('deviceType')?.includes('CPU') === true ? [] : [name];
  });
}

/** The shared libraries that the loader finds, by their sonames. */
export async function readLibraries(system: GpuSystem): Promise<ReadonlySet<string>> {
  const cache =
    (await system.run('/sbin/ldconfig', ['-p'])) ?? (await system.run('ldconfig', ['-p'])) ?? '';
  const cached = [...cache.matchAll(/^\s*(\S+\.so\S*) \(/gm)].map((found) => found[1] ?? '');
  const named = await Promise.all(system.libraryFolders.map((folder) => system.list(folder)));
  return new Set([...cached, ...named.flat()]);
}

export type Fit =
  | { readonly package: GpuPackage }
  /** Why there is none, and what would change that. */
  | { readonly package: null; readonly why: string; readonly fix: string | null };

/** The first package whose libraries are there, for a device that it can use. */
export function choosePackage(
  gpus: readonly FoundGpu[],
  libraries: ReadonlySet<string>,
  { platform, arch }: Pick<GpuSystem, 'platform' | 'arch'>,
): Fit {
  if (platform === 'darwin') {
    const why =
      'the engine has no build for macOS yet (and version 3.22.1 of its Metal package is not published)';
    return { package: null, why, fix: null };
  }
  if (platform !== 'linux' || arch !== 'x64') {
    return { package: null, why: `there is no GPU package for ${platform} ${arch}`, fix: null };
  }
  const isNvidia = gpus.some(({ maker }) => maker === 'nvidia');
  const usable = gpuPackages.filter(({ api }) => api === 'vulkan' || isNvidia);
  const fitting = usable.find(({ needs }) => needs.every((name) => libraries.has(name)));
  if (fitting !== undefined) return { package: fitting };
  const lacks = usable.map(({ api, needs }) => {
    const missing = needs.filter((name) => !libraries.has(name));
    return `${api === 'cuda' ? 'CUDA' : 'Vulkan'} lacks ${missing.join(', ')}`;
  });
  const vulkan = 'the Vulkan loader (Debian: libvulkan1; Fedora: vulkan-loader)';
  return {
    package: null,
    why: lacks.join('; '),
    fix: isNvidia
      ? `Install the CUDA 13 or 12 runtime (libcudart and libcublas), or ${vulkan}.`
      : `Install ${vulkan}.`,
  };
}
