import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Message } from '../../contract/index.ts';
import { createFetcher, type Fetcher } from '../../fetch/index.ts';
import { documentBlock } from './document-block.ts';
import { toPdf } from './pdf-writer.test-support.ts';
import { createFileReader, type FilePart } from './read-file.ts';
import { withFiles } from './with-files.ts';

const { signal } = new AbortController();
const local = createFetcher({
  remote: false,
  allowHttp: false,
  allowPrivate: [],
  maxBytes: 1_000_000,
});
const limits = { maxPages: 3, maxCharacters: 1000, maxMilliseconds: 20_000 };
const reader = createFileReader(local, limits);
after(() => reader.close());

const part = (bytes: Buffer | string, filename?: string): FilePart => ({
  type: 'file',
  file: {
    file_data: Buffer.from(bytes).toString('base64'),
    ...(filename === undefined ? {} : { filename }),
  },
});

const path = 'messages[0].content[1]';
const read = (one: FilePart) => reader.read(one, path, signal);

async function refuses(one: FilePart, message: RegExp, reason = 'invalid_file') {
  await assert.rejects(read(one), (error: Record<string, unknown>) => {
    assert.equal(error['reason'], reason);
    assert.equal(error['status'], 400);
    assert.match(String(error['message']), message);
    assert.ok(String(error['param']).startsWith(path));
    return true;
  });
}

describe('a PDF', () => {
  it('is its text, page by page', async () => {
    const pdf = toPdf({ pages: [['Hello', 'world'], ['Page two']] });
    const url = `data:application/pdf;base64,${pdf.toString('base64')}`;
    const { name, text, note } = await read({
      type: 'file',
      file: { file_data: url, filename: 'a.pdf' },
    });
    assert.equal(name, 'a.pdf');
    assert.equal(text, 'Hello\nworld\n\nPage two');
    assert.equal(note, 'a PDF of 2 pages, 21 characters');
    // It goes by what it is, not by what it is called; and mail programs put lines before it.
    const disguised = part(Buffer.concat([Buffer.from('\r\n'), pdf]), 'a.txt');
    assert.equal((await read(disguised)).text, text);
  });

  it('that is encrypted, broken, long or without text says so', async () => {
    const whole = toPdf({ pages: [['Hello']] });
    await refuses(
      part(toPdf({ pages: [['Hello']], encrypted: true }), 's.pdf'),
      /"s\.pdf" is encrypted; send it without a password/,
    );
    await refuses(part('%PDF-1.7\nnothing of the kind'), /the file is damaged, and cannot be read/);
    await refuses(part(whole.subarray(0, 60)), /is damaged/);
    const page = ['x'];
    await refuses(
      part(toPdf({ pages: [page, page, page, page] })),
      /has 4 pages; at most 3 are read/,
    );
    const full = Array.from({ length: 30 }, () => 'x'.repeat(15));
    await refuses(part(toPdf({ pages: [full, full, full] })), /more than 1000 characters/);
    await refuses(part(toPdf({ pages: [[]] })), /has no text/);
  });

  it('that keeps its reader busy for too long is given up, and the next one is read', async () => {
    const hasty = createFileReader(local, { ...limits, maxMilliseconds: 0 });
    const pdf = part(toPdf({ pages: [['Again']] }));
    await assert.rejects(hasty.read(pdf, path, signal), {
      reason: 'invalid_file',
      message: /takes longer than 0 ms/,
    });
    await hasty.close();
    assert.equal((await read(pdf)).text, 'Again');
  });

  it('is read no further once nobody waits for it', async () => {
    const pdf = part(toPdf({ pages: [['Gone']] }));
    await assert.rejects(reader.read(pdf, path, AbortSignal.abort(new Error('left'))), /left/);
  });
});

