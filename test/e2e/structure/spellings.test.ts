/**
 * Every spelling of a constraint, on the embedded engine over HTTP: the text is what was asked for, as a
 * whole and streamed, and the receipt says so.
 */

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  chatBody,
  chatUrl,
  chunksOf,
  joined,
  jsonOf,
  post,
  receiptOf,
  type Completion,
} from '../../support/ask.ts';
import { bodyOf, constraintCases } from '../../support/constraint-cases.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { sharedServer } from '../../support/shared-server.ts';

let server: ServerProcess;

describe('constraints over HTTP', () => {
  before(async () => {
    server = await sharedServer();
  });

  for (const one of constraintCases) {
    it(one.name, async () => {
      const body = bodyOf(one, { seed: 7 });
      const reply = await post(chatUrl(server), chatBody(body));
      assert.equal(reply.status, 200, reply.text);
      assert.equal(receiptOf(reply)[one.parameter], 'honoured', JSON.stringify(reply.headers));
      const [choice] = jsonOf<Completion>(reply).choices;
      assert.ok(choice !== undefined);
      const text = choice.message.content;
      const ended = choice.finish_reason === 'stop';
      assert.ok(ended || !one.bounded, `${choice.finish_reason}: ${text}`);
      if (ended) one.check(text);
      else assert.match(reply.headers['x-parlance-receipt'] ?? '', /incomplete/);
      const streamed = await post(chatUrl(server), chatBody({ ...body, stream: true }));
      const chunks = chunksOf(streamed.text);
      assert.equal(joined(chunks), text);
      assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, choice.finish_reason);
    });
  }
});
