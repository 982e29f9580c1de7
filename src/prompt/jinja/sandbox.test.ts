/** Nothing of the host, and nothing that the sandbox of Python forbids, can be had from a template. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileTemplate } from './template.ts';

const context = { s: 'text', l: [1], d: { a: 1 }, i: 1, f: 1.5, n: null, b: true };

const hostNames = [
  'constructor',
  'prototype',
  '__proto__',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'length',
  'map',
  'filter',
  'call',
  'apply',
  'bind',
  'size',
  'entries',
  'then',
];

test('names of the host are names of nothing', () => {
  for (const name of hostNames) {
    assert.equal(compileTemplate(`{{ ${name} }}`).render(context), '', name);
    for (const value of [...Object.keys(context), "''", '[]', '{}', '()', 'range', 'dict']) {
      for (const access of [`.${name}`, `['${name}']`, `|attr('${name}')`]) {
        const source = `{{ (${value})${access} }}`;
        assert.equal(compileTemplate(source).render(context), '', source);
      }
    }
  }
});

test('a dictionary has only the keys that it was given', () => {
  const given = JSON.parse('{"__proto__": {"x": 1}, "a": 2}') as Record<string, unknown>;
  const template = compileTemplate("{{ d.x }}|{{ d['__proto__'] }}|{{ d|length }}");
  assert.equal(template.render({ d: given }), "|{'x': 1}|2");
  assert.equal(compileTemplate('{{ x }}{{ toString }}').render(given), '');
});

test('what changes lists and dictionaries is refused', () => {
  for (const call of ['l.append(1)', 'l.pop()', 'l.sort()', 'd.update({})', 'd.pop("a")']) {
    assert.throws(
      () => compileTemplate(`{{ ${call} }}`).render(context),
      /SecurityError: access to attribute '\w+' of '\w+' object is unsafe/,
      call,
    );
  }
  assert.equal(compileTemplate('{{ l.append is defined }}').render(context), 'False');
});

test('functions and class instances of the host do not come along', () => {
  class Host {
    readonly secret = 'x';
    read(): string {
      return this.secret;
    }
  }
  const given = { f: () => 'called', h: new Host(), date: new Date(0), u: undefined };
  const template = compileTemplate('{{ f }} {{ h.read }} {{ date.getTime }} {{ u is defined }}');
  assert.equal(template.render(given), 'None   False');
  assert.throws(() => compileTemplate('{{ f() }}').render(given), /not callable/);
});

test('another template cannot be loaded', () => {
  for (const tag of ["include 'x'", "import 'x' as y", "from 'x' import y", "extends 'x'"]) {
    const template = compileTemplate(`{% if a %}{% ${tag} %}{% endif %}ok`);
    assert.equal(template.render({}), 'ok');
    assert.throws(() => template.render({ a: true }), /no loader for this environment/);
  }
});
