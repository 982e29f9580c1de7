/** The rules of the tree that no compiler checks. Exemptions are in one list, each with a reason. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src');

type Rule = 'size' | 'opening' | 'room' | 'cycle' | 'name' | 'path' | 'todo';

/** What may break a rule, and why. An entry that nothing needs any more fails a test. */
const exemptions: readonly { rule: Rule; path: string; why: string }[] = [];

const used = new Set<string>();

function exempt(rule: Rule, path: string): boolean {
  const found = exemptions.some((one) => one.rule === rule && one.path === path);
  if (found) used.add(`${rule} ${path}`);
  return found;
}

/** Files under a folder, as paths from the repository's root with forward slashes. */
function filesUnder(folder: string, wanted: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules/'))
    .toSorted();
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const sources = filesUnder(source, /\.ts$/);
const isTest = (path: string): boolean => path.endsWith('.test.ts');
const isForTests = (path: string): boolean => isTest(path) || path.endsWith('.test-support.ts');

interface Import {
  /** The module that is imported, as a path from the root. */
  readonly target: string;
  /** `start`: a module that another process begins with. */
  readonly kind: 'value' | 'type' | 'start';
}

const importing =
  /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]\s*\)|\bnew URL\(\s*['"](\.[^'"]+\.ts)['"]\s*,\s*import\.meta\.url/gm;

/** The relative imports of a module. */
function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(importing)].map((found) => ({
    target: relative(
      root,
      resolve(root, dirname(path), found[2] ?? found[3] ?? found[4] ?? ''),
    ).replaceAll('\\', '/'),
    kind: found[1] !== undefined ? 'type' : found[4] !== undefined ? 'start' : 'value',
  }));
}

const graph = new Map(sources.map((path) => [path, importsOf(path, read(path))]));

/** The folder under src/ that a module belongs to. */
const roomOf = (path: string): string => path.split('/')[1] ?? '';

const problemsOf = (rule: Rule, check: (path: string, text: string) => string[]): string[] =>
  sources.flatMap((path) => {
    const problems = check(path, read(path));
    return problems.length > 0 && exempt(rule, path) ? [] : problems;
  });

test('the tree is read: rooms, modules and their imports', () => {
  assert.ok(sources.length > 50, `${sources.length} modules`);
  const all = [...graph.values()].flat();
  assert.ok(all.length > 100, `${all.length} imports`);
  for (const [path, imports] of graph) {
    for (const { target } of imports)
      assert.ok(existsSync(join(root, target)), `${path}: ${target}`);
  }
});

test('imports of every form are seen', () => {
  const text = `import { a } from './a.ts';
import type { B } from '../b/index.ts';
import {
  c,
  d,
} from './c.ts';
import './side.ts';
export { e } from './e.ts';
export type { F } from './f.ts';
export * from './g.ts';
const h = await import('./h.ts');
const i = new URL('./i.ts', import.meta.url);
import fs from 'node:fs';
`;
  assert.deepEqual(
    importsOf('src/x/y.ts', text).map(({ target, kind }) => `${target} ${kind}`),
    [
      'src/x/a.ts value',
      'src/b/index.ts type',
      'src/x/c.ts value',
      'src/x/side.ts value',
      'src/x/e.ts value',
      'src/x/f.ts type',
      'src/x/g.ts value',
      'src/x/h.ts value',
      'src/x/i.ts start',
    ],
  );
});

/**
 * The error catalogue has a door of its own: it needs no schemas, and reading those costs the engine's
 * process a quarter of a second at each start.
 */
const isDoor = (target: string): boolean =>
  target === `src/${roomOf(target)}/index.ts` || target === 'src/contract/errors.ts';

test('another room is entered through its index.ts only', () => {
  const problems = problemsOf('room', (path) =>
    (graph.get(path) ?? [])
      .filter(({ target }) => target.startsWith('src/') && roomOf(target) !== roomOf(path))
      .filter(({ target }) => !isDoor(target))
      .map(({ target }) => `${path} imports ${target}`),
  );
  assert.deepEqual(problems, []);
});

