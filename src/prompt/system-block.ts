/**
 * What a conversation begins with: texts that a template has no place for go into its system message,
 * and a system message that it has no place for goes into the first message of the user. Pure.
 */

import type { Message } from '../contract/index.ts';
import { templateRole, textOf } from './template-messages.ts';

const gap = '\n\n';

/** Puts blocks after the system message's own text, or in a system message of their own. */
export function withSystemBlocks(
  messages: readonly Message[],
  blocks: readonly string[],
): readonly Message[] {
  if (blocks.length === 0) return messages;
  const [first, ...rest] = messages;
  const isSystem = first !== undefined && templateRole(first) === 'system';
  const own = isSystem ? [textOf(first)].filter((text) => text !== '') : [];
  const system: Message = { role: 'system', content: [...own, ...blocks].join(gap) };
  return [system, ...(isSystem ? rest : messages)];
}

/**
 * For templates without a system role: each run of system messages goes in front of the user's message
 * that follows it, as other servers do; where none follows it is a message of the user itself.
 */
export function foldSystem(messages: readonly Message[]): readonly Message[] {
  const folded: Message[] = [];
  let waiting: string[] = [];
  for (const message of messages) {
    if (templateRole(message) === 'system') {
      waiting.push(textOf(message));
    } else if (waiting.length > 0 && message.role === 'user') {
      folded.push(inFrontOf(message, waiting.join(gap)));
      waiting = [];
    } else {
      folded.push(message);
    }
  }
  return waiting.length === 0 ? folded : [...folded, { role: 'user', content: waiting.join(gap) }];
}

function inFrontOf(message: Message & { role: 'user' }, text: string): Message {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: `${text}${gap}${content}` };
  return { ...message, content: [{ type: 'text', text }, ...content] };
}
