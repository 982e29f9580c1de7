/** Constraints beside the other parameters of a request: each of both keeps its promise. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  chatBody,
  chatUrl,
  chunksOf,
  complete,
  errorOf,
  joined,
  jsonOf,
  post,
  stream,
  textOf,
  type Body,
  type Completion,
  type Reply,
} from '../../support/ask.ts';
import {
  checkJson,
  checkRegex,
  constraintCases,
  bodyOf,
  person,
  personSchema,
} from '../../support/constraint-cases.ts';
import { untilLoad } from '../../support/load.ts';
import { openStream } from '../../support/open-stream.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';

let server: ServerProcess;

const checkPerson = checkJson(personSchema);
const asPerson = (extra: Body = {}): Body => ({
  messages: [{ role: 'user', content: person }],
  guided_json: personSchema,
  temperature: 1,
  seed: 5,
  max_tokens: 300,
  ...extra,
});
const ask = async (body: Body): Promise<Reply> => await post(chatUrl(server), chatBody(body));
const choicesOf = (reply: Reply): Completion['choices'] => {
  assert.equal(reply.status, 200, reply.text);
  return jsonOf<Completion>(reply).choices;
};
const receiptText = ({ headers }: Reply): string => headers['x-parlance-receipt'] ?? '';

/** None of its tokens is rare, and it ends long before `limit`. */
const word = { guided_regex: '[a-z]{3,8}', max_tokens: 40 };