test('modules of src import nothing outside src, but tests may use test/support', () => {
  const problems = problemsOf('room', (path) =>
    (graph.get(path) ?? [])
      .filter(({ target }) => !target.startsWith('src/'))
      .filter(({ target }) => !(isForTests(path) && target.startsWith('test/support/')))
      .map(({ target }) => `${path} imports ${target}`),
  );
  assert.deepEqual(problems, []);
});

/** Room -> the rooms that it must not know, types included. */
const forbidden: Readonly<Record<string, (room: string) => boolean>> = {
  contract: (room) => room !== 'contract',
  engine: (room) =>
    ['server', 'routing', 'access', 'targets', 'deployments', 'cli', 'records', 'config'].includes(
      room,
    ),
  prompt: (room) => ['server', 'routing', 'access', 'deployments', 'cli', 'records'].includes(room),
  targets: (room) =>
    ['server', 'routing', 'access', 'deployments', 'cli', 'records'].includes(room),
  server: (room) => ['cli', 'engine', 'models', 'records'].includes(room),
};

test('rooms know only the rooms below them', () => {
  const problems = problemsOf('room', (path) => {
    const isForbidden = forbidden[roomOf(path)];
    if (isForbidden === undefined || isTest(path)) return [];
    return (graph.get(path) ?? [])
      .filter(({ target }) => target.startsWith('src/') && isForbidden(roomOf(target)))
      .map(({ target }) => `${path} imports ${target}`);
  });
  assert.deepEqual(problems, []);
});

/** A path of modules that comes back to where it began, or null. */
function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const visit = (node: string, path: string[]): string[] | null => {
    const at = path.indexOf(node);
    if (at !== -1) return [...path.slice(at), node];
    if (done.has(node)) return null;
    for (const next of edges.get(node) ?? []) {
      const found = visit(next, [...path, node]);
      if (found !== null) return found;
    }
    done.add(node);
    return null;
  };
  for (const node of edges.keys()) {
    const found = visit(node, []);
    if (found !== null) return found;
  }
  return null;
}

test('a cycle is found where there is one', () => {
  const edges = (text: string) =>
    new Map(text.split(' ').map((edge) => [edge[0] ?? '', edge.slice(1).split('')] as const));
  assert.equal(findCycle(edges('abc bd cd d')), null);
  assert.deepEqual(findCycle(edges('ab bc ca')), ['a', 'b', 'c', 'a']);
  assert.deepEqual(findCycle(edges('ab bb')), ['b', 'b']);
});

test('no import cycles at run time', () => {
  const edges = new Map(
    [...graph].map(([path, imports]) => [
      path,
      imports.filter(({ kind }) => kind === 'value').map(({ target }) => target),
    ]),
  );
  assert.equal(findCycle(edges)?.join(' -> ') ?? null, null);
});

test('no cycles between rooms, types included', () => {
  const rooms = new Map<string, Set<string>>();
  for (const [path, imports] of graph) {
    if (isTest(path)) continue;
    const known = rooms.get(roomOf(path)) ?? new Set();
    for (const { target } of imports) {
      if (target.startsWith('src/') && roomOf(target) !== roomOf(path)) known.add(roomOf(target));
    }
    rooms.set(roomOf(path), known);
  }
  const edges = new Map([...rooms].map(([room, known]) => [room, [...known]]));
  assert.equal(findCycle(edges)?.join(' -> ') ?? null, null);
});

test('no module over 400 lines, no test over 600', () => {
  const problems = problemsOf('size', (path, text) => {
    const lines = text.split('\n').length - 1;
    return lines > (isTest(path) ? 600 : 400) ? [`${path} has ${lines} lines`] : [];
  });
  assert.deepEqual(problems, []);
});

