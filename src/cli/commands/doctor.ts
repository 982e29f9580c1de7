/** `parlance doctor`: the flags. The examinations are in `doctor/`. */

import type { Command } from 'commander';

import { examplesText } from '../command.ts';
import type { DoctorFlags } from '../doctor/doctor.ts';
import type { Io } from '../io.ts';

/** Adds the flags and the action. */
export function define(command: Command, io: Io): void {
  command
    .option('--home <path>', 'home folder to look at (default: PARLANCE_HOME, or ~/.parlance)')
    .option('--port <port>', 'port to look at (default: the one that serve would take)')
    .option('--model <model>', 'model to look at (default: the one that serve would take)')
    .option('--config <file>', 'parlance.yaml to look at')
    .option('--gpu', 'look at GPUs alone, and at what would let the engine use them')
    .option('--install', 'with --gpu: install the package that fits (asked for on a terminal)')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance doctor', 'looks at everything that "parlance serve" would use'],
        ['parlance doctor --port 9000 --model qwen3-0.6b', 'with these options'],
        ['parlance doctor --gpu --install', 'lets the engine use the GPU that is there'],
        ['parlance doctor --json', 'for programs'],
      ]) +
        '\n\nWithout --install it fetches nothing; it starts no server. The exit code is 1 when something would keep the server from working.',
    )
    .action(async (flags: DoctorFlags) => {
      const { doctor } = await import('../doctor/doctor.ts');
      await doctor(io, flags);
    });
}
