import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messageOf, toUpstreamError } from './upstream-error.ts';

const refusal = (status: number, body: string, retryAfter?: string) =>
  toUpstreamError({ status, body, retryAfter, origin: 'http://up', secret: 'sk-secret' });

describe('toUpstreamError', () => {
  it('maps statuses to ones that mean the same to our client', () => {
    const mapped = [400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529].map(
      (status) => refusal(status, '').status,
    );
    assert.deepEqual(mapped, [400, 502, 502, 502, 504, 413, 400, 429, 502, 502, 503, 504, 503]);
  });

  it('keeps retry-after, as seconds and as a date, and has one where 429 and 503 lack it', () => {
    assert.equal(refusal(429, '', '7').retryAfter, 7);
    assert.equal(refusal(429, '', '0.2').retryAfter, 1);
    assert.equal(refusal(429, '', new Date(Date.now() - 5000).toUTCString()).retryAfter, 1);
    assert.equal(refusal(503, '').retryAfter, 5);
    assert.equal(refusal(500, '').retryAfter, null);
  });

  it('keeps the field at fault', () => {
    assert.equal(refusal(400, '{"error":{"message":"x","param":"top_k"}}').param, 'top_k');
    assert.equal(refusal(400, '{"error":"x"}').param, null);
    assert.equal(refusal(502, '<html>').param, null);
  });

  it('keeps the upstream’s words and never our key', () => {
    const error = refusal(400, '{"error":{"message":"bad key sk-secret given"}}');
    assert.equal(error.message, 'The upstream at http://up answered 400: bad key *** given');
  });
});

describe('messageOf', () => {
  it('reads the shapes that servers use', () => {
    assert.equal(messageOf('{"error":{"message":"a"}}'), 'a');
    assert.equal(messageOf('{"error":"b"}'), 'b');
    assert.equal(messageOf('{"object":"error","message":"c"}'), 'c');
    assert.equal(messageOf('{"detail":"d"}'), 'd');
    assert.equal(messageOf('plain words'), 'plain words');
    assert.equal(messageOf('<html><body>502</body></html>'), '');
    assert.equal(messageOf(''), '');
  });
});
