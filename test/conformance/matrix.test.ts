/**
 * The promise, kept: every field of the contract against every kind of target is honoured, emulated
 * or refused, never accepted and ignored. The samples are typed by the contract's own fields.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  decide,
  parameterTable,
  parseChatRequest,
  type ContentName,
  type Decide,
  type FieldName,
  type ParameterName,
  type ParameterRow,
} from '../../src/contract/index.ts';
import { capabilityRecords } from '../../src/targets/index.ts';
import {
  chatUrl,
  errorOf,
  jsonOf,
  model,
  post,
  receiptOf,
  type Body,
  type Reply,
} from '../support/ask.ts';
import { deploy, undeploy } from '../support/deployments.ts';
import { startUpstream, type Asked, type FakeUpstream } from '../support/fake-upstream.ts';
import { inCompany } from '../support/in-company.ts';
import { contentSamples, samples, type Sample } from '../support/sample-values.ts';
import { sharedServer } from '../support/shared-server.ts';
import type { ServerProcess } from '../support/server-process.ts';

const table = parameterTable as unknown as Readonly<Record<FieldName, ParameterRow<unknown>>>;
const rows = Object.entries(samples) as [keyof typeof samples, Sample][];
const contents = Object.entries(contentSamples) as [
  ContentName,
  (typeof contentSamples)[ContentName],
][];

/** Under which name each kind of target is reached. `declared` says that its upstream honours all. */
const names = {
  embedded: model,
  external: 'matrix-external',
  declared: 'matrix-declared',
} as const;
type Kind = keyof typeof names;
const kinds = Object.keys(names) as Kind[];

const inputs = {
  // Without a system message the model's template puts a long one of its own in front.
  messages: {
    messages: [
      { role: 'system', content: '' },
      { role: 'user', content: 'Hi' },
    ],
  },
  prompt: { prompt: 'Once upon a time' },
} as const;
type InputKind = keyof typeof inputs;
const inputKinds = Object.keys(inputs) as InputKind[];

let server: ServerProcess;
let upstream: FakeUpstream;

const ask = (body: Body, mode?: string) =>
  post(
    chatUrl(server),
    body,
    mode === undefined ? {} : { headers: { 'x-parlance-unsupported': mode } },
  );

/** The tested field stands first, so that it is the first one to be refused. */
function bodyFor(kind: Kind, input: InputKind, fields: Body): Body {
  return { ...fields, max_tokens: 2, ...fields, model: names[kind], ...inputs[input] };
}

/** What OpenAI's route for raw prompts does not have, whatever the upstream honours. */
const chatOnly: ReadonlySet<string> = new Set<FieldName>([
  'logprobs',
  'top_logprobs',
  'response_format',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'reasoning_effort',
  'verbosity',
  'modalities',
  'prediction',
]);

const parameterOf = (field: FieldName): ParameterName =>
  (table[field].synonymOf ?? field) as ParameterName;

/** What the capability record promises for this very body; an upstream that honours all is not asked. */
function promised(kind: Kind, field: FieldName, body: Body): string {
  if (kind === 'declared') return 'prompt' in body && chatOnly.has(field) ? 'refused' : 'honoured';
  const record = capabilityRecords[kind] as Readonly<Record<string, Decide>>;
  const entry = record[parameterOf(field)];
  assert.ok(entry !== undefined);
  return decide(entry, parseChatRequest(JSON.stringify(body), 'error')).how;
}

describe('every field against every kind of target', () => {
  before(async () => {
    server = await sharedServer();
    upstream = await startUpstream();
    const base = { runtime: 'external', base_url: upstream.baseUrl, model: 'theirs' };
    await deploy(server, { ...base, name: names.external });
    await deploy(server, { ...base, name: names.declared, options: { parameters: 'all' } });
  });

  after(async () => {
    await undeploy(server, names.external);
    await undeploy(server, names.declared);
    await upstream.close();
  });

  it('has a sample for every field that is not the input itself', () => {
    const without = Object.keys(table).filter((field) => !(field in samples));
    assert.deepEqual(without, ['model', 'messages', 'prompt', 'stream', 'dry_run']);
    for (const [field, { sent, neutral }] of rows) {
      assert.equal(Object.keys(sent)[0], field);
      const row = table[field];
      assert.equal(row.neutral(sent[field] as never, sent as never), false, `${field} is neutral`);
      if (neutral === null) assert.match(row.neutralText, /none|`\{\}`/, field);
      else assert.equal(row.neutral(neutral[field] as never, neutral as never), true, field);
    }
  });

  for (const kind of kinds) {
    for (const input of inputKinds) {
      it(`${kind}, ${input}: a meaning value is honoured or refused`, async () => {
        await inCompany(rows, ([field, { sent }]) => checkSent({ kind, input, field }, sent));
      });
    }

    it(`${kind}: a neutral value is accepted, and not in the receipt`, async () => {
      await inCompany(rows, async ([field, { neutral }]) => {
        if (neutral === null) return;
        const reply = await ask(bodyFor(kind, 'messages', neutral));
        assert.equal(reply.status, 200, `${field}: ${reply.text}`);
        assert.deepEqual(receiptOf(reply), { max_tokens: 'honoured' }, field);
      });
    });

    it(`${kind}: what messages hold beside text is honoured or refused by its path`, async () => {
      for (const [name, sample] of contents) {
        const body = {
          ...sample.fields,
          messages: sample.messages,
          max_tokens: 2,
          model: names[kind],
        };
        const reply = await ask(body);
        if (reply.status === 200) continue;
        const error = errorOf(reply);
        assert.equal(error.reason, 'unsupported_parameter', `${name}: ${reply.text}`);
        assert.equal(error.param, sample.path);
        assert.ok(error.message.includes(sample.path));
      }
    });

    it(`${kind}: an unknown field is refused, and dropped on request`, async () => {
      const body = bodyFor(kind, 'messages', { temprature: 0.5 });
      const error = errorOf(await ask(body));
      assert.equal(error.reason, 'unknown_field');
      assert.equal(error.param, 'temprature');
      assert.match(error.message, /did you mean "temperature"/);
      for (const mode of ['drop', 'warn']) {
        const relaxed = await ask(body, mode);
        assert.equal(relaxed.status, 200, relaxed.text);
        assert.equal(receiptOf(relaxed)['temprature'], 'dropped');
      }
    });
  }

  it('recorded fields are kept out of the receipt everywhere', async () => {
    for (const kind of kinds) {
      const body = bodyFor(kind, 'messages', {
        ...samples.user.sent,
        ...samples.metadata.sent,
        ...samples.episode_id.sent,
      });
      const reply = await ask(body);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(receiptOf(reply), { max_tokens: 'honoured' });
    }
  });
});

