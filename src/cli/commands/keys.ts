/** `parlance keys`: API keys in the store of a home folder, also while a server runs on it. */

import type { Command } from 'commander';

import type { CreatedKey, KeyView } from '../../access/index.ts';
import type { Store } from '../../records/index.ts';
import { examplesText } from '../command.ts';
import { coloursFor, printJson, type Io } from '../io.ts';
import { readOptions } from '../options.ts';
import { renderTable } from '../table.ts';

interface KeyFlags {
  readonly home?: string;
  readonly json?: boolean;
}

interface CreateFlags extends KeyFlags {
  readonly name?: string;
  readonly admin?: boolean;
  readonly rights?: string;
}

/** Adds the subcommands and their actions. */
export function define(command: Command, io: Io): void {
  command.usage('COMMAND [options]').addHelpText(
    'afterAll',
    examplesText([
      ['parlance keys create --name laptop', 'a key that may chat'],
      ['parlance keys create --name ci --rights chat,deploy', 'one that may deploy, too'],
      ['parlance keys create --name me --admin', 'one that may do everything'],
      ['parlance keys list', 'names, rights and last use; never the keys'],
      ['parlance keys delete laptop', 'counts at once, also in a running server'],
    ]) + '\n\nOnce a key exists, every request needs one, also from this machine.',
  );
  const subcommand = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .option('--home <path>', 'home folder (default: PARLANCE_HOME, or ~/.parlance)')
      .option('--json', 'print it as JSON');

  subcommand('create', 'make a key; it is shown once')
    .argument('[name]', 'the same as --name')
    .option('--name <name>', 'what the key is called in lists and logs')
    .option('--rights <list>', 'some of chat, deploy, admin, with commas (default: chat)')
    .option('--admin', 'the same as --rights admin, which brings all others with it')
    .action(async (name: string | undefined, flags: CreateFlags) => await create(io, name, flags));
  subcommand('list', 'list the keys').action(async (flags: KeyFlags) => await list(io, flags));
  subcommand('delete', 'delete a key')
    .argument('<name>')
    .action(async (name: string, flags: KeyFlags) => await remove(io, name, flags));
}

async function withStore<T>(
  io: Io,
  flags: KeyFlags,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { home } = await readOptions(io, { home: flags.home });
  const { openStore } = await import('../../records/index.ts');
  const store = await openStore(home);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function create(io: Io, argument: string | undefined, flags: CreateFlags): Promise<void> {
  const name = await chooseName(argument, flags.name);
  const rights = await chooseRights(flags);
  const { createKey } = await import('../../access/index.ts');
  const key = await withStore(
    io,
    flags,
    async (store) => await createKey(store, { name, ...(rights === null ? {} : { rights }) }),
  );
  if (flags.json === true) printJson(io, { ...toJson(key), key: key.key });
  else printCreated(io, key);
}

async function chooseName(argument: string | undefined, flag: string | undefined): Promise<string> {
  const name = flag ?? argument;
  const unclear = argument !== undefined && flag !== undefined && argument !== flag;
  if (name !== undefined && !unclear) return name;
  throw await usage(
    unclear
      ? `The key cannot be named both "${argument}" and "${flag}".`
      : 'Give the key a name: parlance keys create --name laptop',
  );
}

async function chooseRights(flags: CreateFlags): Promise<string[] | null> {
  if (flags.rights === undefined) return flags.admin === true ? ['admin'] : null;
  if (flags.admin === true) throw await usage('--admin and --rights exclude each other.');
  return flags.rights
    .split(',')
    .map((right) => right.trim())
    .filter((right) => right !== '');
}

async function usage(message: string): Promise<Error> {
  const { ParlanceError } = await import('../../contract/index.ts');
  return new ParlanceError('invalid_option', message);
}

/** The key alone goes to stdout, so that a script can take it; what it is for goes to stderr. */
function printCreated(io: Io, key: CreatedKey): void {
  const { bold, dim } = coloursFor(io, io.stderr);
  io.stderr.write(
    `${bold(`Key "${key.name}"`)} (${key.rights.join(', ')}). It is shown only now:\n\n`,
  );
  io.stdout.write(`${key.key}\n`);
  io.stderr.write(
    `\n${dim('Send it as')} Authorization: Bearer KEY${dim(', or set')} PARLANCE_API_KEY ${dim('for the commands of parlance.')}\n` +
      `${dim('From now on every request to this server needs a key.')}\n`,
  );
}

async function list(io: Io, flags: KeyFlags): Promise<void> {
  const { listKeys } = await import('../../access/index.ts');
  const keys = await withStore(io, flags, listKeys);
  if (flags.json === true) return printJson(io, keys.map(toJson));
  if (keys.length === 0) {
    io.stderr.write('There are no keys. Make one: parlance keys create --name laptop\n');
    return;
  }
  io.stdout.write(
    renderTable(
      keys,
      [
        { title: 'NAME', cell: (key) => key.name },
        { title: 'KEY', cell: (key) => `${key.prefix}…` },
        { title: 'RIGHTS', cell: (key) => key.rights.join(',') },
        { title: 'CREATED', cell: (key) => toTime(key.created) },
        {
          title: 'LAST USED',
          cell: (key) => (key.lastUsed === null ? 'never' : toTime(key.lastUsed)),
        },
        { title: '', cell: (key) => (key.disabled ? 'disabled' : '') },
      ],
      { title: coloursFor(io, io.stdout).bold },
    ),
  );
}

async function remove(io: Io, name: string, flags: KeyFlags): Promise<void> {
  const { deleteKey, listKeys } = await import('../../access/index.ts');
  const left = await withStore(io, flags, async (store) => {
    await deleteKey(store, name);
    return (await listKeys(store)).length;
  });
  if (flags.json === true) return printJson(io, { name, deleted: true });
  io.stdout.write(`The key "${name}" is deleted.\n`);
  if (left === 0) {
    io.stderr.write('It was the last one: servers on loopback ask for no key any more.\n');
  }
}

function toJson(key: KeyView) {
  const { id, name, prefix, rights, created, lastUsed, disabled } = key;
  return {
    id,
    name,
    prefix,
    rights,
    created: new Date(created).toISOString(),
    last_used: lastUsed === null ? null : new Date(lastUsed).toISOString(),
    disabled,
  };
}

function toTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
