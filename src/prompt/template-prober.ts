/**
 * Tries a chat template on tiny conversations: the probes, and what every question about a template
 * needs answered first. Only the template's profile uses it.
 */

import { ParlanceError } from '../contract/errors.ts';
import type { ChatTemplate } from './chat-template.ts';
import { TemplateFailure } from './jinja/values/failure.ts';
import type { SpecialTokens } from './prompt-input.ts';
import { toSpecialVariables } from './special-variables.ts';

export type Role = 'system' | 'user' | 'assistant' | 'tool';
export type ProbeMessage = Readonly<Record<string, unknown>> & { readonly role: string };

/** A text that no template has of its own. */
export const said = 'qprobe said';
export const user: ProbeMessage = { role: 'user', content: 'Hello' };

const argumentsText = '{"probe_key": "probe value"}';

export const probeTool = {
  type: 'function',
  function: {
    name: 'probe_tool',
    description: 'Looks up',
    parameters: {
      type: 'object',
      properties: { probe_key: { type: 'string', description: 'The key' } },
      required: ['probe_key'],
    },
  },
};

const shortId = 'abcde1234';
const longId = 'call_0123456789abcdef';

function otherCall(form: 'object' | 'string') {
  const text = argumentsText.replace('probe value', 'other value');
  return {
    name: 'probe_tool',
    arguments: form === 'object' ? (JSON.parse(text) as unknown) : text,
  };
}

interface Call {
  readonly id?: string;
  readonly content?: '' | null;
  /** Further fields of the assistant's message. */
  readonly more?: object;
  readonly result?: unknown;
}

/** A question, a call with these arguments, and its result. */
function turnOf(
  given: unknown,
  { id = shortId, content = '', more, result }: Call,
): ProbeMessage[] {
  const called = { name: 'probe_tool', arguments: given };
  return [
    user,
    {
      role: 'assistant',
      content,
      tool_calls: [{ id, type: 'function', function: called }],
      ...more,
    },
    { role: 'tool', tool_call_id: id, name: 'probe_tool', content: result ?? 'probe result' },
  ];
}

export interface Prober {
  /** The template on these messages, or null where it raises. */
  readonly render: (
    messages: readonly ProbeMessage[],
    more?: Readonly<Record<string, unknown>>,
  ) => string | null;
  readonly mentions: (identifier: string) => boolean;
  readonly absent: () => Readonly<Record<string, null>>;
  readonly callArguments: () => 'object' | 'string';
  /** A conversation with a call whose arguments are in the template's form. */
  readonly toolTurn: (call?: Call) => ProbeMessage[];
  /** A conversation in which this role says something. */
  readonly conversation: (role: Role, content: unknown, more?: object) => ProbeMessage[];
  /** Whether a call and its result are shown, with this content beside the call. */
  readonly showsTurn: (content: '' | null) => boolean;
  /** Whether each of two calls in one message is shown. */
  readonly showsParallel: (content: '' | null) => boolean;
  /** Whether IDs of calls must be of nine letters and digits. */
  readonly shortCallIds: () => boolean;
}

/** What Hugging Face transformers gives a template for what was not sent. */
const none = { tools: null, documents: null };

export function createProber(template: ChatTemplate, special: SpecialTokens): Prober {
  const bare: Prober['render'] = (messages, more = {}) => {
    try {
      return template.render({
        ...toSpecialVariables(special),
        messages,
        add_generation_prompt: messages.at(-1)?.role !== 'assistant',
        ...more,
      });
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  };
  const absent = once(() => (bare([user], none) === null && bare([user]) !== null ? {} : none));
  const render: Prober['render'] = (messages, more) => bare(messages, { ...absent(), ...more });
  const withTool = (turn: readonly ProbeMessage[]): string | null =>
    render(turn, { tools: [probeTool] }) ?? render(turn);
  const callArguments = once(() => findCallArguments(withTool));
  const toolTurn: Prober['toolTurn'] = (call = {}) =>
    turnOf(
      callArguments() === 'object' ? (JSON.parse(argumentsText) as unknown) : argumentsText,
      call,
    );
  return {
    render,
    mentions: (identifier) => template.mentions(identifier),
    absent,
    callArguments,
    toolTurn,
    conversation(role, content, more) {
      if (role === 'tool') return toolTurn({ result: content });
      const message = { role, content, ...more };
      if (role === 'system') return [message, user];
      return role === 'user' ? [message] : [user, message, user];
    },
    showsTurn(content) {
      const text = withTool(toolTurn({ content }));
      return ['probe_tool', 'probe value', 'probe result'].every((word) => text?.includes(word));
    },
    showsParallel(content) {
      const [asked, calling, result] = toolTurn({ content });
      if (asked === undefined || calling === undefined || result === undefined) return false;
      const [first] = calling['tool_calls'] as Record<string, unknown>[];
      const again = { ...first, id: 'abcde5678', function: otherCall(callArguments()) };
      const turn = [
        asked,
        { ...calling, tool_calls: [first, again] },
        result,
        { ...result, tool_call_id: 'abcde5678' },
      ];
      const text = withTool(turn);
      return text?.includes('probe value') === true && text.includes('other value');
    },
    shortCallIds: once(
      () => render(toolTurn({ id: longId })) === null && render(toolTurn()) !== null,
    ),
  };
}

/** What goes beyond the limits of templates does so on anything; no other probe tells more. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ParlanceError)) return false;
  return !(error.cause instanceof TemplateFailure && error.cause.kind === 'LimitError');
}

/**
 * Some templates print arguments as JSON and want the object, some print the text as it is. An object
 * that comes out as Python writes it, or a text that is quoted once more, is the wrong choice.
 */
function findCallArguments(
  render: (turn: readonly ProbeMessage[]) => string | null,
): 'object' | 'string' {
  const isRight = (text: string | null): boolean =>
    text !== null &&
    text.includes('probe_key') &&
    text.includes('probe value') &&
    !/'probe_key'|\\"probe_key/.test(text);
  const takes = (given: unknown): boolean =>
    (['', null] as const).some((content) => isRight(render(turnOf(given, { content }))));
  const object: unknown = JSON.parse(argumentsText);
  if (takes(object)) return 'object';
  if (takes(argumentsText)) return 'string';
  const raises = (given: unknown): boolean => render(turnOf(given, {})) === null;
  return raises(object) && !raises(argumentsText) ? 'string' : 'object';
}

export function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | null = null;
  return () => (found ??= { value: find() }).value;
}
