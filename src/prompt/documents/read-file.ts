/**
 * A `file` part of a message as text: its bytes from base64, a data URL or the fetcher, and their text
 * by what they are. The limits hold whoever sent it; the text of a file that was read before is kept, as
 * conversations send their files again with every turn.
 */

import { createHash } from 'node:crypto';
import { ParlanceError } from '../../contract/errors.ts';
import type { ContentPart } from '../../contract/index.ts';
import { createBoundedCache, readBase64, type Fetcher } from '../../fetch/index.ts';
import { createWorkerPool, WorkerLost } from '../workers/worker-pool.ts';
import type { PdfProblem, PdfText } from './extract-pdf.ts';
import type { PdfJob } from './pdf-worker.ts';
import { sniffFile } from './sniff-file.ts';

export type FilePart = ContentPart & { readonly type: 'file' };

export interface ReadFile {
  /** null: the client gave none, and the URL has none. */
  readonly name: string | null;
  readonly text: string;
  /** For the receipt: what it was and how much of it there is. */
  readonly note: string;
}

export interface FileReader {
  /**
   * @param path of the part in the request, for errors
   * @throws ParlanceError `invalid_file`, or the signal's reason
   */
  read(part: FilePart, path: string, signal: AbortSignal): Promise<ReadFile>;
  close(): Promise<void>;
}

export interface FileLimits {
  readonly maxPages: number;
  readonly maxCharacters: number;
  /** For one PDF. */
  readonly maxMilliseconds: number;
}

export const fileLimits: FileLimits = {
  maxPages: 500,
  maxCharacters: 2_000_000,
  maxMilliseconds: 20_000,
};

/** Types that a remote file may have; a data URL's own type is not asked, its content is. */
const remoteTypes = [
  'application/pdf',
  'text/*',
  'application/json',
  'application/x-ndjson',
  'application/xml',
  'application/yaml',
  'application/javascript',
  'application/octet-stream',
];

type Text = Omit<ReadFile, 'name'>;

/** @param fetcher shared by everybody who reads remote files; also bounds the bytes of a file */
export function createFileReader(fetcher: Fetcher, limits = fileLimits): FileReader {
  const pool = createWorkerPool<PdfJob, PdfText | PdfProblem>({
    module: new URL('./pdf-worker.ts', import.meta.url),
    size: 2,
    milliseconds: limits.maxMilliseconds,
    megabytes: 512,
    keep: false,
  });
  const known = createBoundedCache<Text>({
    maxEntries: 256,
    maxSize: 16_000_000,
    maxAge: 3_600_000,
  });

  const readPdf = async (bytes: Buffer, refuse: Refuse, signal: AbortSignal): Promise<Text> => {
    const job = { bytes: new Uint8Array(bytes), limits };
    const read = await pool.run(job, signal).catch((error: unknown) => {
      throw error instanceof WorkerLost ? refuse(error.why) : error;
    });
    if ('problem' in read) throw refuse(read.problem);
    const { pages, text } = read;
    return {
      text,
      note: `a PDF of ${counted(pages, 'page')}, ${counted(text.length, 'character')}`,
    };
  };

  return {
    async read(part, path, signal) {
      const { bytes, name } = await bytesOf(part, path, signal, fetcher);
      const hash = createHash('sha256').update(bytes).digest('base64');
      const refuse = refuser(name, path);
      let text = known.get(hash);
      if (text === undefined) {
        const sniffed = sniffFile(bytes, limits.maxCharacters);
        if (sniffed.kind === 'other') throw refuse(sniffed.problem);
        text =
          sniffed.kind === 'pdf'
            ? await readPdf(bytes, refuse, signal)
            : { text: sniffed.text, note: `text, ${counted(sniffed.text.length, 'character')}` };
        known.set(hash, text, text.text.length);
      }
      return { name, ...text };
    },
    close: () => pool.close(),
  };
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

/** @param problem completes the sentence "The file …" */
type Refuse = (problem: string) => ParlanceError;

const refuser =
  (name: string | null, path: string): Refuse =>
  (problem) => {
    const shown = name === null ? '' : ` ${JSON.stringify(name.slice(0, 100))}`;
    return new ParlanceError('invalid_file', `${path}: the file${shown} ${problem}.`, {
      param: path,
    });
  };

async function bytesOf(
  { file }: FilePart,
  path: string,
  signal: AbortSignal,
  fetcher: Fetcher,
): Promise<{ readonly bytes: Buffer; readonly name: string | null }> {
  const name = file.filename || null;
  const { file_data: data } = file;
  if (file.file_id) {
    throw new ParlanceError(
      'unsupported_parameter',
      `\`${path}.file.file_id\` is not supported: files are not kept here. Send the file itself as \`file_data\`.`,
      { param: `${path}.file.file_id` },
    );
  }
  if (!data) {
    throw new ParlanceError('missing_field', `${path}.file.file_data is required: a data URL`, {
      param: `${path}.file.file_data`,
    });
  }
  const param = `${path}.file.file_data`;
  if (/^[a-z][a-z0-9+.-]*:/i.test(data.slice(0, 32))) {
    const types = /^data:/i.test(data) ? ['*'] : remoteTypes;
    const fetched = await fetcher.fetch(data, { signal, types, param });
    return { bytes: fetched.bytes, name: name ?? fetched.name };
  }
  const read = readBase64(data, fetcher.maxBytes);
  if ('problem' in read) throw refuser(name, param)(read.problem);
  return { bytes: read.bytes, name };
}
