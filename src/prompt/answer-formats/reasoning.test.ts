/** Whether a prompt ends inside a block of thinking, behind one, or elsewhere. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { closesThinking, opensThinking, type ReasoningName } from './reasoning.ts';

const cases: readonly [ReasoningName | null, string, 'open' | 'closed' | 'neither'][] = [
  ['think', '<|im_start|>assistant\n<think>\n', 'open'],
  ['think', '<|im_start|>assistant\n<think>\n\n</think>\n\n', 'closed'],
  ['think', '<|im_start|>assistant\n', 'neither'],
  ['think', 'a <think>b</think> c<|im_end|>\n<|im_start|>assistant\n', 'neither'],
  ['mistral', '[/INST][THINK]', 'open'],
  ['mistral', '[/INST][THINK][/THINK]', 'closed'],
  ['granite', 'Here is my thought process: x Here is my response:', 'closed'],
  ['harmony', '<|start|>user<|message|>hi<|end|><|start|>assistant', 'neither'],
  [null, '<think>', 'neither'],
];

describe('the thinking that a prompt leaves behind', () => {
  for (const [reasoning, prompt, expected] of cases) {
    it(`${reasoning}: ${JSON.stringify(prompt)} is ${expected}`, () => {
      assert.equal(opensThinking(prompt, reasoning), expected === 'open');
      assert.equal(closesThinking(prompt, reasoning), expected === 'closed');
    });
  }
});
