/**
 * Documents as text in a prompt, for templates that have no place for them and for files that come
 * inside a message. Our own wording; pure.
 */

/** One document between tags that name it. */
export function documentBlock(name: string | null, text: string): string {
  const title = name === null ? '' : ` name="${name.replaceAll(/[\s"]+/g, ' ').trim()}"`;
  return `<document${title}>\n${text.trimEnd()}\n</document>`;
}

const titleKeys = ['title', 'name', 'filename', 'doc_id', 'id'];
const textKeys = ['text', 'content', 'contents', 'body'];

/**
 * The block that goes into the system message. Whatever a document says beside its title and its text
 * stands in lines before the text.
 */
export function documentsBlock(documents: readonly Readonly<Record<string, string>>[]): string {
  const blocks = documents.map((document) => {
    const titleKey = titleKeys.find((key) => document[key]);
    const textKey = textKeys.find((key) => document[key] !== undefined);
    const more = Object.entries(document)
      .filter(([key]) => key !== titleKey && key !== textKey)
      .map(([key, value]) => `${key}: ${value}`);
    const text = textKey === undefined ? [] : [document[textKey] ?? ''];
    return documentBlock(
      titleKey === undefined ? null : (document[titleKey] ?? ''),
      [...more, ...text].join('\n'),
    );
  });
  return ['Use these documents to answer.', ...blocks].join('\n\n');
}
