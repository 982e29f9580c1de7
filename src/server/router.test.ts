/** Paths to routes: parameters with slashes, methods, near names. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { lookUp, pathOf, type RouteRow } from './router.ts';

const rows: readonly RouteRow[] = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/v1/models' },
  { method: 'GET', path: '/v1/models/{id}' },
  { method: 'POST', path: '/v1/chat/completions' },
  { method: 'POST', path: '/deploy' },
  { method: 'GET', path: '/deploy' },
];

const routeOf = (method: string, path: string): string | undefined =>
  lookUp(rows, method, path).found?.route.path;

describe('a path', () => {
  for (const [target, path] of [
    ['/', '/'],
    ['', '/'],
    ['/?a=b', '/'],
    ['/v1/models/', '/v1/models'],
    ['/v1/models//?x=/y', '/v1/models'],
    ['http://host:80/v1/models', '/v1/models'],
    ['http://host', '/'],
    ['/v1/models/http://x', '/v1/models/http://x'],
  ] as const) {
    test(`of ${JSON.stringify(target)}`, () => assert.equal(pathOf(target), path));
  }
});

describe('a route', () => {
  test('is found by its path and method', () => {
    assert.equal(routeOf('POST', '/deploy'), '/deploy');
    assert.equal(routeOf('GET', '/v1/models'), '/v1/models');
    assert.equal(routeOf('HEAD', '/v1/models'), '/v1/models');
  });

  test('takes the rest of the path, slashes and escapes included', () => {
    for (const path of ['/v1/models/a/b:c', '/v1/models/a%2Fb%3Ac']) {
      assert.deepEqual(lookUp(rows, 'GET', path).found?.parameters, { id: 'a/b:c' });
    }
  });

  test('names the methods that it has', () => {
    assert.deepEqual(lookUp(rows, 'DELETE', '/deploy'), {
      found: null,
      allowed: ['POST', 'GET', 'HEAD'],
    });
  });

  test('that is unknown names the near ones', () => {
    const near = (path: string): RegExp =>
      new RegExp(`did you mean ${path.replaceAll('/', '\\/')}\\?`);
    assert.throws(() => routeOf('GET', '/models'), near('/v1/models or /v1/models/{id}'));
    assert.throws(() => routeOf('POST', '/v1/chat/completion'), near('/v1/chat/completions'));
    assert.throws(() => routeOf('POST', '/v1/v1/chat/completions'), near('/v1/chat/completions'));
    assert.throws(() => routeOf('POST', '/delpoy'), near('/deploy'));
    assert.throws(() => routeOf('GET', '/favicon.ico'), /there are \/, \/v1\/models/);
  });

  test('that is unknown is quoted without what a terminal would obey', () => {
    assert.throws(() => routeOf('GET', '/\u001b[31m'), { message: /There is no route \/\?\[31m;/ });
  });
});