describe('text', () => {
  it('is itself, whatever it is called', async () => {
    for (const [name, text] of [
      ['notes.md', '# Title\n\nÜmlaut'],
      ['data.json', '{"a": 1}'],
      ['page.html', '<p>Hi</p>'],
      ['program', 'ID3 = 1\n'],
    ] as const) {
      const found = await read(part(text, name));
      assert.deepEqual([found.name, found.text], [name, text]);
      assert.match(found.note, new RegExp(`^text, ${text.length} characters$`));
    }
    assert.equal((await read(part('\uFEFFwith a mark'))).text, 'with a mark');
  });

  it('that is none says what would work', async () => {
    await refuses(part(''), /file_data is required/, 'missing_field');
    await refuses({ type: 'file', file: { file_data: 'data:,' } }, /is empty/);
    await refuses(part('a\0b', 'x.txt'), /"x\.txt" is neither a PDF nor text in UTF-8/);
    await refuses(part(Buffer.from([0xc3, 0x28])), /neither a PDF nor text/);
    await refuses(part(Buffer.from('\ufeffhi', 'utf16le')), /UTF-16; save it in UTF-8/);
    await refuses(part(Buffer.from('89504e470d0a1a0a00', 'hex')), /is a picture/);
    await refuses(
      part(Buffer.from('504b030400000000', 'hex')),
      /office document; save it as a PDF/,
    );
    await refuses(part(Buffer.from('000000186674797069736f6d', 'hex')), /sound or video/);
    await refuses(part('x'.repeat(1001)), /more than 1000 characters/);
    await refuses(part('x'.repeat(4001)), /more than 1000 characters/);
  });
});

describe('where a file comes from', () => {
  it('is base64, a data URL, or the fetcher', async () => {
    const asked: string[] = [];
    const fetcher: Fetcher = {
      maxBytes: 100,
      fetch: (url, wish) => {
        asked.push(url, wish.param, ...wish.types.slice(0, 1));
        return Promise.resolve({
          bytes: Buffer.from('far away'),
          type: 'text/plain',
          name: 'far.txt',
        });
      },
    };
    const remote = createFileReader(fetcher);
    const url = 'https://files.example/far.txt';
    const found = await remote.read({ type: 'file', file: { file_data: url } }, path, signal);
    assert.deepEqual([found.name, found.text], ['far.txt', 'far away']);
    assert.deepEqual(asked, [url, `${path}.file.file_data`, 'application/pdf']);
    const own = { type: 'file', file: { file_data: url, filename: 'own' } } as const;
    assert.equal((await remote.read(own, path, signal)).name, 'own');
    await refuses({ type: 'file', file: { file_data: url } }, /--fetch-remote/);
  });

  it('is no file store, and nothing that is no file', async () => {
    await refuses(
      { type: 'file', file: { file_id: 'file-1' } },
      /as `file_data`/,
      'unsupported_parameter',
    );
    await refuses({ type: 'file', file: {} }, /file_data is required/, 'missing_field');
    await refuses({ type: 'file', file: { file_data: 'not base64!' } }, /is not valid base64/);
    await refuses(
      { type: 'file', file: { file_data: 'file:///etc/passwd' } },
      /neither a data URL nor an https/,
    );
    await refuses(part('x'.repeat(1_000_001)), /larger than 1 MB/);
  });
});

describe('withFiles', () => {
  it('puts the text of each file in its place', async () => {
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Compare' },
          part('one', 'a "b".txt'),
          part('two'),
          { type: 'text', text: 'please.' },
        ],
      },
    ];
    const shown = await withFiles(messages, reader, signal);
    assert.deepEqual(shown.messages, [
      messages[0],
      {
        role: 'user',
        content:
          'Compare\n\n<document name="a b .txt">\none\n</document>\n\n<document>\ntwo\n</document>\n\nplease.',
      },
    ]);
    assert.deepEqual(shown.notes, [
      {
        path: 'messages[1].content[1]',
        note: 'read as text and put in its place: text, 3 characters',
      },
      {
        path: 'messages[1].content[2]',
        note: 'read as text and put in its place: text, 3 characters',
      },
    ]);
  });

  it('leaves messages without files as they are', async () => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
    const shown = await withFiles(messages, reader, signal);
    assert.equal(shown.messages[0], messages[0]);
    assert.deepEqual(shown.notes, []);
  });
});

it('documentBlock keeps a name to one line', () => {
  assert.equal(documentBlock('a\r\n"b"', 'x\n\n'), '<document name="a b">\nx\n</document>');
});
