/** The door: contexts in, text or one kind of error out, and the names that a template reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readJsonObject, readTemplateDate } from './template-input.ts';
import { compileTemplate } from './template.ts';

const render = (source: string, context: Record<string, unknown> = {}): string =>
  compileTemplate(source).render(context);

test('values of the host: whole numbers are integers, maps keep their order', () => {
  const context = {
    whole: 1,
    part: 1.5,
    big: 2n ** 64n,
    map: new Map([
      ['10', 1],
      ['2', 2],
    ]),
    list: [null, true],
  };
  assert.equal(
    render('{{ whole }} {{ part }} {{ big }} {{ map }} {{ list }}', context),
    "1 1.5 18446744073709551616 {'10': 1, '2': 2} [None, True]",
  );
});

test('JSON text keeps the spelling of numbers, the order of keys and the last of double ones', () => {
  const context = readJsonObject(
    '{"a": 1.0, "b": {"10": 1, "2": 1e2, "10": 3}, "c": 12345678901234567890, "d": -0}',
    'context',
  );
  assert.equal(
    compileTemplate('{{ a }} {{ b }} {{ c }} {{ d }}').render(context),
    "1.0 {'10': 3, '2': 100.0} 12345678901234567890 0",
  );
});

test('strings of JSON text are as long as they like', () => {
  const long = 'x'.repeat(12_000_000);
  assert.equal(readJsonObject(`{"a": "${long}\\n"}`, 'it').get('a'), `${long}\n`);
});

test('broken JSON is refused with its place', () => {
  for (const [text, place] of [
    ['', 'line 1, column 1'],
    ['{"a": 1,}', 'line 1, column 9'],
    ['{"a": 01}', 'line 1, column 8'],
    ['{\n"a": "\u0001"}', 'line 2'],
    ['{"a": 1} x', 'line 1, column 10'],
    ['{"a" 1}', 'line 1, column 6'],
    ['{"a": "b', 'line 1, column 7'],
    [`{"a": ${'['.repeat(1000)}`, 'nested too deeply'],
  ] as const) {
    assert.throws(
      () => readJsonObject(text, 'it'),
      (error: unknown) => error instanceof Error && error.message.includes(place),
      text.slice(0, 20),
    );
  }
  assert.throws(() => readJsonObject('[1]', 'it'), /it must be a JSON object/);
});

test('dates print as they are written, whatever the zone of the machine', () => {
  const template = compileTemplate("{{ strftime_now('%Y-%m-%d %H:%M:%S') }}");
  const shown = (text: string): string => template.render({}, { now: readTemplateDate(text) });
  assert.equal(shown('2026-11-21'), '2026-11-21 00:00:00');
  assert.equal(shown('2024-02-29T23:59:58Z'), '2024-02-29 23:59:58');
  assert.equal(shown('1999-12-31 01:02:03.5+09:00'), '1999-12-31 01:02:03');
  for (const wrong of ['2026-13-01', '2026-02-30', 'today', '2026-1-1']) {
    assert.throws(() => readTemplateDate(wrong), /must look like/, wrong);
  }
});

test('names that a template reads: variables, attributes and keys, and no words of its text', () => {
  const template = compileTemplate(
    "tools {# thinking #}{{ messages[0].role }}{% if 'reasoning' in m and x['key'] %}documents{% endif %}{{ y|map(attribute='deep')|list }}",
  );
  for (const name of ['messages', 'role', 'reasoning', 'key', 'deep', 'm', 'x']) {
    assert.ok(template.mentions(name), name);
  }
  for (const name of ['tools', 'thinking', 'documents', 'map', 'attribute', 'rol']) {
    assert.ok(!template.mentions(name), name);
  }
});

test('errors name the line, when reading and when rendering', () => {
  assert.throws(() => compileTemplate('a\n{% if %}'), /does not parse.*\(line 2\)/);
  assert.throws(() => render('a\n\n{{ x.y }}'), /refused these messages.*\(line 3\)/);
  assert.throws(() => render('{% for a in b %}'), /Unexpected end of template.*'endfor'/);
});

test('an error is short, however long the template’s words are', () => {
  assert.throws(
    () => render("{{ raise_exception('no ' * 100000) }}"),
    (error: unknown) => error instanceof Error && error.message.length < 700,
  );
});

test('renders of one template do not see each other', () => {
  const template = compileTemplate(
    '{% set ns = namespace(n=0) %}{% for i in l %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}{{ seen }}{% set seen = 1 %}',
  );
  assert.equal(template.render({ l: [1, 2] }), '3');
  assert.equal(template.render({ l: [5] }), '5');
});

/** Numbers between 0 and 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('property: slices take what counting by hand takes', () => {
  const random = createRandom(1);
  const pick = (): number | null => (random() < 0.3 ? null : Math.floor(random() * 15) - 7);
  for (let round = 0; round < 500; round++) {
    const length = Math.floor(random() * 6);
    const text = '0123456789'.slice(0, length);
    const [start, stop] = [pick(), pick()];
    const step = pick() || 1;
    const from = (value: number): number => (value < 0 ? value + length : value);
    const expected: string[] = [];
    let at = start === null ? (step > 0 ? 0 : length - 1) : from(start);
    at = step > 0 ? Math.max(at, 0) : Math.min(at, length - 1);
    const end = stop === null ? (step > 0 ? length : -1) : Math.max(from(stop), -1);
    for (; step > 0 ? at < Math.min(end, length) : at > end && at >= 0; at += step) {
      expected.push(text[at] ?? '');
    }
    const source = `{{ x[${start ?? ''}:${stop ?? ''}:${step}] }}`;
    assert.equal(render(source, { x: text }), expected.join(''), `${source} of ${text}`);
  }
});

test('property: what is printed as JSON reads back as what was given', () => {
  const random = createRandom(2);
  const make = (depth: number): unknown => {
    const kind = Math.floor(random() * (depth > 0 ? 7 : 5));
    if (kind === 0) return null;
    if (kind === 1) return random() < 0.5;
    if (kind === 2) return Math.floor(random() * 2e6) - 1e6;
    if (kind === 3) return (random() - 0.5) * 10 ** Math.floor(random() * 40 - 20);
    if (kind === 4)
      return String.fromCodePoint(
        ...Array.from({ length: 5 }, () => Math.floor(random() * 0xd000)),
      );
    const items = Array.from({ length: Math.floor(random() * 4) }, () => make(depth - 1));
    return kind === 5 ? items : Object.fromEntries(items.map((item, at) => [`k${at}`, item]));
  };
  const plain = compileTemplate('{{ x|tojson }}');
  const indented = compileTemplate('{{ x|tojson(indent=3, ensure_ascii=true) }}');
  for (let round = 0; round < 300; round++) {
    const x = make(3);
    assert.deepEqual(JSON.parse(plain.render({ x })), x);
    assert.equal(indented.render({ x }).replaceAll(/[ -~\n]/g, ''), '');
    assert.deepEqual(JSON.parse(indented.render({ x })), x);
  }
});
