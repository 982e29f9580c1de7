/** The option `chat_template`: what is a file, what is a text, and what neither. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { checkChatTemplate, maxTemplate, readChatTemplate } from './chat-template.ts';

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'parlance-template-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('checkChatTemplate', () => {
  it('makes paths absolute, and leaves words and texts alone', () => {
    assert.equal(checkChatTemplate(' mine.jinja '), resolve('mine.jinja'));
    for (const name of ['/a/b.jinja', '/a/b.jinja2', '/a/b.J2']) {
      assert.equal(checkChatTemplate(name), name);
    }
    for (const text of [' {{ messages }}\n', '{% for %}', '{# a.jinja #}', '{{ x }}.jinja']) {
      assert.equal(checkChatTemplate(text), text);
    }
    assert.equal(checkChatTemplate('none'), 'none');
    assert.equal(checkChatTemplate('auto'), null);
    assert.equal(checkChatTemplate(null), null);
  });

  it('reads no other file', () => {
    for (const given of ['/etc/passwd', 'template.txt', 'chatml', '.jinja/x']) {
      assert.throws(() => checkChatTemplate(given), {
        reason: 'invalid_deployment',
        param: 'options.chat_template',
        message: /\.jinja.*"none"/,
      });
    }
  });
});

describe('readChatTemplate', () => {
  it('reads a file when the model starts', async () => {
    const path = join(folder, 'a.jinja');
    writeFileSync(path, '{{ 1 }}\n');
    assert.deepEqual(await readChatTemplate(path), { source: '{{ 1 }}\n' });
    writeFileSync(path, '{{ 2 }}');
    assert.deepEqual(await readChatTemplate(path), { source: '{{ 2 }}' });
  });

  it('takes a text for itself, and words for what they mean', async () => {
    assert.deepEqual(await readChatTemplate('{{ 1 }}'), { source: '{{ 1 }}' });
    assert.equal(await readChatTemplate('none'), 'none');
    assert.equal(await readChatTemplate(null), null);
  });

  it('names the file that is not there, too large, or no file', async () => {
    const large = join(folder, 'large.jinja');
    writeFileSync(large, 'x'.repeat(maxTemplate + 1));
    const cases: readonly [string, RegExp][] = [
      [join(folder, 'gone.jinja'), /gone\.jinja: there is no such file/],
      [large, /large\.jinja: it has more than 1000000 bytes/],
      [folder, /cannot be read \(EISDIR\)/],
    ];
    for (const [path, message] of cases) {
      await assert.rejects(readChatTemplate(path), { reason: 'invalid_deployment', message });
    }
  });
});
