/**
 * Calls in a history, rearranged for templates that take fewer forms of it: one call a message, or none
 * of them, only messages. Pure; what is left of each message is kept as it was.
 */

import type { Message } from '../contract/index.ts';
import { callsOf, textOf } from './template-messages.ts';

type Assistant = Message & { readonly role: 'assistant' };
type ToolResult = Message & { readonly role: 'tool' };

/** One call a message, each followed by its own result, for templates that show only one. */
export function splitCalls(messages: readonly Message[]): readonly Message[] {
  const split: Message[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    const calls = callsOf(message);
    if (message.role !== 'assistant' || calls.length < 2) {
      split.push(message);
      continue;
    }
    const results = resultsFrom(messages, at + 1);
    const answered = new Set<ToolResult>();
    for (const [index, call] of calls.entries()) {
      const own = results.filter((one) => one.tool_call_id === call.id && !answered.has(one));
      for (const one of own) answered.add(one);
      const rest = index === 0 ? message : { role: message.role, content: null };
      split.push({ ...rest, tool_calls: [call] }, ...own);
    }
    split.push(...results.filter((one) => !answered.has(one)));
    at += results.length;
  }
  return split;
}

function resultsFrom(messages: readonly Message[], start: number): ToolResult[] {
  const results: ToolResult[] = [];
  for (let at = start; messages[at]?.role === 'tool'; at++)
    results.push(messages[at] as ToolResult);
  return results;
}

/**
 * No calls and no results, only messages in Hermes form: calls are text of the assistant, results that
 * follow each other one message of the user.
 */
export function writeCalls(messages: readonly Message[]): readonly Message[] {
  const written: Message[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    if (message.role === 'tool') {
      const results = resultsFrom(messages, at);
      const blocks = results.map((one) => `<tool_response>\n${textOf(one)}\n</tool_response>`);
      written.push({ role: 'user', content: blocks.join('\n') });
      at += results.length - 1;
    } else if (message.role === 'assistant' && callsOf(message).length > 0) {
      written.push(withText(message));
    } else {
      written.push(message);
    }
  }
  return written;
}

function withText(message: Assistant): Message {
  const { tool_calls: _calls, function_call: _call, ...rest } = message;
  const calls = callsOf(message).map(({ function: { name, arguments: text } }) => {
    const given = text.trim() === '' ? '{}' : text;
    return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${given}}\n</tool_call>`;
  });
  const own = textOf(message);
  return { ...rest, content: [...(own === '' ? [] : [own]), ...calls].join('\n') };
}

/** What the user says in several messages becomes one, for templates that refuse two in a row. */
export function mergeUsers(messages: readonly Message[]): readonly Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      merged[merged.length - 1] = { ...last, content: `${textOf(last)}\n\n${textOf(message)}` };
    } else {
      merged.push(message);
    }
  }
  return merged;
}