test('every module opens with a comment that says what it owns', () => {
  const problems = problemsOf('opening', (path, text) => {
    if (isTest(path)) return [];
    const opening = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? '';
    const lines = opening.split('\n').length;
    if (opening.trim().length < 20) return [`${path} opens with no comment`];
    return lines > 16 ? [`${path} opens with ${lines} lines of comment`] : [];
  });
  assert.deepEqual(problems, []);
});

const vague = /^(?:utils?|helpers?|misc|common|shared|stuff)$/;

test('files and folders have names of their own, in kebab case', () => {
  const everywhere = ['src', 'test', 'scripts', 'bench', 'examples', 'bin']
    .flatMap((folder) => filesUnder(join(root, folder), /\.[cm]?[jt]s$/))
    .filter((path) => !path.startsWith('bench/results/'));
  const problems = everywhere.flatMap((path) => {
    const parts = path.replace(/\.[cm]?[jt]s$/, '').split('/');
    const wrong = parts.flatMap((part) =>
      part
        .split('.')
        .filter((word) => vague.test(word) || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(word)),
    );
    return wrong.length > 0 && !exempt('name', path) ? [`${path}: ${wrong.join(', ')}`] : [];
  });
  assert.deepEqual(problems, []);
});

test('hooks of one test file are not run for the tests of others', () => {
  // Files of a group share a process, in which a hook outside of a suite belongs to every test.
  const hook = /^(?:beforeEach|afterEach)\(/m;
  const problems = sources.filter((path) => isTest(path) && hook.test(read(path)));
  assert.deepEqual(problems, []);
});

test('every room has an index.ts that only re-exports', () => {
  const problems: string[] = [];
  for (const room of new Set(sources.map(roomOf))) {
    // The command line is entered through main.ts, by the start scripts alone.
    const entry = room === 'cli' ? `src/${room}/main.ts` : `src/${room}/index.ts`;
    if (!existsSync(join(root, entry))) problems.push(`${entry} is missing`);
  }
  for (const path of sources.filter((one) => basename(one) === 'index.ts')) {
    const logic = read(path)
      .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      .replaceAll(/export\s+(?:type\s+)?(?:\*|\{[^}]*\})(?:\s+as\s+\w+)?\s+from\s+'[^']+';/g, '')
      .trim();
    if (logic !== '' && !exempt('room', path)) problems.push(`${path} has more than exports`);
  }
  assert.deepEqual(problems, []);
});

test('what is to be done is an issue, not a comment', () => {
  const problems = problemsOf('todo', (path, text) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        /\b(?:TODO|FIXME|XXX|HACK)\b/.test(line) && !/#\d+/.test(line)
          ? [`${path}:${index + 1}`]
          : [],
      ),
  );
  assert.deepEqual(problems, []);
});

test('every path that a document names is there', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    ...filesUnder(join(root, 'docs'), /\.md$/),
  ].filter((path) => existsSync(join(root, path)));
  assert.ok(documents.length >= 3, documents.join());
  const named = /`((?:src|docs|test|scripts|bench|examples|bin|console|\.ci)\/[^`\s]*)`/g;
  const link = /\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g;
  const problems = documents.flatMap((document) => {
    const text = read(document).replaceAll(/```[\s\S]*?```/g, '');
    const paths = [...text.matchAll(named)].map((found) => found[1] ?? '');
    const links = [...text.matchAll(link)].map((found) => join(dirname(document), found[1] ?? ''));
    return [...paths.filter((path) => !/[*{<…]/.test(path)), ...links]
      .filter((path) => !existsSync(join(root, path.replace(/:\d+$/, ''))))
      .filter(() => !exempt('path', document))
      .map((path) => `${document}: ${path}`);
  });
  assert.deepEqual(problems, []);
});

test('every exemption is needed, and says why', () => {
  for (const { rule, path, why } of exemptions) {
    assert.ok(why.length > 10, `${rule} ${path} has no reason`);
    assert.ok(used.has(`${rule} ${path}`), `${rule} ${path} is exempt and need not be`);
  }
});
