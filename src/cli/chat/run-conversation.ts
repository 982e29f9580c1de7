/**
 * Plays a conversation: gives the state machine what happens, one event after the other, and does
 * what it says. The terminal and the server come in from outside, so that tests need neither.
 */

import { ParlanceError } from '../../contract/index.ts';
import type { AnswerPart } from './answer-stream.ts';
import {
  beginConversation,
  stepConversation,
  type ChatEffect,
  type ChatEvent,
  type ChatMessage,
  type Tone,
} from './conversation.ts';

export interface ChatTerminal {
  /** Shows the prompt and waits for what is typed: a line, Ctrl-C or the end. */
  read(): Promise<ChatEvent>;
  write(text: string, tone: Tone): void;
  /** Calls `listener` at each Ctrl-C until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
}

/** Gives the parts of an answer, and throws the signal's reason when that is aborted. */
export type Ask = (
  messages: readonly ChatMessage[],
  signal: AbortSignal,
) => AsyncIterable<AnswerPart>;

/** Runs until the user leaves. Throws only what is a bug. */
export async function runConversation(
  terminal: ChatTerminal,
  ask: Ask,
  system: string | null,
): Promise<void> {
  const events = new EventQueue();
  let controller = new AbortController();
  const perform = (effect: ChatEffect): void => {
    switch (effect.type) {
      case 'read':
        events.follow(async () => events.push(await terminal.read()));
        return;
      case 'ask':
        controller = new AbortController();
        events.follow(async () => await answer(effect.messages, controller.signal));
        return;
      case 'write':
        terminal.write(effect.text, effect.tone);
        return;
      case 'abort':
        controller.abort();
        return;
      case 'exit':
    }
  };
  const answer = async (messages: readonly ChatMessage[], signal: AbortSignal): Promise<void> => {
    const forget = terminal.onInterrupt(() => events.push({ type: 'interrupt' }));
    try {
      for await (const part of ask(messages, signal)) events.push(part);
    } catch (error) {
      if (signal.aborted) events.push({ type: 'aborted' });
      else if (error instanceof ParlanceError) {
        events.push({ type: 'failed', message: error.message });
      } else throw error;
    } finally {
      forget();
    }
  };
  let step = beginConversation(system);
  for (;;) {
    step.effects.forEach(perform);
    if (step.state.phase === 'over') return;
    step = stepConversation(step.state, await events.next());
  }
}

/** Events in the order in which they happened. */
class EventQueue {
  readonly #events: ChatEvent[] = [];
  #wake = Promise.withResolvers<void>();

  push(event: ChatEvent): void {
    this.#events.push(event);
    this.#wake.resolve();
  }

  /** Runs work that pushes events; what it throws comes out of `next`. */
  follow(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.#wake.reject(error));
  }

  async next(): Promise<ChatEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }
}
