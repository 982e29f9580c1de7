/**
 * Constraints that blow up: each ends, refused with the keyword's name or working, while the free and
 * the constrained streams of others go on, in the same processes.
 */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  chatBody,
  chatUrl,
  chunksOf,
  complete,
  errorOf,
  joined,
  jsonOf,
  post,
  textOf,
  type Completion,
} from '../../support/ask.ts';
import {
  grammarBombs,
  regexBombs,
  schemaBombs,
  type Bomb,
} from '../../support/constraint-bombs.ts';
import { checkJson } from '../../support/constraint-cases.ts';
import { keepStreaming, type Streaming } from '../../support/keep-streaming.ts';
import { treeOf } from '../../support/process-tree.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';
import { within } from '../../support/wait-until.ts';

let server: ServerProcess;

/** A compilation has five seconds; the rest is for machines that have little time for us. */
const mostMs = 30_000;
/** Without a piece of text: far beyond what a pass takes anywhere, and less than a blocked engine. */
const mostSilenceMs = 20_000;

const listSchema = {
  type: 'array',
  items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  minItems: 3,
  maxItems: 6,
};
const checkList = checkJson(listSchema);

function checkFinished(stream: string): void {
  const chunks = chunksOf(stream);
  if (chunks.at(-1)?.choices[0]?.finish_reason === 'stop') checkList(joined(chunks));
}

async function drop({ fields, refusal, refused }: Bomb): Promise<string> {
  const body = chatBody({ ...fields, temperature: 1, seed: 1, max_tokens: 12 });
  const reply = await within('an answer', post(chatUrl(server), body), mostMs);
  if (reply.status === 200) {
    assert.ok(!refused, reply.text.slice(0, 500));
    assert.match(jsonOf<Completion>(reply).choices[0]?.finish_reason ?? '', /^(?:stop|length)$/);
    return 'works';
  }
  const error = errorOf(reply);
  if (reply.status === 502 && !refused) {
    assert.equal(error.reason, 'constraint_not_met');
    return 'not met';
  }
  assert.equal(reply.status, 400, reply.text.slice(0, 500));
  assert.equal(error.reason, 'invalid_constraint');
  assert.match(error.message, refusal);
  assert.ok(error.message.length < 1000, error.message.slice(0, 1000));
  return `refused: ${error.message}`;
}

describe('constraints that blow up', () => {
  let processes: readonly number[];
  before(async () => {
    server = await sharedServer();
    await complete(server, { guided_choice: ['yes'] });
    processes = treeOf(server.pid);
  });

  const suites = [
    ['regexes and choices', regexBombs],
    ['schemas', schemaBombs],
    ['grammars and tags', grammarBombs],
  ] as const;
  for (const [name, bombs] of suites) {
    describe(name, () => {
      let streams: readonly Streaming[] = [];
      before(async () => {
        const rest = { temperature: 1, max_tokens: 300 };
        streams = await Promise.all([
          keepStreaming(server, { ...rest, ignore_eos: true }),
          keepStreaming(server, { ...rest, guided_json: listSchema }, checkFinished),
        ]);
      });

      for (const bomb of bombs) {
        it(bomb.name, async (context) => {
          const begun = performance.now();
          const came = streams.map(({ pieces }) => pieces);
          const end = await drop(bomb);
          const seconds = (performance.now() - begun) / 1000;
          const more = streams.map(({ pieces }, at) => pieces - (came[at] ?? 0));
          context.diagnostic(`${seconds.toFixed(1)} s, ${more.join(' and ')} pieces: ${end}`);
          for (const { longestGap } of streams) assert.ok(longestGap < mostSilenceMs);
        });
      }

      it('held up nobody', async (context) => {
        for (const stream of streams) {
          context.diagnostic(`longest silence: ${(stream.longestGap / 1000).toFixed(2)} s`);
          await stream.stop();
          assert.ok(stream.longestGap < mostSilenceMs, `${stream.longestGap} ms`);
          assert.ok(stream.pieces > bombs.length);
        }
      });
    });
  }

  it('all at once are no worse', async () => {
    const stream = await keepStreaming(server, { temperature: 1, max_tokens: 300 });
    const chosen = [regexBombs[0], regexBombs[4], schemaBombs[2], schemaBombs[3], grammarBombs[3]];
    await Promise.all(chosen.map(async (bomb) => bomb !== undefined && (await drop(bomb))));
    await stream.stop();
    assert.ok(stream.longestGap < mostSilenceMs);
  });

  it('killed nothing', async () => {
    assert.deepEqual(treeOf(server.pid), processes);
    assert.equal(textOf(await complete(server, { guided_choice: ['yes'] })), 'yes');
  });
});
