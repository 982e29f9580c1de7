import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../contract/index.ts';
import { compileTemplate } from './chat-template.ts';
import { renderPrompt } from './render-prompt.ts';
import { finalAssistantText } from './template-messages.ts';

const special = { bos: '<s>', eos: null };
const options = { addGenerationPrompt: true, special };

function render(source: string, messages: readonly Message[]): string {
  return renderPrompt(compileTemplate(source), messages, options);
}

const contents = "{% for m in messages %}{{ m['role'] }}:{{ m['content'] }};{% endfor %}";

describe('renderPrompt', () => {
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

describe('renderPrompt with continueFinalMessage', () => {
  const goOn = (source: string, content: string, more: readonly Message[] = []): string =>
    renderPrompt(compileTemplate(source), [...more, { role: 'assistant', content }], {
      addGenerationPrompt: false,
      continueFinalMessage: true,
      special,
    });
  const turns = (content: string): string =>
    `{% for m in messages %}<{{ m['role'] }}>${content}</end>\n{% endfor %}`;
  const plain = turns("{{ m['content'] }}");
  const trimming = turns("{{ m['content'] | trim }}");

  it('ends right after the last message, whatever the template puts behind it', () => {
    assert.equal(goOn(plain, 'Once upon'), '<assistant>Once upon');
    assert.equal(
      goOn(plain, 'Yes', [{ role: 'user', content: 'Yes?' }]),
      '<user>Yes?</end>\n<assistant>Yes',
    );
  });

  it('finds a short text that occurs behind it too, and an empty one', () => {
    assert.equal(goOn(plain, 'e'), '<assistant>e');
    assert.equal(goOn(plain, ''), '<assistant>');
  });

  it('keeps space at the end, unless the template trims it', () => {
    assert.equal(goOn(plain, 'Once \n'), '<assistant>Once \n');
    assert.equal(goOn(trimming, ' Once \n'), '<assistant>Once');
    assert.equal(goOn("{{ 'a: ' }}{{ messages[0]['content'] | trim }}", ''), 'a: ');
  });

  it('refuses a template that does not show the text', () => {
    const source = "{{ messages[0]['content'] | upper }}";
    assert.throws(() => goOn(source, 'x'), {
      reason: 'invalid_template',
      param: 'continue_final_message',
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
