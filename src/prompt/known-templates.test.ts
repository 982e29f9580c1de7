import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../contract/index.ts';
import { composeWith } from './compose.test-support.ts';
import { findKnownTemplate, type FamilyTraits } from './known-templates.ts';

const system: Message = { role: 'system', content: 'Be brief.' };
const dialogue: Message[] = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Yo' },
  { role: 'user', content: 'Sum?' },
];

/** Whole prompts as the families' own templates write them, without their default system texts. */
const families: readonly (FamilyTraits & { family: string; prompt: string })[] = [
  {
    family: 'chatml',
    architecture: 'llama',
    endTokens: ['<|im_end|>'],
    prompt:
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYo<|im_end|>\n<|im_start|>user\nSum?<|im_end|>\n<|im_start|>assistant\n',
  },
  {
    family: 'llama-3',
    architecture: 'llama',
    endTokens: ['<|end_of_text|>', '<|eot_id|>'],
    prompt:
      '<s><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nYo<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nSum?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
  },
  {
    family: 'llama-4',
    architecture: 'llama4',
    endTokens: ['<|eot|>'],
    prompt:
      '<s><|header_start|>system<|header_end|>\n\nBe brief.<|eot|><|header_start|>user<|header_end|>\n\nHi<|eot|><|header_start|>assistant<|header_end|>\n\nYo<|eot|><|header_start|>user<|header_end|>\n\nSum?<|eot|><|header_start|>assistant<|header_end|>\n\n',
  },
  {
    family: 'gemma',
    architecture: 'gemma2',
    endTokens: ['<eos>', '<end_of_turn>'],
    prompt:
      '<s><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nYo<end_of_turn>\n<start_of_turn>user\nSum?<end_of_turn>\n<start_of_turn>model\n',
  },
  {
    family: 'phi-3',
    architecture: 'phi3',
    endTokens: ['<|end|>'],
    prompt:
      '<|system|>\nBe brief.<|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\nYo<|end|>\n<|user|>\nSum?<|end|>\n<|assistant|>\n',
  },
  {
    family: 'command-r',
    architecture: 'command-r',
    endTokens: ['<|END_OF_TURN_TOKEN|>'],
    prompt:
      '<s><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>Be brief.<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>Hi<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Yo<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>Sum?<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>',
  },
  {
    family: 'granite',
    architecture: 'granite',
    endTokens: ['<|end_of_text|>'],
    prompt:
      '<|start_of_role|>system<|end_of_role|>Be brief.<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>Hi<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>Yo<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>Sum?<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>',
  },
  {
    family: 'mistral',
    architecture: 'llama',
    endTokens: ['</s>'],
    hasToken: (text) => ['[INST]', '[/INST]'].includes(text),
    prompt: '<s>[INST] Be brief.\n\nHi[/INST] Yo</s>[INST] Sum?[/INST]',
  },
];

describe('findKnownTemplate', () => {
  for (const { family, prompt, ...traits } of families) {
    it(`writes ${family} as the family does`, () => {
      const known = findKnownTemplate(traits);
      assert.equal(known?.family, family);
      const { text } = composeWith(known?.source ?? '', { messages: [system, ...dialogue] });
      assert.equal(text, prompt);
    });
  }

  it('guesses nothing', () => {
    const unknown: FamilyTraits[] = [
      { architecture: 'llama', endTokens: ['</s>'] },
      { architecture: 'qwen2', endTokens: ['<|endoftext|>'] },
      { architecture: 'gpt-oss', endTokens: ['<|return|>', '<|end|>'] },
      { architecture: 'llama', endTokens: ['<|end_of_text|>'], hasToken: () => false },
    ];
    for (const traits of unknown) assert.equal(findKnownTemplate(traits), null);
  });
});
