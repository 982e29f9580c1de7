import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startEngine, type Engine } from '../../../src/engine/index.ts';
import { writeTinyModel } from '../../support/tiny-models/index.ts';
import { ask, run, tightOptions } from './run-engine.ts';

const letters = ['a', 'b', 'c'];
const longest = 3;
/** Wide enough for every beginning of two letters, and for more of the last ones than are told. */
const width = 16;
const told = 5;

interface Hypothesis {
  readonly text: string;
  readonly ended: boolean;
  readonly sum: number;
  readonly tokens: number;
}

describe('beam search of a model with three letters', () => {
  let folder: string;
  let engine: Engine;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parlance-beams-'));
    const path = writeTinyModel(join(folder, 'model.gguf'), {
      architecture: 'llama',
      vocabulary: { letters: letters.length },
      seed: 2,
    });
    engine = await startEngine({ path, options: { ...tightOptions, slots: width, context: 256 } });
  });

  after(async () => {
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  /** Log-probabilities of every letter and of the end behind a text, by asking for one token. */
  async function nextLogprobs(text: string): Promise<Map<string, number>> {
    const request = ask(text, { maxTokens: 1, topLogprobs: letters.length + 1 });
    const { steps } = await engine.generate(request, new AbortController().signal);
    const found = new Map<string, number>();
    for await (const group of steps) {
      for (const { logprobs } of group) {
        for (const { token, logprob } of logprobs?.[0]?.top ?? []) found.set(token, logprob);
      }
    }
    assert.equal(found.size, letters.length + 1);
    return found;
  }

  /** Every text that the model can say, ended or of the greatest length. */
  async function everything(prompt: string): Promise<Hypothesis[]> {
    const all: Hypothesis[] = [];
    const visit = async (text: string, sum: number): Promise<void> => {
      for (const [token, logprob] of await nextLogprobs(prompt + text)) {
        const tokens = text.length + 1;
        const ended = !letters.includes(token);
        if (ended) all.push({ text, ended, sum: sum + logprob, tokens });
        else if (tokens === longest)
          all.push({ text: text + token, ended, sum: sum + logprob, tokens });
        else await visit(text + token, sum + logprob);
      }
    };
    await visit('', 0);
    return all;
  }

  test('it finds what trying everything finds, for any length penalty', async () => {
    for (const prompt of ['a', 'bca', 'cab']) {
      const all = await everything(prompt);
      const probability = all.reduce((total, { sum }) => total + Math.exp(sum), 0);
      assert.ok(Math.abs(probability - 1) < 1e-4, `${probability}`);
      const orders = new Set<string>();
      for (const lengthPenalty of [0, 1, 3, -1]) {
        const score = ({ sum, tokens }: Hypothesis): number => sum / tokens ** lengthPenalty;
        const best = all.toSorted((a, b) => score(b) - score(a)).slice(0, told);
        const request = ask(
          prompt,
          { maxTokens: longest, ignoreEos: false, topLogprobs: null },
          { choices: told, bestOf: width, beam: { lengthPenalty, earlyStopping: 'never' } },
        );
        const { choices } = await run(engine, request);
        assert.deepEqual(
          choices.map(({ text, finish }) => ({ text, ended: finish === 'stop' })),
          best.map(({ text, ended }) => ({ text, ended })),
          `${prompt}, ${lengthPenalty}`,
        );
        orders.add(best.map(({ text, ended }) => `${text}${ended ? '.' : ''}`).join(' '));
      }
      assert.ok(orders.size > 1, 'the penalty decides nothing');
    }
  });
});
