/** Deployments over HTTP on the real server: their life, their limits, and a restart. */

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkStream } from '../support/answer-shapes.ts';
import {
  chatBody,
  chatUrl,
  complete,
  errorOf,
  get,
  joined,
  jsonOf,
  metric,
  model,
  post,
  receiptOf,
  remove,
  stream,
  textOf,
  type Body,
  type Headers,
} from '../support/ask.ts';
import {
  deploy,
  deploymentUrl,
  undeploy,
  waitForState,
  type Deployment,
} from '../support/deployments.ts';
import { startUpstream, type FakeUpstream } from '../support/fake-upstream.ts';
import { startHub, type Hub } from '../support/hub-server.ts';
import { untilLoad } from '../support/load.ts';
import { openStream } from '../support/open-stream.ts';
import { enginesOf } from '../support/process-tree.ts';
import { openSocket, parseReply } from '../support/raw-socket.ts';
import {
  linkModel,
  makeHome,
  startServer,
  testModel,
  type ServerProcess,
} from '../support/server-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const secret = 'sk-of-the-upstream';
const options = { context: 1024, slots: 2 };

let home: string;
let server: ServerProcess;
let upstream: FakeUpstream;
let hub: Hub;
/** Lets the hub send the rest of what it holds back. */
let sendRest: () => void;

function start(): Promise<ServerProcess> {
  return startServer({
    home,
    args: ['--context', '1024', '--slots', '2', '--allow-api-key-env', 'TEST_KEY,TEST_UNSET'],
    env: { TEST_KEY: secret, OTHER_SECRET: 'other', HF_ENDPOINT: hub.endpoint },
  });
}

const postDeploy = (body: Body | string, headers: Headers = {}) =>
  post(`${server.url}/deploy`, body, { headers });

const view = async (name: string): Promise<Deployment> =>
  jsonOf<Deployment>(await get(deploymentUrl(server, name)));

const listed = async (): Promise<string[]> =>
  jsonOf<{ data: Deployment[] }>(await get(`${server.url}/deploy`)).data.map(({ name }) => name);

/** Half of the file, and the rest when the test says so; a range is answered as a whole file is not. */
function holdBack(content: Buffer, response: ServerResponse): void {
  response.writeHead(200, { 'content-length': content.length });
  response.write(content.subarray(0, content.length / 2));
  sendRest = () => response.end(content.subarray(content.length / 2));
}

