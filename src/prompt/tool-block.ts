/**
 * Tools for templates that take none: a block for the system message, in the form that Hermes models
 * were trained on and that the parser of answers reads back. Pure.
 */

import type { WireTool } from './prompt-input.ts';

/**
 * @param parameterTexts for each tool the source text of its parameters, as its author spelled them;
 * null where it has none
 */
export function toolBlock(
  tools: readonly WireTool[],
  parameterTexts: readonly (string | null)[],
): string {
  const lines = tools.map(({ function: { name, description } }, index) => {
    const fields = [`"name": ${JSON.stringify(name)}`];
    if (description) fields.push(`"description": ${JSON.stringify(description)}`);
    fields.push(`"parameters": ${onOneLine(parameterTexts[index] ?? null)}`);
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

/** Strings of JSON hold no line breaks, so all of them are between its tokens. */
const onOneLine = (json: string | null): string =>
  json === null || json === 'null'
    ? '{"type": "object", "properties": {}}'
    : json.replaceAll(/\s*[\r\n]\s*/g, ' ');
