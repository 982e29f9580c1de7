/** Which chat template a model gets, and what is said where there is none. */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import type { PromptInput } from '../../prompt/index.ts';
import { createTargetServices, localOnly } from '../services.ts';
import { metadataWith } from './model-metadata.test-support.ts';
import { createModelRenderer, type ModelRenderer, type TemplateWish } from './model-renderer.ts';

const services = createTargetServices(localOnly);
after(async () => await services.close());

const template = (mark: string): string =>
  `{% for m in messages %}${mark}{{ m['content'] }}{% endfor %}{% if tools %}{{ tools }}{% endif %}`;

const renderer = (
  told: Parameters<typeof metadataWith>[0],
  wish: TemplateWish = null,
): ModelRenderer => createModelRenderer({ metadata: metadataWith(told), services, template: wish });

async function render(made: ModelRenderer, more: Partial<PromptInput> = {}): Promise<string> {
  const input: PromptInput = {
    messages: [{ role: 'user', content: 'hi' }],
    tools: null,
    documents: null,
    templateKwargs: null,
    reasoningEffort: null,
    addGenerationPrompt: true,
    continueFinalMessage: false,
    ...more,
  };
  const { text } = await made.renderer.render(input, null, new AbortController().signal);
  return text;
}

const tools: PromptInput['tools'] = [{ type: 'function', function: { name: 'look' } }];

describe('the chat template of a model', () => {
  it('is the file’s own, with its form for functions', async () => {
    const made = renderer({
      chatTemplate: template('A'),
      namedChatTemplates: { tool_use: template('B') },
    });
    assert.equal(made.origin, 'file');
    assert.equal(await render(made), 'Ahi');
    assert.match(await render(made, { tools }), /^Bhi.*look/);
  });

  it('is the deployment’s before the file’s, for requests with functions too', async () => {
    const told = { chatTemplate: template('A'), namedChatTemplates: { tool_use: template('B') } };
    const made = renderer(told, { source: template('C') });
    assert.equal(made.origin, 'option');
    assert.equal(await render(made), 'Chi');
    assert.match(await render(made, { tools }), /^Chi.*look/);
  });

  it('is that of the family, told by the end of a turn or by a token of the vocabulary', async () => {
    const byEnd = renderer({ eos: '<|im_end|>' });
    assert.equal(byEnd.origin, 'chatml');
    const byToken = renderer({ specialTexts: ['<pad>', '[INST]', '[/INST]'] });
    assert.equal(byToken.origin, 'mistral');
    assert.equal(await render(byToken), '<s>[INST] hi[/INST]');
  });

  it('may be none, where that is said', async () => {
    for (const told of [{ chatTemplate: template('A') }, { eos: '<|im_end|>' }, {}]) {
      const made = renderer(told, 'none');
      assert.equal(made.origin, 'none');
      await assert.rejects(render(made), {
        reason: 'invalid_template',
        message: /deployed without a chat template.*`chat_template`.*`prompt`/,
      });
    }
  });

  it('fails at once where there is none, and the way out is named', () => {
    assert.throws(() => renderer({}), {
      reason: 'invalid_template',
      message: /has no chat template.*`chat_template`.*--chat-template.*"none"/,
    });
  });

  it('fails at once where it is broken, whoever says it', () => {
    const broken = ['{% for %}', "{{ raise_exception('no system role') }}"];
    for (const source of broken) {
      assert.throws(() => renderer({ chatTemplate: source }), { reason: 'invalid_template' });
      assert.throws(() => renderer({}, { source }), { reason: 'invalid_template' });
    }
    assert.throws(() => renderer({}, { source: broken[1] ?? '' }), { message: /no system role/ });
  });
});
