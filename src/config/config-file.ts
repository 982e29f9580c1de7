/**
 * `parlance.yaml`: finds the file, reads it, and gives each value with its line and column. A key
 * that this version does not know is an error, so that nothing in the file is ever ignored.
 */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMap, isNode, isScalar, LineCounter, parseDocument, type Node } from 'yaml';

import { didYouMean } from '../contract/index.ts';
import { optionTable, type OptionName } from './options.ts';
import { invalidOption, type Origin } from './origin.ts';

export interface FileValue {
  readonly value: unknown;
  readonly origin: Origin;
}

export interface ConfigFile {
  readonly path: string;
  readonly values: ReadonlyMap<OptionName, FileValue>;
}

export interface FileSearch {
  /** Named by a flag or a variable, which must then exist. */
  readonly named: { readonly path: string; readonly by: string } | null;
  readonly cwd: string;
  readonly home: string;
}

const fileName = 'parlance.yaml';

/** Parts of the file that later versions will read. */
const later: ReadonlySet<string> = new Set([
  'providers',
  'models',
  'routes',
  'functions',
  'limits',
  'keys',
]);

/**
 * The named file, else `./parlance.yaml`, else the one in the home folder, else null.
 * @throws ParlanceError `invalid_option` with the place in the file
 */
export function readConfigFile({ named, cwd, home }: FileSearch): ConfigFile | null {
  if (named !== null) {
    const path = resolve(cwd, named.path);
    const text = readIfThere(path);
    if (text === null) throw invalidOption(`${named.by}: there is no file ${path}.`, 'config');
    return parseConfigFile(path, text);
  }
  for (const path of [join(cwd, fileName), join(home, fileName)]) {
    const text = readIfThere(path);
    if (text !== null) return parseConfigFile(path, text);
  }
  return null;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    const why = code === 'EISDIR' ? 'it is a folder' : `it cannot be read (${code})`;
    throw invalidOption(`${path}: ${why}.`, 'config');
  }
}

/** @param path for messages, and kept in each value's origin */
export function parseConfigFile(path: string, text: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { path, line, column: col };
  };
  const [error] = document.errors;
  if (error !== undefined) throw at(placeOf(error.pos[0]), `this is not YAML: ${error.message}`);
  const values = new Map<OptionName, FileValue>();
  const root = document.contents as Node | null;
  if (root === null || (isScalar(root) && root.value === null)) return { path, values };
  if (!isMap(root))
    throw at(placeOf(root.range?.[0] ?? 0), 'expected options, such as `port: 8000`');
  readMap(root, [], { placeOf, toPlain: (node) => node.toJS(document) as unknown, values });
  return { path, values };
}

interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

interface Reading {
  readonly placeOf: (offset: number) => Place;
  readonly toPlain: (node: Node) => unknown;
  readonly values: Map<OptionName, FileValue>;
}

const at = ({ path, line, column }: Place, message: string) =>
  invalidOption(`${path}:${line}:${column}: ${message}`);

function readMap(map: Node, above: readonly string[], reading: Reading): void {
  if (!isMap(map)) return;
  for (const { key, value } of map.items) {
    const keyNode = isNode(key) ? key : null;
    const place = reading.placeOf(keyNode?.range?.[0] ?? 0);
    const name = String(isScalar(key) ? key.value : key);
    const path = [...above, name];
    const shown = path.join('.');
    const node = isNode(value) ? value : null;
    const row = optionTable.find((one) => one.file.join('.') === shown);
    if (row !== undefined) {
      const plain: unknown = node === null ? null : reading.toPlain(node);
      // An empty value is no value, as in the environment.
      if (plain === null && row.default !== null) continue;
      reading.values.set(row.name, {
        value: plain,
        origin: { kind: 'file', ...place, key: shown },
      });
      continue;
    }
    if (isGroup(path) && (isMap(node) || node === null)) {
      if (node !== null) readMap(node, path, reading);
      continue;
    }
    throw unknownKey(path, place);
  }
}

const isGroup = (path: readonly string[]): boolean =>
  optionTable.some(
    (row) => row.file.length > path.length && path.every((key, index) => row.file[index] === key),
  );

function unknownKey(path: readonly string[], place: Place): Error {
  const shown = path.join('.');
  if (path.length === 1 && later.has(shown)) {
    return at(place, `${shown}: not supported by this version yet; remove it.`);
  }
  if (isGroup(path)) return at(place, `${shown}: expected keys below it`);
  const known = optionTable
    .filter((row) => row.file.length >= path.length)
    .filter((row) => path.slice(0, -1).every((key, index) => row.file[index] === key))
    .flatMap((row) => row.file[path.length - 1] ?? []);
  const hint = didYouMean(path.at(-1) ?? '', known);
  return at(place, `${shown}: no option has this name${hint}. Known: ${known.join(', ')}`);
}
