import assert from 'node:assert/strict';
import { test } from 'node:test';
import { characters, cut, dice, options, readPieces, readWhole } from './answers.test-support.ts';
import { familyAnswers } from './family-answers.test-support.ts';
import { formats, type FormatName } from './formats.ts';
import { startParse, stepParse } from './parse-answer.ts';
import type { ReasoningName } from './reasoning.ts';

const families = Object.keys(formats) as FormatName[];

for (const family of families) {
  const answer = familyAnswers[family];
  test(`${family}: calls as its template renders them, whatever the pieces`, () => {
    const whole = readWhole(answer.text, options(family));
    const calls = whole.calls.map((call) => ({
      name: call.name,
      arguments: JSON.parse(call.arguments) as unknown,
    }));
    assert.deepEqual(calls, answer.calls);
    assert.equal(whole.text, answer.content ?? '');
    assert.deepEqual(readPieces(characters(answer.text), options(family)), whole);
    const random = dice(family);
    for (let round = 0; round < 20; round++) {
      assert.deepEqual(readPieces(cut(answer.text, 12, random), options(family)), whole);
    }
  });

  test(`${family}: cut off anywhere, the pieces make no difference`, () => {
    const all = characters(answer.text);
    for (let length = 0; length < all.length; length += 7) {
      const text = all.slice(0, length).join('');
      const whole = readWhole(text, options(family));
      assert.deepEqual(readPieces(characters(text), options(family)), whole, text);
      assert.ok(whole.calls.length <= answer.calls.length);
    }
  });

  test(`${family}: a tool that there is not stays text`, () => {
    const renamed = answer.text.replaceAll('get_weather', 'no_such').replaceAll('add', 'nor_this');
    const read = readPieces(characters(renamed), options(family));
    assert.deepEqual(read.calls, []);
    assert.ok(read.text.includes('no_such'), read.text);
    assert.deepEqual(readWhole(renamed, options(family)), read);
  });

  test(`${family}: no calls are looked for where there are none to make`, () => {
    const read = readPieces(characters(answer.text), options(family, { calls: false }));
    assert.deepEqual(read.calls, []);
    assert.ok(read.text.includes('get_weather'), read.text);
  });
}

test('the name comes first, then the arguments in pieces', () => {
  let state = startParse(options('hermes'));
  const seen: string[] = [];
  for (const piece of [
    '<tool_',
    'call>\n{"name": "add"',
    ', "arg',
    'uments": {"a": 1',
    ', "b": 2',
    '}}',
  ]) {
    const step = stepParse(state, piece);
    ({ state } = step);
    seen.push(JSON.stringify(step.parts));
  }
  assert.deepEqual(seen, [
    '[]',
    '[{"type":"tool_call_start","index":0,"id":null,"name":"add"}]',
    '[]',
    '[{"type":"tool_call_delta","index":0,"arguments":"{\\"a\\": 1"}]',
    '[{"type":"tool_call_delta","index":0,"arguments":", \\"b\\": 2"}]',
    '[{"type":"tool_call_delta","index":0,"arguments":"}"}]',
  ]);
});

test('strings of element formats come as they are written', () => {
  let state = startParse(options('qwen3-coder'));
  const deltas: string[] = [];
  for (const piece of [
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nPar',
    'is "x"',
    '\n</para',
    'graph>',
    '\n</parameter>',
    '\n</function>',
  ]) {
    const step = stepParse(state, piece);
    ({ state } = step);
    deltas.push(
      step.parts.map((part) => (part.type === 'tool_call_delta' ? part.arguments : '')).join(''),
    );
  }
  assert.deepEqual(deltas, ['{"city": "Par', 'is \\"x\\"', '', '\\n</paragraph>', '"', '}']);
});

test('the arguments are the very text that the model wrote, in either order and under either name', () => {
  for (const [source, args] of [
    ['{"arguments": {"a":1.50 ,"b":[ ]}, "name": "add"}', '{"a":1.50 ,"b":[ ]}'],
    ['{"name":"add","parameters":{"b": 1E2}}', '{"b": 1E2}'],
    ['{"name": "add", "arguments": "{\\"a\\": \\"\\u00e9\\"}"}', '{"a": "é"}'],
    ['{"type": "function", "function": {"name": "add", "arguments": {"a": 1}}}', '{"a": 1}'],
    ['{"id": "x9", "name": "add", "arguments": {}}', '{}'],
  ] as const) {
    const read = readPieces(characters(`<tool_call>${source}</tool_call>`), options('hermes'));
    assert.deepEqual(
      read.calls.map((call) => call.arguments),
      [args],
      source,
    );
    assert.equal(read.text, '');
  }
});

