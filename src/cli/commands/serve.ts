/** `parlance serve`: the flags of the option table, handed to what runs the server. */

import type { Command } from 'commander';

import { examplesText } from '../command.ts';
import { Exit } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { addOptionFlags, loadAllOptions, printWarnings } from '../options.ts';

/** Adds the flags and the action. */
export async function define(command: Command, io: Io): Promise<void> {
  await addOptionFlags(command);
  command
    .option('--no-requantise', 'the same as --requantise off')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance serve', 'smollm2-135m at http://127.0.0.1:8000'],
        ['parlance serve --port 9000 --model qwen3-0.6b', 'another model on another port'],
        ['parlance serve --model ./my-model.gguf', 'a file that you have'],
        ['parlance serve --host 0.0.0.0', 'for other machines; make a key first (parlance keys)'],
        ['parlance serve --config ./parlance.yaml', 'the same options from a file'],
      ]),
    )
    .allowExcessArguments()
    .action(async (given: Record<string, string | readonly string[] | false>) => {
      await refuseArguments(command.args);
      const { requantise, ...flags } = given;
      const loaded = await loadAllOptions(io, {
        ...(flags as Record<string, string | readonly string[]>),
        ...(requantise === undefined ? {} : { requantise: requantise || 'off' }),
      });
      printWarnings(io, loaded);
      const { serve } = await import('../serve/index.ts');
      const code = await serve(loaded.options, io);
      if (code !== 0) throw new Exit(code);
    });
}

/** `npm start --port 9000` leaves npm with the flag and this command with its value alone. */
async function refuseArguments(args: readonly string[]): Promise<void> {
  if (args.length === 0) return;
  const { ParlanceError } = await import('../../contract/index.ts');
  throw new ParlanceError(
    'invalid_option',
    `serve takes flags only, and got "${args.join(' ')}". With npm, flags come after two dashes: ` +
      'npm start -- --port 9000',
  );
}
