/** Requests for an engine with a tiny model, and what came back, choice by choice. */

import {
  defaultEngineOptions,
  neutralRequest,
  neutralSampling,
  type ChoiceStep,
  type Engine,
  type EngineOptions,
  type GenerateRequest,
  type Sampling,
} from '../../../src/engine/index.ts';

/** Few slots, small passes and little memory for prefixes: everything that can be tight is. */
export const tightOptions: EngineOptions = {
  ...defaultEngineOptions,
  slots: 3,
  context: 512,
  threads: 1,
  batchTokens: 64,
  prefixCacheBytes: 400_000,
};

export interface Answer {
  readonly text: string;
  /** Of each token that was taken, and of the best beside it. */
  readonly logprobs: readonly (readonly number[])[];
  readonly tokens: number;
  readonly finish: string | null;
}

export interface Answers {
  readonly choices: readonly Answer[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** What a request that holds its context holds. */
  readonly context: ChoiceStep['context'];
}

/** A chat of one question, as the tiny models' template renders it. */
export const chat = (question: string): string =>
  `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;

/** Greedy, 24 tokens and never an early end, with logprobs of the two best; then what is asked for. */
export function ask(
  text: string,
  sampling: Partial<Sampling> = {},
  rest: Partial<Omit<GenerateRequest, 'sampling'>> = {},
): GenerateRequest {
  return {
    ...neutralRequest,
    prompt: { text, addSpecial: true },
    bestOf: rest.choices ?? 1,
    ...rest,
    sampling: {
      ...neutralSampling,
      temperature: 0,
      maxTokens: 24,
      ignoreEos: true,
      topLogprobs: 2,
      ...sampling,
    },
  };
}

let salts = 0;

/** The same request with a salt of its own: no prefix that another request left is of use to it. */
export const cold = (request: GenerateRequest): GenerateRequest => {
  salts += 1;
  return { ...request, cacheSalt: `cold ${salts}` };
};

/** Runs a request to its end. `onStep` is called at each step, so that a test can abort in the middle. */
export async function run(
  engine: Engine,
  request: GenerateRequest,
  signal: AbortSignal = new AbortController().signal,
  onStep: () => void = () => {},
): Promise<Answers> {
  const { accepted, steps } = await engine.generate(request, signal);
  const choices = Array.from({ length: request.choices }, () => ({
    text: '',
    logprobs: [] as number[][],
    tokens: 0,
    finish: null as string | null,
  }));
  let cachedTokens = 0;
  let context: ChoiceStep['context'];
  for await (const group of steps) {
    for (const step of group) {
      cachedTokens = Math.max(cachedTokens, step.cachedTokens ?? 0);
      context = step.context ?? context;
      const choice = choices[step.choice];
      if (choice === undefined || choice.finish !== null) throw new Error('a step too many');
      choice.text += step.text;
      choice.tokens = step.tokens;
      choice.finish = step.finish?.reason ?? null;
      for (const { logprob, top } of step.logprobs ?? [])
        choice.logprobs.push([logprob, ...top.map((one) => one.logprob)]);
    }
    onStep();
  }
  return { choices, promptTokens: accepted.promptTokens, cachedTokens, context };
}

/** One after the other, each with a salt of its own. */
export async function runAlone(
  engine: Engine,
  requests: readonly GenerateRequest[],
): Promise<Answers[]> {
  const answers: Answers[] = [];
  for (const request of requests) answers.push(await run(engine, cold(request)));
  return answers;
}

/** All at once. */
export function runTogether(
  engine: Engine,
  requests: readonly GenerateRequest[],
): Promise<Answers[]> {
  return Promise.all(requests.map((request) => run(engine, request)));
}
