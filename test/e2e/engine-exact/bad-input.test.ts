/** Input at and beyond the edges: a clear refusal that names the parameter, or the right answer. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  chatBody,
  chatUrl,
  complete,
  errorOf,
  jsonOf,
  post,
  textOf,
  type Body,
  type Completion,
} from '../../support/ask.ts';
import { sharedServer } from '../../support/shared-server.ts';
import {
  engineOf,
  startTinyServer,
  tinyVocabularySize as size,
  type TinyServer,
} from './tiny-server.ts';

interface Refusal {
  readonly name: string;
  readonly sent: Body | string;
  readonly reason: string;
  readonly param: string | null;
  readonly message: RegExp;
}

const outside = (field: string, sent: Body, id: number): Refusal => ({
  name: `${field} with ${id}`,
  sent,
  reason: 'invalid_token_id',
  param: field,
  message: new RegExp(`${id} is not a token of this model; its token IDs are 0 to ${size - 1}`),
});

const tokenFields = [size, 50_256, 2 ** 31, 2 ** 40].flatMap((id) => [
  outside('bad_token_ids', { bad_token_ids: [0, id] }, id),
  outside('stop_token_ids', { stop_token_ids: [id] }, id),
  outside('eos_token_id', { eos_token_id: [id] }, id),
  outside('eos_token_id', { eos_token_id: id }, id),
  outside('top_p_reset_ids', { top_p_reset_ids: [id], top_p_min: 0.1 }, id),
  outside('logit_bias', { logit_bias: { [id]: 1 } }, id),
  outside('prompt', { messages: undefined, prompt: [1, id] }, id),
]);

const numberFields = [
  ['temperature', 'top_p', 'min_p', 'frequency_penalty', 'presence_penalty'],
  ['repetition_penalty', 'top_k', 'n', 'best_of', 'max_tokens', 'min_tokens', 'seed'],
].flat();

const notNumbers = numberFields.flatMap((field) =>
  ['NaN', 'Infinity', '-Infinity'].map((word) => ({
    name: `${field}: "${word}"`,
    sent: { [field]: word },
    reason: 'invalid_value',
    param: field,
    message: new RegExp(`^${field}: expected .*`),
  })),
);

const invalid = (name: string, sent: Body, param: string, message: RegExp): Refusal => ({
  name,
  sent,
  reason: 'invalid_value',
  param,
  message,
});

const entries = (count: number, value: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, id) => [String(id), value]));

const strings = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padEnd(length, 'x'));

const ask = (extra: Body): Body => chatBody({ model: 'tiny', max_tokens: 2, ...extra });

const refusals: readonly Refusal[] = [
  ...tokenFields,
  ...notNumbers,
  {
    ...outside('logit_bias', { logit_bias: entries(100_000, 1) }, size),
    name: '100,000 biases',
  },
  invalid('33 stop strings', { stop: strings(33, 5) }, 'stop', /32/),
  invalid('a stop string of 1,001 characters', { stop: strings(1, 1001) }, 'stop', /1000/),
  invalid('an empty stop string', { stop: '' }, 'stop', /1 to 1000|at least 1|empty/),
  invalid('an empty bad phrase', { bad: '' }, 'bad', /1 to 1000|at least 1|empty/),
  invalid(
    'one of several bad phrases empty',
    { bad: ['a', ''] },
    'bad',
    /1 to 1000|at least 1|empty/,
  ),
  invalid('a seed of 2^63', { seed: '@2^63' }, 'seed', /64-bit/),
  invalid('a seed below -2^63', { seed: '@-2^63-1' }, 'seed', /64-bit/),
  invalid('n: 129', { n: 129 }, 'n', /128/),
  invalid('more beams than slots', { use_beam_search: true, n: 3 }, 'n', /2\b.*`slots`/),
  invalid(
    'more beams than slots by best_of',
    { use_beam_search: true, n: 1, best_of: 128 },
    'best_of',
    /2\b.*`slots`/,
  ),
  invalid(
    'every token banned',
    { bad_token_ids: Array.from({ length: size }, (_, id) => id) },
    'bad_token_ids',
    /every token/,
  ),
];

/** Numbers that JavaScript cannot write. */
const toText = (body: Body): string =>
  JSON.stringify(body)
    .replaceAll('"@2^63"', '9223372036854775808')
    .replaceAll('"@-2^63-1"', '-9223372036854775809')
    .replaceAll('"@2^63-1"', '9223372036854775807')
    .replaceAll('"@2^63-2"', '9223372036854775806');

