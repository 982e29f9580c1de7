/**
 * The text of a PDF, page by page, as far as its limits go. Runs in a worker only: a PDF can keep a
 * reader busy for as long as it likes. Reads text; draws nothing, runs no scripts, fetches nothing.
 */

import { getDocumentProxy } from 'unpdf';

export interface PdfLimits {
  readonly maxPages: number;
  /** Of text, all pages together. */
  readonly maxCharacters: number;
}

export interface PdfText {
  readonly pages: number;
  readonly text: string;
}

/** Why there is no text; `problem` completes the sentence "the PDF …". */
export interface PdfProblem {
  readonly problem: string;
}

export async function extractPdf(
  bytes: Uint8Array,
  { maxPages, maxCharacters }: PdfLimits,
): Promise<PdfText | PdfProblem> {
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    // Warnings of the library would print what the document says.
    pdf = await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false });
  } catch (error) {
    return { problem: problemOf(error) };
  }
  const { numPages: pages } = pdf;
  if (pages > maxPages) return { problem: `has ${pages} pages; at most ${maxPages} are read` };
  const texts: string[] = [];
  let characters = 0;
  for (let number = 1; number <= pages; number++) {
    const text = await textOfPage(pdf, number);
    if (text === null) return { problem: `is damaged: page ${number} cannot be read` };
    characters += text.length;
    if (characters > maxCharacters) {
      return { problem: `has more than ${maxCharacters} characters of text` };
    }
    texts.push(text);
  }
  const text = texts.join('\n\n').trim();
  return text === '' ? { problem: noText } : { pages, text };
}

const noText =
  'has no text, only pictures of it perhaps, and the model sees none; send the text itself';

function problemOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return name === 'PasswordException'
    ? 'is encrypted; send it without a password'
    : 'is damaged, and cannot be read';
}

async function textOfPage(
  pdf: Awaited<ReturnType<typeof getDocumentProxy>>,
  number: number,
): Promise<string | null> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return items
      .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
      .join('')
      .trim();
  } catch {
    return null;
  }
}
