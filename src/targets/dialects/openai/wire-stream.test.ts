import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startWireStream, stepWireStream, type WireStreamOptions } from './wire-stream.ts';

const identity = { id: 'ours', model: 'asked', created: 1, episodeId: null };
const plain: WireStreamOptions = { identity, includeUsage: false, continuousUsage: false };

function run(payloads: readonly string[], options: WireStreamOptions = plain) {
  let state = startWireStream;
  const chunks: string[] = [];
  for (const payload of payloads) {
    const step = stepWireStream(state, payload, options);
    if (step.kind === 'error') return { chunks, error: step.error, state };
    state = step.state;
    chunks.push(...step.chunks);
  }
  return { chunks, error: null, state };
}

const chunk = (choices: string, extra = ''): string =>
  `{"id":"theirs","object":"chat.completion.chunk","created":5,"model":"up","choices":${choices}${extra}}`;
const text = chunk(
  '[{"index":0,"delta":{"content":"a \\"finish_reason\\": \\"no\\""},"finish_reason":null}]',
);
const finish = chunk('[{"index":0,"delta":{},"finish_reason":"stop"}]');
const usage = chunk('[]', ',"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}');
const own = (payload: string): string =>
  payload.replace('"theirs"', '"ours"').replace('"up"', '"asked"');

describe('stepWireStream', () => {
  it('splices id and model and keeps the rest to the byte', () => {
    const { chunks, state } = run([text, finish, '[DONE]']);
    assert.deepEqual(chunks, [own(text), own(finish)]);
    assert.deepEqual(state, { held: null, finished: 1, done: true, unshown: null });
  });

  it('adds the episode to every chunk', () => {
    const episode = { ...plain, identity: { ...identity, episodeId: 'e' } };
    const { chunks } = run([text, finish, '[DONE]'], episode);
    for (const one of chunks)
      assert.equal((JSON.parse(one) as { episode_id: string }).episode_id, 'e');
  });

  it('folds a usage chunk into the finish chunk when usage was asked for', () => {
    const { chunks } = run([text, finish, usage, '[DONE]'], { ...plain, includeUsage: true });
    assert.equal(chunks.length, 2);
    const last = JSON.parse(chunks[1] ?? '') as { usage: unknown; choices: unknown[] };
    assert.deepEqual(last.usage, { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
    assert.equal(last.choices.length, 1);
  });

  it('keeps usage from a client that did not ask', () => {
    const inline = finish.replace(/}$/, ',"usage":{"prompt_tokens":1}}');
    const { chunks } = run([text, inline, usage, '[DONE]']);
    assert.deepEqual(chunks, [own(text), own(finish)]);
  });

  it('tells usage that the client does not see', () => {
    const inline = finish.replace(/}$/, ',"usage":{"prompt_tokens":1}}');
    assert.equal(run([text, inline, '[DONE]']).state.unshown, '{"prompt_tokens":1}');
    assert.match(run([text, inline, usage, '[DONE]']).state.unshown ?? '', /"prompt_tokens":3/);
    const shown = run([text, finish, usage, '[DONE]'], { ...plain, includeUsage: true });
    assert.equal(shown.state.unshown, null);
  });

  it('shows usage in every chunk only for continuous_usage_stats', () => {
    const inline = text.replace(/}$/, ',"usage":{"prompt_tokens":1}}');
    const asked = run([inline, finish, '[DONE]'], { ...plain, includeUsage: true });
    assert.deepEqual(asked.chunks, [own(text), own(finish)]);
    const continuous = run([inline, finish, '[DONE]'], { ...plain, continuousUsage: true });
    assert.deepEqual(continuous.chunks, [own(inline), own(finish)]);
  });

  it('puts usage on the last of several finish chunks', () => {
    const second = chunk('[{"index":1,"delta":{},"finish_reason":"length"}]');
    const { chunks } = run([finish, second, usage, '[DONE]'], { ...plain, includeUsage: true });
    assert.equal(chunks[0], own(finish));
    assert.match(chunks[1] ?? '', /"length".*"usage"/);
  });

  it('reports an error inside the stream', () => {
    const { error, chunks } = run([text, '{"error":{"message":"out of memory"}}']);
    assert.equal(error, '{"message":"out of memory"}');
    assert.equal(chunks.length, 1);
  });

  it('does not call a stream finished that was cut before its finish', () => {
    assert.equal(run([text]).state.finished, 0);
  });

  it('counts the choices that finished, also several in one chunk', () => {
    const both = chunk('[{"index":0,"finish_reason":"stop"},{"index":1,"finish_reason":"stop"}]');
    assert.equal(run([text, both]).state.finished, 2);
    assert.equal(run([text, finish]).state.finished, 1);
  });
});
