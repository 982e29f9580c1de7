/** Which form of calls and thinking a model has: told by its template, by its deployment, or by neither. */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';

import { createTargetServices, localOnly } from '../services.ts';
import { findFormats, noWishes } from './model-format.ts';
import { metadataWith } from './model-metadata.test-support.ts';
import { createModelRenderer } from './model-renderer.ts';

const services = createTargetServices(localOnly);
after(async () => await services.close());

const messages = "{% for m in messages %}{{ m['content'] }}{% endfor %}";
const rendererOf = (chatTemplate: string) =>
  createModelRenderer({ metadata: metadataWith({ chatTemplate }), services }).renderer;

const plain = rendererOf(messages);
const unknown = rendererOf(`{{ tools }}${messages}`);
const mistral = rendererOf(`{{ tools }}${messages}{{ '[TOOL_CALLS][' if false }}`);
const thinks = rendererOf(`${messages}{{ '<think>' if add_generation_prompt }}`);

describe('findFormats', () => {
  it('reads the template', () => {
    assert.equal(findFormats(mistral, noWishes).withTools.tools, 'mistral-array');
    assert.equal(findFormats(thinks, noWishes).plain.reasoning, 'think');
    assert.equal(findFormats(plain, noWishes).plain.reasoning, null);
  });

  it('has a form for calls where the template takes no functions, or does not tell', () => {
    for (const renderer of [plain, unknown]) {
      const formats = findFormats(renderer, noWishes);
      assert.equal(formats.withTools.tools, 'hermes');
      assert.equal(formats.of(messages).tools, 'hermes');
    }
  });

  it('does what the deployment says, whatever the template', () => {
    const named = { tools: 'llama3', reasoning: 'seed' } as const;
    const none = { tools: 'none', reasoning: 'none' } as const;
    for (const renderer of [plain, unknown, mistral, thinks]) {
      const formats = findFormats(renderer, named);
      assert.deepEqual(formats.withTools, named);
      assert.deepEqual(formats.of(`${messages}<tool_call><think>`), named);
      const without = findFormats(renderer, none);
      assert.deepEqual(without.withTools, { tools: null, reasoning: null });
      assert.deepEqual(without.of(messages), { tools: null, reasoning: null });
    }
  });
});
