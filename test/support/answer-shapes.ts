/** Holds real answers against the contract's own schemas, which are closed, and against the ID forms. */

import assert from 'node:assert/strict';
import {
  chatCompletionChunkSchema,
  chatCompletionSchema,
  completionChunkSchema,
  completionSchema,
  createValidator,
  promptCompletionChunkSchema,
  promptCompletionSchema,
} from '../../src/contract/index.ts';
import { chunksOf, jsonOf, type Chunk, type Completion, type Reply } from './ask.ts';

export const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const completionId = /^cmpl-[0-9a-f-]{36}$/;

const validators = {
  chat: createValidator(chatCompletionSchema),
  chatChunk: createValidator(chatCompletionChunkSchema),
  prompt: createValidator(promptCompletionSchema),
  promptChunk: createValidator(promptCompletionChunkSchema),
  text: createValidator(completionSchema),
  textChunk: createValidator(completionChunkSchema),
};

type Shape = 'chat' | 'prompt' | 'text';

const objects = {
  chat: ['chat.completion', 'chat.completion.chunk'],
  prompt: ['text_completion', 'text_completion.chunk'],
  text: ['text_completion', 'text_completion'],
} as const;

function checkHead(shape: Shape, head: Pick<Completion, 'id' | 'created'>): void {
  assert.match(head.id, shape === 'chat' ? uuid7 : completionId);
  assert.ok(Number.isInteger(head.created));
  assert.ok(Math.abs(head.created - Date.now() / 1000) < 300);
}

/** A JSON answer of this shape. */
export function checkAnswer(shape: Shape, reply: Reply): Completion {
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.headers['content-type'] ?? '', /^application\/json/);
  const body = jsonOf<Completion>(reply);
  validators[shape](body);
  assert.equal(body.object, objects[shape][0]);
  checkHead(shape, body);
  const { prompt_tokens, completion_tokens, total_tokens } = body.usage;
  assert.equal(total_tokens, prompt_tokens + completion_tokens);
  return body;
}

/** A stream of this shape: head of every chunk, roles, one finish for each choice, `[DONE]`. */
export function checkStream(shape: Shape, reply: Reply): Chunk[] {
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.headers['content-type'] ?? '', /^text\/event-stream/);
  const chunks = chunksOf(reply.text);
  assert.ok(chunks.length > 1);
  const finished = new Set<number>();
  const opened = new Set<number>();
  for (const chunk of chunks) {
    validators[`${shape}Chunk`](chunk);
    assert.equal(chunk.object, objects[shape][1]);
    assert.equal(chunk.id, chunks[0]?.id);
    assert.equal(chunk.created, chunks[0]?.created);
    checkHead(shape, chunk);
    // Clients read `choices[0]` of every chunk.
    assert.equal(chunk.choices.length, 1);
    for (const { index, delta, finish_reason } of chunk.choices) {
      assert.ok(!finished.has(index), 'a chunk after the finish of its choice');
      if (shape !== 'text') {
        assert.equal(delta.role, opened.has(index) ? undefined : 'assistant');
        if (finish_reason !== null) assert.deepEqual(delta, {});
      }
      opened.add(index);
      if (finish_reason !== null) finished.add(index);
    }
  }
  assert.deepEqual(finished, opened);
  return chunks;
}
