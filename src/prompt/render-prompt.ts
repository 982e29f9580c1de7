/**
 * Messages to prompt for a compiled template and nothing else: no tools, documents or variables. What
 * has a whole request uses the renderer.
 */

import type { Message } from '../contract/index.ts';
import type { ChatTemplate } from './chat-template.ts';
import { composePrompt, createComposer } from './compose-prompt.ts';
import type { SpecialTokens } from './prompt-input.ts';

export interface RenderOptions {
  readonly addGenerationPrompt: boolean;
  readonly continueFinalMessage?: boolean;
  readonly special: SpecialTokens;
}

/** @throws ParlanceError `invalid_template` in the template's own words. */
export function renderPrompt(
  template: ChatTemplate,
  messages: readonly Message[],
  { addGenerationPrompt, continueFinalMessage = false, special }: RenderOptions,
): string {
  const input = {
    messages,
    tools: null,
    documents: null,
    templateKwargs: null,
    reasoningEffort: null,
    addGenerationPrompt,
    continueFinalMessage,
  };
  return composePrompt(createComposer(template, '', special), input).text;
}
