/**
 * Tools for templates that take none: a block for the system message and a history of plain messages,
 * both in Hermes form. Between the messages of a request and the format's own functions.
 */

import { stringifyJson } from '../contract/index.ts';
import type { PromptInput, WireTool } from './prompt-input.ts';
import { callsOf, textOf } from './template-messages.ts';

export function toolBlock(tools: readonly WireTool[]): string {
  const lines = tools.map(({ type, function: one }) => stringifyJson({ type, function: one }));
  return [
    '# Tools',
    '',
    'You may call one or more functions to assist with the user query.',
    '',
    'You are provided with function signatures within <tools></tools> XML tags:',
    '<tools>',
    ...lines,
    '</tools>',
    '',
    'For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:',
    '<tool_call>',
    '{"name": <function-name>, "arguments": <args-json-object>}',
    '</tool_call>',
  ].join('\n');
}

export function withToolHistory(messages: PromptInput['messages']): PromptInput['messages'] {
  return messages.map((message) => {
    if (message.role === 'tool') {
      const { name } = message;
      const content = `<tool_response>\n${textOf(message)}\n</tool_response>`;
      return { role: 'user', content, ...(name ? { name } : {}) };
    }
    const calls = callsOf(message);
    if (message.role !== 'assistant' || calls.length === 0) return message;
    const { tool_calls: _calls, function_call: _call, ...rest } = message;
    const written = calls.map(
      ({ function: { name, arguments: text } }) =>
        `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}\n</tool_call>`,
    );
    const own = textOf(message);
    return { ...rest, content: [...(own === '' ? [] : [own]), ...written].join('\n') };
  });
}
