/** `parlance render`: the flags. What it does is in `render/`. */

import type { Command } from 'commander';

import { examplesText } from '../command.ts';
import type { Io } from '../io.ts';
import type { RenderFlags } from '../render/render.ts';

/** Adds the flags and the action. */
export function define(command: Command, io: Io): void {
  command
    .option('--template <file>', 'the chat template, in Jinja')
    .option('--context <file>', 'what it sees, as JSON: messages, tools, bos_token, …')
    .option('--now <date>', 'the date for strftime_now, such as 2026-11-21 (default: the clock)')
    .option('--jsonl', 'read lines {template, context, now?} from stdin, write {text} or {error}')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance render --template chat.jinja --context chat.json', 'prints the prompt'],
        ['parlance render --jsonl < cases.jsonl', 'a line of JSON for each line'],
      ]) +
        '\n\nTemplates render as in Hugging Face transformers, with the limits of the server (docs/templates.md).',
    )
    .action(async (flags: RenderFlags) => {
      const { renderCommand } = await import('../render/render.ts');
      await renderCommand(io, flags);
    });
}
