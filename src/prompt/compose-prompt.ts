/**
 * From messages to a prompt: the context that a template sees, under the names that Hugging Face
 * transformers uses, and what is done for a template that lacks a place for some of it. The renderer
 * calls this for the model's own templates, a worker for those that come with a request.
 */

import { ParlanceError } from '../contract/errors.ts';
import type { ReceiptNote } from '../contract/index.ts';
import { mergeUsers, splitCalls, writeCalls } from './call-history.ts';
import type { ChatTemplate } from './chat-template.ts';
import { renderOpen } from './continue-message.ts';
import { documentsBlock } from './documents/document-block.ts';
import { exactValue } from './exact-value.ts';
import type { PromptInput, Rendered, SpecialTokens } from './prompt-input.ts';
import { planEffort, type ThinkingControls } from './reasoning-effort.ts';
import { toSpecialVariables } from './special-variables.ts';
import { foldSystem, withSystemBlocks } from './system-block.ts';
import { callsOf, toTemplateMessages, type TemplateMessage } from './template-messages.ts';
import { createProfile, type TemplateProfile } from './template-profile.ts';
import { toolBlock } from './tool-block.ts';

/** A compiled template and what is known of it. */
export interface Composer {
  readonly template: ChatTemplate;
  readonly profile: TemplateProfile;
  readonly special: SpecialTokens;
  readonly controls: () => ThinkingControls;
}

export function createComposer(
  template: ChatTemplate,
  source: string,
  special: SpecialTokens,
): Composer {
  const profile = createProfile(template, special);
  return {
    template,
    profile,
    special,
    controls: () => ({
      efforts: profile.efforts(),
      switches: profile.thinkingSwitches(),
      thinks: /think|reason/i.test(source),
    }),
  };
}

/** Variables that other fields of a request set, or that are the template's tools. */
const reserved: Readonly<Record<string, string>> = {
  messages: 'Send them as `messages`',
  tools: 'Send them as `tools`',
  documents: 'Send them as `documents`',
  add_generation_prompt: 'Send it as `add_generation_prompt`',
  continue_final_message: 'Send it as `continue_final_message`',
  chat_template: 'Send it as `chat_template`',
  tokenize: 'The prompt is always tokenised; leave it out',
  raise_exception: 'Leave it out',
  strftime_now: 'Leave it out',
};

/** @throws ParlanceError where a variable would take the place of what the request says elsewhere */
export function checkTemplateKwargs(input: PromptInput): void {
  const kwargs = input.templateKwargs ?? {};
  for (const name of Object.keys(kwargs)) {
    const instead = Object.hasOwn(reserved, name) ? reserved[name] : undefined;
    if (instead !== undefined) {
      throw new ParlanceError(
        'invalid_value',
        `chat_template_kwargs: \`${name}\` cannot be set here. ${instead}.`,
        { param: `chat_template_kwargs.${name}` },
      );
    }
  }
  const effort = kwargs['reasoning_effort'] ?? input.reasoningEffort;
  if (input.reasoningEffort !== null && effort !== input.reasoningEffort) {
    throw new ParlanceError(
      'conflicting_fields',
      '`reasoning_effort` and `chat_template_kwargs.reasoning_effort` differ. Send one of them.',
      { param: 'reasoning_effort' },
    );
  }
}

/** @throws ParlanceError `invalid_template` in the template's own words */
export function composePrompt(composer: Composer, input: PromptInput): Rendered {
  checkTemplateKwargs(input);
  const { template, profile, special } = composer;
  const adapted = adapt(composer, input);
  const variables = {
    ...toSpecialVariables(special),
    ...profile.absent(),
    add_generation_prompt: input.addGenerationPrompt,
    ...adapted.variables,
    ...input.templateKwargs,
  };
  const render = (messages: readonly TemplateMessage[]): string =>
    template.render({ ...variables, messages });
  const messages = toTemplateMessages(adapted.messages, profile);
  return {
    text: input.continueFinalMessage ? renderOpen(render, messages) : render(messages),
    notes: adapted.notes,
  };
}

interface Adapted {
  readonly messages: PromptInput['messages'];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly notes: readonly ReceiptNote[];
}

/** What the template has a variable for becomes one; the rest is written into the messages. */
function adapt({ profile, controls }: Composer, input: PromptInput): Adapted {
  const variables: Record<string, unknown> = {};
  const blocks: string[] = [];
  const notes: ReceiptNote[] = [];
  if (input.documents?.length) {
    if (profile.takesDocuments()) {
      variables['documents'] = input.documents;
    } else {
      blocks.push(documentsBlock(input.documents));
      notes.push({ parameter: 'documents', note: documentsNote });
    }
  }
  if (input.tools?.length) {
    const name = profile.toolsVariable();
    if (name === null) {
      blocks.push(toolBlock(input.tools, textsOf(input)));
      notes.push({ parameter: 'tools', note: toolsNote });
    } else {
      variables[name] = toTemplateTools(input);
    }
  }
  if (input.reasoningEffort !== null) {
    const plan = planEffort(input.reasoningEffort, controls());
    Object.assign(variables, plan.variables);
    if (plan.support.how === 'emulated') {
      notes.push({ parameter: 'reasoning_effort', note: plan.support.note });
    }
  }
  const messages = withSystemBlocks(withHistory(profile, input), blocks);
  const hasSystem = messages.some(({ role }) => role === 'system' || role === 'developer');
  return {
    messages: hasSystem && !profile.takesSystem() ? foldSystem(messages) : messages,
    variables,
    notes,
  };
}

/** Whether calls in the history are written as plain messages: the form must be that of the tools. */
export function writesCalls(
  profile: TemplateProfile,
  input: Pick<PromptInput, 'messages' | 'tools'>,
) {
  if (!input.messages.some((one) => callsOf(one).length > 0)) return false;
  return !profile.showsCalls() || (input.tools?.length ? profile.toolsVariable() === null : false);
}

export const documentsNote = 'the chat template takes no documents; they are in the system message';
export const toolsNote = 'the chat template takes no tools; they are in the system message';

/** The history in a form that loses no call and no result. */
function withHistory(profile: TemplateProfile, input: PromptInput): PromptInput['messages'] {
  const { messages } = input;
  if (writesCalls(profile, input)) {
    const written = writeCalls(messages);
    return profile.alternates() ? mergeUsers(written) : written;
  }
  const isParallel = messages.some((one) => callsOf(one).length > 1);
  return isParallel && !profile.showsParallelCalls() ? splitCalls(messages) : messages;
}

const textsOf = ({ tools, parameterTexts }: PromptInput): (string | null)[] =>
  (tools ?? []).map(
    ({ function: { parameters } }, index) =>
      parameterTexts?.[index] ?? (parameters ? JSON.stringify(parameters) : null),
  );

/** Null means absent in a request, and would be printed by a template. */
function toTemplateTools(input: PromptInput) {
  const texts = textsOf(input);
  return (input.tools ?? []).map(({ type, function: given }, index) => {
    const entries = Object.entries(given)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, key === 'parameters' ? exactValue(texts[index]) : value]);
    return { type, function: Object.fromEntries(entries) as Record<string, unknown> };
  });
}
