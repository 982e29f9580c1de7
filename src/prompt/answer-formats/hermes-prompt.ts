/**
 * Tools for templates that take none: a block for the system message in the form that Hermes models were
 * trained on, and the calls and results of a conversation as plain messages. Pure.
 */

import type { ToolDefinition } from './answer-part.ts';
import { parseSchema } from './bodies/parameter-types.ts';

/** What the system message says of the tools. */
export function hermesToolBlock(tools: readonly ToolDefinition[]): string {
  const lines = tools.map(({ name, description, parameters }) => {
    const fields = [`"name": ${JSON.stringify(name)}`];
    if (description !== null) fields.push(`"description": ${JSON.stringify(description)}`);
    fields.push(`"parameters": ${shown(parameters)}`);
    return `{"type": "function", "function": {${fields.join(', ')}}}`;
  });
  return `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
${lines.join('\n')}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`;
}

/** A schema on one line; what is no schema is any object. */
function shown(parameters: string | null): string {
  if (parameters === null || parseSchema(parameters) === null) {
    return '{"type": "object", "properties": {}}';
  }
  return parameters.includes('\n') ? JSON.stringify(JSON.parse(parameters)) : parameters;
}

export interface HistoryCall {
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface HistoryMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly HistoryCall[] | undefined;
}

export interface PlainMessage {
  readonly role: string;
  readonly content: string;
}

/**
 * The messages without calls and tool messages: calls are written into the text of the assistant, results
 * that follow each other become one message of the user.
 */
export function hermesHistory(messages: readonly HistoryMessage[]): readonly PlainMessage[] {
  const plain: PlainMessage[] = [];
  let inResults = false;
  for (const message of messages) {
    if (message.role === 'tool') {
      const result = `<tool_response>\n${message.content}\n</tool_response>`;
      const last = inResults ? plain.pop() : undefined;
      const content = last === undefined ? result : `${last.content}\n${result}`;
      plain.push({ role: 'user', content });
    } else plain.push({ role: message.role, content: withCalls(message) });
    inResults = message.role === 'tool';
  }
  return plain;
}

function withCalls({ content, tool_calls: calls = [] }: HistoryMessage): string {
  const written = calls.map(({ function: called }) => {
    const args = called.arguments.trim() === '' ? '{}' : called.arguments;
    return `<tool_call>\n{"name": ${JSON.stringify(called.name)}, "arguments": ${args}}\n</tool_call>`;
  });
  return [...(content === '' ? [] : [content]), ...written].join('\n');
}
