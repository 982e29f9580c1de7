/**
 * Targets that cannot be made to keep a constraint: what they write is checked at its end, and a wrong
 * text is an error, as JSON and in a stream. On an upstream that writes what it is told to.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  chatBody,
  chatUrl,
  checkErrorShape,
  chunksOf,
  errorOf,
  joined,
  jsonOf,
  payloadsOf,
  post,
  type Body,
  type Chunk,
  type Completion,
  type Reply,
  type WireError,
} from '../../support/ask.ts';
import { deploy, undeploy } from '../../support/deployments.ts';
import {
  sendJson,
  startUpstream,
  writeEvent,
  type FakeUpstream,
} from '../../support/fake-upstream.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';

let server: ServerProcess;
let upstream: FakeUpstream;

const name = 'unruly';
const schema = {
  type: 'object',
  properties: { age: { type: 'integer' } },
  required: ['age'],
  additionalProperties: false,
};
const right = '{"age": 7}';

/** Each constraint with a text that it allows and texts that it does not. */
const cases: readonly { fields: Body; right: string; wrong: readonly string[] }[] = [
  {
    fields: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } },
    right,
    wrong: ['{"age": "7"}', '{"age": 7', '```json\n{"age": 7}\n```', '', '{"age": 7, "age": "x"}'],
  },
  { fields: { response_format: { type: 'json_object' } }, right, wrong: ['[]', 'Sure! {}'] },
  { fields: { guided_json: schema }, right, wrong: ['{"age": 7.5}', '{}'] },
  { fields: { guided_regex: '[a-z]+' }, right: 'abc', wrong: ['abc1', 'ABC', ''] },
  { fields: { guided_choice: ['yes', 'no'] }, right: 'no', wrong: ['maybe', 'yes no', 'Yes'] },
  { fields: { guided_grammar: 'root ::= "a" root | "b"' }, right: 'aab', wrong: ['aa', 'ba'] },
  {
    fields: {
      structural_tag: {
        type: 'structural_tag',
        format: {
          type: 'tag',
          begin: '<a>',
          content: { type: 'json_schema', json_schema: schema },
          end: '</a>',
        },
      },
    },
    right: `<a>${right}</a>`,
    wrong: ['<a>{}</a>', right, `<a>${right}`],
  },
];

/** From now on the upstream writes this, in as many choices as there are texts. */
function willWrite(texts: readonly string[], reason = 'stop'): void {
  const head = { id: 'up-1', created: 1, model: 'theirs' };
  upstream.bend(({ body, path }, response) => {
    const chat = path.endsWith('/chat/completions');
    if (body['stream'] !== true) {
      const choices = texts.map((text, index) => ({
        index,
        ...(chat ? { message: { role: 'assistant', content: text } } : { text }),
        finish_reason: reason,
      }));
      const object = chat ? 'chat.completion' : 'text_completion';
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      sendJson(response, 200, { ...head, object, choices, usage });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const object = chat ? 'chat.completion.chunk' : 'text_completion';
    const write = (index: number, text: string, finish: string | null): void => {
      const said = chat ? { delta: text === '' ? {} : { content: text } } : { text };
      writeEvent(response, {
        ...head,
        object,
        choices: [{ index, ...said, finish_reason: finish }],
      });
    };
    texts.forEach((text, index) => {
      for (const piece of text) write(index, piece, null);
      write(index, '', reason);
    });
    writeEvent(response, '[DONE]');
    response.end();
  });
}

const ask = async (extra: Body) => await post(chatUrl(server), chatBody({ model: name, ...extra }));

/** How a stream fails: with an event, and not with `[DONE]`; before its first text, with a status. */
function errorIn(reply: Reply, choice = 0): WireError {
  if (reply.status !== 200) return errorOf(reply);
  const { text: stream } = reply;
  const payloads = payloadsOf(stream);
  assert.ok(!payloads.includes('[DONE]'), stream);
  const chunks = payloads.map((payload) => JSON.parse(payload) as Partial<Chunk>);
  const ends = chunks.flatMap(({ choices = [] }) => choices.filter((one) => one.index === choice));
  assert.ok(
    ends.every((one) => one.finish_reason === null),
    stream,
  );
  const error = chunks.at(-1)?.error;
  assert.ok(error !== undefined, stream);
  checkErrorShape(error);
  return error;
}

describe('what an upstream writes under a constraint', () => {
  before(async () => {
    server = await sharedServer();
    upstream = await startUpstream();
    // It takes them all, and keeps none.
    const parameters = cases.flatMap(({ fields }) => Object.keys(fields));
    const target = { runtime: 'external', model: 'theirs', base_url: upstream.baseUrl };
    await deploy(server, { name, ...target, options: { parameters: [...new Set(parameters)] } });
  });

  after(async () => {
    await undeploy(server, name);
    await upstream.close();
  });

  for (const { fields, right: good, wrong } of cases) {
    const label = JSON.stringify(fields).slice(0, 60);

    it(`passes when it is right: ${label}`, async () => {
      willWrite([good]);
      const reply = await ask(fields);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(jsonOf<Completion>(reply).choices[0]?.message.content, good);
      const streamed = await ask({ ...fields, stream: true });
      assert.equal(joined(chunksOf(streamed.text)), good);
    });

    it(`is an error when it is wrong: ${label}`, async () => {
      for (const text of wrong) {
        willWrite([text]);
        const reply = await ask(fields);
        assert.equal(reply.status, 502, `${text}: ${reply.text}`);
        assert.equal(errorOf(reply).reason, 'constraint_not_met');
        const streamed = await ask({ ...fields, stream: true });
        const error = errorIn(streamed);
        assert.equal(error.reason, 'constraint_not_met');
        assert.equal(error.code, 502);
      }
    });
  }

  it('is an error when one of several choices is wrong', async () => {
    const fields = { guided_choice: ['yes', 'no'], n: 3 };
    willWrite(['yes', 'no', 'yes']);
    assert.equal((await ask(fields)).status, 200);
    willWrite(['yes', 'perhaps', 'no']);
    assert.equal(errorOf(await ask(fields)).reason, 'constraint_not_met');
    const streamed = await ask({ ...fields, stream: true });
    assert.equal(errorIn(streamed, 1).reason, 'constraint_not_met');
  });

  it('passes when it was cut off by max_tokens, which is said by finish_reason', async () => {
    willWrite(['{"ag'], 'length');
    const reply = await ask({ guided_json: schema, max_tokens: 2 });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(jsonOf<Completion>(reply).choices[0]?.finish_reason, 'length');
    assert.match(reply.headers['x-parlance-receipt'] ?? '', /guided_json=\S+ \(incomplete/);
  });

  it('is checked for raw prompts too', async () => {
    const fields = { messages: undefined, prompt: 'Yes or no? ', guided_choice: ['yes', 'no'] };
    willWrite(['no']);
    assert.equal((await ask(fields)).status, 200);
    willWrite(['nope']);
    assert.equal(errorOf(await ask(fields)).reason, 'constraint_not_met');
    assert.equal(errorIn(await ask({ ...fields, stream: true })).reason, 'constraint_not_met');
  });
});
