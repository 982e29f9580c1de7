/** Machines that are not here, as their programs and folders would show them. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import {
  findGpuLibraries,
  gpuPackages,
  packageVersion,
  type LibraryProbe,
} from '../../../engine/index.ts';
import { withFolder } from '../../testing/run-cli.ts';
import { checkGpu } from './check-gpu.ts';
import { choosePackage, detectGpus, parseVulkanSummary, readLibraries } from './detect-gpus.ts';
import { agrees, installCommand, installGpu } from './install-gpu.ts';
import type { GpuSystem } from './system.ts';

interface Fake {
  readonly platform?: string;
  readonly arch?: string;
  /** By program. */
  readonly prints?: Readonly<Record<string, string>>;
  /** By folder. */
  readonly folders?: Readonly<Record<string, readonly string[]>>;
  readonly libraryFolders?: readonly string[];
}

const toSystem = (fake: Fake): GpuSystem => ({
  platform: fake.platform ?? 'linux',
  arch: fake.arch ?? 'x64',
  run: (file) => Promise.resolve(fake.prints?.[file] ?? null),
  list: (folder) => Promise.resolve(fake.folders?.[folder] ?? []),
  libraryFolders: fake.libraryFolders ?? [],
});

const ldconfig = (...names: string[]): string =>
  `${names.length} libs found in cache\n` +
  names.map((name) => `\t${name} (libc6,x86-64) => /usr/lib/${name}\n`).join('');

const smi = 'NVIDIA GeForce RTX 4090, 24564 MiB, 570.86.10\n';
const cuda13 = ['libcuda.so.1', 'libcudart.so.13', 'libcublas.so.13'];
const cuda12 = ['libcuda.so.1', 'libcudart.so.12', 'libcublas.so.12'];

const nvidia = (...libraries: string[]): Fake => ({
  prints: { 'nvidia-smi': smi, '/sbin/ldconfig': ldconfig(...libraries) },
  folders: { '/dev/dri': ['card0', 'renderD128'] },
});

const vulkaninfo = `Devices:
========
GPU0:
\tdeviceType         = PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU
\tdeviceName         = Intel(R) Iris(R) Xe Graphics (TGL GT2)
GPU1:
\tdeviceType         = PHYSICAL_DEVICE_TYPE_CPU
\tdeviceName         = llvmpipe (LLVM 15.0.6, 256 bits)
`;

const opens = (gpu: Partial<Extract<LibraryProbe, { opens: true }>['gpu']>) => () =>
  Promise.resolve({
    opens: true as const,
    library: '0.5.0',
    cpuVariant: null,
    gpu: { package: null, api: null, devices: [], notes: [], ...gpu },
  });

const nothingInstalled = { installed: () => [], probe: opens({}) };

describe('which GPUs are there', () => {
  test('NVIDIA, by its program, else by its driver’s folder', async () => {
    const [found] = await detectGpus(toSystem(nvidia()));
    assert.equal(found?.text, 'NVIDIA GeForce RTX 4090, 24564 MiB, driver 570.86.10');
    const folders = { '/proc/driver/nvidia/gpus': ['0000:01:00.0', '0000:02:00.0'] };
    const cards = await detectGpus(toSystem({ folders }));
    assert.deepEqual(
      cards.map(({ maker }) => maker),
      ['nvidia', 'nvidia'],
    );
    assert.match(cards[1]?.text ?? '', /0000:02:00\.0/);
  });

  test('others, by their rendering nodes, with the names that Vulkan gives', async () => {
    const folders = { '/dev/dri': ['by-path', 'card0', 'renderD128'] };
    assert.deepEqual(await detectGpus(toSystem({ folders })), [
      { maker: 'other', text: 'GPU at /dev/dri/renderD128' },
    ]);
    const named = await detectGpus(toSystem({ folders, prints: { vulkaninfo } }));
    assert.deepEqual(
      named.map(({ text }) => text),
      ['Intel(R) Iris(R) Xe Graphics (TGL GT2)'],
    );
    assert.deepEqual(await detectGpus(toSystem({ folders: { '/dev/dri': ['card0'] } })), []);
  });

  test('none, or words that are no devices', async () => {
    assert.deepEqual(await detectGpus(toSystem({})), []);
    const prints = { 'nvidia-smi': 'No devices were found\n' };
    assert.deepEqual(await detectGpus(toSystem({ prints })), []);
    assert.deepEqual(parseVulkanSummary('ERROR: vkCreateInstance failed'), []);
  });

  test('Apple', async () => {
    const found = await detectGpus(toSystem({ platform: 'darwin', arch: 'arm64' }));
    assert.deepEqual(
      found.map(({ maker }) => maker),
      ['apple'],
    );
    assert.deepEqual(await detectGpus(toSystem({ platform: 'darwin' })), []);
  });
});

