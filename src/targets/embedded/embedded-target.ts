/**
 * The embedded engine as a target: renders the prompt, asks the engine, turns its steps into
 * events. The engine tokenises and admits; what it rejects is thrown before the answer begins.
 */

import { ParlanceError, type ReceiptNote } from '../../contract/index.ts';
import type { Accepted, Engine, Generation } from '../../engine/index.ts';
import type { ModelMetadata } from '../../models/index.ts';
import {
  compileTemplate,
  finalAssistantText,
  renderPrompt,
  type ChatTemplate,
} from '../../prompt/index.ts';
import { respell } from './respell.ts';
import type { Answer, AnswerEvent, Plan, Target, TargetRun } from '../target.ts';
import { startAnswer, stepAnswer } from './answer-events.ts';
import { embeddedCapabilities } from './capabilities.ts';
import { toGenerateRequest } from './generate-request.ts';

interface EmbeddedOptions {
  readonly name: string;
  readonly engine: Engine;
  readonly metadata: ModelMetadata;
}

/**
 * @throws ParlanceError `invalid_template` when the model's chat template does not parse or fails
 * on the plainest conversation, so that a broken one fails the deployment and not a request
 */
export function createEmbeddedTarget(options: EmbeddedOptions): Target {
  const { name, engine, metadata } = options;
  const template = metadata.chatTemplate === null ? null : compileTemplate(metadata.chatTemplate);
  const renderer = createRenderer(template, metadata);
  renderer.check();
  return {
    name: `embedded:${name}`,
    kind: 'embedded',
    capabilities: embeddedCapabilities((word) => template?.mentions(word) ?? false),
    async plan(run) {
      const prompt = renderer.promptOf(run);
      const generation = await ask(engine, run, prompt, true);
      return planOf(`embedded:${name}`, generation.accepted);
    },
    async run(run) {
      const prompt = renderer.promptOf(run);
      const echo = await echoOf(engine, run, prompt);
      return toAnswer(await ask(engine, run, prompt, false), echo, run);
    },
  };
}

function createRenderer(template: ChatTemplate | null, metadata: ModelMetadata) {
  const { bos, eos } = metadata.tokenizer;
  const special = { bos: bos?.text ?? null, eos: eos?.text ?? null };
  const render = (run: TargetRun['request']): string | readonly number[] => {
    if (run.input.kind === 'prompt') return run.input.prompt;
    if (template === null) {
      throw new ParlanceError(
        'invalid_template',
        'The model’s file has no chat template, so it cannot take `messages`; send a raw `prompt`.',
        { param: 'messages' },
      );
    }
    const addGenerationPrompt = run.parameters.add_generation_prompt ?? true;
    return renderPrompt(template, run.input.messages, { addGenerationPrompt, special });
  };
  return {
    promptOf: (run: TargetRun) => render(run.request),
    check: (): void => {
      if (template === null) return;
      const messages = [{ role: 'user', content: 'Hello' }] as const;
      renderPrompt(template, messages, { addGenerationPrompt: true, special });
    },
  };
}

type Prompt = string | readonly number[];

async function ask(
  engine: Engine,
  run: TargetRun,
  prompt: Prompt,
  dryRun: boolean,
): Promise<Generation> {
  const request = { ...toGenerateRequest(run.request, prompt), dryRun };
  try {
    return await engine.generate(request, run.signal);
  } catch (error) {
    throw respell(error, run.request);
  }
}

/** What `echo` puts before the answer. The text of token IDs is only known to the engine. */
async function echoOf(engine: Engine, run: TargetRun, prompt: Prompt): Promise<string> {
  const { request } = run;
  if (!request.parameters.echo) return '';
  if (request.input.kind === 'messages') return finalAssistantText(request.input.messages);
  if (typeof prompt === 'string') return prompt;
  const { accepted } = await ask(engine, run, prompt, true);
  return accepted.prompt ?? '';
}

function notesOf(accepted: Accepted): ReceiptNote[] {
  const notes: ReceiptNote[] = [];
  if (accepted.maxTokensReduced) {
    const note = `cut to ${accepted.maxTokens}, what the context has left`;
    notes.push({ parameter: 'max_tokens', note });
  }
  if (accepted.truncatedTokens > 0) {
    const note = `cut ${accepted.truncatedTokens} tokens from the front of the prompt`;
    notes.push({ parameter: 'truncate_prompt_tokens', note });
  }
  return notes;
}

function planOf(target: string, accepted: Accepted): Plan {
  return {
    target,
    prompt: accepted.prompt ?? null,
    promptTokens: accepted.promptTokens,
    maxTokens: accepted.maxTokens,
    notes: notesOf(accepted),
  };
}

function toAnswer(generation: Generation, echo: string, run: TargetRun): Answer {
  const choices = run.request.parameters.n ?? 1;
  return {
    kind: 'events',
    notes: notesOf(generation.accepted),
    events: eventsOf(generation, echo, choices),
  };
}

async function* eventsOf(
  generation: Generation,
  echo: string,
  choices: number,
): AsyncGenerator<readonly AnswerEvent[]> {
  if (echo !== '') {
    yield Array.from({ length: choices }, (_, choice): AnswerEvent => ({
      type: 'text',
      choice,
      text: echo,
    }));
  }
  let state = startAnswer(generation.accepted.promptTokens, choices);
  for await (const steps of generation.steps) {
    const next = stepAnswer(state, steps);
    state = next.state;
    yield next.events;
  }
}
