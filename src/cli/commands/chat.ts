/** `parlance chat`: the flags. What happens then is in `chat/`. */

import type { Command } from 'commander';

import type { ChatFlags } from '../chat/chat.ts';
import { examplesText } from '../command.ts';
import type { Io } from '../io.ts';

/** Adds the flags and the action. */
export function define(command: Command, io: Io): void {
  command
    .argument('[message]', 'one message: print the answer and end (default: the standard input)')
    .option('--url <url>', 'server to use (default: the running one, else one just for this chat)')
    .option('--key <key>', 'API key (default: PARLANCE_API_KEY)')
    .option('--model <name>', 'model to talk to (default: the first that the server has)')
    .option('--system <text>', 'system message')
    .option('--temperature <number>', 'randomness: 0 always takes the likeliest token')
    .option('--top-p <number>', 'sample from the likeliest tokens that make up this share')
    .option('--top-k <number>', 'sample from so many of the likeliest tokens')
    .option('--max-tokens <number>', 'most tokens of an answer')
    .option('--seed <number>', 'the same seed gives the same random draws')
    .option('--home <path>', 'home folder (default: PARLANCE_HOME, or ~/.parlance)')
    .addHelpText(
      'afterAll',
      examplesText([
        ['parlance chat', 'a conversation; /help says what can be typed'],
        ['parlance chat "Name three rivers."', 'one answer'],
        ['cat letter.txt | parlance chat', 'the same, the message from a pipe'],
        ['parlance chat --model big --url http://10.0.0.5:8000', 'a model of another server'],
        ['parlance chat --system "Answer in French."', 'with a system message'],
      ]) +
        '\n\nWith a MESSAGE the standard input is not read. Where no server runs and no --url is given,' +
        '\n--model takes what "parlance serve --model" does, and the server ends with the chat.',
    )
    .action(async (message: string | undefined, flags: ChatFlags) => {
      const { chat } = await import('../chat/chat.ts');
      await chat(io, message, flags);
    });
}
