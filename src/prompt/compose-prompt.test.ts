import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../contract/index.ts';
import { composeWith } from './compose.test-support.ts';
import type { PromptInput, Rendered } from './prompt-input.ts';

const special = { bos: '<s>', eos: '</s>', pad: '<pad>' };
const user: Message = { role: 'user', content: 'Hello' };

const compose = (source: string, input: Partial<PromptInput>): Rendered =>
  composeWith(source, input, special);
const textOf = (source: string, input: Partial<PromptInput>): string => compose(source, input).text;

const turns = "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}";
const withTools = `{% if tools %}{{ tools | tojson }}{% endif %}${turns}`;

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: null,
    parameters: { type: 'object', properties: { zone: {}, city: { type: 'string' } } },
  },
};

const call = (text: string, id = 'call_1'): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: text } }],
});

describe('the context of a template', () => {
  it('has special tokens, and no tools and documents where none were sent', () => {
    const source =
      '{{ bos_token }}{{ eos_token }}{{ pad_token }}{{ unk_token is defined }}{{ tools is none }}{{ documents is none }}{{ add_generation_prompt }}';
    assert.equal(
      textOf(source, { addGenerationPrompt: false }).toLowerCase(),
      '<s></s><pad>falsetruetruefalse',
    );
  });

  it('has the tools as they were sent, keys in their order, without nulls', () => {
    assert.equal(
      textOf(withTools, { tools: [weather] }),
      '[{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"zone": {}, "city": {"type": "string"}}}}}][user]Hello',
    );
  });

  it('has numbers and keys of parameters as their author spelled them', () => {
    const parameters = { type: 'object', properties: {} };
    const tools = [{ type: 'function' as const, function: { name: 'f', parameters } }];
    const parameterTexts = ['{"b": 1.0, "10": [1e2, 12345678901234567890], "2": 1}'];
    assert.match(
      textOf(withTools, { tools, parameterTexts }),
      /"parameters": \{"b": 1\.0, "10": \[100\.0, 12345678901234567890\], "2": 1\}/,
    );
    assert.match(
      textOf(turns, { tools, parameterTexts }),
      /"parameters": \{"b": 1\.0, "10": \[1e2/,
    );
  });

  it('has the documents where the template uses them', () => {
    const source = `{% for d in documents or [] %}({{ d['title'] }}: {{ d['text'] }}){% endfor %}${turns}`;
    const { text, notes } = compose(source, { documents: [{ title: 'Sky', text: 'blue' }] });
    assert.equal(text, '(Sky: blue)[user]Hello');
    assert.deepEqual(notes, []);
  });

  it('has further variables, but none that a field of the request sets', () => {
    const templateKwargs = { custom: 'yes' };
    assert.equal(textOf('{{ custom }}', { templateKwargs }), 'yes');
    for (const name of ['messages', 'tools', 'documents', 'add_generation_prompt']) {
      assert.throws(() => textOf(turns, { templateKwargs: { [name]: [] } }), {
        reason: 'invalid_value',
        status: 400,
        param: `chat_template_kwargs.${name}`,
      });
    }
    assert.equal(textOf('{{ constructor }}', { templateKwargs: { constructor: 'x' } }), 'x');
  });

  it('has one effort only', () => {
    const templateKwargs = { reasoning_effort: 'high' };
    const source = '{{ reasoning_effort }}';
    assert.equal(textOf(source, { templateKwargs }), 'high');
    assert.equal(textOf(source, { templateKwargs, reasoningEffort: 'high' }), 'high');
    assert.throws(() => textOf(source, { templateKwargs, reasoningEffort: 'low' }), {
      reason: 'conflicting_fields',
    });
  });
});

describe('messages', () => {
  const parts: Message = {
    role: 'user',
    content: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
  };
  const eachPart =
    "{% for m in messages %}[{{ m['role'] }}]{% if m['content'] is string %}{{ m['content'] }}{% else %}{% for p in m['content'] %}<{{ p['text'] }}>{% endfor %}{% endif %}{% endfor %}";

  it('have their parts joined for templates that take strings', () => {
    assert.equal(textOf(turns, { messages: [parts] }), '[user]a\nb');
    // Shows no string as it shows a part, so it is not certain that parts are meant.
    assert.equal(textOf(eachPart, { messages: [parts] }), '[user]a\nb');
  });

  it('keep their parts for templates that render each of them', () => {
    const source = eachPart.replace("<{{ p['text'] }}>", "{{ p['text'] }}");
    assert.equal(textOf(source, { messages: [parts] }), '[user]ab');
    const first = source.replace("{% for p in m['content'] %}", "{% set p = m['content'][0] %}");
    const onlyFirst = first.replace('{% endfor %}{% endif %}', '{% endif %}');
    assert.equal(textOf(onlyFirst, { messages: [parts] }), '[user]a\nb');
  });

  it('become parts for templates that take nothing else', () => {
    const source =
      "{% for m in messages %}{% for p in m['content'] %}{% if p['type'] == 'text' %}<{{ p['text'] }}>{% endif %}{% endfor %}{% endfor %}";
    assert.equal(textOf(source, { messages: [user] }), '<Hello>');
  });

  it('go to the first message of the user where the template refuses the system role, or loses it', () => {
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be kind.' },
      parts,
    ];
    const refusing = `{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}${turns}`;
    const silent = turns
      .replace('[{{', "{% if m['role'] == 'user' %}[{{")
      .replace('{% endfor %}', '{% endif %}{% endfor %}');
    for (const source of [refusing, silent]) {
      assert.equal(textOf(source, { messages }), '[user]Be brief.\n\nBe kind.\na\nb');
    }
    assert.equal(textOf(turns, { messages }), '[system]Be brief.[system]Be kind.[user]a\nb');
  });

  it('show the thinking under the name that the template has for it', () => {
    const thought: Message = { role: 'assistant', content: 'Well', reasoning_content: 'hm' };
    const other =
      "{% for m in messages %}{% if m['thinking'] %}({{ m['thinking'] }}){% endif %}{{ m['content'] }}{% endfor %}";
    const messages = [user, thought, user];
    assert.equal(textOf(other, { messages }), 'Hello(hm)WellHello');
    assert.equal(
      textOf(other.replaceAll('thinking', 'reasoning_content'), { messages }),
      'Hello(hm)WellHello',
    );
  });
});

describe('calls in the history', () => {
  const withCalls = (printed: string): string =>
    `{% for m in messages %}{{ m['content'] }}{% if m['tool_calls'] %}{% for c in m['tool_calls'] %}{{ c['function']['name'] }} ${printed}{% endfor %}{% endif %}{% endfor %}`;
  const result: Message = { role: 'tool', tool_call_id: 'call_1', content: 'sunny' };
  const messages = [user, call('{"city": "Oslo", "n": 2}'), result];

  it('give templates the arguments in the form that they print rightly', () => {
    const asObject = withCalls("{{ c['function']['arguments'] | tojson }}");
    const asText = withCalls("{{ 'x' + c['function']['arguments'] }}");
    assert.equal(textOf(asObject, { messages }), 'Helloweather {"city": "Oslo", "n": 2}sunny');
    assert.equal(textOf(asText, { messages }), 'Helloweather x{"city": "Oslo", "n": 2}sunny');
  });

  it('have short IDs where the template asks for them, the same for call and result', () => {
    const strict =
      "{% for m in messages %}{% if m['tool_calls'] %}{% set id = m['tool_calls'][0]['id'] %}{% if id | length != 9 %}{{ raise_exception('nine') }}{% endif %}{{ id }} {{ m['tool_calls'][0]['function']['name'] }} {{ m['tool_calls'][0]['function']['arguments'] | tojson }} {% elif m['role'] == 'tool' %}{{ m['tool_call_id'] }} {{ m['content'] }}{% endif %}{% endfor %}";
    const [id, , , again] = textOf(strict, { messages: [user, call('{}'), result] }).split(' ');
    assert.match(id ?? '', /^[0-9a-f]{9}$/);
    assert.equal(again, id);
    const kept = call('{}', 'abcDEF123');
    assert.ok(textOf(strict, { messages: [user, kept] }).startsWith('abcDEF123 '));
  });

  it('give results the name of what was called', () => {
    const source = withCalls("{{ c['function']['arguments'] | tojson }}").replace(
      '{% for m in messages %}',
      "{% for m in messages %}{% if m['role'] == 'tool' %}({{ m['name'] }}){% endif %}",
    );
    assert.match(textOf(source, { messages }), /\(weather\)sunny$/);
  });

  it('that are not JSON reach the template as they are', () => {
    const source = withCalls("{{ c['function']['arguments'] | tojson }}");
    assert.equal(textOf(source, { messages: [user, call('{"a')] }), 'Helloweather "{\\"a"');
  });
});

describe('what a template has no place for', () => {
  it('documents stand in the system message', () => {
    const documents = [
      { title: 'Sky', text: 'The sky is blue.', source: 'book' },
      { content: 'x' },
    ];
    const block =
      'Use these documents to answer.\n\n<document name="Sky">\nsource: book\nThe sky is blue.\n</document>\n\n<document>\nx\n</document>';
    const { text, notes } = compose(turns, { documents });
    assert.equal(text, `[system]${block}[user]Hello`);
    assert.deepEqual(
      notes.map(({ parameter }) => parameter),
      ['documents'],
    );
    const messages: Message[] = [{ role: 'system', content: 'Be brief.' }, user];
    assert.equal(
      textOf(turns, { documents, messages }),
      `[system]Be brief.\n\n${block}[user]Hello`,
    );
  });

  it('tools stand in the system message, and calls are messages of the same form', () => {
    const messages = [
      user,
      call('{"city":"Oslo"}'),
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' } as const,
    ];
    const { text, notes } = compose(turns, { tools: [weather], messages });
    assert.match(text, /^\[system\][^[]*<tools>[^[]*"name": ?"weather"/);
    assert.match(
      text,
      /\[assistant\]<tool_call>\n\{"name": "weather", "arguments": \{"city": ?"Oslo"\}\}\n<\/tool_call>/,
    );
    assert.match(text, /sunny/);
    assert.deepEqual(
      notes.map(({ parameter }) => parameter),
      ['tools'],
    );
  });

  it('calls stay as they are where the template shows tools and calls itself', () => {
    const source = `{{ tools | tojson }}{% for m in messages %}{{ m['content'] }}{% if m['tool_calls'] %}{{ m['tool_calls'] | tojson }}{% endif %}{% endfor %}`;
    const text = textOf(source, { tools: [weather], messages: [user, call('{"city":"Oslo"}')] });
    assert.match(text, /"arguments": \{"city": "Oslo"\}/);
    assert.doesNotMatch(text, /<tool_call>/);
  });
});

describe('how much to think', () => {
  const effort = "{{ reasoning_effort if reasoning_effort is defined else 'own' }}";
  const onOff = "{{ 'off' if enable_thinking is defined and enable_thinking == false else 'on' }}";

  it('is the effort itself where the template knows it', () => {
    assert.equal(textOf(effort, { reasoningEffort: 'high' }), 'high');
    assert.equal(textOf(effort, {}), 'own');
  });

  it('is a switch where the template has one', () => {
    assert.equal(textOf(onOff, { reasoningEffort: 'none' }), 'off');
    assert.equal(textOf(onOff, { reasoningEffort: 'minimal' }), 'off');
    assert.equal(textOf(onOff, { reasoningEffort: 'low' }), 'on');
    const { notes } = compose(onOff, { reasoningEffort: 'none' });
    assert.match(notes[0]?.note ?? '', /enable_thinking is false/);
  });

  it('is what the template’s own variable says where both are sent', () => {
    const templateKwargs = { enable_thinking: true };
    assert.equal(textOf(onOff, { reasoningEffort: 'none', templateKwargs }), 'on');
  });
});
