/** Fields that shape the answer: constraints, tools, reasoning. */

import { Type } from 'typebox';
import { anyObject, closed, optional } from './optional.ts';

const functionDefinition = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    description: optional(Type.String()),
    parameters: optional(anyObject),
    strict: optional(Type.Boolean()),
  },
  closed,
);

const tool = Type.Object(
  {
    type: Type.Literal('function'),
    function: functionDefinition,
    cache_control: optional(anyObject),
  },
  closed,
);

const functionName = Type.Object({ name: Type.String({ minLength: 1 }) }, closed);

const toolChoice = Type.Union([
  Type.Enum(['none', 'auto', 'required']),
  Type.Union([
    Type.Object({ type: Type.Literal('function'), function: functionName }, closed),
    Type.Object(
      {
        type: Type.Literal('allowed_tools'),
        allowed_tools: Type.Object(
          { mode: Type.Enum(['auto', 'required']), tools: Type.Array(anyObject) },
          closed,
        ),
      },
      closed,
    ),
  ]),
]);

const jsonSchema = Type.Object(
  {
    name: Type.String(),
    description: optional(Type.String()),
    schema: optional(anyObject),
    strict: optional(Type.Boolean()),
  },
  closed,
);

const responseFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }, closed),
  Type.Object({ type: Type.Literal('json_object') }, closed),
  Type.Object({ type: Type.Literal('json_schema'), json_schema: jsonSchema }, closed),
  Type.Object({ type: Type.Literal('regex'), pattern: Type.String() }, closed),
  Type.Object({ type: Type.Literal('grammar'), grammar: Type.String() }, closed),
  Type.Object(
    {
      type: Type.Literal('structural_tag'),
      structural_tag: Type.Union([Type.String(), anyObject]),
    },
    closed,
  ),
]);

export const structureFields = {
  response_format: optional(
    responseFormat,
    'Text, JSON, a JSON schema, a regex, a grammar or structural tags.',
  ),
  guided_json: optional(
    Type.Union([anyObject, Type.String()]),
    'The text is JSON that matches this schema (an object, or its JSON text).',
  ),
  guided_regex: optional(Type.String(), 'The whole text matches this regex.'),
  guided_choice: optional(
    Type.Array(Type.String(), { minItems: 1 }),
    'The text is one of these strings.',
  ),
  guided_grammar: optional(
    Type.String(),
    'The text follows this grammar: EBNF in GBNF style, or Lark.',
  ),
  structural_tag: optional(
    Type.Union([Type.String(), anyObject]),
    'Structural tags: a JSON string, or the object itself.',
  ),
  guided_decoding_backend: optional(Type.String(), '`auto`, or a back end that the target has.'),
  guided_whitespace_pattern: optional(
    Type.String(),
    'A regex for the whitespace between JSON tokens.',
  ),
  tools: optional(Type.Array(tool), 'Functions that the model may call.'),
  tool_choice: optional(
    toolChoice,
    '`none`, `auto`, `required`, one function, or a list of allowed tools.',
  ),
  parallel_tool_calls: optional(Type.Boolean(), 'Whether one answer may hold several tool calls.'),
  functions: optional(Type.Array(functionDefinition), 'The old name of `tools`.'),
  function_call: optional(
    Type.Union([Type.Enum(['none', 'auto']), functionName]),
    'The old name of `tool_choice`.',
  ),
  reasoning_effort: optional(
    Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']),
    'How much the model thinks before it answers.',
  ),
  verbosity: optional(Type.Enum(['low', 'medium', 'high']), 'How long the answer should be.'),
};
