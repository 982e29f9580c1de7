/**
 * What a stream promises: its text joined is the text of the same request without stream, byte for
 * byte; characters and stop strings are never shown in part; and the same seed gives the same bytes
 * alone and in company. Over many seeds and prompts, at temperature 1.
 */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { complete, joined, stream, textOf, type Body, type Chunk } from '../support/ask.ts';
import { inCompany } from '../support/in-company.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { sharedServer } from '../support/shared-server.ts';

let server: ServerProcess;

const prompts = [
  'Write a line with emojis: 🎉 🚀 👩‍👩‍👧‍👦 😀, and more of them.',
  'Translate to Chinese, Japanese and Korean: good morning. 早上好 おはよう 좋은 아침',
  'Réponds en français, avec des accents : où est la bibliothèque ?',
  'Напиши короткое стихотворение о море.',
  'Write the Greek alphabet: α β γ δ ε',
  'اكتب جملة قصيرة عن البحر',
  'Use mathematical signs: ∀x ∈ ℝ, √x ≥ 0 ⇒ ∑ xᵢ',
  'Tell me a short story about a cat.',
] as const;

/** One case for each seed, from 1. */
const cases = (count: number): Body[] =>
  Array.from({ length: count }, (_, at) => ({
    messages: [{ role: 'user', content: prompts[at % prompts.length] }],
    temperature: 1,
    seed: at + 1,
    max_tokens: 24,
  }));

const contents = (chunks: readonly Chunk[]): string[] =>
  chunks.flatMap((chunk) => chunk.choices).map((choice) => choice.delta.content ?? '');

/** Half a character would be a lone surrogate here. */
const isWhole = (text: string): boolean => text.isWellFormed();

describe('streams', () => {
  before(async () => {
    server = await sharedServer();
  });

  it('joined are the answer without stream, byte for byte, and every piece is whole', async () => {
    let beyondAscii = 0;
    await inCompany(cases(32), async (body) => {
      const whole = await complete(server, body);
      const chunks = await stream(server, body);
      const text = textOf(whole);
      assert.equal(joined(chunks), text, `seed ${String(body['seed'])}`);
      assert.ok(contents(chunks).every(isWhole));
      assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, whole.choices[0]?.finish_reason);
      // A model may end in the middle of a character, and only there.
      assert.doesNotMatch(text, /\uFFFD[^\uFFFD]/, text);
      assert.doesNotMatch(text, /<\|im_(?:start|end)\|>|<\|endoftext\|>/);
      if (Buffer.byteLength(text) > text.length) beyondAscii += 1;
    });
    assert.ok(beyondAscii > 6, `only ${beyondAscii} answers had more than ASCII`);
  });

  it('show special tokens only when they are asked for', async () => {
    const body = { skip_special_tokens: false };
    assert.match(textOf(await complete(server, body)), /Paris\.(?:<\|im_end\|>)?$/);
    assert.equal(joined(await stream(server, body)), textOf(await complete(server, body)));
    const many = { ignore_eos: true, max_tokens: 60 };
    assert.doesNotMatch(textOf(await complete(server, many)), /<\|im_end\|>/);
    assert.doesNotMatch(joined(await stream(server, many)), /<\|im_end\|>/);
  });

  it('never show a stop string, not even half of it', async () => {
    await inCompany(cases(16), async (body) => {
      const full = textOf(await complete(server, body));
      // A piece of the known answer that begins and ends anywhere: inside words, across tokens.
      const seed = Number(body['seed']);
      const characters = Array.from(full);
      const start = (seed * 7) % Math.max(1, characters.length - 6);
      const stop = characters.slice(start, start + 2 + (seed % 5)).join('');
      const expected = full.slice(0, full.indexOf(stop));
      const where = `seed ${seed}, stop ${JSON.stringify(stop)}`;
      const whole = await complete(server, { ...body, stop: ['never this', stop] });
      assert.equal(textOf(whole), expected, where);
      assert.equal(whole.choices[0]?.stop_reason, stop, where);
      const chunks = await stream(server, { ...body, stop: [stop] });
      assert.equal(joined(chunks), expected, where);
      // What was shown at any time is a beginning of the answer, so no piece was taken back.
      const shown = await stream(server, {
        ...body,
        stop: [stop],
        include_stop_str_in_output: true,
      });
      assert.equal(joined(shown), expected + stop, where);
    });
  });

  it('hold back text that may become a stop string, and give it when it does not', async () => {
    const body = { messages: [{ role: 'user', content: prompts[7] }], seed: 3, temperature: 1 };
    const plain = textOf(await complete(server, body));
    const almost = `${plain.slice(4, 9)}\u0000`;
    const chunks = await stream(server, { ...body, stop: [almost] });
    assert.equal(joined(chunks), plain);
  });

  it('the same seed gives the same bytes alone and in the company of seven others', async () => {
    const body = { ...cases(8)[7], logprobs: true, max_tokens: 32, ignore_eos: true };
    const alone = await complete(server, body);
    const others = cases(7).map((other, at) => ({
      ...other,
      seed: 100 + at,
      max_tokens: 10 + 6 * at,
    }));
    const [inTheMiddle] = await Promise.all([
      complete(server, body),
      ...others.map((other) => stream(server, other)),
    ]);
    assert.deepEqual(inTheMiddle.choices, alone.choices);
    const again = await complete(server, { ...body, seed: 1000 });
    assert.notEqual(textOf(again), textOf(alone));
  });
});
