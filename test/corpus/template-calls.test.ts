/**
 * Every real chat template over HTTP, on a tiny model that says anything and has the special tokens of all
 * families: a forced call comes out as that call, behind the thinking where there is any.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type OpenAI from 'openai';
import {
  detectFormat,
  formats,
  reasonings,
  specialTokensOf,
  type FormatName,
  type ReasoningName,
} from '../../src/prompt/index.ts';
import { callsOf, checkCalling, tools } from '../e2e/tools/functions.ts';
import { chatUrl, jsonOf, post } from '../support/ask.ts';
import { deploy } from '../support/deployments.ts';
import { startServer, type ServerProcess } from '../support/server-process.ts';
import { writeTinyModel } from '../support/tiny-models/index.ts';

const corpus = '../shared/templates/renders.jsonl';
const skip = existsSync(corpus) ? false : `NO CORPUS: there is no ${corpus}`;

interface Line {
  readonly template: string;
  readonly source: string;
}

const lines = skip
  ? []
  : readFileSync(corpus, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);

const own = new Set(['<|begin|>', '<|im_start|>', '<|im_end|>', '<|endoftext|>']);

/** Of all families; parts of one another would hide each other. */
const specials = [
  ...new Set([
    ...(Object.keys(formats) as FormatName[]).flatMap((name) => specialTokensOf(name, null)),
    ...(Object.keys(reasonings) as ReasoningName[]).flatMap((name) => specialTokensOf(null, name)),
  ]),
].filter((text) => !own.has(text) && !text.startsWith('｜tool'));

const firstSpecial = 315;

/** Ends thinking after some tokens; null: no single token ends it. */
function biasFor(reasoning: ReasoningName | null): Record<string, number> | null {
  if (reasoning === null) return {};
  const at = specials.indexOf(reasonings[reasoning].close[0] ?? '');
  return at < 0 ? null : { [firstSpecial + at]: 9 };
}

const folder = mkdtempSync(join(tmpdir(), 'parlance-calls-'));
let server: ServerProcess;

describe('forced calls through every template', { skip }, () => {
  before(async () => {
    const path = join(folder, 'tiny.gguf');
    const context = 8192;
    writeTinyModel(path, { architecture: 'llama', context, specials: { more: specials } });
    server = await startServer({ args: ['--model', 'none'] });
    const options = { threads: 1, slots: 1, context };
    await deploy(server, { name: 'any', runtime: 'embedded', model: path, options });
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const { template, source } of lines) {
    const bias = biasFor(detectFormat(source).reasoning);
    const endless = bias === null ? 'no token ends its thinking' : false;
    it(template, { skip: endless }, async () => {
      for (const { function: one } of tools) {
        const reply = await post(chatUrl(server), {
          model: 'any',
          messages: [{ role: 'user', content: 'Paint it.' }],
          chat_template: source,
          tools,
          tool_choice: { type: 'function', function: { name: one.name } },
          logit_bias: bias,
          seed: 5,
          max_tokens: 1000,
        });
        assert.equal(reply.status, 200, reply.text);
        const answer = jsonOf<OpenAI.Chat.Completions.ChatCompletion>(reply);
        checkCalling(answer);
        assert.deepEqual(
          callsOf(answer).map(({ name }) => name),
          [one.name],
        );
      }
    });
  }
});
