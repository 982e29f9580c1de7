/**
 * From messages to a prompt: the context that the template sees, under the names that Hugging Face
 * transformers uses. The embedded target calls this; engines behind other targets render themselves.
 */

import { ParlanceError, type ContentPart, type Message } from '../contract/index.ts';
import type { ChatTemplate } from './chat-template.ts';

export interface SpecialTokens {
  readonly bos: string | null;
  readonly eos: string | null;
}

export interface RenderOptions {
  readonly addGenerationPrompt: boolean;
  /** End right after the last message's text, so that the model goes on with it. */
  readonly continueFinalMessage?: boolean;
  readonly special: SpecialTokens;
}

/** @throws ParlanceError `invalid_template` in the template's own words. */
export function renderPrompt(
  template: ChatTemplate,
  messages: readonly Message[],
  options: RenderOptions,
): string {
  const shown = messages.map(toTemplateMessage);
  const render = (all: readonly TemplateMessage[]): string =>
    template.render({
      messages: all,
      add_generation_prompt: options.addGenerationPrompt,
      bos_token: options.special.bos ?? '',
      eos_token: options.special.eos ?? '',
    });
  return options.continueFinalMessage === true ? renderOpen(render, shown) : render(shown);
}

/** Ends with a space, which tells whether the template trims what a message says. */
const endMark = '\u2060end of the message that goes on\u2060 ';

/**
 * The prompt up to the end of the last message's text, as `continue_final_message` of Hugging Face
 * transformers has it: the text is marked, and what the template puts after the mark is cut off. The
 * text itself would not do for a mark: short ones occur in what templates put around messages.
 */
function renderOpen(
  render: (messages: readonly TemplateMessage[]) => string,
  messages: readonly TemplateMessage[],
): string {
  const last = messages.at(-1);
  if (last === undefined) return render(messages);
  const marked = { ...last, content: `${last.content}${endMark}` };
  const text = render([...messages.slice(0, -1), marked]);
  const at = text.lastIndexOf(endMark.trimEnd());
  if (at === -1) {
    throw new ParlanceError(
      'invalid_template',
      'The chat template does not show the last message as it is, so `continue_final_message` cannot go on with it. Send a raw `prompt`.',
      { param: 'continue_final_message' },
    );
  }
  const open = text.slice(0, at);
  if (text.startsWith(endMark, at)) return open;
  // The template trims: of the space before the mark only the message's own would have gone.
  const space = last.content.length - last.content.trimEnd().length;
  return open.slice(0, Math.max(open.trimEnd().length, open.length - space));
}

/** Text parts are joined by a newline, as vLLM and llama-server do for templates that take strings. */
function textOf(content: string | readonly { readonly type: string }[] | null | undefined): string {
  if (typeof content === 'string') return content;
  const parts = (content ?? []) as readonly (ContentPart | { type: 'refusal'; refusal: string })[];
  return parts
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return part.type === 'refusal' ? [part.refusal] : [];
    })
    .join('\n');
}

interface TemplateMessage {
  readonly role: string;
  readonly content: string;
  readonly [field: string]: unknown;
}

/** The developer role is the system role to every template of an open model. */
function toTemplateMessage(message: Message): TemplateMessage {
  const role = message.role === 'developer' ? 'system' : message.role;
  const reasoning =
    message.role === 'assistant' ? (message.reasoning_content ?? message.reasoning ?? null) : null;
  return {
    role,
    content: contentOf(message),
    ...(message.name ? { name: message.name } : {}),
    ...(message.role === 'tool' ? { tool_call_id: message.tool_call_id } : {}),
    ...(message.role === 'assistant' && message.tool_calls?.length
      ? { tool_calls: message.tool_calls.map(toTemplateCall) }
      : {}),
    ...(reasoning === null ? {} : { reasoning_content: reasoning }),
  };
}

/** An assistant that refused said so in place of content. */
function contentOf(message: Message): string {
  const text = textOf(message.content);
  return text === '' && message.role === 'assistant' ? (message.refusal ?? '') : text;
}

/** Templates print arguments as the object they are, not as JSON inside a string. */
function toTemplateCall(call: {
  readonly function: { readonly name: string; readonly arguments: string };
}) {
  let parsed: unknown = call.function.arguments;
  try {
    parsed = JSON.parse(call.function.arguments);
  } catch {
    // Arguments that are not JSON reach the template as the model wrote them.
  }
  return { ...call, function: { ...call.function, arguments: parsed } };
}

/** The text of the last message when it is the assistant's, else nothing: what `echo` prepends. */
export function finalAssistantText(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? textOf(last.content) : '';
}
