/** More requests at once than there are slots: each of them ends exactly once, and all is free again. */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { checkAnswer, checkStream } from '../support/answer-shapes.ts';
import { chatBody, chatUrl, metric, post } from '../support/ask.ts';
import { untilLoad } from '../support/load.ts';
import { openStream } from '../support/open-stream.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { sharedServer, sharedSlots } from '../support/shared-server.ts';

let server: ServerProcess;

const counted = 'parlance_requests_total{route="/v1/chat/completions",status="200"}';

describe('more requests than slots', () => {
  before(async () => {
    server = await sharedServer();
  });

  it('forty at once, streamed or not, of one choice or three', async () => {
    const before = await metric(server, counted);
    const replies = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const stream = at % 2 === 0;
        const n = at % 5 === 0 ? 3 : 1;
        const extra = {
          stream,
          n,
          seed: at,
          temperature: 1,
          ignore_eos: true,
          max_tokens: 3 + (at % 9),
        };
        return { stream, n, reply: await post(chatUrl(server), chatBody(extra)) };
      }),
    );
    for (const { stream, n, reply } of replies) {
      const choices = stream
        ? checkStream('chat', reply)
            .flatMap((chunk) => chunk.choices)
            .filter((choice) => choice.finish_reason !== null)
        : checkAnswer('chat', reply).choices;
      assert.deepEqual(
        choices.map(({ index }) => index).toSorted((one, other) => one - other),
        Array.from({ length: n }, (_, index) => index),
      );
      assert.ok(choices.every((choice) => choice.finish_reason === 'length'));
    }
    await untilLoad(server, 0, 0);
    assert.equal(await metric(server, counted), before + 40);
  });

  it('those that leave in the middle take nothing with them', async () => {
    const streams = await Promise.all(
      Array.from({ length: sharedSlots }, () => openStream(server, { max_tokens: 60 })),
    );
    const [first, second, third, ...stay] = streams;
    for (const stream of [first, second, third]) stream?.leave();
    for (const stream of stay) assert.match(await stream.rest(), /"length"[^]*\[DONE\]/);
    await untilLoad(server, 0, 0);
  });
});
