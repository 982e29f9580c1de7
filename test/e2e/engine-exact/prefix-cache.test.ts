/** What was computed once is not computed again, `cached_tokens` says so, and nothing else shows it. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { complete, textOf, type Body, type Completion } from '../../support/ask.ts';
import { sharedServer } from '../../support/shared-server.ts';
import { cachedOf } from './answer.ts';
import { startTinyServer, type TinyServer } from './tiny-server.ts';

/** The words that end a turn and open the next, and what a text is split into differently. */
const seam = 8;

const longText = (seed: string): string =>
  Array.from({ length: 40 }, (_, index) => `${seed} says ${index} words.`).join(' ');

describe('prefixes of a conversation with the real model', () => {
  it('twenty turns, each sent whole: no turn computes what was there', async () => {
    const server = await sharedServer();
    const messages: Body[] = [];
    let before: Completion | null = null;
    for (let turn = 0; turn < 20; turn += 1) {
      messages.push({ role: 'user', content: `Question ${turn}: what is ${turn} plus one?` });
      const answer: Completion = await complete(server, {
        messages,
        max_tokens: 8,
        cache_salt: 'twenty turns',
      });
      const cached = cachedOf(answer);
      const { prompt_tokens: tokens } = answer.usage;
      if (before === null) assert.equal(cached, 0);
      else
        assert.ok(
          cached >= before.usage.prompt_tokens - 1 && cached < tokens,
          `${turn}: ${cached}`,
        );
      before = answer;
      messages.push({ role: 'assistant', content: textOf(answer) });
    }
  });
});

describe('prefixes of a tiny model', () => {
  let tiny: TinyServer;
  const folderOf = (folder: string): string => join(folder, 'prefixes');

  before(async () => {
    tiny = await startTinyServer({
      deployments: { tiny: { slots: 4, context: 2048 } },
      args: (folder) => ['--prefix-cache-dir', folderOf(folder)],
    });
  });

  after(async () => {
    await tiny?.stop();
  });

  const ask = (content: string, extra: Body = {}): Promise<Completion> =>
    complete(tiny.server, {
      model: 'tiny',
      max_tokens: 6,
      ignore_eos: true,
      messages: [{ role: 'user', content }],
      logprobs: true,
      ...extra,
    });

  it('twins that are sent together compute what they share once', async () => {
    const text = longText('Twin');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => ask(`${text} Number ${index}.`)),
    );
    const shared = Math.min(...answers.map(({ usage }) => usage.prompt_tokens)) - seam - 10;
    const cached = answers.map(cachedOf).toSorted((a, b) => a - b);
    assert.ok(shared > 300, `${shared}`);
    assert.ok((cached[0] ?? 0) < 20, `${cached}`);
    assert.ok(
      cached.slice(1).every((tokens) => tokens >= shared),
      `${cached} of ${shared}`,
    );
  });

  it('a salt keeps what was computed under it, and sees nothing else', async () => {
    const text = longText('Salt');
    const plain = await ask(text);
    const salted = await ask(text, { cache_salt: 'a' });
    assert.deepEqual([cachedOf(plain) < 20, cachedOf(salted)], [true, 0]);
    assert.equal(cachedOf(await ask(text, { cache_salt: 'b' })), 0);
    const again = await ask(text, { cache_salt: 'a' });
    assert.equal(cachedOf(again), again.usage.prompt_tokens - 1);
    for (const one of [salted, again]) assert.deepEqual(one.choices, plain.choices);
  });

  it('they outlive a restart', async () => {
    const text = longText('Restart');
    const first = await ask(text);
    await tiny.restart();
    const second = await ask(text);
    const { prompt_tokens: tokens } = second.usage;
    assert.ok(cachedOf(first) < 20 && cachedOf(second) >= tokens - seam, `${cachedOf(second)}`);
    assert.deepEqual(second.choices, first.choices);
  });

  it('a damaged file is a miss', async () => {
    const text = longText('Damage');
    const first = await ask(text);
    let damaged = 0;
    await tiny.restart(() => {
      damaged = damageAll(folderOf(tiny.folder));
    });
    assert.ok(damaged > 0);
    const second = await ask(text);
    assert.equal(cachedOf(second), 0);
    assert.deepEqual(second.choices, first.choices);
    assert.equal(cachedOf(await ask(text)), second.usage.prompt_tokens - 1);
  });
});

/** Changes one byte in the middle of every file; how many there are. */
function damageAll(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  for (const path of files) {
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
  }
  return files.length;
}
