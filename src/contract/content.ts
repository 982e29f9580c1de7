/**
 * What messages and tools hold beside plain text. It is decided like a parameter, but named by its
 * JSON path. Side notes can be dropped from a request; a part of the conversation never is.
 */

import type { ContentName } from './capability.ts';
import type { ChatRequest } from './normalise.ts';
import type { Message } from './request/messages.ts';

type Step = string | number;

export interface Content {
  readonly name: ContentName;
  /** As an error names it: `messages[0].content[1]`. */
  readonly path: string;
  /** The same path as keys, from the body. */
  readonly steps: readonly Step[];
  /** Whether the conversation means the same without it. */
  readonly droppable: boolean;
}

const partNames: Partial<Record<string, ContentName>> = {
  image_url: 'messages[].content.image_url',
  file: 'messages[].content.file',
  input_audio: 'messages[].content.input_audio',
};

const sideNotes: ReadonlySet<ContentName> = new Set([
  'messages[].name',
  'messages[].reasoning_content',
  'messages[].provider_state',
  'cache_control',
]);

function content(name: ContentName, steps: readonly Step[]): Content {
  const path = steps
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
  return { name, path, steps, droppable: sideNotes.has(name) };
}

/** Everything of that kind in a request, in its order. */
export function contentOf(request: ChatRequest): Content[] {
  const messages = request.input.kind === 'messages' ? request.input.messages : [];
  const tools = request.parameters.tools ?? [];
  return [
    ...messages.flatMap(contentOfMessage),
    ...tools.flatMap((tool, index) =>
      tool.cache_control ? [content('cache_control', ['tools', index, 'cache_control'])] : [],
    ),
  ];
}

function contentOfMessage(message: Message, index: number): Content[] {
  const found: Content[] = [];
  const add = (name: ContentName, ...keys: Step[]): void => {
    found.push(content(name, ['messages', index, ...keys]));
  };
  if (message.name) add('messages[].name', 'name');
  if ((message.provider_state ?? null) !== null) add('messages[].provider_state', 'provider_state');
  if (message.role === 'assistant') {
    if (message.tool_calls?.length) add('messages[].tool_calls', 'tool_calls');
    if (message.function_call) add('messages[].tool_calls', 'function_call');
    if (message.reasoning_content) add('messages[].reasoning_content', 'reasoning_content');
    if (message.reasoning) add('messages[].reasoning_content', 'reasoning');
    if (message.audio) add('messages[].content.input_audio', 'audio');
  }
  if (!Array.isArray(message.content)) return found;
  for (const [at, part] of message.content.entries()) {
    const name = partNames[part.type];
    if (name !== undefined) add(name, 'content', at);
    if ('cache_control' in part && part.cache_control) {
      add('cache_control', 'content', at, 'cache_control');
    }
  }
  return found;
}

/** The same request without these side notes, in its normal form and in its wire form. */
export function withoutContent(request: ChatRequest, dropped: readonly Content[]): ChatRequest {
  if (dropped.length === 0) return request;
  const wire = omitAll(request.wire, dropped) as ChatRequest['wire'];
  const { input, parameters } = request;
  return {
    ...request,
    wire,
    input:
      input.kind === 'messages' && wire.messages
        ? { kind: 'messages', messages: wire.messages }
        : input,
    parameters: parameters.tools && wire.tools ? { ...parameters, tools: wire.tools } : parameters,
  };
}

const omitAll = (value: unknown, dropped: readonly Content[]): unknown =>
  dropped.reduce<unknown>((kept, { steps }) => omit(kept, steps), value);

/** A copy without the value at these keys; what the keys do not touch is shared. */
function omit(value: unknown, [step, ...rest]: readonly Step[]): unknown {
  if (typeof value !== 'object' || value === null || step === undefined) return value;
  if (Array.isArray(value)) {
    return (value as unknown[]).map((one, index) => (index === step ? omit(one, rest) : one));
  }
  const entries = Object.entries(value);
  return Object.fromEntries(
    rest.length === 0
      ? entries.filter(([key]) => key !== step)
      : entries.map(([key, one]) => [key, key === step ? omit(one, rest) : one]),
  );
}
