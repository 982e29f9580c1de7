/**
 * A prompt that ends inside its last message, so that the model goes on with it: what
 * `continue_final_message` of Hugging Face transformers does. Knows templates only as a function.
 */

import { ParlanceError } from '../contract/errors.ts';
import type { TemplateMessage } from './template-messages.ts';

/** Ends with a space, which tells whether the template trims what a message says. */
const endMark = '\u2060end of the message that goes on\u2060 ';

/**
 * The prompt up to the end of the last message's text: the text is marked, and what the template puts
 * after the mark is cut off. The text itself would not do for a mark: short ones occur in what templates
 * put around messages.
 * @throws ParlanceError `invalid_template` where the template does not show the text as it is
 */
export function renderOpen(
  render: (messages: readonly TemplateMessage[]) => string,
  messages: readonly TemplateMessage[],
): string {
  const last = messages.at(-1);
  if (last === undefined) return render(messages);
  const text = render([...messages.slice(0, -1), withMark(last)]);
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
  const own = lastTextOf(last);
  const space = own.length - own.trimEnd().length;
  return open.slice(0, Math.max(open.trimEnd().length, open.length - space));
}

const lastTextOf = ({ content }: TemplateMessage): string =>
  typeof content === 'string' ? content : (content?.at(-1)?.text ?? '');

function withMark(message: TemplateMessage): TemplateMessage {
  const { content } = message;
  const marked = `${lastTextOf(message)}${endMark}`;
  return {
    ...message,
    content:
      typeof content === 'string' || content === null
        ? marked
        : [...content.slice(0, -1), { type: 'text', text: marked }],
  };
}
