/** Bodies of `POST /deploy`: what is taken, in which form, and what each refusal says. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createTargetServices, localOnly } from '../targets/index.ts';
import { ParlanceError, type Reason } from '../contract/index.ts';
import { createEmbeddedRuntime } from './runtimes/embedded.ts';
import { createExternalRuntime } from './runtimes/external.ts';
import { compareSpecs } from './compare-specs.ts';
import { noOptions } from './embedded-options.ts';
import { parseDeployment, type EmbeddedSpec, type ExternalSpec } from './spec.ts';

const embedded = { name: 'm', runtime: 'embedded', model: 'smollm2-135m' };
const external = { name: 'e', runtime: 'external', base_url: 'http://h:1/v1', model: 'big' };

function refused(work: () => unknown, reason: Reason, words: RegExp): void {
  assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof ParlanceError);
    assert.equal(error.reason, reason);
    assert.equal(error.status, 400);
    assert.match(error.message, words);
    return true;
  });
}

describe('parseDeployment', () => {
  it('fills in every option, and takes its own form for a body', () => {
    const first = parseDeployment(embedded);
    assert.deepEqual(first, { ...embedded, options: noOptions });
    assert.deepEqual(parseDeployment(first), first);
    const second = parseDeployment({ ...external, base_url: 'HTTP://H:1/v1//', options: null });
    assert.deepEqual(second, { ...external, api_key_env: null, options: { parameters: [] } });
    assert.deepEqual(parseDeployment(second), second);
  });

  it('has one spelling for what is left to be chosen', () => {
    const options = { speculation: 'auto', gpu_layers: 'auto', slots: null };
    const first = parseDeployment({ ...embedded, options });
    assert.deepEqual(first.options, noOptions);
    const chosen = {
      deterministic: false,
      prefix_cache_bytes: 0,
      draft_model: ' small ',
      speculation: 'off',
      gpu_layers: 0,
    };
    assert.deepEqual(parseDeployment({ ...embedded, options: chosen }).options, {
      ...noOptions,
      ...chosen,
      draft_model: 'small',
    });
  });

  it('takes names of formats, and has one spelling for what the template tells', () => {
    const auto = { tool_format: 'auto', reasoning_format: 'auto', chat_template: null };
    assert.deepEqual(parseDeployment({ ...embedded, options: auto }).options, noOptions);
    const named = { tool_format: 'llama3', reasoning_format: 'none', chat_template: 'none' };
    const first = parseDeployment({ ...embedded, options: named });
    assert.deepEqual(first.options, { ...noOptions, ...named });
    assert.deepEqual(parseDeployment(first), first);
  });

  it('takes an adapter with or without its runtime', () => {
    const adapter = { name: 'a', adapter_of: 'm', path: '/a.gguf' };
    const spec = parseDeployment(adapter);
    assert.deepEqual(spec, { ...adapter, runtime: 'adapter', options: {} });
    assert.deepEqual(parseDeployment(spec), spec);
    assert.deepEqual(parseDeployment({ ...adapter, runtime: null }), spec);
  });

  it('takes parameters in any order as the same', () => {
    const withParameters = (parameters: unknown) =>
      parseDeployment({ ...external, options: { parameters } });
    const one = withParameters(['top_k', 'min_p', 'top_k']);
    assert.deepEqual(compareSpecs(one, withParameters(['min_p', 'top_k'])), []);
    assert.deepEqual(withParameters('all').options, { parameters: 'all' });
  });

  const cases: readonly [what: string, body: unknown, Reason, RegExp][] = [
    ['no object', [], 'invalid_value', /expected an object/],
    ['nothing', null, 'invalid_value', /expected an object/],
    ['no runtime', { name: 'm' }, 'missing_field', /runtime is required: one of "embedded", "ext/],
    ['no name', { ...embedded, name: undefined }, 'invalid_value', /^name: /],
    ['no model', { name: 'm', runtime: 'embedded' }, 'missing_field', /^model is required/],
    [
      'a later runtime',
      { ...embedded, runtime: 'vllm' },
      'invalid_deployment',
      /"vllm" .*"external"/,
    ],
    [
      'a misspelt runtime',
      { ...embedded, runtime: 'embeded' },
      'invalid_deployment',
      /"embedded"\?/,
    ],
    [
      'a foreign field',
      { ...embedded, base_url: 'x' },
      'unknown_field',
      /^base_url is not a field/,
    ],
    ['a foreign option', { ...embedded, options: { slot: 1 } }, 'unknown_field', /"slots"/],
    [
      'a wrong option',
      { ...embedded, options: { slots: 0 } },
      'invalid_value',
      /^options\.slots: /,
    ],
    [
      'a wrong gpu_layers',
      { ...embedded, options: { gpu_layers: 'all' } },
      'invalid_value',
      /^options\.gpu_layers: .*"auto"/,
    ],
    [
      'an unknown tool_format',
      { ...embedded, options: { tool_format: 'hermess' } },
      'invalid_value',
      /^options\.tool_format: .*"auto", "none",.*"hermes"/,
    ],
    [
      'an unknown reasoning_format',
      { ...embedded, options: { reasoning_format: 1 } },
      'invalid_value',
      /^options\.reasoning_format: .*"auto", "none",.*"think"/,
    ],
    ['an adapter without a file', { name: 'a', adapter_of: 'm' }, 'missing_field', /^path is req/],
    [
      'an adapter with a model',
      { name: 'a', adapter_of: 'm', path: 'p', model: 'x' },
      'unknown_field',
      /^model is not/,
    ],
    ['a base of an embedded one', { ...embedded, adapter_of: 'm' }, 'unknown_field', /^adapter_of/],
    ['a name with a space', { ...embedded, name: 'a b' }, 'invalid_deployment', /^name: /],
    ['a long name', { ...embedded, name: 'x'.repeat(129) }, 'invalid_deployment', /^name: .*128/],
    ['a reserved name', { ...embedded, name: 'parlance::x' }, 'invalid_deployment', /reserved/],
    [
      'an address of files',
      { ...external, base_url: 'file:///x' },
      'invalid_deployment',
      /http or/,
    ],
    ['no address', { ...external, base_url: 'h:1' }, 'invalid_deployment', /^base_url: expected/],
    ['a password', { ...external, base_url: 'http://a:b@h' }, 'invalid_deployment', /no user name/],
    ['a query', { ...external, base_url: 'http://h/?k=1' }, 'invalid_deployment', /no \?query/],
    [
      'an unknown parameter',
      { ...external, options: { parameters: ['top_k', 'topp'] } },
      'invalid_deployment',
      /^options\.parameters\[1\]: "topp" .*did you mean "top_p"/,
    ],
  ];
  for (const [what, body, reason, words] of cases) {
    it(`refuses ${what}`, () => refused(() => parseDeployment(body), reason, words));
  }

  it('never repeats a password', () => {
    assert.throws(
      () => parseDeployment({ ...external, base_url: 'http://ann:hunter2@h' }),
      (error: Error) => !error.message.includes('hunter2'),
    );
  });
});

describe('compareSpecs', () => {
  it('takes a field that is not there for null, as in what earlier versions stored', () => {
    const now = parseDeployment(embedded);
    const { slots, context, threads } = noOptions;
    const stored = { ...embedded, options: { slots, context, threads } } as EmbeddedSpec;
    assert.deepEqual(compareSpecs(stored, now), []);
    const off = parseDeployment({ ...embedded, options: { prefix_cache_bytes: 0 } });
    assert.deepEqual(compareSpecs(stored, off), ['options.prefix_cache_bytes: nothing -> 0']);
    assert.deepEqual(compareSpecs(off, now), ['options.prefix_cache_bytes: 0 -> null']);
  });

  it('names what differs, and nothing else', () => {
    const one = parseDeployment(external);
    assert.deepEqual(compareSpecs(one, parseDeployment(external)), []);
    const other = parseDeployment({ ...external, model: 'small', api_key_env: 'K' });
    assert.deepEqual(compareSpecs(one, other), [
      'api_key_env: null -> "K"',
      'model: "big" -> "small"',
    ]);
    assert.deepEqual(compareSpecs(one, parseDeployment({ ...embedded, name: 'e', model: 'big' })), [
      'runtime: "external" -> "embedded"',
      'base_url: "http://h:1/v1" -> nothing',
      'options.parameters: [] -> nothing',
    ]);
  });
});

describe('the check of the runtime external', () => {
  const runtime = createExternalRuntime({
    services: createTargetServices(localOnly),
    allowApiKeyEnv: ['GOOD', 'UNSET'],
    env: { GOOD: 'k', HOME: 'h' },
  });
  const withEnv = (name: string) =>
    parseDeployment({ ...external, api_key_env: name }) as ExternalSpec;

  it('takes a variable that is allowed and set', () => {
    assert.equal(runtime.check(withEnv('GOOD')).api_key_env, 'GOOD');
  });

  it('refuses others in the same words, whether they are set or not', () => {
    for (const name of ['HOME', 'NOPE']) {
      refused(
        () => runtime.check(withEnv(name)),
        'invalid_deployment',
        new RegExp(`^api_key_env: ${name} is not on the list .*--allow-api-key-env ${name}`),
      );
    }
    refused(() => runtime.check(withEnv('UNSET')), 'invalid_deployment', /UNSET is allowed, but/);
  });
});

describe('the check of the runtime embedded', () => {
  const runtime = createEmbeddedRuntime({
    services: createTargetServices(localOnly),
    home: '/nowhere',
    maxWaiting: 1,
    prefixCacheDir: null,
  });
  const withModel = (model: string) => parseDeployment({ ...embedded, model }) as EmbeddedSpec;

  it('makes the path of a file absolute, so that a restart elsewhere finds it', () => {
    const { model } = runtime.check(withModel('w/x.gguf'));
    assert.equal(model, `${process.cwd()}/w/x.gguf`);
    assert.equal(runtime.check(withModel('smollm2-135m')).model, 'smollm2-135m');
  });

  it('does the same for a draft model', () => {
    const withDraft = (draft: string) =>
      parseDeployment({ ...embedded, options: { draft_model: draft } }) as EmbeddedSpec;
    const { options } = runtime.check(withDraft('w/x.gguf'));
    assert.equal(options.draft_model, `${process.cwd()}/w/x.gguf`);
    const words = /^options\.draft_model: .*hf:owner/;
    refused(() => runtime.check(withDraft('hf:x')), 'invalid_deployment', words);
  });

  it('refuses what is no model at all', () => {
    refused(() => runtime.check(withModel('hf:x')), 'invalid_deployment', /^model: .*hf:owner/);
  });
});
