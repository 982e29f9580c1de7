/** `parlance pull SPEC`: the flags. What it does is in `pull/`. */

import type { Command } from 'commander';

import { examplesText } from '../command.ts';
import type { Io } from '../io.ts';
import type { PullFlags } from '../pull/pull.ts';

/** Adds the flags and the action. */
export function define(command: Command, io: Io): void {
  command
    .argument('<model>', 'catalogue name, or hf:owner/repo/file.gguf[@revision]')
    .option('--home <path>', 'home folder (default: PARLANCE_HOME, or ~/.parlance)')
    .option('--no-requantise', 'do not try whether a Q8_0 form of the weights is faster here')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance pull qwen3-0.6b', 'a name from "parlance models"'],
        ['parlance pull hf:Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf', 'any GGUF on Hugging Face'],
        ['parlance pull smollm2-135m --no-requantise', 'the weights alone'],
      ]) +
        '\n\nA pull that was cut off goes on where it stopped. HTTPS_PROXY, HF_TOKEN and HF_ENDPOINT are honoured.' +
        '\nWhere a Q8_0 form of the weights reads prompts faster on this machine, it is made and used (docs/models.md).',
    )
    .action(async (spec: string, flags: PullFlags) => {
      const { pull } = await import('../pull/pull.ts');
      await pull(io, spec, flags);
    });
}
