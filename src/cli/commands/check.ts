/** `parlance check`: the flags. What it does is in `check/`. */

import type { Command } from 'commander';

import type { CheckFlags } from '../check/check.ts';
import { examplesText } from '../command.ts';
import type { Io } from '../io.ts';

/** Adds the flags and the action. */
export function define(command: Command, io: Io): void {
  command
    .option('--schema <file>', 'JSON schema; - reads standard input')
    .option('--regex <regex>', 'regex that the whole text must match')
    .option('--grammar <file>', 'grammar: EBNF in GBNF style, or Lark')
    .option('--choice <text...>', 'texts of which one must be written')
    .option('--text <file>', 'text to look at; - reads standard input')
    .option('--json', 'print the result as JSON')
    .option('--jsonl', 'read constraints and texts from standard input, a JSON object a line')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance check --schema person.json', 'whether the schema is supported'],
        [
          'parlance check --schema person.json --text answer.json',
          'and whether the text is allowed',
        ],
        [`parlance check --regex '[a-z]+' --text word.txt --json`, 'for programs'],
        ['parlance check --jsonl < constraints.jsonl', 'many at once'],
      ]) +
        '\n\nA line of --jsonl is {"schema" | "regex" | "grammar" | "choice": …, "texts": ["…"]}, its answer' +
        '\n{"ok", "reason", "keyword", "allowed": [true], "at": [byte offset of the refusal, or null]}.' +
        '\nThe exit code is 1 when a constraint is not supported or a text is not allowed; with --jsonl it is 0.',
    )
    .action(async (flags: CheckFlags) => {
      const { check } = await import('../check/check.ts');
      await check(io, flags);
    });
}
