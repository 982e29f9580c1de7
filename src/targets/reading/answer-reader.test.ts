import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { AnswerEvent } from '../target.ts';
import { isOver, startReading, stepReading, type ReadingPlan } from './answer-reader.ts';
import { toContentStops } from './content-stops.ts';

const tool = { name: 'weather', description: null, parameters: null, strict: false };
const plain: ReadingPlan = {
  parse: {
    tools: [tool],
    format: 'hermes',
    reasoning: 'think',
    thinking: false,
    calls: true,
  },
  stops: null,
  choices: 1,
  callsOnly: false,
  newCallId: () => 'call_1',
};

/** The events of a text that comes in pieces, each of one token. */
function read(
  pieces: readonly string[],
  plan: ReadingPlan = plain,
  reason: 'stop' | 'length' = 'stop',
) {
  let state = startReading(plan);
  const events: AnswerEvent[] = [];
  const step = (event: AnswerEvent): void => {
    const next = stepReading(plan, state, event);
    state = next.state;
    events.push(...next.events);
  };
  pieces.forEach((text, index) => {
    const logprobs = [{ token: text, bytes: null, logprob: -index, top: [] }];
    step({ type: 'text', choice: 0, text, tokens: index + 1, logprobs });
  });
  step({ type: 'finish', choice: 0, reason, stopReason: null });
  step({
    type: 'usage',
    usage: { promptTokens: 1, completionTokens: 9, cachedTokens: 0, reasoningTokens: 0 },
  });
  const joined = (type: 'text' | 'reasoning'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const finish = events.find((event) => event.type === 'finish');
  const usage = events.find((event) => event.type === 'usage');
  return {
    text: joined('text'),
    reasoning: joined('reasoning'),
    calls: events.flatMap((event) => (event.type === 'tool_call_start' ? [event] : [])),
    arguments: events
      .map((event) => (event.type === 'tool_call_delta' ? event.arguments : ''))
      .join(''),
    scored: events.flatMap((event) =>
      event.type === 'text' ? (event.logprobs ?? []).map(({ token }) => token) : [],
    ),
    finish,
    usage: usage?.type === 'usage' ? usage.usage : null,
    over: isOver(state),
  };
}

const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>';
const letters = call.split('');

describe('the reader', () => {
  it('parts thinking, content and calls, and counts what was thought', () => {
    const found = read(['<think>', 'let me', ' see', '</think>', 'Right. ', ...letters]);
    assert.equal(found.reasoning.trim(), 'let me see');
    assert.equal(found.text.trim(), 'Right.');
    assert.deepEqual(found.calls, [
      { type: 'tool_call_start', choice: 0, index: 0, id: 'call_1', name: 'weather' },
    ]);
    assert.deepEqual(JSON.parse(found.arguments), { city: 'Oslo' });
    assert.equal(found.finish?.type === 'finish' && found.finish.reason, 'tool_calls');
    assert.ok((found.usage?.reasoningTokens ?? 0) >= 2);
    assert.ok(found.scored.includes('Right. '));
    assert.ok(!found.scored.includes(' see'));
    assert.ok(found.over);
  });

  it('passes text on as it comes where nothing is looked for', () => {
    const found = read(['a', '<think>', call], { ...plain, parse: null });
    assert.equal(found.text, `a<think>${call}`);
    assert.equal(found.scored.length, 3);
  });

  it('gives half a tag back as text at the end', () => {
    assert.equal(read(['a <tool_', 'ca']).text, 'a <tool_ca');
  });

  it('drops what is left of a forced call that was cut off', () => {
    const cut = (callsOnly: boolean) =>
      read(['<tool_call>\n{"na'], { ...plain, callsOnly }, 'length').text;
    assert.equal(cut(true), '');
    assert.equal(cut(false), '<tool_call>\n{"na');
  });
});

describe('stop strings', () => {
  const stopping = (stop: string, include = false, minTokens = 0): ReadingPlan => ({
    ...plain,
    stops: toContentStops([stop], include, minTokens),
  });

  it('are looked for in content only', () => {
    const found = read(['<think>', 'END', '</think>', 'one EN', 'D two'], stopping('END'));
    assert.equal(found.reasoning.trim(), 'END');
    assert.equal(found.text, 'one ');
    assert.equal(found.finish?.type === 'finish' && found.finish.stopReason, 'END');
    const inside = read([...letters], stopping('Oslo'));
    assert.deepEqual(JSON.parse(inside.arguments), { city: 'Oslo' });
  });

  it('are shown where asked for, and not looked for before min_tokens', () => {
    assert.equal(read(['one END two'], stopping('END', true)).text, 'one END');
    assert.equal(read(['END', ' two ', 'END'], stopping('END', false, 2)).text, 'END two ');
  });

  it('come out where they were only begun', () => {
    assert.equal(read(['one EN'], stopping('END')).text, 'one EN');
  });
});