test('ids are those of the format', () => {
  const ids = (family: FormatName): unknown =>
    readWhole(familyAnswers[family].text, options(family)).calls.map(({ id }) => id);
  assert.deepEqual(ids('mistral-id'), ['abcdefghi', 'ABCDEFGH9']);
  assert.deepEqual(ids('kimi-k2'), ['functions.get_weather:0', 'functions.add:1']);
  assert.deepEqual(ids('solar'), ['a1b2c3d4e5', 'a1b2c3d4e6']);
  assert.deepEqual(ids('command'), [null, null]);
  assert.deepEqual(ids('kimi-k3'), [null, null]);
});

test('text around calls is text, the whitespace between is not', () => {
  const call = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';
  for (const [source, text] of [
    [`Let me see. \n\n${call}`, 'Let me see.'],
    [`${call}\nDone.\n`, 'Done.\n'],
    [`A\n${call}\nB\n${call}\n\n  C`, 'A\nB\n\n  C'],
    [`${call}\n${call}\n`, ''],
    [' \n ', ' \n '],
    ['no call \n', 'no call \n'],
  ] as const) {
    assert.equal(readPieces(characters(source), options('hermes')).text, text, source);
    assert.equal(readWhole(source, options('hermes')).text, text, source);
  }
});

test('a tag in ordinary text starts no call', () => {
  for (const source of [
    'Write <tool_call> and </tool_call> around it.',
    '<tool_call>{"nam": 1}</tool_call>',
    '<tool_call>\n["add"]\n</tool_call>',
    'a <tool_call',
    '<tool_call>{"name": "add"',
    '<tool_call>{"arguments": {"name": "add"}}</tool_call>',
    'if (a < b && c <tool) {}',
  ]) {
    const read = readPieces(characters(source), options('hermes'));
    assert.deepEqual(
      [read.text, read.calls.length],
      source.includes('"add"') && source.endsWith('"add"') ? ['', 1] : [source, 0],
      source,
    );
  }
});

test('a tag inside a string of a call that is none starts no call either', () => {
  const inner = '<tool_call>{\\"name\\": \\"add\\", \\"arguments\\": {}}</tool_call>';
  const source = `<tool_call>{"name": "other", "arguments": {"x": "${inner}"}}</tool_call> done`;
  assert.deepEqual(readPieces(characters(source), options('hermes')), {
    text: source,
    reasoning: '',
    calls: [],
    order: 'text',
  });
});

test('a call behind one that is none is read', () => {
  const source = '<tool_call>x <tool_call>{"name": "ping", "arguments": {}}</tool_call>';
  const read = readPieces(characters(source), options('hermes'));
  assert.deepEqual([read.text, read.calls.length], ['<tool_call>x', 1]);
});

test('a bracket too few ends with the tag', () => {
  const source = '<tool_call>{"name": "add", "arguments": {"a": 1}</tool_call> then';
  const read = readPieces(characters(source), options('hermes'));
  assert.deepEqual([read.calls.map((call) => call.arguments), read.text], [['{"a": 1}'], 'then']);
});

test('JSON that is an answer and no call stays as it is', () => {
  const source = '{"name": "Bob", "age": 3, "tags": ["{"]}\n';
  assert.equal(readPieces(characters(source), options('llama3')).text, source);
  assert.equal(readPieces(characters('{"x": 1}'), options('llama3')).text, '{"x": 1}');
  const later = 'So: {"name": "add", "parameters": {}}';
  assert.equal(readPieces(characters(later), options('llama3')).text, later);
  const python = '[1, 2] and [add(a=1)]';
  assert.equal(readPieces(characters(python), options('pythonic')).text, python);
});

test('Llama’s python tag', () => {
  const calls = (source: string): unknown =>
    readPieces(characters(source), options('llama3')).calls.map(({ name, arguments: args }) => [
      name,
      args,
    ]);
  assert.deepEqual(calls('<|python_tag|>{"name": "add", "parameters": {"a": 1}}'), [
    ['add', '{"a": 1}'],
  ]);
  assert.deepEqual(calls('<|python_tag|>add.call(a="1", b=2)'), [['add', '{"a": "1", "b": 2}']]);
  assert.deepEqual(calls('<|python_tag|>print(1)'), []);
});

