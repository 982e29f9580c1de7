/** The conversation played with a scripted terminal and scripted answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/index.ts';
import type { AnswerPart } from './answer-stream.ts';
import type { ChatEvent, ChatMessage, Tone } from './conversation.ts';
import { runConversation, type Ask, type ChatTerminal } from './run-conversation.ts';

interface Scripted extends ChatTerminal {
  readonly written: (readonly [Tone, string])[];
  interrupt(): void;
  listeners(): number;
}

/** A terminal at which these things are typed; after the last one it ends. */
function scriptedTerminal(typed: readonly ChatEvent[]): Scripted {
  const events = [...typed];
  const written: (readonly [Tone, string])[] = [];
  const listeners = new Set<() => void>();
  return {
    written,
    interrupt: () => listeners.forEach((listener) => listener()),
    listeners: () => listeners.size,
    read: async () => await Promise.resolve(events.shift() ?? { type: 'end' }),
    write: (text, tone) => void written.push([tone, text]),
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const line = (text: string): ChatEvent => ({ type: 'line', text });

async function* partsOf(parts: readonly AnswerPart[]): AsyncGenerator<AnswerPart> {
  for (const part of parts) yield await Promise.resolve(part);
}

test('asks turn after turn and writes what comes', async () => {
  const terminal = scriptedTerminal([line('Hi'), line('And?')]);
  const asked: (readonly ChatMessage[])[] = [];
  const ask: Ask = (messages) => {
    asked.push(messages);
    return partsOf([
      { type: 'text', text: `answer ${asked.length}` },
      { type: 'finished', finishReason: 'stop' },
    ]);
  };
  await runConversation(terminal, ask, null);
  assert.deepEqual(
    asked.map((messages) => messages.map(({ content }) => content)),
    [['Hi'], ['Hi', 'answer 1', 'And?']],
  );
  assert.equal(terminal.written.map(([, text]) => text).join(''), 'answer 1\nanswer 2\n');
  assert.equal(terminal.listeners(), 0);
});

test('Ctrl-C aborts the request; the program goes on', async () => {
  const terminal = scriptedTerminal([line('Count.'), line('Still there?')]);
  const signals: AbortSignal[] = [];
  async function* endless(signal: AbortSignal): AsyncGenerator<AnswerPart> {
    yield { type: 'text', text: 'one' };
    const aborted = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    setImmediate(() => terminal.interrupt());
    await aborted;
  }
  const ask: Ask = (_, signal) => {
    signals.push(signal);
    if (signals.length === 1) return endless(signal);
    return partsOf([{ type: 'finished', finishReason: 'stop' }]);
  };
  await runConversation(terminal, ask, null);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
  assert.ok(terminal.written.some(([tone, text]) => tone === 'notice' && text === '[stopped]\n'));
});

test('a refusal of the server is shown as its message', async () => {
  const terminal = scriptedTerminal([line('Hi')]);
  const ask: Ask = () => {
    throw new ParlanceError('queue_full', 'Too many wait.');
  };
  await runConversation(terminal, ask, null);
  assert.deepEqual(terminal.written, [['error', 'Too many wait.\n']]);
});

test('a bug is not swallowed', async () => {
  const terminal = scriptedTerminal([line('Hi')]);
  const ask: Ask = () => {
    throw new TypeError('a bug');
  };
  await assert.rejects(runConversation(terminal, ask, null), /a bug/);
});
