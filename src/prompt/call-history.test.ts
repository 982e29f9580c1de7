import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../contract/index.ts';
import { mergeUsers, splitCalls, writeCalls } from './call-history.ts';

const call = (id: string, text = '{}') => ({
  id,
  type: 'function' as const,
  function: { name: `do_${id}`, arguments: text },
});
const calling = (ids: string, content: string | null = null): Message => ({
  role: 'assistant',
  content,
  tool_calls: ids.split('').map((id) => call(id)),
});
const result = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: `got ${id}` });
const user: Message = { role: 'user', content: 'Hi' };

/** `u` for the user, `+ab` for calls, `=a` for a result. */
const shape = (messages: readonly Message[]): string =>
  messages
    .map((one) => {
      if (one.role === 'tool') return `=${one.tool_call_id}`;
      const calls = one.role === 'assistant' ? (one.tool_calls ?? []) : [];
      return calls.length > 0 ? `+${calls.map(({ id }) => id).join('')}` : one.role.slice(0, 1);
    })
    .join(' ');

describe('splitCalls', () => {
  it('gives each call a message of its own, with its result behind it', () => {
    const split = (...messages: Message[]) => shape(splitCalls(messages));
    assert.equal(split(user, calling('ab'), result('b'), result('a'), user), 'u +a =a +b =b u');
    assert.equal(split(user, calling('a'), result('a'), user), 'u +a =a u');
    assert.equal(split(calling('abc'), result('x'), result('b')), '+a +b =b +c =x');
    assert.equal(split(calling('aa'), result('a'), result('a')), '+a =a =a +a');
    assert.equal(split(calling('ab')), '+a +b');
  });

  it('leaves what was said beside the calls with the first', () => {
    const [first, second] = splitCalls([calling('ab', 'Let me see.')]);
    assert.deepEqual([first?.content, second?.content], ['Let me see.', null]);
  });
});

describe('writeCalls', () => {
  it('writes calls as text, and results in a row as one message of the user', () => {
    const history = [
      user,
      calling('ab', 'So:'),
      result('a'),
      result('b'),
      calling('c'),
      result('c'),
    ];
    assert.deepEqual(
      writeCalls(history).map(({ role, content }) => [role, content]),
      [
        ['user', 'Hi'],
        [
          'assistant',
          'So:\n<tool_call>\n{"name": "do_a", "arguments": {}}\n</tool_call>\n<tool_call>\n{"name": "do_b", "arguments": {}}\n</tool_call>',
        ],
        [
          'user',
          '<tool_response>\ngot a\n</tool_response>\n<tool_response>\ngot b\n</tool_response>',
        ],
        ['assistant', '<tool_call>\n{"name": "do_c", "arguments": {}}\n</tool_call>'],
        ['user', '<tool_response>\ngot c\n</tool_response>'],
      ],
    );
  });

  it('takes the old spelling of a call, and no arguments at all', () => {
    const old: Message = { role: 'assistant', function_call: { name: 'f"', arguments: ' ' } };
    assert.equal(
      writeCalls([old])[0]?.content,
      '<tool_call>\n{"name": "f\\"", "arguments": {}}\n</tool_call>',
    );
  });
});

it('mergeUsers makes one message of what the user says in a row', () => {
  const other: Message = { role: 'assistant', content: 'Yo' };
  assert.deepEqual(
    mergeUsers([user, user, other, user]).map(({ content }) => content),
    ['Hi\n\nHi', 'Yo', 'Hi'],
  );
});
