/** The machine itself: Node, the operating system, the engine's libraries and the processor. */

import { availableParallelism, cpus } from 'node:os';

import { probeLibrary, type GpuState, type LibraryProbe } from '../../engine/index.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** What is read of this process, so that tests can say otherwise. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly arch: string;
  /** Version of glibc; null on another C library. */
  readonly glibc: string | null;
}

const wantedNode = 24;

export function readMachine(): Machine {
  // Looking up network interfaces takes seconds on some machines.
  (process.report as { excludeNetwork?: boolean }).excludeNetwork = true;
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return {
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    glibc: header?.glibcVersionRuntime ?? null,
  };
}

export function checkNode({ node }: Machine): Finding {
  if (Number.parseInt(node, 10) >= wantedNode) return ok('node', node);
  return fail('node', `${node} is too old`, `Use Node ${wantedNode}: npm ci --include=optional`);
}

export function checkPlatform({ platform, arch, glibc }: Machine): Finding {
  const name = `${platform} ${arch}`;
  if (platform !== 'linux' || !['x64', 'arm64'].includes(arch)) {
    return fail(
      'system',
      `${name}: there is no engine for it yet`,
      'Use Linux on x64 or arm64, or serve external deployments only: parlance serve --model none',
    );
  }
  if (glibc !== null) return ok('system', `${name}, glibc ${glibc}`);
  return fail(
    'system',
    `${name} with another C library than glibc (musl, as in Alpine)`,
    'Use a system with glibc, such as Debian; in Docker: node:24-slim instead of node:24-alpine',
  );
}

/** @param probe for tests; by default a child process opens the libraries */
export async function checkEngine(
  probe: () => Promise<LibraryProbe> = probeLibrary,
): Promise<Finding[]> {
  const found = await probe();
  if (!found.opens) {
    return [fail('engine', found.message, 'Reinstall the packages: npm ci --include=optional')];
  }
  return [
    ok('engine', `llama.cpp ${found.library} opens`),
    checkProcessor(found.cpuVariant),
    ...describeGpu(found.gpu),
  ];
}

/** Nothing is said where nobody installed a GPU library: `--gpu` is how one asks for it. */
function describeGpu({ package: name, devices, notes }: GpuState): Finding[] {
  const fix = 'parlance doctor --gpu says more';
  if (name === null)
    return notes.map((note) => warn('gpu', `${note}; the processor computes`, fix));
  return [ok('gpu', `${devices.map(({ description }) => description).join('; ')} (${name})`)];
}

/** Builds of the kernels for processors without AVX2. */
const slowVariants: ReadonlySet<string> = new Set([
  'x64',
  'sse42',
  'sandybridge',
  'ivybridge',
  'piledriver',
]);

function checkProcessor(variant: string | null): Finding {
  const cores = availableParallelism();
  const model = cpus()[0]?.model.trim() || 'unknown processor';
  const text = `${cores} ${cores === 1 ? 'core' : 'cores'}, ${model}, kernels for ${variant ?? 'any'}`;
  if (variant === null || !slowVariants.has(variant)) return ok('processor', text);
  return warn('processor', `${text}: no AVX2, so answers will be slow`, null);
}
