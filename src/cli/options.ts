/**
 * Start options for commands: the flags come from the option table, and so do the values, from
 * wherever they were written. Commands that need the home folder alone pass just that flag.
 */

import { Option, type Command } from 'commander';

import type { LoadedOptions, LoadRequest, Options } from '../config/index.ts';
import { coloursFor, type Io } from './io.ts';

/** Adds a flag for every start option, and `--config`. */
export async function addOptionFlags(command: Command): Promise<void> {
  const { optionTable } = await import('../config/index.ts');
  for (const row of optionTable) {
    const description = `${row.description.replace(/\.$/, '')} (default: ${row.defaultText})`;
    const flag = `${row.flag} <${row.argument}>`;
    if (row.reading === 'list') command.option(flag, description, collect);
    else if (row.default === false)
      command.addOption(toSwitch(row.flag, row.argument, description));
    else command.option(flag, description);
  }
  command.option('--config <FILE>', 'parlance.yaml (default: ./, then the home folder)');
}

/** What is off by default is switched on by the flag alone. */
function toSwitch(flag: string, argument: string, description: string): Option {
  return new Option(`${flag} [${argument}]`, description).preset('true');
}

/** A flag that may be repeated; the loader reads all of its texts. */
function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/**
 * The start options with their origins.
 * @throws ParlanceError `invalid_option`
 */
export async function loadAllOptions(io: Io, flags: LoadRequest['flags']): Promise<LoadedOptions> {
  const { loadOptions } = await import('../config/index.ts');
  return loadOptions({ flags, env: io.env, cwd: io.cwd });
}

/** The start options alone. @throws ParlanceError `invalid_option` */
export async function readOptions(io: Io, flags: LoadRequest['flags']): Promise<Options> {
  return (await loadAllOptions(io, flags)).options;
}

/** Says on stderr what the loader found odd. */
export function printWarnings(io: Io, loaded: LoadedOptions): void {
  const { yellow } = coloursFor(io, io.stderr);
  for (const warning of loaded.warnings) io.stderr.write(`${yellow('parlance:')} ${warning}\n`);
}
