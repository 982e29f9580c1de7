/**
 * Finds the route of a path in a bare table. A path's last segment may be a parameter that takes the
 * whole rest (`/v1/models/{id}`), since model names may hold slashes. Pure.
 */

import { ParlanceError, suggest } from '../contract/index.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

export interface RouteRow {
  readonly method: Method;
  /** `/a/b`, or `/a/{name}` where the parameter takes the rest, slashes included. */
  readonly path: string;
}

export interface Found<R extends RouteRow> {
  readonly route: R;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The path of a request target, without query and trailing slash. */
export function pathOf(target: string): string {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
  const local = absolute === null ? target : target.slice(absolute[0].length);
  const path = local.split(/[?#]/, 1)[0] ?? '';
  return path.length > 1 ? path.replace(/\/+$/, '') || '/' : path || '/';
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ParlanceError('invalid_value', 'The path has a broken percent-encoding.');
  }
}

/** The parameters of a path that matches the pattern, else null. */
function match(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const at = pattern.indexOf('{');
  if (at === -1) return pattern === path ? {} : null;
  if (!path.startsWith(pattern.slice(0, at)) || path.length === at) return null;
  return { [pattern.slice(at + 1, -1)]: decode(path.slice(at)) };
}

/** The fixed part of a path, for comparing it with what was asked. */
const fixedPart = (pattern: string): string => pattern.replace(/\/\{.*/, '');

function unknownRoute(path: string, rows: readonly RouteRow[]): ParlanceError {
  const patterns = [...new Set(rows.map((row) => row.path))];
  const parts = patterns.map(fixedPart);
  const near = patterns.filter((pattern) => {
    const part = fixedPart(pattern);
    return part !== '' && part !== '/' && (part.endsWith(path) || path.endsWith(part));
  });
  const close = suggest(path, parts);
  const guesses = near.length > 0 ? near : patterns.filter((one) => fixedPart(one) === close);
  const shown = path.slice(0, 128).replaceAll(/[^\x21-\x7e]/g, '?');
  const way =
    guesses.length > 0 && path !== '/'
      ? `did you mean ${guesses.join(' or ')}?`
      : `there are ${patterns.join(', ')}.`;
  return new ParlanceError('unknown_route', `There is no route ${shown}; ${way}`);
}

export interface Lookup<R extends RouteRow> {
  readonly found: Found<R> | null;
  /** Methods that the path has, when it has not the one that was asked for. */
  readonly allowed: readonly string[];
}

/**
 * @param method as the client sent it; HEAD is answered by GET's route
 * @throws ParlanceError `unknown_route` that names the near ones
 */
export function lookUp<R extends RouteRow>(
  rows: readonly R[],
  method: string,
  path: string,
): Lookup<R> {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const allowed: string[] = [];
  for (const route of rows) {
    const parameters = match(route.path, path);
    if (parameters === null) continue;
    if (route.method === wanted) return { found: { route, parameters }, allowed };
    allowed.push(...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  }
  if (allowed.length === 0) throw unknownRoute(path, rows);
  return { found: null, allowed };
}
