/**
 * The embedded engine as a target: renders the prompt, asks the engine, turns its steps into
 * events. The engine tokenises and admits; what it rejects is thrown before the answer begins.
 */

import type { ReceiptNote } from '../../contract/index.ts';
import type { Accepted, Engine, GenerateRequest, Generation } from '../../engine/index.ts';
import { finalAssistantText } from '../../prompt/index.ts';
import { incompleteNotes } from '../reading/create-check.ts';
import { readAnswer } from '../reading/read-answer.ts';
import type { TargetServices } from '../services.ts';
import type {
  Answer,
  AnswerEvent,
  AnswerEvents,
  HandedContext,
  Plan,
  Target,
  TargetRun,
} from '../target.ts';
import { startAnswer, stepAnswer, type HeldContext } from './answer-events.ts';
import { embeddedCapabilities } from './capabilities.ts';
import { toGenerateRequest } from './generate-request.ts';
import { holdMs, type HandoverPlace, type Handovers } from './handovers.ts';
import { findFormats, noWishes, type FormatWishes, type ModelFormats } from './model-format.ts';
import type { ModelRenderer } from './model-renderer.ts';
import { prepareRequest, type PreparedRequest } from './prepare-request.ts';
import { respell } from './respell.ts';

interface EmbeddedOptions {
  readonly name: string;
  readonly engine: Engine;
  readonly prompting: ModelRenderer;
  /** Shared by all engines of a server, so that a context can go from one to another. */
  readonly handovers: Handovers;
  readonly services: TargetServices;
  /** How the model writes calls and thinking, where its template does not tell. */
  readonly formats?: FormatWishes;
  /** Of several on one engine; null is the model itself. */
  readonly adapter?: LoadedAdapter | null;
}

export interface EmbeddedTarget extends Target {
  readonly formats: ModelFormats;
}

export interface LoadedAdapter {
  /** What the engine calls it. */
  readonly name: string;
  /** The same for the same unchanged file. */
  readonly identity: string;
}

export function createEmbeddedTarget(options: EmbeddedOptions): EmbeddedTarget {
  const { name, services } = options;
  const { renderer } = options.prompting;
  const formats = findFormats(renderer, options.formats ?? noWishes);
  const prepare = async (run: TargetRun): Promise<Asking> => {
    const preparing = { renderer, formats, services };
    return { options, run, prepared: await prepareRequest(run.request, preparing, run.signal) };
  };
  return {
    name: `embedded:${name}`,
    kind: 'embedded',
    capabilities: embeddedCapabilities(renderer.capabilities),
    formats,
    async plan(run) {
      const asking = await prepare(run);
      if (wishOf(run) === 'generation_only') checkHandle(asking);
      const generation = await ask(asking, { dryRun: true });
      return planOf(`embedded:${name}`, generation.accepted, asking.prepared.notes);
    },
    async run(run) {
      const asking = await prepare(run);
      const echo = await echoOf(asking);
      switch (wishOf(run)) {
        case 'context_only': {
          const handover = { type: 'hold', milliseconds: holdMs } as const;
          return await toAnswer(asking, echo, async (signal) => ask(asking, { handover }, signal));
        }
        case 'generation_only':
          return await goOn(asking, echo);
        default:
          return await toAnswer(asking, echo, async (signal) => ask(asking, {}, signal));
      }
    },
  };
}

const wishOf = ({ request }: TargetRun) =>
  request.parameters.disaggregated_params?.request_type ?? 'context_and_generation';

/** One request on its way to the engine. */
interface Asking {
  readonly options: EmbeddedOptions;
  readonly run: TargetRun;
  readonly prepared: PreparedRequest;
}

async function ask(
  { options, run, prepared }: Asking,
  extra: Partial<Pick<GenerateRequest, 'dryRun' | 'handover'>>,
  signal = run.signal,
): Promise<Generation> {
  const adapter = options.adapter?.name ?? null;
  const request = { ...toGenerateRequest(run.request, prepared), adapter, ...extra };
  try {
    return await options.engine.generate(request, signal);
  } catch (error) {
    throw respell(error, run.request, prepared.constraintField);
  }
}

/** A context is of use to whoever has the same weights, in the same form, with the same adapter. */
function placeOf({ options, prepared, run }: Asking): HandoverPlace {
  const { engine, adapter } = options;
  const { kvType, library } = engine.info;
  const { add_special_tokens: addSpecial, truncate_prompt_tokens: truncate } =
    run.request.parameters;
  return {
    engine,
    model: JSON.stringify([engine.modelIdentity, kvType, library, adapter?.identity ?? null]),
    prompt: JSON.stringify([prepared.prompt, addSpecial ?? null, truncate ?? null]),
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
    return await toAnswer(asking, echo, async (signal) => ask(asking, { handover }, signal));
  } finally {
    await release();
  }
}

/** What `echo` puts before the answer. The text of token IDs is only known to the engine. */
async function echoOf(asking: Asking): Promise<string> {
  const { request } = asking.run;
  if (!request.parameters.echo) return '';
  if (request.input.kind === 'messages') return finalAssistantText(request.input.messages);
  const { prompt } = asking.prepared;
  if (typeof prompt === 'string') return prompt;
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

function planOf(target: string, accepted: Accepted, notes: readonly ReceiptNote[]): Plan {
  return {
    target,
    prompt: accepted.prompt ?? null,
    promptTokens: accepted.promptTokens,
    maxTokens: accepted.maxTokens,
    notes: [...notes, ...notesOf(accepted)],
  };
}

/** @param generate asks the engine; its signal is aborted when nothing more is wanted */
async function toAnswer(
  asking: Asking,
  echo: string,
  generate: (signal: AbortSignal) => Promise<Generation>,
): Promise<Answer> {
  const { run, prepared, options } = asking;
  const enough = new AbortController();
  const generation = await generate(AbortSignal.any([run.signal, enough.signal]));
  const hand = (held: HeldContext): HandedContext => options.handovers.issue(held, placeOf(asking));
  const { plan, check } = prepared;
  const late = incompleteNotes(run.request);
  const reads = plan.parse !== null || plan.stops !== null || check !== null;
  const source = eventsOf(generation, plan.choices, hand);
  const events = reads
    ? readAnswer(source, { plan, check, onIncomplete: late.add, onOver: () => enough.abort() })
    : source;
  return {
    kind: 'events',
    notes: [...prepared.notes, ...notesOf(generation.accepted)],
    events: echo === '' ? events : withEcho(echo, plan.choices, events),
    ...(check === null ? {} : { lateNotes: late.notes }),
  };
}

async function* withEcho(
  echo: string,
  choices: number,
  events: AnswerEvents,
): AsyncGenerator<readonly AnswerEvent[]> {
  yield Array.from({ length: choices }, (_, choice): AnswerEvent => ({
    type: 'text',
    choice,
    text: echo,
  }));
  yield* events;
}

async function* eventsOf(
  generation: Generation,
  choices: number,
  hand: (held: HeldContext) => HandedContext,
): AsyncGenerator<readonly AnswerEvent[]> {
  let state = startAnswer(generation.accepted.promptTokens, choices);
  for await (const steps of generation.steps) {
    const next = stepAnswer(state, steps, hand);
    state = next.state;
    yield next.events;
  }
}