describe('bad input', () => {
  let tiny: TinyServer;
  let pid: number;

  before(async () => {
    tiny = await startTinyServer({ deployments: { tiny: { slots: 2, context: 256 } } });
    ({ pid } = await engineOf(tiny.server, 'tiny'));
  });

  after(async () => {
    await tiny?.stop();
  });

  const send = (extra: Body) => post(chatUrl(tiny.server), toText(ask(extra)));

  it('is refused with the parameter and what is wrong with it', async () => {
    for (const { name, sent, reason, param, message } of refusals) {
      const reply = await send(sent as Body);
      assert.equal(reply.status, 400, `${name}: ${reply.text.slice(0, 300)}`);
      const error = errorOf(reply);
      assert.deepEqual([error.reason, error.param?.replace(/[[.].*$/, '')], [reason, param], name);
      assert.match(error.message, message, name);
    }
  });

  it('that is no JSON is refused as such', async () => {
    for (const word of ['NaN', 'Infinity', '-Infinity']) {
      const text = toText(ask({})).replace(
        '"max_tokens":2',
        `"max_tokens":2,"temperature":${word}`,
      );
      const error = errorOf(await post(chatUrl(tiny.server), text));
      assert.equal(error.reason, 'invalid_json');
    }
  });

  it('beyond the range of a number is refused as out of range', async () => {
    const text = toText(ask({})).replace('"max_tokens":2', '"max_tokens":2,"temperature":1e999');
    const { reason, message } = errorOf(await post(chatUrl(tiny.server), text));
    assert.equal(reason, 'invalid_value');
    assert.match(message, /^temperature: expected a number from 0 to 4, got Infinity/);
  });

  it('at the edge is done right: 32 stop strings of 1,000 characters', async () => {
    const plain = jsonOf<Completion>(await send({ max_tokens: 20 }));
    const reply = await send({ max_tokens: 20, stop: strings(32, 1000) });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(textOf(jsonOf(reply)), textOf(plain));
  });

  it('at the edge is done right: 128 choices in 2 slots', async () => {
    const sent = { n: 128, best_of: 128, temperature: 1, seed: 5, ignore_eos: true };
    const reply = await send(sent);
    assert.equal(reply.status, 200, reply.text);
    const { choices, usage } = jsonOf<Completion>(reply);
    assert.deepEqual(
      choices.map(({ index }) => index),
      Array.from({ length: 128 }, (_, index) => index),
    );
    assert.ok(new Set(choices.map(({ message }) => message.content)).size > 64);
    assert.equal(usage.completion_tokens, 256);
  });

  it('at the edge is done right: seeds are read to the last digit', async () => {
    const drawn = async (seed: string): Promise<string> => {
      const reply = await send({ seed, temperature: 2, max_tokens: 16, ignore_eos: true });
      assert.equal(reply.status, 200, reply.text);
      return textOf(jsonOf(reply));
    };
    const largest = await drawn('@2^63-1');
    assert.equal(await drawn('@2^63-1'), largest);
    assert.notEqual(await drawn('@2^63-2'), largest);
  });

  it('at the edge is done right: a bias for every token of a large vocabulary', async () => {
    const server = await sharedServer();
    const biases = { ...entries(49_152, -1), '5': 99 };
    const answer = await complete(server, { max_tokens: 2, logit_bias: biases });
    const other = await complete(server, { max_tokens: 2, logit_bias: { '5': 100 } });
    assert.equal(textOf(answer), textOf(other));
    const reply = await post(chatUrl(server), chatBody({ logit_bias: entries(100_000, 1) }));
    assert.equal(errorOf(reply).reason, 'invalid_token_id');
  });

  it('has not ended the engine', async () => {
    assert.equal((await engineOf(tiny.server, 'tiny')).pid, pid);
    assert.equal((await send({})).status, 200);
  });
});
