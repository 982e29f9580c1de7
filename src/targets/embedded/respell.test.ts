import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ParlanceError, parseChatRequest } from '../../contract/index.ts';
import { respell } from './respell.ts';

const error = new ParlanceError('invalid_token_id', 'stop_token_ids: 99 is not a token', {
  param: 'stop_token_ids',
});

function respelt(fields: object): unknown {
  const body = { model: 'm', prompt: 'x', ...fields };
  return respell(error, parseChatRequest(JSON.stringify(body)));
}

it('names the field that the client sent', () => {
  const named = respelt({ eos_token_id: 99 });
  assert.ok(named instanceof ParlanceError);
  assert.equal(named.param, 'eos_token_id');
  assert.equal(named.message, 'eos_token_id: 99 is not a token');
});

it('names of two synonyms the one with the wrong value', () => {
  const both = respelt({ stop_token_ids: [1], eos_token_id: [2, 99] });
  assert.ok(both instanceof ParlanceError);
  assert.equal(both.param, 'eos_token_id');
  assert.equal(respelt({ stop_token_ids: [99], eos_token_id: [2] }), error);
});

it('says which field made the prompt too long', () => {
  const long = new ParlanceError('context_length_exceeded', 'too long');
  const body = '{"model":"m","messages":[{"role":"user","content":"x"}]}';
  const named = respell(long, parseChatRequest(body));
  assert.ok(named instanceof ParlanceError);
  assert.equal(named.param, 'messages');
});

it('leaves other errors alone', () => {
  const other = new Error('x');
  const request = parseChatRequest('{"model":"m","prompt":"x"}');
  assert.equal(respell(other, request), other);
  assert.equal(respell(error, request), error);
});