describe('which package fits', () => {
  const choose = async (fake: Fake): Promise<string | null> => {
    const system = toSystem(fake);
    const fit = choosePackage(await detectGpus(system), await readLibraries(system), system);
    return fit.package?.name.replace('@node-llama-cpp/', '') ?? null;
  };

  test('CUDA 13 before CUDA 12 before Vulkan', async () => {
    assert.equal(await choose(nvidia(...cuda13, ...cuda12, 'libvulkan.so.1')), 'linux-x64-cuda');
    assert.equal(await choose(nvidia(...cuda12, 'libvulkan.so.1')), 'linux-x64-cuda-ext');
    assert.equal(await choose(nvidia('libcuda.so.1', 'libvulkan.so.1')), 'linux-x64-vulkan');
    assert.equal(await choose(nvidia('libcuda.so.1')), null);
  });

  test('no CUDA for other makers', async () => {
    const folders = { '/dev/dri': ['renderD128'] };
    const prints = { ldconfig: ldconfig(...cuda13, 'libvulkan.so.1') };
    assert.equal(await choose({ folders, prints }), 'linux-x64-vulkan');
  });

  test('libraries that only LD_LIBRARY_PATH shows', async () => {
    const libraryFolders = ['/opt/cuda/lib64'];
    const folders = { '/opt/cuda/lib64': cuda12 };
    assert.equal(await choose({ ...nvidia(), libraryFolders, folders }), 'linux-x64-cuda-ext');
  });

  test('none for other systems', async () => {
    assert.equal(await choose({ ...nvidia(...cuda13), arch: 'arm64' }), null);
    assert.equal(await choose({ platform: 'darwin', arch: 'arm64' }), null);
  });

  test('its version is the one of the libraries that the engine opens', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8');
    const { optionalDependencies } = JSON.parse(text) as {
      optionalDependencies: Record<string, string>;
    };
    assert.equal(optionalDependencies['@node-llama-cpp/linux-x64'], packageVersion);
  });
});

describe('the findings', () => {
  const brief = async (
    fake: Fake,
    questions: Parameters<typeof checkGpu>[1],
  ): Promise<[string[], string | null]> => {
    const { findings, installable } = await checkGpu(toSystem(fake), questions);
    return [
      findings.map(({ check, status, message }) => `${status} ${check}: ${message}`),
      installable?.name ?? null,
    ];
  };
  const vulkan = '@node-llama-cpp/linux-x64-vulkan';

  test('without a GPU nothing is wrong', async () => {
    const [findings, installable] = await brief({}, nothingInstalled);
    assert.deepEqual(findings, ['ok gpu: none found; the processor computes']);
    assert.equal(installable, null);
  });

  test('what fits can be installed', async () => {
    const [findings, installable] = await brief(nvidia(...cuda12), nothingInstalled);
    assert.match(findings[1] ?? '', /^warn gpu package: .*linux-x64-cuda-ext fits/);
    assert.equal(installable, '@node-llama-cpp/linux-x64-cuda-ext');
  });

  test('what is missing is named', async () => {
    const [findings, installable] = await brief(nvidia('libcuda.so.1'), nothingInstalled);
    assert.match(findings[1] ?? '', /CUDA lacks libcudart\.so\.13.*Vulkan lacks libvulkan\.so\.1/);
    assert.equal(installable, null);
  });

  test('what is installed and works is used', async () => {
    const device = {
      name: 'Vulkan0',
      description: 'Some GPU',
      kind: 'gpu' as const,
      freeBytes: 7e9,
      totalBytes: 8e9,
    };
    const probe = opens({ package: vulkan, api: 'vulkan', devices: [device] });
    const [findings, installable] = await brief(nvidia(), { installed: () => [vulkan], probe });
    assert.deepEqual(findings, [
      'ok gpu: Some GPU (8.00 GB)',
      `ok gpu engine: ${vulkan} works; deployments use it (gpu_layers: auto)`,
    ]);
    assert.equal(installable, null);
  });

  test('what is installed and does not load is said, and not installed again', async () => {
    const probe = opens({ notes: [`${vulkan} does not load: libvulkan.so.1: no such file`] });
    const questions = { installed: () => [vulkan], probe };
    const [none] = await brief({}, questions);
    assert.match(none[1] ?? '', /^warn gpu engine: .*no such file; the processor computes/);
    const [, installable] = await brief(nvidia('libvulkan.so.1'), questions);
    assert.equal(installable, null);
    const crash = () =>
      Promise.resolve({ opens: false as const, message: 'it was ended by SIGSEGV' });
    const [crashed] = await brief({}, { installed: () => [vulkan], probe: crash });
    assert.match(crashed[1] ?? '', /SIGSEGV/);
  });
});

