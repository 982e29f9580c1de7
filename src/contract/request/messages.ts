/**
 * Messages: one closed object per role, and content parts told apart by `type`. The union is
 * discriminated by `role` so that an error can name the branch that was meant.
 */

import { Type, type Static } from 'typebox';
import { anyObject, closed, optional } from './optional.ts';

const cacheControl = optional(
  anyObject,
  'Prompt caching marker, passed to providers that have one.',
);

const textPart = Type.Object(
  { type: Type.Literal('text'), text: Type.String(), cache_control: cacheControl },
  closed,
);

const refusalPart = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }, closed);

const imagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Object(
      {
        url: Type.String({ minLength: 1 }),
        detail: optional(Type.Enum(['auto', 'low', 'high'])),
      },
      closed,
    ),
    cache_control: cacheControl,
  },
  closed,
);

const filePart = Type.Object(
  {
    type: Type.Literal('file'),
    file: Type.Object(
      {
        file_data: optional(Type.String()),
        file_id: optional(Type.String()),
        filename: optional(Type.String()),
      },
      closed,
    ),
    cache_control: cacheControl,
  },
  closed,
);

const audioPart = Type.Object(
  {
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }, closed),
    cache_control: cacheControl,
  },
  closed,
);

const contentPart = Type.Union([textPart, imagePart, filePart, audioPart]);
const assistantPart = Type.Union([textPart, refusalPart]);

const content = Type.Union([Type.String(), Type.Array(contentPart)]);
const textContent = Type.Union([Type.String(), Type.Array(textPart)]);

const providerState = optional(
  Type.Unknown(),
  'What a provider must get back, such as thinking signatures; send it as you received it.',
);

const toolCall = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('function'),
    function: Type.Object({ name: Type.String(), arguments: Type.String() }, closed),
    index: optional(Type.Integer({ minimum: 0 })),
  },
  closed,
);

const named = { name: optional(Type.String()), provider_state: providerState };

const systemMessage = Type.Object(
  { role: Type.Literal('system'), content: textContent, ...named },
  closed,
);

const developerMessage = Type.Object(
  { role: Type.Literal('developer'), content: textContent, ...named },
  closed,
);

const userMessage = Type.Object({ role: Type.Literal('user'), content, ...named }, closed);

const assistantMessage = Type.Object(
  {
    role: Type.Literal('assistant'),
    content: Type.Optional(Type.Union([Type.String(), Type.Array(assistantPart), Type.Null()])),
    tool_calls: optional(Type.Array(toolCall)),
    function_call: optional(
      Type.Object({ name: Type.String(), arguments: Type.String() }, closed),
      'The old form of one tool call.',
    ),
    reasoning_content: optional(Type.String()),
    reasoning: optional(Type.String(), 'A synonym of reasoning_content.'),
    refusal: optional(Type.String()),
    audio: optional(anyObject),
    annotations: optional(Type.Array(anyObject)),
    ...named,
  },
  closed,
);

const toolMessage = Type.Object(
  {
    role: Type.Literal('tool'),
    content,
    tool_call_id: Type.String({ description: 'Which call this answers.' }),
    ...named,
  },
  closed,
);

export const messageSchema = Type.Union([
  systemMessage,
  developerMessage,
  userMessage,
  assistantMessage,
  toolMessage,
]);

export type Message = Static<typeof messageSchema>;
export type ContentPart = Static<typeof contentPart>;
