/**
 * Messages of a request in the shapes that Hugging Face transformers gives a template, as far as this
 * template can take them: content as text or parts, arguments as object or text, thinking under the
 * template's own name for it. A policy over the profile; renders nothing.
 */

import { createHash } from 'node:crypto';
import type { ContentPart, Message } from '../contract/index.ts';
import { exactValue } from './exact-value.ts';
import type { TemplateProfile } from './template-profile.ts';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface TemplateMessage {
  readonly role: string;
  /** null: nothing but calls. */
  readonly content: string | readonly TextPart[] | null;
  readonly [field: string]: unknown;
}

type Call = NonNullable<(Message & { role: 'assistant' })['tool_calls']>[number];

/** Without a profile: content as text, arguments as objects, nothing renamed. */
export function toTemplateMessages(
  messages: readonly Message[],
  profile: TemplateProfile,
): TemplateMessage[] {
  const calls = new Map<string, string>();
  return messages.map((message) => {
    for (const { id, function: called } of callsOf(message)) calls.set(id, called.name);
    return toTemplateMessage(message, profile, calls);
  });
}

/** The developer role is the system role to every template of an open model. */
export const templateRole = (message: Message) =>
  message.role === 'developer' ? 'system' : message.role;

function toTemplateMessage(
  message: Message,
  profile: TemplateProfile,
  calls: ReadonlyMap<string, string>,
): TemplateMessage {
  const role = templateRole(message);
  const name =
    message.name ?? (message.role === 'tool' ? calls.get(message.tool_call_id) : undefined);
  return {
    role,
    content: contentOf(message, profile),
    ...(name ? { name } : {}),
    ...(message.role === 'tool' ? { tool_call_id: callId(message.tool_call_id, profile) } : {}),
    ...(callsOf(message).length > 0
      ? { tool_calls: callsOf(message).map((call) => toTemplateCall(call, profile)) }
      : {}),
    ...reasoningOf(message, profile),
  };
}

function reasoningOf(message: Message, profile: TemplateProfile): Record<string, string> {
  if (message.role !== 'assistant') return {};
  const text = message.reasoning_content ?? message.reasoning ?? null;
  return text === null ? {} : { [profile.reasoningField() ?? 'reasoning_content']: text };
}

/** Parts go to a template as parts where it renders each of them, else as their texts in lines. */
function contentOf(message: Message, profile: TemplateProfile): TemplateMessage['content'] {
  const parts = textParts(message);
  if (callsOf(message).length > 0 && textOf(message) === '') return profile.emptyContent();
  const isPlain = typeof message.content === 'string' || parts.length === 0;
  const shape =
    isPlain && message.role !== 'user' ? 'string' : profile.contentShape(templateRole(message));
  if (shape === 'parts' || (shape === 'either' && !isPlain)) return parts;
  return textOf(message);
}

/** An assistant that refused said so in place of content. */
function textParts({ content, ...message }: Message): TextPart[] {
  const all =
    typeof content === 'string'
      ? [{ type: 'text' as const, text: content }]
      : ((content ?? []) as readonly (ContentPart | { type: 'refusal'; refusal: string })[]);
  const texts = all.flatMap((part): string[] => {
    if (part.type === 'text') return [part.text];
    return part.type === 'refusal' ? [part.refusal] : [];
  });
  const refusal = 'refusal' in message ? message.refusal : null;
  const shown = refusal && texts.join('') === '' ? [refusal] : texts;
  return shown.map((text) => ({ type: 'text', text }));
}

/** Text parts are joined by a newline, as vLLM and llama-server do for templates that take strings. */
export const textOf = (message: Message): string =>
  textParts(message)
    .map(({ text }) => text)
    .join('\n');

/** Calls of a message, those in the old spelling too. */
export function callsOf(message: Message): readonly Call[] {
  if (message.role !== 'assistant') return [];
  if (message.tool_calls?.length) return message.tool_calls;
  return message.function_call
    ? [{ id: message.function_call.name, type: 'function', function: message.function_call }]
    : [];
}

/** Arguments that are not JSON reach the template as the model wrote them. */
function toTemplateCall(call: Call, profile: TemplateProfile) {
  const { name, arguments: text } = call.function;
  const given = text.trim() === '' ? '{}' : text;
  const shown = profile.callArguments() === 'object' ? exactValue(given) : given;
  return { id: callId(call.id, profile), type: 'function', function: { name, arguments: shown } };
}

const shortForm = /^[A-Za-z0-9]{9}$/;

/** Some templates raise on IDs of any other form; a call and its result get the same one. */
function callId(id: string, profile: TemplateProfile): string {
  if (shortForm.test(id) || !profile.shortCallIds()) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** The text of the last message when it is the assistant's, else nothing: what `echo` prepends. */
export function finalAssistantText(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? textOf(last) : '';
}
