import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../contract/index.ts';
import { compileTemplate } from './chat-template.ts';
import { composeWith } from './compose.test-support.ts';
import { finalAssistantText } from './template-messages.ts';

const render = (source: string, messages: readonly Message[]): string =>
  composeWith(source, { messages }, { bos: '<s>', eos: null }).text;

const contents = "{% for m in messages %}{{ m['role'] }}:{{ m['content'] }};{% endfor %}";

describe('toTemplateMessages', () => {
  it('gives the template roles and texts, developer as system', () => {
    const messages: Message[] = [
      { role: 'developer', content: 'a' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'b' },
          { type: 'text', text: 'c' },
        ],
      },
      { role: 'assistant', content: null },
      { role: 'tool', content: 'd', tool_call_id: '1' },
    ];
    assert.equal(render(contents, messages), 'system:a;user:b\nc;assistant:;tool:d;');
  });

  it('shows a refusal where an assistant said nothing else', () => {
    const refused: Message = { role: 'assistant', content: null, refusal: 'no' };
    assert.equal(render(contents, [refused]), 'assistant:no;');
    const part: Message = { role: 'assistant', content: [{ type: 'refusal', refusal: 'never' }] };
    assert.equal(render(contents, [part]), 'assistant:never;');
  });

  it('gives special tokens, the generation prompt, and tool arguments as objects', () => {
    const source =
      '{{ bos_token }}{{ eos_token }}{{ add_generation_prompt }}{{ messages[0].tool_calls[0].function.arguments.city }}';
    const call = { name: 'weather', arguments: '{"city":"Oslo"}' };
    const messages: Message[] = [
      { role: 'assistant', tool_calls: [{ id: '1', type: 'function', function: call }] },
    ];
    assert.equal(render(source, messages), '<s>TrueOslo');
  });

  it('passes the template’s own refusal on', () => {
    const source = "{{ raise_exception('roles must alternate') }}";
    assert.throws(() => render(source, [{ role: 'user', content: 'x' }]), {
      reason: 'invalid_template',
      message: /roles must alternate/,
    });
  });
});

describe('compileTemplate', () => {
  it('refuses what does not parse', () => {
    assert.throws(() => compileTemplate('{% for %}'), { reason: 'invalid_template' });
  });

  it('knows which identifiers a source names', () => {
    const template = compileTemplate('{{ messages[0].tool_calls }}');
    assert.equal(template.mentions('tool_calls'), true);
    assert.equal(template.mentions('tool'), false);
  });
});

it('finalAssistantText is the last message when it is the assistant’s', () => {
  assert.equal(finalAssistantText([{ role: 'assistant', content: 'Once' }]), 'Once');
  const user: Message = { role: 'user', content: 'x' };
  assert.equal(finalAssistantText([{ role: 'assistant', content: 'Once' }, user]), '');
});
