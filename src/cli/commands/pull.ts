/** `parlance pull SPEC`: weights into the home folder, with progress on stderr. */

import type { Command } from 'commander';

import { examplesText } from '../command.ts';
import { printJson, type Io } from '../io.ts';
import { readOptions } from '../options.ts';
import { untilInterrupted } from '../until-interrupted.ts';

/** Adds the flags and the action. */
export function define(command: Command, io: Io): void {
  command
    .argument('<model>', 'catalogue name, or hf:owner/repo/file.gguf[@revision]')
    .option('--home <path>', 'home folder (default: PARLANCE_HOME, or ~/.parlance)')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance pull qwen3-0.6b', 'a name from "parlance models"'],
        ['parlance pull hf:Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf', 'any GGUF on Hugging Face'],
      ]) +
        '\n\nA pull that was cut off goes on where it stopped. HTTPS_PROXY, HF_TOKEN and HF_ENDPOINT are honoured.',
    )
    .action(async (spec: string, flags: { home?: string; json?: boolean }) => {
      const { home } = await readOptions(io, { home: flags.home });
      await untilInterrupted(async (signal) => await pull({ io, spec, home, signal }, flags));
    });
}

interface Pull {
  readonly io: Io;
  readonly spec: string;
  readonly home: string;
  readonly signal: AbortSignal;
}

async function pull({ io, spec, home, signal }: Pull, flags: { json?: boolean }): Promise<void> {
  const { createProgressWriter, ensureModel, formatBytes } = await import('../../models/index.ts');
  const progress = createProgressWriter(io.stderr);
  let fetched = false;
  const onProgress = (update: Parameters<typeof progress.update>[0]): void => {
    fetched = true;
    progress.update(update);
  };
  const model = await ensureModel(spec, { home, signal, onProgress, env: io.env }).finally(() =>
    progress.done(),
  );
  if (flags.json === true) {
    const { name, path, bytes, sha256 } = model;
    printJson(io, { name, path, bytes, sha256, fetched });
    return;
  }
  const what = fetched ? 'is there now' : 'was there already';
  io.stdout.write(`${model.name} ${what}: ${model.path} (${formatBytes(model.bytes)})\n`);
}
