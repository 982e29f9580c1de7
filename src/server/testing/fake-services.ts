/**
 * The rooms behind the server, as fakes that tests fill in: scripted targets, one key, a log and
 * metrics that can be read. For tests only.
 */

import {
  contentNames,
  honoured,
  parameterTable,
  ParlanceError,
  refused,
  type CapabilityRecord,
  type Decide,
  type ReceiptNote,
} from '../../contract/index.ts';
import type { Answer, AnswerEvent, Target, TargetRun } from '../../targets/index.ts';
import { createLog, createMetrics, type Inference } from '../../telemetry/index.ts';
import { defaultSettings, type Right, type Services } from '../services.ts';

/** Everything is honoured, but for what is named. */
export function capabilities(
  except: Readonly<Record<string, Decide>> = { guided_grammar: refused('no grammar here') },
): CapabilityRecord {
  const names = [...Object.keys(parameterTable), ...contentNames];
  const all = Object.fromEntries(names.map((name) => [name, honoured]));
  return { ...all, ...except } as unknown as CapabilityRecord;
}

export const usageOf = (promptTokens: number, completionTokens: number): AnswerEvent => ({
  type: 'usage',
  usage: { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0 },
});

export const text = (words: string, choice = 0): AnswerEvent => ({
  type: 'text',
  choice,
  text: words,
});

export const finish = (choice = 0): AnswerEvent => ({
  type: 'finish',
  choice,
  reason: 'stop',
  stopReason: null,
});

/** Three steps: `Hello`, ` world`, and the end. */
export const greeting: readonly (readonly AnswerEvent[])[] = [
  [text('Hello'), usageOf(9, 1)],
  [text(' world'), usageOf(9, 2)],
  [finish(), usageOf(9, 3)],
];

export type Script = (run: TargetRun) => Answer | Promise<Answer>;

/** Waits for the abort, as a target does whose model takes for ever. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = (): void => reject(new ParlanceError('cancelled', 'aborted by the signal'));
  if (signal.aborted) fail();
  else signal.addEventListener('abort', fail, { once: true });
  return promise;
}

export function events(
  batches: Iterable<readonly AnswerEvent[]> | AsyncIterable<readonly AnswerEvent[]>,
  notes: readonly ReceiptNote[] = [],
): Answer {
  async function* all(): AsyncGenerator<readonly AnswerEvent[]> {
    yield* batches;
  }
  return { kind: 'events', notes, events: all() };
}

export interface FakeTarget extends Target {
  readonly runs: TargetRun[];
}

export function fakeTarget(script: Script = () => events(greeting)): FakeTarget {
  const runs: TargetRun[] = [];
  return {
    name: 'embedded:tiny',
    kind: 'embedded',
    capabilities: capabilities(),
    runs,
    async run(run) {
      runs.push(run);
      return script(run);
    },
    async plan(run) {
      runs.push(run);
      return {
        target: 'embedded:tiny',
        prompt: '<user>hi',
        promptTokens: 4,
        maxTokens: 20,
        notes: [],
      };
    },
  };
}

export interface Fakes extends Services {
  /** Lines of the log, in order. */
  readonly logLines: Record<string, unknown>[];
  /** What was recorded, in order. */
  readonly recorded: Inference[];
}

export interface FakeOptions {
  readonly target?: Target;
  readonly rights?: readonly Right[];
  /** Where set, this key is asked for. */
  readonly key?: string;
  readonly services?: Partial<Services>;
  readonly settings?: Partial<Services['settings']>;
}

export function fakeServices(options: FakeOptions = {}): Fakes {
  const target = options.target ?? fakeTarget();
  const logLines: Record<string, unknown>[] = [];
  const recorded: Inference[] = [];
  const unknown = (): never => {
    throw new ParlanceError('unknown_deployment', 'There is no deployment of this name.');
  };
  return {
    access: {
      async authenticate(authorization) {
        const { key } = options;
        if (key !== undefined && authorization !== `Bearer ${key}`) {
          throw new ParlanceError('unauthenticated', 'Send the header authorization: Bearer KEY.');
        }
        return { id: null, name: 'test', rights: new Set(options.rights ?? ['admin']) };
      },
    },
    routing: {
      resolve(model) {
        if (model === 'tiny' || model === 'group/tiny') return target;
        throw new ParlanceError('unknown_model', `There is no model "${model}"; there are: tiny.`, {
          param: 'model',
        });
      },
    },
    deployments: {
      list: () => [{ name: 'tiny', state: 'ready' }],
      get: (name) => (name === 'group/tiny' ? { name, state: 'ready' } : unknown()),
      deploy: async (body) => ({ name: (body as { name: string }).name, state: 'pulling' }),
      remove: async (name) => (name === 'tiny' ? { name, state: 'draining' } : unknown()),
    },
    models: {
      list: () =>
        ['tiny', 'group/tiny'].map((id) => ({
          id,
          object: 'model',
          created: 1_700_000_000,
          owned_by: 'parlance',
        })),
    },
    health: { check: () => ({ status: 'ok' }) },
    openapi: { openapi: '3.1.0' },
    version: '0.0.0-test',
    log: createLog('info', {
      write: (line) => logLines.push(JSON.parse(line) as Record<string, unknown>),
    }),
    metrics: createMetrics(),
    inferences: { add: (inference) => void recorded.push(inference) },
    logLines,
    recorded,
    ...options.services,
    settings: { ...defaultSettings, ...options.settings },
  };
}
