/** Events in, effects out: the conversation without a terminal and without a server. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  beginConversation,
  stepConversation,
  type ChatEffect,
  type ChatEvent,
  type Conversation,
} from './conversation.ts';

/** Plays events; gives the last state and all effects but those of the beginning. */
function play(events: readonly ChatEvent[], system: string | null = null) {
  let state: Conversation = beginConversation(system).state;
  const effects: ChatEffect[] = [];
  for (const event of events) {
    const step = stepConversation(state, event);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

const line = (text: string): ChatEvent => ({ type: 'line', text });
const text = (part: string): ChatEvent => ({ type: 'text', text: part });
const interrupt: ChatEvent = { type: 'interrupt' };
const finished: ChatEvent = { type: 'finished', finishReason: 'stop' };
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

test('begins with the prompt', () => {
  assert.deepEqual(beginConversation(null).effects, [{ type: 'read' }]);
});

test('a second question carries the first one and its answer', () => {
  const { effects } = play([line('One?'), text('1'), text('.'), finished, line('Two?')]);
  assert.deepEqual(effects, [
    { type: 'ask', messages: [user('One?')] },
    { type: 'write', tone: 'answer', text: '1' },
    { type: 'write', tone: 'answer', text: '.' },
    { type: 'write', tone: 'answer', text: '\n' },
    { type: 'read' },
    { type: 'ask', messages: [user('One?'), assistant('1.'), user('Two?')] },
  ]);
});

test('an empty line only shows the prompt again', () => {
  assert.deepEqual(play([line('  ')]).effects, [{ type: 'read' }]);
});

describe('stopping', () => {
  test('Ctrl-C stops the answer once, and what was said is kept', () => {
    const { state, effects } = play([
      line('Count.'),
      text('1 2'),
      interrupt,
      interrupt,
      text(' 3'),
      { type: 'aborted' },
    ]);
    assert.equal(effects.filter(({ type }) => type === 'abort').length, 1);
    assert.deepEqual(state.messages, [user('Count.'), assistant('1 2 3')]);
    assert.equal(state.phase, 'reading');
    assert.deepEqual(effects.at(-1), { type: 'read' });
  });

  test('an answer that was stopped before its first word leaves nothing behind', () => {
    const { state } = play([line('Count.'), interrupt, { type: 'aborted' }]);
    assert.deepEqual(state.messages, []);
  });

  test('an answer that ends by itself while it is being stopped is a whole one', () => {
    const { state } = play([line('Hi'), text('Hello'), interrupt, finished]);
    assert.deepEqual(state.messages, [user('Hi'), assistant('Hello')]);
    assert.equal(state.phase, 'reading');
  });
});

describe('leaving', () => {
  test('two Ctrl-C at the prompt; one warns', () => {
    const once = play([interrupt]);
    assert.equal(once.state.phase, 'reading');
    assert.match(JSON.stringify(once.effects), /Ctrl-C again/);
    assert.deepEqual(play([interrupt, interrupt]).effects.at(-1), { type: 'exit' });
  });

  test('something typed in between forgets the first', () => {
    assert.equal(play([interrupt, line(''), interrupt]).state.phase, 'reading');
  });

  test('a Ctrl-C that stopped an answer does not count', () => {
    const { state } = play([line('Hi'), interrupt, { type: 'aborted' }, interrupt]);
    assert.equal(state.phase, 'reading');
  });

  test('Ctrl-D, /exit and /quit', () => {
    for (const event of [{ type: 'end' } as const, line('/exit'), line('/quit')]) {
      const { state, effects } = play([event]);
      assert.equal(state.phase, 'over');
      assert.deepEqual(effects, [{ type: 'exit' }]);
    }
  });

  test('nothing happens after the end', () => {
    assert.deepEqual(play([line('/exit'), line('Hi'), interrupt]).effects, [{ type: 'exit' }]);
  });
});

describe('commands', () => {
  test('/reset forgets the conversation and keeps the system message', () => {
    const { effects } = play(
      [line('Hi'), text('Hello'), finished, line('/reset'), line('Yo')],
      'S',
    );
    assert.deepEqual(effects.at(-1), {
      type: 'ask',
      messages: [{ role: 'system', content: 'S' }, user('Yo')],
    });
  });

  test('/system sets and removes the system message', () => {
    const set = play([line('/system Be brief.\nVery.'), line('Hi')]);
    assert.deepEqual(set.effects.at(-1), {
      type: 'ask',
      messages: [{ role: 'system', content: 'Be brief.\nVery.' }, user('Hi')],
    });
    const removed = play([line('/system'), line('Hi')], 'Be brief.');
    assert.deepEqual(removed.effects.at(-1), { type: 'ask', messages: [user('Hi')] });
  });

  test('/help lists every command, and an unknown one points there', () => {
    const help = JSON.stringify(play([line('/help')]).effects);
    for (const name of ['/help', '/system', '/reset', '/exit']) assert.ok(help.includes(name));
    const unknown = play([line('/hlep')]);
    assert.match(JSON.stringify(unknown.effects), /no \/hlep; \/help/);
    assert.deepEqual(unknown.state.messages, []);
  });
});

describe('ends of an answer', () => {
  test('a failure is shown, and the question is taken back', () => {
    const { state, effects } = play([
      line('Hi'),
      text('Hel'),
      { type: 'failed', message: 'The engine ended.' },
    ]);
    assert.deepEqual(state.messages, []);
    assert.deepEqual(effects.slice(-2), [
      { type: 'write', tone: 'error', text: '\nThe engine ended.\n' },
      { type: 'read' },
    ]);
  });

  test('a limit that cut the answer is said', () => {
    const cut = play([line('Hi'), text('a'), { type: 'finished', finishReason: 'length' }]);
    assert.match(JSON.stringify(cut.effects.at(-2)), /limit of tokens/);
  });

  test('reasoning is shown and does not become part of the conversation', () => {
    const { state, effects } = play([
      line('Hi'),
      { type: 'reasoning', text: 'Hm.' },
      text('Hello'),
      finished,
    ]);
    assert.deepEqual(effects[1], { type: 'write', tone: 'reasoning', text: 'Hm.' });
    assert.deepEqual(state.messages, [user('Hi'), assistant('Hello')]);
  });
});
