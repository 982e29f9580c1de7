/** Prompts of a template's source for tests: whatever an input does not say is as in the plainest request. */

import { compileTemplate } from './chat-template.ts';
import { composePrompt, createComposer } from './compose-prompt.ts';
import type { PromptInput, Rendered, SpecialTokens } from './prompt-input.ts';

export const plainInput: PromptInput = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: null,
  documents: null,
  templateKwargs: null,
  reasoningEffort: null,
  addGenerationPrompt: true,
  continueFinalMessage: false,
};

export function composeWith(
  source: string,
  input: Partial<PromptInput>,
  special: SpecialTokens = { bos: '<s>', eos: '</s>' },
): Rendered {
  const composer = createComposer(compileTemplate(source), source, special);
  return composePrompt(composer, { ...plainInput, ...input });
}