test('harmony: channels in every order', () => {
  const wanted = options('harmony', { reasoning: 'harmony' });
  const thought = '<|channel|>analysis<|message|>\nHm.\n<|end|><|start|>assistant';
  for (const call of [
    ' to=functions.add<|channel|>commentary json<|message|>{"a": 1}<|call|>',
    '<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 1}<|call|>',
    '<|channel|>commentary to=functions.add<|message|>{"a": 1}',
    '<|channel|>analysis to=functions.add json<|message|>"{\\"a\\": 1}"<|call|>',
  ]) {
    const read = readPieces(characters(thought + call), wanted);
    assert.deepEqual(
      [read.reasoning, read.text, read.calls.map((one) => [one.name, one.arguments])],
      ['Hm.', '', [['add', '{"a": 1}']]],
      call,
    );
  }
  const final = `${thought}<|channel|>final<|message|>Four.<|return|>`;
  for (const calls of [true, false]) {
    const read = readPieces(characters(final), { ...wanted, calls });
    assert.deepEqual([read.reasoning, read.text], ['Hm.', 'Four.']);
  }
});

const thoughts: readonly (readonly [ReasoningName, FormatName | null, string])[] = [
  ['think', 'hermes', '<think>\nHm <b>\n\nthen\n</think>\n\nFour.'],
  ['mistral', 'mistral', '[THINK]Hm <b>\n\nthen[/THINK]Four.'],
  ['seed', 'seed-oss', '\n<seed:think>Hm <b>\n\nthen</seed:think>\nFour.'],
  ['minimax', 'minimax-m3', '<mm:think>Hm <b>\n\nthen</mm:think>Four.'],
  ['hunyuan', 'hunyuan', '<think:opensource>Hm <b>\n\nthen</think:opensource>Four.'],
  [
    'granite',
    'granite-3',
    'Here is my thought process:\nHm <b>\n\nthen\n\nHere is my response:\nFour.',
  ],
  ['think-response', 'granite-3', '<think>Hm <b>\n\nthen</think><response>Four.</response>'],
  [
    'apriel',
    'tool-calls-array',
    'Here are my reasoning steps:\nHm <b>\n\nthen\n[BEGIN FINAL RESPONSE]\nFour.[END FINAL RESPONSE]',
  ],
  [
    'command',
    'command',
    '<|START_THINKING|>Hm <b>\n\nthen<|END_THINKING|><|START_RESPONSE|>Four.<|END_RESPONSE|>',
  ],
  ['gemma-4', 'gemma-4', '<|channel>thought\nHm <b>\n\nthen\n<channel|>Four.'],
  ['solar', 'solar', '<|think|>Hm <b>\n\nthen<|end|><|begin|>assistant<|content|>Four.<|end|>'],
  [
    'muse',
    'muse',
    ' to=self<|message|>Hm <b>\n\nthen<|eom|><|start|>assistant to=user<|message|>Four.<|eot|>',
  ],
  [
    'kimi-k3',
    'kimi-k3',
    '<|open|>think<|sep|>Hm <b>\n\nthen<|close|>think<|sep|><|open|>response<|sep|>Four.<|close|>response<|sep|>',
  ],
  ['apertus', 'apertus', '<|inner_prefix|>Hm <b>\n\nthen<|inner_suffix|>Four.'],
];

for (const [reasoning, family, source] of thoughts) {
  test(`thinking, ${reasoning}: opened by the model or by the prompt, whatever the pieces`, () => {
    for (const calls of [true, false]) {
      const wanted = options(family, { reasoning, calls });
      const read = readPieces(characters(source), wanted);
      assert.deepEqual([read.reasoning, read.text], ['Hm <b>\n\nthen', 'Four.']);
      assert.deepEqual(readWhole(source, wanted), read);
      assert.equal(read.order, 'reasoning text');
      const behind = source.slice(source.indexOf('Hm'));
      const opened = { ...wanted, thinking: true };
      const rest = readPieces(characters(behind), opened);
      assert.deepEqual([rest.reasoning, rest.text], ['Hm <b>\n\nthen', 'Four.']);
    }
  });
}

test('thinking that never ends is thinking, and calls in it are none', () => {
  const source = 'Hm <tool_call>{"name": "ping", "arguments": {}}</tool_call> and</th';
  const read = readPieces(
    characters(source),
    options('hermes', { reasoning: 'think', thinking: true }),
  );
  assert.deepEqual([read.reasoning, read.text, read.calls], [source, '', []]);
});

test('a block that the prompt closed may be closed once more, and text about the tag is text', () => {
  const wanted = options('glm', { reasoning: 'think' });
  assert.equal(readPieces(characters('</think>Four.'), wanted).text, 'Four.');
  const about = 'Four. The <think> tag, and </think>.';
  assert.equal(readPieces(characters(about), wanted).text, about);
  const call =
    '</think>\n<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>';
  const read = readPieces(characters(call), wanted);
  assert.deepEqual([read.text, read.calls.map((one) => one.arguments)], ['', ['{"a": 1}']]);
});

test('without formats text is text', () => {
  const source = ' <tool_call>{"name": "ping"}</tool_call> <think>x</think>\n';
  assert.equal(readPieces(characters(source), options(null)).text, source);
});
