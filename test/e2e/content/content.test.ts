/** What is not plain text on its way to the prompt, with the official package: files, documents, pictures. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import OpenAI, { BadRequestError } from 'openai';
import { toPdf } from '../../../src/prompt/documents/pdf-writer.test-support.ts';
import { model } from '../../support/ask.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';

type Part = OpenAI.Chat.Completions.ChatCompletionContentPart;
type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;

interface Plan {
  readonly prompt: string;
  readonly prompt_tokens: number;
  readonly receipt: readonly {
    readonly name: string;
    readonly fate: string;
    readonly note?: string;
  }[];
}

let server: ServerProcess;
let client: OpenAI;

before(async () => {
  server = await sharedServer();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });
});

const bodyWith = (parts: readonly Part[], extra: object = {}): Body => ({
  model,
  messages: [{ role: 'user', content: [...parts] }],
  temperature: 0,
  max_tokens: 40,
  ...extra,
});

const planOf = async (parts: readonly Part[], extra: object = {}): Promise<Plan> =>
  (await client.chat.completions.create({
    ...bodyWith(parts, extra),
    dry_run: true,
  } as Body)) as unknown as Plan;

const file = (data: Buffer | string, filename: string, type: string): Part => ({
  type: 'file',
  file: { filename, file_data: `data:${type};base64,${Buffer.from(data).toString('base64')}` },
});

const question: Part = { type: 'text', text: 'Who pays the invoice?' };
const invoice = toPdf({
  pages: [['Invoice 17', 'The invoice is paid by Ada Lovelace.'], ['Thanks']],
});

async function refused(
  parts: readonly Part[],
  message: RegExp,
  reason = 'invalid_file',
  param = 'messages[0].content[0]',
): Promise<void> {
  await assert.rejects(client.chat.completions.create(bodyWith(parts)), (error: unknown) => {
    assert.ok(error instanceof BadRequestError, String(error));
    assert.match(error.message, message);
    assert.equal((error.error as { reason: string }).reason, reason);
    assert.ok(error.param?.startsWith(param), String(error.param));
    return true;
  });
}

describe('a PDF', () => {
  it('is read as text where it stands, and the receipt says so', async () => {
    const parts = [file(invoice, 'invoice.pdf', 'application/pdf'), question];
    const { prompt, receipt } = await planOf(parts);
    assert.match(
      prompt,
      /<document name="invoice\.pdf">\nInvoice 17\nThe invoice is paid by Ada Lovelace\.\n\nThanks\n<\/document>\n\nWho pays/,
    );
    const line = receipt.find(({ name }) => name === 'messages[0].content[0]');
    assert.equal(line?.fate, 'emulated');
    assert.match(line.note ?? '', /a PDF of 2 pages/);
    const { data, response } = await client.chat.completions.create(bodyWith(parts)).withResponse();
    assert.match(data.choices[0]?.message.content ?? '', /Ada Lovelace/);
    assert.match(
      response.headers.get('x-parlance-receipt') ?? '',
      /messages\[0\]\.content\[0\]=emulated/,
    );
  });

  it('that is encrypted, broken or without text is refused', async () => {
    const secret = toPdf({ pages: [['Hello']], encrypted: true });
    await refused([file(secret, 's.pdf', 'application/pdf')], /"s\.pdf" is encrypted/);
    await refused([file('%PDF-1.7 nothing', 'b.pdf', 'application/pdf')], /"b\.pdf" is damaged/);
    const blank = toPdf({ pages: [[]] });
    await refused([file(blank, 'e.pdf', 'application/pdf')], /has no text/);
    const plain = await planOf([question]);
    assert.ok(plain.prompt_tokens > 0);
  });
});

describe('a text file', () => {
  it('is its text', async () => {
    const { prompt } = await planOf([
      { type: 'text', text: 'Before.' },
      file('größer, as text', 'note.md', 'text/markdown'),
      { type: 'text', text: 'After.' },
    ]);
    assert.match(
      prompt,
      /Before\.\n\n<document name="note\.md">\ngrößer, as text\n<\/document>\n\nAfter\./,
    );
  });

  it('that is a picture, sound or an archive is refused by what it is', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    await refused([file(png, 'a.pdf', 'application/pdf')], /is a picture/);
    const zip = Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(20)]);
    await refused([file(zip, 'a.txt', 'text/plain')], /ZIP archive/);
  });

  it('that lies elsewhere is refused with the option that would fetch it', async () => {
    const elsewhere: Part = {
      type: 'file',
      file: { file_data: 'https://files.example/a.pdf', filename: 'a.pdf' },
    };
    await refused([elsewhere], /--fetch-remote/);
    const kept: Part = { type: 'file', file: { file_id: 'file-1' } };
    await refused([kept], /file_data/, 'unsupported_parameter');
  });
});

describe('pictures and sound', () => {
  it('are refused with what would work', async () => {
    const picture: Part = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    await refused(
      [picture, question],
      /no image encoder.*external target/,
      'unsupported_parameter',
    );
    const sound: Part = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } };
    await refused([sound, question], /no audio encoder.*as text/, 'unsupported_parameter');
  });
});

describe('documents', () => {
  it('go into the system message of a template that has no place for them', async () => {
    const documents = [{ title: 'Rome', text: 'Rome has seven hills.' }];
    const { prompt, receipt } = await planOf([question], { documents });
    assert.match(
      prompt,
      /^<\|im_start\|>system\n[^]*<document name="Rome">\nRome has seven hills\./,
    );
    assert.equal(receipt.find(({ name }) => name === 'documents')?.fate, 'emulated');
  });

  it('go to a template that has one', async () => {
    const documents = [{ title: 'Rome', text: 'Rome has seven hills.' }];
    const template =
      '{% for d in documents %}{{ d.title }}: {{ d.text }}{% endfor %}|{{ messages[0].content }}';
    const { prompt, receipt } = await planOf([question], { documents, chat_template: template });
    assert.equal(prompt, 'Rome: Rome has seven hills.|Who pays the invoice?');
    assert.equal(receipt.find(({ name }) => name === 'documents')?.fate, 'honoured');
  });
});
