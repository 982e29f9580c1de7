import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { plainInput } from '../compose.test-support.ts';
import { createUntrustedRenderer } from './render-untrusted.ts';

const input = plainInput;
const special = { bos: '<s>', eos: null };
const hello = "{{ messages[0]['content'] }}";
const { signal } = new AbortController();

describe('createUntrustedRenderer', () => {
  const renderer = createUntrustedRenderer(5000);
  after(() => renderer.close());
  const render = (source: string) => renderer.render({ source, special, input }, signal);

  it('renders several at a time, each its own', async () => {
    const sources = Array.from({ length: 20 }, (_, at) => `${at} ${hello}`);
    const texts = await Promise.all(sources.map(async (source) => (await render(source)).text));
    assert.deepEqual(
      texts,
      sources.map((_, at) => `${at} Hello`),
    );
  });

  it('refuses a template of megabytes before anything reads it', async () => {
    await assert.rejects(render('x'.repeat(1_000_001)), {
      reason: 'invalid_template',
      param: 'chat_template',
    });
  });

  it('leaves out a render that nobody waits for any more', async () => {
    const gone = AbortSignal.abort(new Error('left'));
    await assert.rejects(renderer.render({ source: hello, special, input }, gone), /left/);
    assert.equal((await render(hello)).text, 'Hello');
  });

  it('ends a render that takes too long, and goes on in a new worker', async () => {
    // Nothing is done in no time: the limit is what ends it.
    const strict = createUntrustedRenderer(0);
    const nested = '{% for a in range(900) %}'.repeat(3) + '{% endfor %}'.repeat(3);
    await assert.rejects(strict.render({ source: nested, special, input }, signal), {
      reason: 'invalid_template',
      message: /takes longer than 0 ms/,
    });
    await strict.close();
    await renderer.close();
    assert.equal((await render(hello)).text, 'Hello');
  });
});
