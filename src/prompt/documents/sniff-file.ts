/**
 * What a file is, by its content and not by its name: a PDF, text in UTF-8, or something that has no
 * text to read. Pure.
 */

export type Sniffed =
  | { readonly kind: 'pdf' }
  | { readonly kind: 'text'; readonly text: string }
  /** `problem` completes the sentence "the file …". */
  | { readonly kind: 'other'; readonly problem: string };

const image = 'a picture, and the model reads text only; describe it in words';
const office = 'a ZIP archive or an office document; save it as a PDF or as text';

const archive = 'an archive; send what is in it';
const media = 'sound or video, and the model reads text only';
const utf16 = 'text in UTF-16; save it in UTF-8';

/** First bytes, in hexadecimal (`..` is any byte), of what people send by mistake. */
const signatures: Readonly<Record<string, string>> = {
  '89504e47': image,
  ffd8ff: image,
  '47494638': image,
  '52494646........57454250': image,
  '49492a00': image,
  '4d4d002a': image,
  '........6674797061766966': image,
  '........6674797068656963': image,
  '........667479706d696631': image,
  '504b0304': office,
  '504b0506': office,
  d0cf11e0: office,
  '1f8b': archive,
  '425a68': archive,
  '377abcaf': archive,
  fd377a585a: archive,
  '28b52ffd': archive,
  '52617221': archive,
  '494433': media,
  fffb: media,
  '4f676753': media,
  '664c6143': media,
  '52494646........57415645': media,
  '........66747970': media,
  fffe: utf16,
  feff: utf16,
};

const kinds = Object.entries(signatures).map(
  ([start, what]) => [new RegExp(`^${start}`), what] as const,
);

/** A PDF may begin with other bytes, as mail programs leave them. */
const pdfWithin = 1024;

export function sniffFile(bytes: Buffer, maxCharacters: number): Sniffed {
  if (bytes.length === 0) return { kind: 'other', problem: 'is empty' };
  const start = bytes.toString('latin1', 0, pdfWithin);
  if (start.replace(/^[\s\0\u00ef\u00bb\u00bf]+/, '').startsWith('%PDF-')) return { kind: 'pdf' };
  if (bytes.includes(0)) return notText(bytes, start);
  // No character of UTF-8 is longer than four bytes.
  if (bytes.length > maxCharacters * 4) return tooLong(maxCharacters);
  const text = decode(bytes);
  if (text === null) return notText(bytes, start);
  return text.length > maxCharacters ? tooLong(maxCharacters) : { kind: 'text', text };
}

/** Only what is no text is looked up: texts may begin with any letters. */
function notText(bytes: Buffer, start: string): Sniffed {
  const hex = bytes.toString('hex', 0, 12);
  const known = kinds.find(([signature]) => signature.test(hex));
  if (known !== undefined) return { kind: 'other', problem: `is ${known[1]}` };
  if (start.includes('%PDF-')) return { kind: 'pdf' };
  return { kind: 'other', problem: 'is neither a PDF nor text in UTF-8' };
}

const tooLong = (most: number): Sniffed => ({
  kind: 'other',
  problem: `has more than ${most} characters`,
});

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
