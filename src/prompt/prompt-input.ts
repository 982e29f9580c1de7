/**
 * What a prompt is made from: the part of a request that reaches a chat template, in plain data, so that
 * it can go to a worker as it is. Types, and the one place that reads it from a request.
 */

import {
  type ChatRequest,
  type Message,
  type Parameters,
  type ReceiptNote,
} from '../contract/index.ts';
import { parameterTextsOf } from './parameter-texts.ts';

/** Texts of the model's special tokens; null: the model has none of that kind. */
export interface SpecialTokens {
  readonly bos: string | null;
  readonly eos: string | null;
  readonly pad?: string | null;
  readonly unknown?: string | null;
}

export type WireTool = NonNullable<Parameters['tools']>[number];
export type ReasoningEffort = NonNullable<Parameters['reasoning_effort']>;

export interface PromptInput {
  readonly messages: readonly Message[];
  /** The functions that the model may call, as they were sent; null: none. */
  readonly tools: readonly WireTool[] | null;
  /**
   * For each tool the source text of its parameters, whose spelling of numbers and order of keys reaches
   * the template; without it they come from `tools`.
   */
  readonly parameterTexts?: readonly (string | null)[];
  readonly documents: readonly Readonly<Record<string, string>>[] | null;
  /** Further variables of the template. */
  readonly templateKwargs: Readonly<Record<string, unknown>> | null;
  readonly reasoningEffort: ReasoningEffort | null;
  readonly addGenerationPrompt: boolean;
  /** End right after the last message's text, so that the model goes on with it. */
  readonly continueFinalMessage: boolean;
}

export interface Rendered {
  readonly text: string;
  /** What was done with a parameter in another way than by handing it to the template. */
  readonly notes: readonly ReceiptNote[];
}

/** @returns null for a raw prompt, which no template sees. */
export function toPromptInput(request: ChatRequest): PromptInput | null {
  const { input, parameters } = request;
  if (input.kind !== 'messages') return null;
  const continueFinalMessage = parameters.continue_final_message ?? false;
  return {
    messages: input.messages,
    tools: parameters.tools ?? null,
    parameterTexts: parameterTextsOf(request),
    documents: parameters.documents ?? null,
    templateKwargs: parameters.chat_template_kwargs ?? null,
    reasoningEffort: parameters.reasoning_effort ?? null,
    addGenerationPrompt: parameters.add_generation_prompt ?? !continueFinalMessage,
    continueFinalMessage,
  };
}