describe('deployments', () => {
  before(async () => {
    home = makeHome();
    const content = readFileSync(testModel());
    hub = await startHub({
      content,
      bendStore: (_, response) => {
        holdBack(content, response);
        return true;
      },
    });
    upstream = await startUpstream();
    server = await start();
  });

  after(async () => {
    await server.stop();
    await upstream.close();
    await hub.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('the start model is one of them', async () => {
    const found = await view(model);
    assert.deepEqual([found.state, found.runtime], ['ready', 'embedded']);
    assert.equal((found['engine'] as { slots: number }).slots, 2);
    assert.deepEqual(await listed(), [model]);
  });

  it('a file: 202, loading, ready, answers under its name; twice is one; gone after DELETE', async () => {
    const file = join(home, 'second.gguf');
    linkModel(file);
    const body = { name: 'second', runtime: 'embedded', model: file, options };
    const reply = await postDeploy(body);
    assert.equal(reply.status, 202, reply.text);
    assert.equal(reply.headers['location'], '/deploy/second');
    assert.match(jsonOf<Deployment>(reply).state, /^(?:pulling|loading)$/);
    const early = await post(chatUrl(server), chatBody({ model: 'second' }));
    if (early.status !== 200) assert.equal(errorOf(early).reason, 'model_loading');
    await waitForState(server, 'second', 'ready');
    assert.equal(enginesOf(server.pid).length, 2);
    assert.equal(
      textOf(await complete(server, { model: 'second' })),
      textOf(await complete(server)),
    );
    const again = await postDeploy(body);
    assert.deepEqual([again.status, jsonOf<Deployment>(again).state], [202, 'ready']);
    assert.deepEqual(await listed(), [model, 'second']);
    const other = errorOf(await postDeploy({ ...body, options: { ...options, slots: 1 } }));
    assert.deepEqual([other.code, other.reason], [409, 'deployment_conflict']);
    assert.match(other.message, /options\.slots: 2 -> 1/);

    const running = await openStream(server, { model: 'second', max_tokens: 60 });
    const removed = await remove(deploymentUrl(server, 'second'));
    assert.deepEqual([removed.status, jsonOf<Deployment>(removed).state], [202, 'draining']);
    const late = errorOf(await post(chatUrl(server), chatBody({ model: 'second' })));
    assert.ok(late.code === 404 || late.code === 503, late.message);
    assert.match(await running.rest(), /"finish_reason":"length"[^]*\[DONE\]/);
    await waitUntil(
      'its engine to end',
      async () => enginesOf(server.pid).length === 1 && (await listed()).length === 1,
    );
    const gone = errorOf(await post(chatUrl(server), chatBody({ model: 'second' })));
    assert.deepEqual([gone.code, gone.reason], [404, 'unknown_model']);
    assert.ok(gone.message.includes(model));
  });

  it('weights from a hub: pulling with progress, 503 with retry-after meanwhile', async () => {
    const name = 'from-hub';
    const body = { name, runtime: 'embedded', model: 'hf:owner/repo/pulled.gguf', options };
    const reply = await postDeploy(body);
    assert.deepEqual([reply.status, jsonOf<Deployment>(reply).state], [202, 'pulling']);
    await waitUntil('a part of the file', async () => {
      const { state, progress } = await view(name);
      assert.equal(state, 'pulling');
      const { bytes = 0, total_bytes = 0 } = (progress ?? {}) as Record<string, number>;
      return bytes > 0 && total_bytes > bytes;
    });
    const early = await post(chatUrl(server), chatBody({ model: name }));
    const error = errorOf(early);
    assert.deepEqual([error.code, error.reason], [503, 'model_loading']);
    assert.match(error.message, /MB of 98.* fetched \(\d+%\)/);
    assert.match(early.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    // The others are not held up.
    assert.match(textOf(await complete(server)), /Paris/);
    sendRest();
    await waitForState(server, name, 'ready');
    assert.match(textOf(await complete(server, { model: name })), /Paris/);
    await undeploy(server, name);
  });

  it('weights that are not there: failed, with every source that was tried', async () => {
    const name = 'no-weights';
    const file = join(home, 'nothing.gguf');
    await postDeploy({ name, runtime: 'embedded', model: file });
    await waitForState(server, name, 'failed');
    const { reason } = await view(name);
    assert.ok(reason?.includes(file), String(reason));
    const error = errorOf(await post(chatUrl(server), chatBody({ model: name })));
    assert.deepEqual([error.code, error.reason], [503, 'deployment_failed']);
    assert.ok(error.message.includes(file));
    await undeploy(server, name);
  });

  it('an external one in front of itself answers the same, and what it has not is refused', async () => {
    const name = 'mirror';
    const body = { name, runtime: 'external', base_url: `${server.url}/v1`, model };
    await deploy(server, { ...body, options: { parameters: ['top_k', 'ignore_eos'] } });
    const direct = await complete(server);
    const mirrored = await complete(server, { model: name });
    assert.equal(mirrored.model, name);
    assert.deepEqual(mirrored.choices, direct.choices);
    assert.deepEqual(mirrored.usage, direct.usage);
    const reply = await post(
      chatUrl(server),
      chatBody({ model: name, stream: true, top_k: 5, stream_options: { include_usage: true } }),
    );
    assert.equal(receiptOf(reply)['top_k'], 'honoured');
    const chunks = checkStream('chat', reply);
    assert.equal(joined(chunks), textOf(direct));
    assert.ok(chunks.every((chunk) => chunk.model === name));
    assert.deepEqual(chunks.at(-1)?.usage, direct.usage);
    const here = errorOf(await post(chatUrl(server), chatBody({ model: name, min_p: 0.1 })));
    assert.deepEqual([here.reason, here.param], ['unsupported_parameter', 'min_p']);
    // Refused by the one behind: its own words come through.
    const behind = errorOf(await post(chatUrl(server), chatBody({ model: name, store: true })));
    assert.equal(behind.code, 400);
    assert.match(behind.message, /`store` is not supported by embedded/);
    const raw = { model: name, messages: null, prompt: 'Once upon a time', max_tokens: 5 };
    const prompts = [{ ...raw, model }, raw].map((extra) => post(chatUrl(server), chatBody(extra)));
    const [one, other] = (await Promise.all(prompts)).map((answer) =>
      jsonOf<{ choices: { text: string }[] }>(answer),
    );
    assert.equal(one?.choices[0]?.text, other?.choices[0]?.text);
  });

  it('a client that leaves an external one leaves the one behind it', async () => {
    const cancelled = await metric(server, 'parlance_requests_cancelled_total');
    const open = await openStream(server, { model: 'mirror' });
    open.leave();
    await untilLoad(server, 0, 0);
    // The client's own request, and the one that the deployment made.
    await waitUntil(
      'both to be counted',
      async () => (await metric(server, 'parlance_requests_cancelled_total')) === cancelled + 2,
    );
  });

  it('a key of the environment goes to the upstream only where the start allowed it', async () => {
    const base = { runtime: 'external', base_url: upstream.baseUrl, model: 'theirs' };
    const refused = errorOf(
      await postDeploy({ ...base, name: 'thief', api_key_env: 'OTHER_SECRET' }),
    );
    assert.deepEqual([refused.code, refused.reason], [400, 'invalid_deployment']);
    assert.match(refused.message, /--allow-api-key-env OTHER_SECRET/);
    const unset = errorOf(await postDeploy({ ...base, name: 'thief', api_key_env: 'TEST_UNSET' }));
    assert.match(unset.message, /not set/);
    await deploy(server, { ...base, name: 'keyed', api_key_env: 'TEST_KEY' });
    assert.equal(textOf(await complete(server, { model: 'keyed' })), 'hello there');
    assert.equal(upstream.asked.at(-1)?.authorization, `Bearer ${secret}`);
    assert.equal(upstream.asked.at(-1)?.body['model'], 'theirs');
    assert.ok(!(await get(deploymentUrl(server, 'keyed'))).text.includes(secret));
    assert.equal(joined(await stream(server, { model: 'keyed' })), 'hello there');
  });

  it('web pages and forms are kept out', async () => {
    const body = { name: 'page', runtime: 'external', base_url: upstream.baseUrl, model: 'm' };
    const plain = errorOf(await postDeploy(JSON.stringify(body), { 'content-type': 'text/plain' }));
    assert.deepEqual([plain.code, plain.reason], [415, 'unsupported_media_type']);
    const origin = errorOf(await postDeploy(body, { origin: 'https://evil.example' }));
    assert.deepEqual([origin.code, origin.reason], [403, 'foreign_origin']);
    const own = await postDeploy({ ...body, name: model }, { origin: server.url });
    assert.equal(errorOf(own).code, 409);
    for (const method of ['GET', 'DELETE']) {
      const head = `${method} /deploy/${model} HTTP/1.1\r\nhost: evil.example:${server.port}\r\nconnection: close\r\n\r\n`;
      const reply = parseReply(await (await openSocket(server.port, head)).text);
      assert.deepEqual([reply.status, errorOf(reply).reason], [403, 'foreign_origin']);
    }
    assert.ok(!(await listed()).includes('page'));
    assert.equal((await view(model)).state, 'ready');
  });

  it('bodies that cannot be deployed are refused in the usual words', async () => {
    const base = { name: 'x', runtime: 'external', base_url: upstream.baseUrl, model: 'm' };
    const cases: [Body, string, RegExp][] = [
      [{ ...base, runtime: 'vllm' }, 'invalid_deployment', /external/],
      [{ ...base, base_url: 'ftp://a' }, 'invalid_deployment', /http/],
      [{ ...base, base_url: 'http://u:p@a/v1' }, 'invalid_deployment', /api_key_env/],
      [{ ...base, name: 'a b' }, 'invalid_deployment', /name/],
      [{ ...base, modle: 'x' }, 'unknown_field', /did you mean "model"/],
      [{ name: 'x', runtime: 'external', model: 'm' }, 'missing_field', /base_url/],
      [
        { ...base, options: { parameters: ['topk'] } },
        'invalid_deployment',
        /did you mean "top_k"/,
      ],
    ];
    for (const [body, reason, words] of cases) {
      const error = errorOf(await postDeploy(body));
      assert.deepEqual([error.code, error.reason], [400, reason], error.message);
      assert.match(error.message, words);
    }
    const unknown = errorOf(await get(deploymentUrl(server, 'nothing')));
    assert.deepEqual([unknown.code, unknown.reason], [404, 'unknown_deployment']);
    assert.equal((await remove(deploymentUrl(server, 'nothing'))).status, 404);
  });

  it('they outlive a restart, the start model’s options do not', async () => {
    const before = await listed();
    assert.deepEqual(before, [model, 'mirror', 'keyed']);
    await server.stop();
    server = await start();
    await waitForState(server, 'keyed', 'ready');
    assert.deepEqual(await listed(), before);
    assert.equal(textOf(await complete(server, { model: 'keyed' })), 'hello there');
    assert.equal(upstream.asked.at(-1)?.authorization, `Bearer ${secret}`);
    await undeploy(server, 'keyed');
    await undeploy(server, 'mirror');
    await server.stop();
    server = await start();
    assert.deepEqual(await listed(), [model]);
  });
});