describe('installing', () => {
  const output = { write: () => true };
  const [first] = gpuPackages;

  test('asks npm for the exact version, in a folder of its own', async () => {
    await withFolder(async (folder) => {
      const asked: (readonly string[])[] = [];
      const io = { env: { PARLANCE_GPU_DIR: folder }, stderr: output };
      const run = (file: string, args: readonly string[]): Promise<number> => {
        asked.push([file, ...args]);
        return Promise.resolve(0);
      };
      assert.equal(await installGpu('@a/b', io, run), folder);
      assert.deepEqual(asked, [['npm', ...installCommand('@a/b', folder)]]);
      assert.deepEqual(asked[0]?.slice(0, 4), ['npm', 'install', '--prefix', folder]);
      assert.equal(asked[0]?.at(-1), `@a/b@${packageVersion}`);
    });
  });

  test('that fails says what to type', async () => {
    await withFolder(async (folder) => {
      const io = { env: { PARLANCE_GPU_DIR: folder }, stderr: output };
      const fails = installGpu('@a/b', io, () => Promise.resolve(1));
      await assert.rejects(fails, /npm ended with 1.*By hand: npm install --prefix/);
    });
  });

  test('is asked for on a terminal only', async () => {
    assert.ok(first !== undefined);
    const answering = (text: string, isTTY: boolean) => ({
      env: {},
      cwd: '/',
      stdout: output,
      stderr: { ...output, isTTY },
      stdin: Object.assign(
        (async function* () {
          yield await Promise.resolve(`${text}\n`);
        })(),
        { isTTY },
      ),
    });
    assert.equal(await agrees(answering('y', true), first), true);
    assert.equal(await agrees(answering('n', true), first), false);
    assert.equal(await agrees(answering('', true), first), false);
    assert.equal(await agrees(answering('y', false), first), false);
  });

  test('what is there is found when it is whole and of the right version', async () => {
    await withFolder(async (folder) => {
      const [, , vulkan] = gpuPackages;
      assert.ok(vulkan !== undefined);
      const root = join(folder, 'node_modules', vulkan.name);
      const found = (): string[] => findGpuLibraries(folder).map((one) => one.package);
      await mkdir(dirname(join(root, vulkan.library)), { recursive: true });
      await writeFile(join(root, 'package.json'), JSON.stringify({ version: packageVersion }));
      assert.deepEqual(found(), []);
      await writeFile(join(root, vulkan.library), '');
      const isX64 = process.platform === 'linux' && process.arch === 'x64';
      assert.deepEqual(found(), isX64 ? [vulkan.name] : []);
      await writeFile(join(root, 'package.json'), JSON.stringify({ version: '3.22.0' }));
      assert.deepEqual(found(), []);
    });
  });
});