describe('a constraint beside other parameters', () => {
  before(async () => {
    server = await sharedServer();
  });

  it('n: every choice is right, and streamed the same', async () => {
    const body = asPerson({ n: 3 });
    const choices = choicesOf(await ask(body));
    assert.deepEqual(
      choices.map(({ index }) => index),
      [0, 1, 2],
    );
    for (const { message } of choices) checkPerson(message.content);
    assert.ok(new Set(choices.map(({ message }) => message.content)).size > 1);
    const chunks = await stream(server, body);
    for (const { index, message } of choices) assert.equal(joined(chunks, index), message.content);
  });

  it('best_of: the best of them, each right', async () => {
    const reply = await ask(asPerson({ n: 2, best_of: 4 }));
    const choices = choicesOf(reply);
    assert.equal(choices.length, 2);
    for (const { message } of choices) checkPerson(message.content);
    const { completion_tokens: tokens } = jsonOf<Completion>(reply).usage;
    const single = jsonOf<Completion>(await ask(asPerson())).usage.completion_tokens;
    assert.ok(tokens > 1.5 * single, `${tokens} tokens for four, ${single} for one`);
  });

  it('greedy choices are copies', async () => {
    const choices = choicesOf(await ask(asPerson({ temperature: 0, n: 2, best_of: 3 })));
    assert.equal(choices[0]?.message.content, choices[1]?.message.content);
    checkPerson(choices[0]?.message.content ?? '');
  });

  it('stop: cuts the text, and the receipt says that it is incomplete', async () => {
    for (const extra of [{}, { logprobs: true }]) {
      const body = asPerson({ stop: ['"age"'], ...extra });
      const reply = await ask(body);
      const [choice] = choicesOf(reply);
      assert.equal(choice?.finish_reason, 'stop');
      assert.equal(choice?.stop_reason, '"age"');
      assert.match(choice?.message.content ?? '', /^\{\s*"name"/);
      assert.doesNotMatch(choice?.message.content ?? '', /age/);
      assert.match(receiptText(reply), /guided_json=honoured \(incomplete/);
      assert.equal(joined(await stream(server, body)), choice?.message.content);
    }
    const shown = choicesOf(
      await ask(asPerson({ stop: ['"age"'], include_stop_str_in_output: true })),
    );
    assert.match(shown[0]?.message.content ?? '', /"age"$/);
  });

  it('min_tokens and ignore_eos: the end of the constraint beats them', async () => {
    for (const extra of [{ min_tokens: 30 }, { ignore_eos: true }]) {
      const yes = { guided_choice: ['yes', 'no'], max_tokens: 40 };
      const [chosen] = choicesOf(await ask({ ...yes, ...extra }));
      assert.equal(chosen?.finish_reason, 'stop');
      assert.ok(['yes', 'no'].includes(chosen?.message.content ?? ''));
      const [json] = choicesOf(await ask(asPerson(extra)));
      assert.equal(json?.finish_reason, 'stop');
      checkPerson(json?.message.content ?? '');
    }
  });

  it('min_tokens: where the text may end or go on, it goes on', async () => {
    const body = { guided_regex: '([a-z]{2,9} ?)*', temperature: 1, seed: 3, max_tokens: 60 };
    const reply = await ask({ ...body, min_tokens: 40 });
    assert.ok(jsonOf<Completion>(reply).usage.completion_tokens >= 40, reply.text);
  });

  it('logit_bias: cannot bring in what the constraint forbids', async () => {
    // Every one of the first hundred tokens of plain text, among them digits and signs.
    const bias = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [String(at + 17), 100]));
    const [choice] = choicesOf(await ask({ ...word, logit_bias: bias, seed: 2, temperature: 1 }));
    checkRegex('[a-z]{3,8}')(choice?.message.content ?? '');
  });

  it('bad: what leaves no text is an error, and no wrong text', async () => {
    const reply = await ask({ ...word, guided_regex: 'yes|yeah', bad: ['y'] });
    assert.equal(reply.status, 502, reply.text);
    assert.equal(errorOf(reply).reason, 'constraint_not_met');
    const [other] = choicesOf(await ask({ guided_choice: ['yes', 'no'], bad: ['y'] }));
    assert.equal(other?.message.content, 'no');
  });

  it('logprobs: one for each token, forced ones too, and their bytes are the text', async () => {
    const body = asPerson({ logprobs: true, top_logprobs: 2 });
    const reply = await ask(body);
    const [choice] = choicesOf(reply);
    const scored = choice?.logprobs?.content ?? [];
    const bytes = Buffer.from(scored.flatMap((token) => token.bytes));
    assert.equal(bytes.toString('utf8'), choice?.message.content);
    assert.equal(scored.length, jsonOf<Completion>(reply).usage.completion_tokens);
    for (const { token, logprob, top_logprobs: top } of scored) {
      assert.ok(Number.isFinite(logprob) && logprob <= 0, `${token}: ${logprob}`);
      assert.ok(top.length >= 2 && top.length <= 3);
      assert.ok(top.every((one) => one.logprob <= 0));
    }
    // They are the model's own, before the constraint: what was forced on it was not all certain.
    assert.ok(scored.some(({ logprob }) => logprob < -0.1));
    const chunks = await stream(server, body);
    const streamed = chunks.flatMap((chunk) =>
      chunk.choices.flatMap(({ logprobs }) => logprobs?.content ?? []),
    );
    assert.deepEqual(streamed, scored);
    assert.equal(joined(chunks), choice?.message.content);
    assert.equal(textOf(await complete(server, asPerson())), choice?.message.content);
  });

  it('prediction: the same text, whatever was predicted', async () => {
    const body = asPerson({ temperature: 0 });
    const plain = textOf(await complete(server, body));
    checkPerson(plain);
    for (const content of [plain, plain.replace('name', 'nom'), 'nothing like it']) {
      const prediction = { type: 'content', content };
      assert.equal(textOf(await complete(server, { ...body, prediction })), plain);
    }
    const drawn = textOf(await complete(server, asPerson()));
    const prediction = { type: 'content', content: drawn };
    assert.equal(textOf(await complete(server, asPerson({ prediction }))), drawn);
  });

  it('seed: the same text again, and another with another seed', async () => {
    const texts = [];
    for (const seed of [11, 11, 12, 13]) {
      texts.push(textOf(await complete(server, asPerson({ seed }))));
    }
    assert.equal(texts[0], texts[1]);
    assert.ok(new Set(texts).size > 1);
    texts.forEach(checkPerson);
  });

  it('max_tokens: finish_reason length, and the receipt says that the text is incomplete', async () => {
    const body = asPerson({ max_tokens: 9 });
    const reply = await ask(body);
    const [choice] = choicesOf(reply);
    assert.equal(choice?.finish_reason, 'length');
    assert.match(receiptText(reply), /guided_json=honoured \(incomplete/);
    assert.equal(jsonOf<Completion>(reply).usage.completion_tokens, 9);
    assert.match(choice?.message.content ?? '', /^\{/);
    const chunks = await stream(server, body);
    assert.equal(joined(chunks), choice?.message.content);
    assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'length');
  });

  it('beam search: right, or refused', async () => {
    const reply = await ask({ ...word, use_beam_search: true, n: 2 });
    if (reply.status === 400) assert.match(errorOf(reply).message, /beam/);
    else for (const { message } of choicesOf(reply)) checkRegex('[a-z]{3,8}')(message.content);
  });

  it('what may be taken back is never shown', async () => {
    const schema = {
      type: 'object',
      properties: {
        picks: {
          type: 'array',
          items: { enum: ['a', 'b', 'c', 'd'] },
          uniqueItems: true,
          minItems: 3,
          maxItems: 4,
        },
        value: { not: { enum: [1, 2, 3] }, type: 'integer', minimum: 0, maximum: 9 },
        one: {
          oneOf: [
            { type: 'string', maxLength: 4 },
            { type: 'string', minLength: 3, maxLength: 6 },
          ],
        },
      },
      required: ['picks', 'value', 'one'],
      additionalProperties: false,
    };
    const check = checkJson(schema);
    for (let seed = 1; seed <= 4; seed += 1) {
      const body = asPerson({ guided_json: schema, seed });
      const whole = textOf(await complete(server, body));
      check(whole);
      assert.equal(joined(await stream(server, body)), whole, `seed ${seed}`);
    }
  });
});

describe('a constraint on other forms of requests', () => {
  before(async () => {
    server = await sharedServer();
  });

  const date = '(19|20)[0-9]{2}-(0[1-9]|1[0-2])';

  it('a raw prompt', async () => {
    const prompt = { messages: undefined, prompt: 'The date is ', guided_regex: date };
    const reply = await ask({ ...prompt, temperature: 1, seed: 4 });
    const [choice] = choicesOf(reply);
    checkRegex(date)(choice?.text ?? '');
    assert.equal(choice?.finish_reason, 'stop');
    const echoed = choicesOf(await ask({ ...prompt, temperature: 1, seed: 4, echo: true }));
    assert.equal(echoed[0]?.text, `The date is ${choice?.text}`);
  });

  it('/v1/completions, with several prompts', async () => {
    const body = { model: 'smollm2-135m', prompt: ['In ', 'On '], guided_regex: date, seed: 1 };
    const reply = await post(`${server.url}/v1/completions`, body);
    const choices = choicesOf(reply);
    assert.equal(choices.length, 2);
    for (const { text } of choices) checkRegex(date)(text ?? '');
    const streamed = await post(`${server.url}/v1/completions`, { ...body, stream: true });
    const chunks = chunksOf(streamed.text);
    for (const { index, text } of choices) assert.equal(joined(chunks, index), text);
    const refused = await post(`${server.url}/v1/completions`, { ...body, guided_regex: '(' });
    assert.equal(refused.status, 400);
    assert.equal(errorOf(refused).reason, 'invalid_constraint');
  });

  it('continue_final_message, and echo', async () => {
    const body = {
      messages: [
        { role: 'user', content: 'Name a colour.' },
        { role: 'assistant', content: 'It is ' },
      ],
      continue_final_message: true,
      add_generation_prompt: false,
      guided_choice: ['red', 'green', 'blue'],
      temperature: 1,
      seed: 6,
    };
    const [choice] = choicesOf(await ask(body));
    const text = choice?.message.content ?? '';
    assert.ok(['red', 'green', 'blue'].includes(text), text);
    const [echoed] = choicesOf(await ask({ ...body, echo: true }));
    assert.equal(echoed?.message.content, `It is ${text}`);
    assert.equal(joined(await stream(server, { ...body, echo: true })), `It is ${text}`);
  });

  it('dry_run: compiles it, and refuses in the words of a real run', async () => {
    for (const one of constraintCases) {
      const reply = await ask(bodyOf(one, { dry_run: true }));
      assert.equal(reply.status, 200, `${one.name}: ${reply.text}`);
      const plan = jsonOf<{ object: string; receipt: { name: string; fate: string }[] }>(reply);
      assert.equal(plan.object, 'chat.completion.plan');
      const line = plan.receipt.find(({ name }) => name === one.parameter);
      assert.equal(line?.fate, 'honoured');
    }
    const wrong: readonly Body[] = [
      { guided_json: { type: 'object', minProperties: 3, maxProperties: 2 } },
      {
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'x' } } },
      },
      { guided_json: { $ref: 'https://example.com/other.json' } },
      { guided_regex: '(a' },
      { guided_grammar: 'root ::= missing' },
      { structural_tag: { type: 'structural_tag', format: { type: 'unheard_of' } } },
    ];
    for (const fields of wrong) {
      const planned = await ask({ ...fields, dry_run: true });
      const real = await ask(fields);
      assert.equal(real.status, 400, real.text);
      assert.equal(errorOf(real).reason, 'invalid_constraint');
      assert.deepEqual(errorOf(planned), errorOf(real));
      const streamed = await ask({ ...fields, stream: true });
      assert.equal(streamed.status, 400, streamed.text);
      assert.deepEqual(errorOf(streamed), errorOf(real));
    }
  });

  it('a client that leaves in the middle of it frees its slot', async () => {
    const endless = { guided_regex: '([a-z]+ ?)*', max_tokens: 900, ignore_eos: true };
    const open = await openStream(server, { ...endless, n: 2, temperature: 1 });
    open.leave();
    await untilLoad(server, 0, 0);
    checkPerson(textOf(await complete(server, asPerson())));
  });
});