interface Case {
  readonly kind: Kind;
  readonly input: InputKind;
  readonly field: keyof typeof samples;
}

const inWords = ({ kind, input, field }: Case): string => `${kind}, ${input}, ${field}`;

/** `user` is passed on and acted on by nobody: it says which request reached the upstream. */
function sentBody(one: Case, sent: Sample['sent']): Body {
  const { kind, input, field } = one;
  const body = { ...bodyFor(kind, input, sent), user: inWords(one) };
  // With a raw prompt this one is neutral when it is true.
  const isTurned = field === 'add_special_tokens' && input === 'prompt';
  return isTurned ? { ...body, add_special_tokens: false } : body;
}

async function checkSent(one: Case, sent: Sample['sent']): Promise<void> {
  const { kind, field } = one;
  const where = inWords(one);
  if (table[field].role === 'recorded') {
    assert.equal((await ask(bodyFor(kind, one.input, sent))).status, 200, where);
    return;
  }
  const body = sentBody(one, sent);
  const expected = promised(kind, field, body);
  const reply = await ask(body);
  const plan = await ask({ ...body, dry_run: true });
  if (reply.status === 200) {
    assert.ok(expected !== 'refused', `${where} is accepted, and the record refuses it`);
    assert.equal(
      receiptOf(reply)[field],
      expected,
      `${where}: ${JSON.stringify(receiptOf(reply))}`,
    );
    if (kind !== 'embedded') checkUpstream(where, field, body);
    checkPlan(where, field, plan, expected);
    return;
  }
  const error = errorOf(reply);
  if (kind !== 'embedded' && error.reason === 'constraint_not_met') {
    // It was passed on, and the upstream's text, which is always the same, was checked.
    assert.equal(expected, 'honoured', where);
    checkUpstream(where, field, body);
    return;
  }
  assert.equal(error.reason, 'unsupported_parameter', `${where}: ${reply.text}`);
  assert.equal(error.param, field, where);
  assert.ok(error.message.includes(`\`${field}\``), where);
  assert.equal(expected, 'refused', `${where} is refused, and the record promises it`);
  assert.deepEqual(jsonOf(plan), jsonOf(reply), `${where}: dry_run refuses in other words`);
  await checkRelaxed(one, body);
}

/** The last body of this case that the upstream saw. */
function seenUpstream(where: string): Asked['body'] {
  const seen = upstream.asked.findLast(({ body }) => body['user'] === where);
  assert.ok(seen !== undefined, `${where}: nothing reached the upstream`);
  return seen.body;
}

/** What is honoured by passing it on must have reached the upstream. */
function checkUpstream(where: string, field: string, body: Body): void {
  const asked = seenUpstream(where);
  const expected = field === 'stream_options' ? { include_usage: true } : body[field];
  assert.deepEqual(asked[field], expected, `${where} did not reach the upstream`);
}

function checkPlan(where: string, field: string, plan: Reply, expected: string): void {
  assert.equal(plan.status, 200, `${where}: ${plan.text}`);
  const { object, receipt } = jsonOf<{
    object: string;
    receipt: { name: string; fate: string }[];
  }>(plan);
  assert.equal(object, 'chat.completion.plan');
  const line = receipt.find(({ name }) => name === field);
  assert.equal(line?.fate, expected, `${where}: dry_run decides otherwise`);
}

/** Relaxed, the same body is answered, the receipt says what went, and nothing of it goes on. */
async function checkRelaxed(one: Case, body: Body): Promise<void> {
  const { kind, field } = one;
  const where = inWords(one);
  const dropped = await ask(body, 'drop');
  assert.equal(dropped.status, 200, `${where}: ${dropped.text}`);
  assert.equal(receiptOf(dropped)[field], 'dropped', where);
  assert.equal(dropped.headers['warning'], undefined);
  if (kind !== 'embedded') {
    assert.ok(!Object.hasOwn(seenUpstream(where), field), `${where} was not dropped`);
  }
  const warned = await ask({ ...body, dry_run: true }, 'warn');
  assert.equal(warned.status, 200, `${where}: ${warned.text}`);
  assert.match(warned.headers['warning'] ?? '', new RegExp(`\\b${field}\\b`), where);
}
