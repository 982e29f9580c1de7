/** `parlance deploy`: the flags of the command and of its subcommands. The work is in `deploy/`. */

import type { Command } from 'commander';

import type { DeployFlags, ServerFlags } from '../deploy/deploy.ts';
import { examplesText } from '../command.ts';
import type { Io } from '../io.ts';

/** Adds the flags, the subcommands and the actions. */
export function define(command: Command, io: Io): void {
  // `deploy list --json`: flags behind a subcommand are the subcommand's own.
  command.enablePositionalOptions();
  addServerFlags(
    command
      .argument('[name]', 'name that requests will use')
      .option('--model <spec>', 'weights: catalogue name, .gguf file, or hf:owner/repo/file.gguf')
      .option('--slots <number>', 'requests that decode together (default: chosen)')
      .option('--context <number>', 'tokens of each slot (default: chosen)')
      .option('--threads <number>', 'threads of the engine (default: cores)')
      .option('--deterministic <true|false>', 'same bytes whatever else runs (default: if it can)')
      .option('--gpu-layers <number>', 'layers that a GPU computes (default: all, with a GPU)')
      .option('--draft-model <spec>', 'small model of the same vocabulary that proposes tokens')
      .option('--speculation <auto|off>', 'whether proposed tokens are verified (default: auto)')
      .option('--prefix-cache-bytes <size>', 'memory for computed prefixes (default: chosen)')
      .option(
        '--chat-template <template>',
        'a .jinja file, its text, or none (default: the file’s)',
      )
      .option('--tool-format <name>', 'how it writes calls (default: as its template tells)')
      .option('--reasoning-format <name>', 'how it writes thinking (default: the same)')
      .option('--adapter-of <name>', 'instead of --model: a deployment that an adapter changes')
      .option('--path <file>', 'the adapter: a LoRA as a GGUF file')
      .option('--base-url <url>', 'instead of --model: a server that speaks the OpenAI dialect')
      .option('--upstream-model <name>', 'name of the model there (default: NAME)')
      .option('--api-key-env <variable>', 'variable of the server that holds the key for there')
      .option('--parameters <list>', 'parameters beyond OpenAI’s that are honoured there, or "all"')
      .option('--no-wait', 'do not wait until it is ready')
      .option('--json', 'print the deployment as JSON'),
  )
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance deploy qwen --model qwen3-0.6b', 'fetch, load, and follow the progress'],
        ['parlance deploy mine --model ./mine.gguf --slots 4', 'a file, four requests at a time'],
        [
          'parlance deploy big --base-url http://10.0.0.5:8000/v1 --upstream-model llama-70b',
          'a vLLM, SGLang, …',
        ],
        [
          'parlance deploy polite --adapter-of qwen --path ./polite.gguf',
          'an adapter; also qwen:polite',
        ],
        ['parlance deploy list --json', 'what is deployed'],
        ['parlance deploy remove qwen', 'drain and remove'],
      ]) +
        '\n\nThe names list, show and remove are taken by the subcommands. The same deployment twice is one.',
    )
    .action(async (name: string | undefined, flags: DeployFlags) => {
      const { deploy } = await import('../deploy/deploy.ts');
      await deploy(io, name, flags);
    });
  defineSubcommands(command, io);
}

function addServerFlags(command: Command): Command {
  return command
    .option('--url <url>', 'server (default: the running one, at http://127.0.0.1:8000)')
    .option('--key <key>', 'API key with the deploy right (default: PARLANCE_API_KEY)')
    .option('--home <path>', 'home folder (default: PARLANCE_HOME, or ~/.parlance)');
}

function defineSubcommands(command: Command, io: Io): void {
  const subcommand = (name: string, description: string): Command =>
    addServerFlags(command.command(name).description(description)).option(
      '--json',
      'print it as JSON',
    );
  const flagsOf = (sub: Command): ServerFlags => sub.optsWithGlobals();

  subcommand('list', 'list the deployments of the server').action(
    async (_flags: ServerFlags, sub: Command) => {
      const { list } = await import('../deploy/inspect.ts');
      await list(io, flagsOf(sub));
    },
  );
  subcommand('show', 'show one deployment')
    .argument('<name>')
    .action(async (name: string, _flags: ServerFlags, sub: Command) => {
      const { show } = await import('../deploy/inspect.ts');
      await show(io, name, flagsOf(sub));
    });
  subcommand('remove', 'drain a deployment and remove it')
    .argument('<name>')
    .action(async (name: string, _flags: ServerFlags, sub: Command) => {
      const { remove } = await import('../deploy/inspect.ts');
      await remove(io, name, flagsOf(sub));
    });
}
