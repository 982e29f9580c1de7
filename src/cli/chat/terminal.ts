/**
 * The chat's side of a real terminal: a prompt with line editing and history, colours by tone, and
 * Ctrl-C. While an answer comes the terminal is left alone, so Ctrl-C arrives as a signal then.
 */

import { createInterface } from 'node:readline';

import type { Colours } from '../io.ts';
import type { ChatEvent, Tone } from './conversation.ts';
import type { ChatTerminal } from './run-conversation.ts';

export interface TerminalStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colours: Colours;
}

export interface RealTerminal extends ChatTerminal {
  /** Gives Ctrl-C back to the system. */
  close(): void;
}

/** A terminal for `runConversation`. */
export function createChatTerminal({ input, output, colours }: TerminalStreams): RealTerminal {
  const tones: Record<Tone, (text: string) => string> = {
    answer: String,
    reasoning: colours.dim,
    notice: colours.dim,
    error: colours.red,
  };
  let history: string[] = [];
  const listeners = new Set<() => void>();
  // One Ctrl-C may arrive twice (npm passes it on), the second time when nobody listens any more:
  // the process must live through it.
  const onSignal = (): void => {
    for (const listener of listeners) listener();
  };
  process.on('SIGINT', onSignal);
  const readLines = async (prompt: string): Promise<ChatEvent> =>
    await new Promise((resolve) => {
      const lines: string[] = [];
      const reader = createInterface({ input, output, prompt, history: [...history] });
      let event: ChatEvent = { type: 'end' };
      reader.on('history', (lines) => (history = lines));
      reader.on('SIGINT', () => {
        output.write('\n');
        event = { type: 'interrupt' };
        reader.close();
      });
      reader.on('line', (line) => {
        lines.push(line);
        event = { type: 'line', text: lines.join('\n') };
        // Several lines that were pasted come in one go and belong together.
        if (lines.length === 1) setImmediate(() => reader.close());
      });
      reader.once('close', () => resolve(event));
      reader.prompt();
    });
  return {
    async read() {
      let event = await readLines(colours.cyan('> '));
      while (event.type === 'line' && event.text.endsWith('\\')) {
        const start = event.text.slice(0, -1);
        event = await readLines(colours.cyan('. '));
        if (event.type === 'line') event = { type: 'line', text: `${start}\n${event.text}` };
      }
      if (event.type === 'end') output.write('\n');
      return event;
    },
    write: (text, tone) => void output.write(tones[tone](text)),
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => void process.removeListener('SIGINT', onSignal),
  };
}
