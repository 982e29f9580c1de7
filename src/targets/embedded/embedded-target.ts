/**
 * The embedded engine as a target: renders the prompt, asks the engine, turns its steps into
 * events. The engine tokenises and admits; what it rejects is thrown before the answer begins.
 */

import { ParlanceError, type ReceiptNote } from '../../contract/index.ts';
import type { Accepted, Engine, GenerateRequest, Generation } from '../../engine/index.ts';
import type { ModelMetadata } from '../../models/index.ts';
import {
  compileTemplate,
  finalAssistantText,
  renderPrompt,
  type ChatTemplate,
} from '../../prompt/index.ts';
import { respell } from './respell.ts';
import type { Answer, AnswerEvent, HandedContext, Plan, Target, TargetRun } from '../target.ts';
import { startAnswer, stepAnswer, type HeldContext } from './answer-events.ts';
import { embeddedCapabilities } from './capabilities.ts';
import { toGenerateRequest } from './generate-request.ts';
import { holdMs, type HandoverPlace, type Handovers } from './handovers.ts';

interface EmbeddedOptions {
  readonly name: string;
  readonly engine: Engine;
  readonly metadata: ModelMetadata;
  /** Shared by all engines of a server, so that a context can go from one to another. */
  readonly handovers: Handovers;
  /** Of several on one engine; null is the model itself. */
  readonly adapter?: LoadedAdapter | null;
}

export interface LoadedAdapter {
  /** What the engine calls it. */
  readonly name: string;
  /** The same for the same unchanged file. */
  readonly identity: string;
}

/**
 * @throws ParlanceError `invalid_template` when the model's chat template does not parse or fails
 * on the plainest conversation, so that a broken one fails the deployment and not a request
 */
export function createEmbeddedTarget(options: EmbeddedOptions): Target {
  const { name, metadata } = options;
  const template = metadata.chatTemplate === null ? null : compileTemplate(metadata.chatTemplate);
  const renderer = createRenderer(template, metadata);
  renderer.check();
  return {
    name: `embedded:${name}`,
    kind: 'embedded',
    capabilities: embeddedCapabilities((word) => template?.mentions(word) ?? false),
    async plan(run) {
      const asking = { options, run, prompt: renderer.promptOf(run) };
      if (wishOf(run) === 'generation_only') checkHandle(asking);
      const generation = await ask(asking, { dryRun: true });
      return planOf(`embedded:${name}`, generation.accepted);
    },
    async run(run) {
      const asking = { options, run, prompt: renderer.promptOf(run) };
      const echo = await echoOf(asking);
      switch (wishOf(run)) {
        case 'context_only': {
          const handover = { type: 'hold', milliseconds: holdMs } as const;
          return toAnswer(await ask(asking, { handover }), asking, echo);
        }
        case 'generation_only':
          return await goOn(asking, echo);
        default:
          return toAnswer(await ask(asking, {}), asking, echo);
      }
    },
  };
}

const wishOf = ({ request }: TargetRun) =>
  request.parameters.disaggregated_params?.request_type ?? 'context_and_generation';

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
    const continueFinalMessage = run.parameters.continue_final_message ?? false;
    return renderPrompt(template, run.input.messages, {
      addGenerationPrompt: run.parameters.add_generation_prompt ?? !continueFinalMessage,
      continueFinalMessage,
      special,
    });
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

/** One request on its way to the engine. */
interface Asking {
  readonly options: EmbeddedOptions;
  readonly run: TargetRun;
  readonly prompt: Prompt;
}

async function ask(
  { options, run, prompt }: Asking,
  extra: Partial<Pick<GenerateRequest, 'dryRun' | 'handover'>>,
): Promise<Generation> {
  const adapter = options.adapter?.name ?? null;
  const request = { ...toGenerateRequest(run.request, prompt), adapter, ...extra };
  try {
    return await options.engine.generate(request, run.signal);
  } catch (error) {
    throw respell(error, run.request);
  }
}

/** A context is of use to whoever has the same weights, in the same form, with the same adapter. */
function placeOf({ options, prompt, run }: Asking): HandoverPlace {
  const { engine, adapter } = options;
  const { kvType, library } = engine.info;
  const { add_special_tokens: addSpecial, truncate_prompt_tokens: truncate } =
    run.request.parameters;
  return {
    engine,
    model: JSON.stringify([engine.modelIdentity, kvType, library, adapter?.identity ?? null]),
    prompt: JSON.stringify([prompt, addSpecial ?? null, truncate ?? null]),
  };
}

function checkHandle(asking: Asking): void {
  const wish = asking.run.request.parameters.disaggregated_params ?? {};
  asking.options.handovers.check(wish, placeOf(asking));
}

/** Goes on from a context that was held, here or by another engine of the same model. */
async function goOn(asking: Asking, echo: string): Promise<Answer> {
  const { handovers } = asking.options;
  const wish = asking.run.request.parameters.disaggregated_params ?? {};
  const { handover, release } = await handovers.redeem(wish, placeOf(asking));
  try {
    // Who has accepted it has read what was brought.
    return toAnswer(await ask(asking, { handover }), asking, echo);
  } finally {
    await release();
  }
}

/** What `echo` puts before the answer. The text of token IDs is only known to the engine. */
async function echoOf(asking: Asking): Promise<string> {
  const { request } = asking.run;
  if (!request.parameters.echo) return '';
  if (request.input.kind === 'messages') return finalAssistantText(request.input.messages);
  if (typeof asking.prompt === 'string') return asking.prompt;
  const { accepted } = await ask(asking, { dryRun: true });
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

function toAnswer(generation: Generation, asking: Asking, echo: string): Answer {
  const choices = asking.run.request.parameters.n ?? 1;
  const hand = (held: HeldContext): HandedContext =>
    asking.options.handovers.issue(held, placeOf(asking));
  return {
    kind: 'events',
    notes: notesOf(generation.accepted),
    events: eventsOf(generation, { echo, choices, hand }),
  };
}

interface Telling {
  readonly echo: string;
  readonly choices: number;
  readonly hand: (held: HeldContext) => HandedContext;
}

async function* eventsOf(
  generation: Generation,
  { echo, choices, hand }: Telling,
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
    const next = stepAnswer(state, steps, hand);
    state = next.state;
    yield next.events;
  }
}
