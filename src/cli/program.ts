/**
 * The command line as a whole: which commands there are, their help, and what becomes of a wrong
 * word or a failure. A command's file is loaded when it is the one that was asked for, and the rooms
 * behind it only when it runs, so that `--help` costs nothing.
 */

import { Command, CommanderError, Help } from 'commander';

import type { CommandModule } from './command.ts';
import { exitCodes } from './exit-code.ts';
import { coloursFor, hasColours, type Io } from './io.ts';
import { reportError } from './report-error.ts';
import { readVersion } from './version.ts';

interface CommandRow {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}

/** In the order of the help. */
const rows: readonly CommandRow[] = [
  {
    name: 'serve',
    summary: 'start the server and the model',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'chat',
    summary: 'talk to a model, in the terminal or in a pipe',
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'models',
    summary: 'list the models that are here and those that can be fetched',
    load: () => import('./commands/models.ts'),
  },
  {
    name: 'pull',
    summary: 'fetch the weights of a model',
    load: () => import('./commands/pull.ts'),
  },
  {
    name: 'deploy',
    summary: 'make a model available on a running server, under a name',
    load: () => import('./commands/deploy.ts'),
  },
  {
    name: 'keys',
    summary: 'make, list and delete API keys',
    load: () => import('./commands/keys.ts'),
  },
  {
    name: 'logs',
    summary: 'list the inferences that are on record',
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'render',
    summary: 'print what a chat template makes of messages',
    load: () => import('./commands/render.ts'),
  },
  {
    name: 'check',
    summary: 'say whether a schema, regex or grammar is supported, and allows a text',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'doctor',
    summary: 'find out what is wrong with this machine, and how to fix it',
    load: () => import('./commands/doctor.ts'),
  },
];

const footer = `
Exit codes: 0 fine, 1 failed, 2 wrong usage, 130 interrupted (Ctrl-C).
PARLANCE_DEBUG=1 shows where an error came from; NO_COLOR=1 turns colours off.`;

const examples = `
Examples:
  parlance serve                         serve smollm2-135m at http://127.0.0.1:8000
  parlance chat                          talk to it
  echo "Write a haiku." | parlance chat  one answer, and nothing else
  parlance doctor                        when something does not work

In a clone the command is: npx --no -- parlance
`;

/**
 * Runs one command line.
 * @param args without the interpreter and the script
 * @returns the exit code; everything that was to be said has been written
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    const program = await createProgram(args, io);
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.fine;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
    }
    return await reportError(error, io);
  }
}

async function createProgram(args: readonly string[], io: Io): Promise<Command> {
  const program = new Command('parlance')
    .description('One OpenAI-compatible endpoint for chat completions, on your own machine.')
    .usage('COMMAND [options]')
    .version(readVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [COMMAND]', 'print the help of a command')
    .addHelpText('after', `${examples}${footer}`);
  configure(program, io);
  const asked = args.filter((arg) => !arg.startsWith('-'));
  const name = asked[0] === 'help' ? asked[1] : asked[0];
  for (const row of rows) {
    const command = program.command(row.name).description(row.summary);
    command.helpOption('-h, --help', 'print this help');
    if (row.name !== name) continue;
    const module = await row.load();
    await module.define(command, io);
    command.addHelpText('afterAll', footer);
  }
  // Commander would print the help of the whole and say nothing about the word.
  const known = [...rows.map((row) => row.name), 'help'];
  if (asked[0] === 'help' && name !== undefined && !known.includes(name)) {
    program.error(`error: unknown command '${name}'`);
  }
  return program;
}

/** Settings that commands inherit when they are made. */
function configure(program: Command, io: Io): void {
  const { red } = coloursFor(io, io.stderr);
  const helper = new Help();
  program
    .exitOverride()
    .showHelpAfterError('Try "parlance --help", or "parlance COMMAND --help".')
    .configureHelp({
      showGlobalOptions: false,
      styleTitle: (text) => coloursFor(io, io.stdout).bold(text),
      // Only the names: the usage line of a command has its arguments.
      subcommandTerm: (command) =>
        command.parent === program ? command.name() : helper.subcommandTerm(command),
    })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns || 100,
      getErrHelpWidth: () => io.stderr.columns || 100,
      getOutHasColors: () => hasColours(io, io.stdout),
      getErrHasColors: () => hasColours(io, io.stderr),
      outputError: (text, write) => write(text.replace(/^error: /, `${red('parlance:')} `)),
    });
}
