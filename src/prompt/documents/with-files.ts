/**
 * The messages of a request with the text of every file in its place. What the model reads of a file is
 * the block of a document, between what the message says before and after it.
 */

import type { ContentPath, Message } from '../../contract/index.ts';
import { documentBlock } from './document-block.ts';
import type { FileReader } from './read-file.ts';

export interface FileNote {
  /** JSON path of the part, as the receipt names it. */
  readonly path: ContentPath;
  readonly note: string;
}

export interface WithFiles {
  readonly messages: readonly Message[];
  readonly notes: readonly FileNote[];
}

/**
 * One file after the other, so that a request holds the bytes of one at a time.
 * @throws ParlanceError `invalid_file` that names the part, or the signal's reason
 */
export async function withFiles(
  messages: readonly Message[],
  reader: FileReader,
  signal: AbortSignal,
): Promise<WithFiles> {
  const notes: FileNote[] = [];
  const shown: Message[] = [];
  for (const [index, message] of messages.entries()) {
    const { content } = message;
    if (!Array.isArray(content) || !content.some(({ type }) => type === 'file')) {
      shown.push(message);
      continue;
    }
    const texts: string[] = [];
    for (const [at, part] of content.entries()) {
      if (part.type === 'text') texts.push(part.text);
      if (part.type !== 'file') continue;
      const path = `messages[${index}].content[${at}]` as const;
      const { name, text, note } = await reader.read(part, path, signal);
      texts.push(documentBlock(name, text));
      notes.push({ path, note: `read as text and put in its place: ${note}` });
    }
    shown.push({ ...message, content: texts.join('\n\n') });
  }
  return { messages: shown, notes };
}
