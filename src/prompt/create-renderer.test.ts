import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { chatRequest } from '../../test/support/chat-body.ts';
import { decide, parseChatRequest, type ChatRequest } from '../contract/index.ts';
import { createRenderer, type PromptRenderer, type RendererOptions } from './create-renderer.ts';
import { toPromptInput } from './prompt-input.ts';
import { createUntrustedRenderer } from './untrusted/render-untrusted.ts';

const untrusted = createUntrustedRenderer(5000);
after(() => untrusted.close());

const turns = "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}";
const { signal } = new AbortController();

function rendererOf(chatTemplate: string | null, more: Partial<RendererOptions> = {}) {
  const special = { bos: null, eos: '</s>' };
  return createRenderer({ chatTemplate, architecture: 'llama', special, untrusted, ...more });
}

async function render(renderer: PromptRenderer, request: ChatRequest): Promise<string> {
  const input = toPromptInput(request);
  assert.ok(input);
  const sent = request.parameters.chat_template ?? null;
  return (await renderer.render(input, sent, signal)).text;
}

const messages = [{ role: 'user', content: 'Hello' }];
const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];

describe('createRenderer', () => {
  it('fails on a template that does not parse or fails on the plainest conversation', () => {
    for (const source of ['{% for %}', "{{ raise_exception('never') }}"]) {
      assert.throws(() => rendererOf(source), { reason: 'invalid_template' });
    }
  });

  it('takes the family’s template where the file has none', async () => {
    const renderer = rendererOf(null, { special: { bos: null, eos: '<|im_end|>' } });
    assert.equal(renderer.family, 'chatml');
    assert.equal(
      await render(renderer, chatRequest({ messages })),
      '<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('says what would work where nothing tells the family', async () => {
    const renderer = rendererOf(null);
    assert.equal(renderer.source, null);
    await assert.rejects(render(renderer, chatRequest({ messages })), {
      reason: 'invalid_template',
      message: /send a `chat_template` with them, or a raw `prompt`/,
    });
    const request = chatRequest({ messages, chat_template: turns });
    assert.equal(await render(renderer, request), '[user]Hello');
  });

  it('uses the file’s own template for tools where a request has some', async () => {
    const renderer = rendererOf(turns, { toolTemplate: `{{ tools | tojson }}${turns}` });
    assert.equal(await render(renderer, chatRequest({ messages })), '[user]Hello');
    assert.match(await render(renderer, chatRequest({ messages, tools })), /^\[\{.*weather.*user/);
    assert.equal(renderer.tools, 'native');
  });
});

describe('toPromptInput', () => {
  it('keeps the spelling of parameters, in both names of tools', () => {
    const fn = '{"name": "f", "parameters": {"2": 1.0,\n "1": 2}}';
    const head = '{"model": "m", "messages": [{"role": "user", "content": "x"}]';
    for (const tail of [
      `"tools": [{"type": "function", "function": ${fn}}, {"type": "function", "function": {"name": "g"}}]`,
      `"functions": [${fn}, {"name": "g"}]`,
    ]) {
      const input = toPromptInput(parseChatRequest(`${head}, ${tail}}`));
      assert.deepEqual(input?.parameterTexts, ['{"2": 1.0,\n "1": 2}', null]);
    }
  });

  it('opens the assistant’s turn unless the last message goes on', () => {
    const addedBy = (body: object) =>
      toPromptInput(chatRequest({ messages, ...body }))?.addGenerationPrompt;
    assert.equal(addedBy({}), true);
    assert.equal(addedBy({ add_generation_prompt: false }), false);
    assert.equal(addedBy({ continue_final_message: true }), false);
    assert.equal(toPromptInput(chatRequest({ messages: null, prompt: 'x' })), null);
  });
});

describe('the template of a request', () => {
  const renderer = rendererOf(turns);

  it('stands in for the model’s own', async () => {
    const chat_template = "{{ bos_token }}{{ messages[0]['content'] }}{{ extra }}{{ eos_token }}";
    const request = chatRequest({ messages, chat_template, chat_template_kwargs: { extra: '!' } });
    assert.equal(await render(renderer, request), 'Hello!</s>');
  });

  it('that fails is the request’s own fault', async () => {
    for (const [chat_template, message] of [
      ['{% for %}', /parse/],
      ["{{ raise_exception('not so') }}", /not so/],
    ] as const) {
      await assert.rejects(render(renderer, chatRequest({ messages, chat_template })), {
        reason: 'invalid_template',
        status: 400,
        param: 'chat_template',
        message,
      });
    }
    const unhurt = chatRequest({ messages, chat_template: turns });
    assert.equal(await render(renderer, unhurt), '[user]Hello');
  });
});

describe('what becomes of the parameters of a prompt', () => {
  const outcome = (
    source: string | null,
    name: keyof PromptRenderer['capabilities'],
    body: object,
  ) => {
    const { capabilities } = rendererOf(source);
    const support = decide(capabilities[name], chatRequest({ messages, ...body }));
    return support.how === 'refused' ? `refused: ${support.reason}` : support.how;
  };
  const documents = [{ text: 'x' }];

  it('documents and tools: honoured by templates that use them, else emulated', () => {
    const using = `{{ documents[0]['text'] if documents else '' }}{{ tools | tojson }}${turns}`;
    assert.equal(outcome(using, 'documents', { documents }), 'honoured');
    assert.equal(outcome(turns, 'documents', { documents }), 'emulated');
    assert.equal(outcome(using, 'tools', { tools }), 'honoured');
    assert.equal(outcome(turns, 'tools', { tools }), 'emulated');
    const named = `{# documents #}${turns}`;
    assert.equal(outcome(named, 'documents', { documents }), 'emulated');
  });

  it('variables: honoured where the template reads them', () => {
    const body = { chat_template_kwargs: { enable_thinking: false } };
    assert.equal(
      outcome(`{% if enable_thinking %}t{% endif %}${turns}`, 'chat_template_kwargs', body),
      'honoured',
    );
    assert.match(outcome(turns, 'chat_template_kwargs', body), /does not read `enable_thinking`/);
    const sent = { ...body, chat_template: '{{ enable_thinking }}' };
    assert.equal(outcome(turns, 'chat_template_kwargs', sent), 'honoured');
    const own = { chat_template: '{{ größe }}', chat_template_kwargs: { größe: 1 } };
    assert.equal(outcome(turns, 'chat_template_kwargs', own), 'honoured');
    const part = { chat_template: '{{ größe }}', chat_template_kwargs: { gr: 1 } };
    assert.match(outcome(turns, 'chat_template_kwargs', part), /does not read `gr`/);
    const odd = { chat_template_kwargs: { 'a.*': 1 } };
    assert.match(outcome(turns, 'chat_template_kwargs', odd), /refused/);
  });

  it('effort: by name, by switch, or refused', () => {
    const body = (reasoning_effort: string) => ({ reasoning_effort });
    const switched = `{% if enable_thinking %}t{% endif %}${turns}`;
    const some = `{% if reasoning_effort is defined and reasoning_effort not in ['low', 'high'] %}{{ raise_exception('no') }}{% endif %}${turns}`;
    assert.equal(outcome(switched, 'reasoning_effort', body('low')), 'emulated');
    assert.equal(outcome(some, 'reasoning_effort', body('low')), 'honoured');
    assert.match(outcome(some, 'reasoning_effort', body('medium')), /does not take medium/);
    assert.match(outcome(turns, 'reasoning_effort', body('low')), /no control of thinking/);
    assert.equal(outcome(turns, 'reasoning_effort', body('none')), 'honoured');
    assert.match(
      outcome(`${turns}{{ '<think>' }}`, 'reasoning_effort', body('none')),
      /no control of thinking/,
    );
  });

  it('names: where the template shows whose they are', () => {
    const body = { messages: [{ role: 'user', content: 'x', name: 'Ann' }] };
    assert.equal(outcome(`${turns}{{ messages[0]['name'] }}`, 'messages[].name', body), 'honoured');
    assert.match(outcome(turns, 'messages[].name', body), /no place for the name of the user/);
  });

  it('nothing of a template is of use to a raw prompt', () => {
    const body = { messages: null, prompt: 'x' };
    for (const name of ['documents', 'chat_template', 'tools', 'reasoning_effort'] as const) {
      assert.match(outcome(turns, name, body), /a raw prompt uses no chat template/);
    }
  });
});
