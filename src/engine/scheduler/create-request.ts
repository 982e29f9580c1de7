/**
 * Makes an accepted request ready to run: its sequences and the driver that decides what becomes of
 * their logits. The scheduler calls it. Pure but for the vocabulary.
 */

import type { Vocabulary } from '../llama/decoder.ts';
import type { PreparedConstraint } from '../constraints/index.ts';
import type { GenerateRequest } from '../protocol.ts';
import { compileRules } from '../text/index.ts';
import type { ActiveRequest, ToldStep } from './active-request.ts';
import type { Admission } from './admission.ts';
import type { AnswerRules } from './answer-text.ts';
import { BeamDriver } from './beam-driver.ts';
import type { HeldContext } from './held-contexts.ts';
import { SamplingDriver, sequencesNeeded, type SamplingPlan } from './sampling-driver.ts';
import { Sequence } from './sequence.ts';

export interface Arrival {
  readonly id: number;
  readonly arrival: number;
  /** Of its adapter and its salt. */
  readonly namespace: string;
  readonly vocabulary: Vocabulary;
  /** Tokens that a slot holds. */
  readonly contextTokens: number;
  /** The context that it goes on from. */
  readonly context: HeldContext | null;
  /** What the request asks its text to satisfy, compiled. */
  readonly constraint: PreparedConstraint | null;
  readonly speculation: boolean;
  /** Forced tokens that each sequence may have in a pass, so that those of all slots fit. */
  readonly forcedInPass: number;
}

export interface NewRequest {
  readonly request: ActiveRequest;
  /** What can be told at once: the tokens that came with a context. */
  readonly told: readonly ToldStep[];
}

/** Characters of a prediction that are read for each token that an answer may have. */
const predictedCharacters = 16;

/** `admission` is that of the same request. */
export function createRequest(
  asked: GenerateRequest,
  admission: Admission,
  arrival: Arrival,
): NewRequest {
  const { promptTokens } = admission;
  const rules = toRules(asked, admission, arrival.vocabulary);
  const { handover } = asked;
  const sequences: Sequence[] = [];
  const common = {
    id: arrival.id,
    arrival: arrival.arrival,
    priority: asked.priority,
    adapter: asked.adapter,
    namespace: arrival.namespace,
    promptTokens,
    sequences,
    holdMilliseconds: handover?.type === 'hold' ? handover.milliseconds : null,
    cachedTokens: null,
    told: false,
  };
  if (asked.beam !== null) {
    const { lengthPenalty, earlyStopping } = asked.beam;
    const { bestOf: width, choices } = asked;
    const { maxTokens } = rules;
    const driver = new BeamDriver(rules, {
      width,
      choices,
      lengthPenalty,
      earlyStopping,
      maxTokens,
    });
    const request: ActiveRequest = { ...common, driver };
    fill(request, sequences, width);
    for (const sequence of sequences.slice(1)) sequence.idle = true;
    return { request, told: [] };
  }
  const plan: SamplingPlan = {
    rules,
    promptTokens,
    choices: asked.choices,
    bestOf: asked.bestOf,
    prediction: asked.prediction === null ? null : readPrediction(asked.prediction, arrival),
    constraint: arrival.constraint,
    speculation: arrival.speculation,
    forcedInPass: arrival.forcedInPass,
  };
  const driver = new SamplingDriver(plan);
  const request: ActiveRequest = { ...common, driver };
  fill(request, sequences, sequencesNeeded(plan));
  const told = arrival.context === null ? [] : resume(request, driver, asked, arrival.context);
  return { request, told };
}

function toRules(
  { sampling, shownSpecials }: GenerateRequest,
  { accepted }: Admission,
  vocabulary: Vocabulary,
): AnswerRules {
  const { stop, includeStop, minTokens } = sampling;
  return {
    sampling,
    text: compileRules({ stop, includeStop, minTokens }),
    maxTokens: accepted.maxTokens,
    vocabulary,
    shown: findSpecials(shownSpecials, vocabulary),
  };
}

/** Texts of constraints come along as names: no request may have the engine's thread tokenise for long. */
const longestName = 256;
const mostNames = 1000;

/** Names that are no single token of this vocabulary are text and shown anyway. */
function findSpecials(names: readonly string[], vocabulary: Vocabulary): ReadonlySet<number> {
  const short = new Set(names.filter(({ length }) => length > 0 && length <= longestName));
  return new Set(
    [...short].slice(0, mostNames).flatMap((name) => {
      const tokens = vocabulary.tokenize(name, false);
      return tokens.length === 1 ? tokens : [];
    }),
  );
}

/** No more of it than can be of use: what lies behind an answer of full length predicts nothing. */
function readPrediction(text: string, { vocabulary, contextTokens }: Arrival): readonly number[] {
  const most = contextTokens * predictedCharacters;
  return vocabulary.tokenize(text.slice(0, most), false).slice(0, contextTokens);
}

function fill(request: ActiveRequest, sequences: Sequence[], count: number): void {
  for (let index = 0; index < count; index += 1) {
    sequences.push(new Sequence(request, index));
  }
}

function resume(
  request: ActiveRequest,
  driver: SamplingDriver,
  { handover }: GenerateRequest,
  context: HeldContext,
): ToldStep[] {
  const [sequence] = request.sequences;
  if (sequence === undefined || handover === null || handover.type === 'hold') return [];
  sequence.parked = context.state;
  sequence.computed = context.state.length;
  return driver.prime(sequence, handover.firstTokens);
}
