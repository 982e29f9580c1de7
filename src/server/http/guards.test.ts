/** The small gates before a handler: origin, media type, request id. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkMediaType } from './media-type.ts';
import { checkOrigin, type OwnNames } from './origin.ts';
import { requestIdOf } from './request-id.ts';

const own: OwnNames = {
  port: 8000,
  address: '::ffff:192.168.1.5',
  host: 'box.lan',
  allowed: ['gate.example', 'other.example:8443'],
};

const check = (host: string | undefined, origin?: string): void =>
  checkOrigin({ host, origin }, own);

describe('a caller of /deploy', () => {
  for (const host of [
    'localhost:8000',
    'LOCALHOST:8000',
    '127.0.0.1:8000',
    '127.9.9.9:8000',
    '[::1]:8000',
    'box.lan:8000',
    '192.168.1.5:8000',
    'gate.example',
    'gate.example:443',
    'other.example:8443',
  ]) {
    test(`by the name ${host} is welcome`, () => check(host));
  }

  for (const host of [
    undefined,
    '',
    'localhost',
    'localhost:9000',
    'evil.example',
    'evil.example:8000',
    'localhost.evil.example:8000',
    '127.0.0.1.evil.example:8000',
    '127.evil:8000',
    '192.168.1.6:8000',
    'other.example',
    'a@localhost:8000',
    'localhost:8000:8000',
  ]) {
    test(`by the name ${host} is foreign`, () => {
      assert.throws(() => check(host), { reason: 'foreign_origin', param: 'host' });
    });
  }

  for (const origin of ['http://localhost:8000', 'http://127.0.0.1:8000', 'https://gate.example']) {
    test(`from ${origin} is welcome`, () => check('localhost:8000', origin));
  }

  for (const origin of [
    'null',
    '',
    'http://evil.example',
    'http://localhost:3000',
    'https://localhost',
    'file://localhost:8000',
    'https://other.example',
  ]) {
    test(`from ${origin} is foreign`, () => {
      assert.throws(() => check('localhost:8000', origin), { param: 'origin' });
    });
  }
});

describe('a media type', () => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"; x=y',
    'application/vnd.api+json',
  ]) {
    test(`${type} is read`, () => checkMediaType({ 'content-type': type }, 'when present'));
  }

  for (const type of ['', 'text/plain', 'application/jsonp', 'application/json; charset=utf-16']) {
    test(`${JSON.stringify(type)} is not read`, () => {
      assert.throws(() => checkMediaType({ 'content-type': type }, 'when present'), {
        reason: 'unsupported_media_type',
      });
    });
  }

  test('may be missing where no web page must be kept out', () => {
    checkMediaType({}, 'when present');
    assert.throws(() => checkMediaType({}, 'required'), { reason: 'unsupported_media_type' });
    assert.throws(
      () => checkMediaType({ 'content-type': 'application/vnd.api+json' }, 'required'),
      { reason: 'unsupported_media_type' },
    );
  });

  test('does not help a compressed body', () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'br' };
    assert.throws(() => checkMediaType(headers, 'when present'), /uncompressed/);
    checkMediaType({ ...headers, 'content-encoding': 'identity' }, 'when present');
  });
});

describe('a request id', () => {
  test('is the client’s where it is sound', () => {
    assert.equal(requestIdOf('a-1'), 'a-1');
    assert.equal(requestIdOf('x'.repeat(128)), 'x'.repeat(128));
  });

  test('is a new one otherwise', () => {
    for (const header of [undefined, '', 'a b', 'x'.repeat(129), 'é']) {
      assert.match(requestIdOf(header), /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
    assert.notEqual(requestIdOf(undefined), requestIdOf(undefined));
  });
});
