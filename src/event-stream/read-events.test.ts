import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readEvents } from './read-events.ts';

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it('reads the same events however the bytes are cut', async () => {
  const text = ': beat\n\ndata: {"a":"é😀"}\r\n\r\ndata: one\ndata: two\n\ndata: [DONE]\n\n';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size += 1) {
    const events: string[] = [];
    for await (const complete of readEvents(pieces(bytes, size))) events.push(...complete);
    assert.deepEqual(events, ['{"a":"é😀"}', 'one\ntwo', '[DONE]'], `pieces of ${size} bytes`);
  }
});
