import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../contract/index.ts';
import { composeWith } from './compose.test-support.ts';

describe('renderOpen', () => {
  const goOn = (source: string, content: string, more: readonly Message[] = []): string =>
    composeWith(source, {
      messages: [...more, { role: 'assistant', content }],
      addGenerationPrompt: false,
      continueFinalMessage: true,
    }).text;
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
