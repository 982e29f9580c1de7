/** The methods of Python's strings, positions counted in characters. Used through `attributes.ts`. */

import { builtin, tableOf, variadic, type One, type Three, type Two } from '../values/callable.ts';
import { characterIndex, hasWideCharacters, textLength } from '../values/characters.ts';
import { TemplateFailure, typeError, valueError } from '../values/failure.ts';
import { applyWidth } from '../values/format-number.ts';
import { toArray } from '../values/iterate.ts';
import type { Render } from '../values/render.ts';
import {
  capitalize,
  hasCase,
  isSpace,
  isTitle,
  kindsOfText,
  splitLines,
  splitWords,
  splitWordsRight,
  stripEnds,
  swapCase,
  titleWords,
} from '../values/unicode.ts';
import { PyDict, PyTuple, intOf, isTrue, textOf, typeName, type Value } from '../values/value.ts';
import { formatText } from './str-format.ts';

type Optional = Value | undefined;

const own = (render: Render, value: Value): string => {
  const text = textOf(value) ?? '';
  render.chargeText(text.length);
  return text;
};

function needText(value: Optional, where: string): string {
  const text = textOf(value);
  if (text === undefined) throw typeError(`${where} must be str, not ${typeName(value ?? null)}`);
  return text;
}

function needInt(value: Optional, absent: number): number {
  if (value === undefined) return absent;
  const int = intOf(value);
  if (int === undefined) {
    throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
  }
  return Number(int);
}

export function stripText(
  render: Render,
  {
    text,
    characters,
    ends,
  }: { text: string; characters: Optional; ends: 'both' | 'left' | 'right' },
): string {
  if (characters === undefined || characters === null) {
    const rest = stripEnds(text, isSpace, ends);
    render.charge((text.length - rest.length) >> 3);
    return rest;
  }
  const given = textOf(characters);
  if (given === undefined) throw typeError('strip arg must be None or str');
  render.chargeText(given.length * 8);
  if (!hasWideCharacters(given)) {
    const set = new Set(given);
    const rest = stripEnds(text, (character) => set.has(character), ends);
    render.charge((text.length - rest.length) >> 1);
    return rest;
  }
  render.charge(text.length);
  const set = new Set(given);
  const all = Array.from(text);
  let start = 0;
  let end = all.length;
  if (ends !== 'right') while (start < end && set.has(all[start] ?? '')) start++;
  if (ends !== 'left') while (end > start && set.has(all[end - 1] ?? '')) end--;
  return all.slice(start, end).join('');
}

const stripMethod = (name: string, ends: 'both' | 'left' | 'right') =>
  builtin(`${name}(self, chars?, /)`, (render, [self, characters]: One) =>
    stripText(render, { text: own(render, self), characters, ends }),
  );

/** How often a text is in another, no place counted twice. */
function countOf(text: string, wanted: string): number {
  if (wanted === '') return textLength(text) + 1;
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    count++;
  }
  return count;
}

/** `str.replace`; the length of the result is paid for before it is made. */
export function replaceText(
  render: Render,
  text: string,
  { old, by, most }: { old: string; by: string; most: number },
): string {
  chargeSearch(render, text, old);
  const all = countOf(text, old);
  const count = most < 0 ? all : Math.min(all, most);
  if (count === 0) return text;
  render.charge(count);
  render.chargeText(text.length + count * (by.length - old.length));
  if (old === '') {
    render.charge(text.length);
    const characters = Array.from(text);
    const inserted = characters.map((one, at) => (at < count ? by + one : one)).join('');
    return count > characters.length ? inserted + by : inserted;
  }
  if (count === all) return text.replaceAll(old, () => by);
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < count; i++) {
    const at = text.indexOf(old, from);
    parts.push(text.slice(from, at));
    from = at + old.length;
  }
  return [...parts, text.slice(from)].join(by);
}

/** `str.find` and its like are paid for as if they were as slow as they can be. */
function chargeSearch(render: Render, text: string, wanted: string, isBackwards = false): void {
  const factor = isBackwards ? wanted.length : Math.min(wanted.length, 256) / 8;
  render.charge(((1 + factor) * text.length) / 64);
}

function split(render: Render, [self, separator, most]: One, fromRight: boolean): Value[] {
  const text = own(render, self);
  const limit = needInt(most, -1);
  const cuts = limit < 0 ? Infinity : limit;
  if (separator === undefined || separator === null) {
    render.charge(text.length >> 2);
    return fromRight ? splitWordsRight(text, cuts) : splitWords(text, cuts);
  }
  const by = needText(separator, 'sep');
  if (by === '') throw valueError('empty separator');
  chargeSearch(render, text, by);
  const parts = text.split(by);
  render.charge(parts.length * 2);
  if (parts.length <= cuts + 1) return parts;
  return fromRight
    ? [parts.slice(0, parts.length - cuts).join(by), ...parts.slice(parts.length - cuts)]
    : [...parts.slice(0, cuts), parts.slice(cuts).join(by)];
}

export function joinTexts(render: Render, separator: string, items: readonly string[]): string {
  let length = separator.length * Math.max(0, items.length - 1);
  for (const item of items) length += item.length;
  render.charge(items.length);
  render.chargeText(length);
  return items.join(separator);
}

const partition = (name: string, fromRight: boolean) =>
  builtin(`${name}(self, sep, /)`, (render, [self, separator]: Two) => {
    const text = own(render, self);
    const by = needText(separator, 'sep');
    if (by === '') throw valueError('empty separator');
    chargeSearch(render, text, by, fromRight);
    const at = fromRight ? text.lastIndexOf(by) : text.indexOf(by);
    if (at === -1) return new PyTuple(fromRight ? ['', '', text] : [text, '', '']);
    return new PyTuple([text.slice(0, at), by, text.slice(at + by.length)]);
  });

/** The part of a text between two places, and how many units lie before it. */
function window(text: string, start: Optional, stop: Optional): { part: string; before: number } {
  if ((start ?? null) === null && (stop ?? null) === null) return { part: text, before: 0 };
  const units = hasWideCharacters(text) ? Array.from(text) : null;
  const length = units?.length ?? text.length;
  const clip = (value: Optional, absent: number): number => {
    const place = value === null ? absent : needInt(value, absent);
    return place < 0 ? Math.max(0, place + length) : place;
  };
  const from = clip(start, 0);
  const to = Math.min(clip(stop, length), length);
  // A window that begins behind the end holds not even the empty text.
  if (from > length || from > to) return { part: '', before: -1 };
  if (units === null) return { part: text.slice(from, to), before: from };
  return {
    part: units.slice(from, to).join(''),
    before: units.slice(0, from).join('').length,
  };
}

const search = (name: string, { last, fails }: { last: boolean; fails: boolean }) =>
  builtin(`${name}(self, sub, start?, end?, /)`, (render, [self, wanted, start, stop]: Two) => {
    const text = own(render, self);
    const sub = needText(wanted, 'argument 1');
    chargeSearch(render, text, sub, last);
    const { part, before } = window(text, start, stop);
    const at = before === -1 ? -1 : last ? part.lastIndexOf(sub) : part.indexOf(sub);
    if (at !== -1) return characterIndex(text, at + before);
    if (fails) throw valueError('substring not found');
    return -1;
  });

const affix = (name: string, isStart: boolean) =>
  builtin(`${name}(self, fix, start?, end?, /)`, (render, [self, fix, start, stop]: Two) => {
    const text = textOf(self) ?? '';
    render.charge(1);
    if (start !== undefined || stop !== undefined) render.charge(text.length);
    const { part, before } = window(text, start, stop);
    const candidates = fix instanceof PyTuple ? fix.items : [fix];
    return candidates.some((one) => {
      const wanted = textOf(one);
      if (wanted === undefined) {
        throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(fix)}`);
      }
      render.chargeText(wanted.length);
      if (before === -1) return false;
      return isStart ? part.startsWith(wanted) : part.endsWith(wanted);
    });
  });

const mapped = (name: string, change: (text: string) => string) =>
  builtin(`${name}(self, /)`, (render, [self]: One) => {
    const text = own(render, self);
    // Some of these go character by character.
    render.charge(text.length * (name === 'title' || name === 'swapcase' ? 4 : 0.1));
    return change(text);
  });

const padded = (name: string, align: '<' | '>' | '^') =>
  builtin(`${name}(self, width, fillchar?, /)`, (render, [self, width, fill]: Two) =>
    padText(render, { text: own(render, self), width: needInt(width, 0), fill, align }),
  );

export function padText(
  render: Render,
  given: { text: string; width: number; fill: Optional; align: '<' | '>' | '^' },
): string {
  const { text, width, align } = given;
  const fill = given.fill === undefined ? ' ' : needText(given.fill, 'the fill character');
  if (textLength(fill) !== 1) {
    throw typeError('The fill character must be exactly one character long');
  }
  render.chargeText(Math.max(0, width));
  if (align !== '^') return applyWidth(text, { width, align, fill });
  const lack = width - textLength(text);
  if (lack <= 0) return text;
  // Python's own rounding of the odd place.
  const left = Math.floor(lack / 2) + (lack & width & 1);
  return fill.repeat(left) + text + fill.repeat(lack - left);
}

const asked = Object.entries(kindsOfText).map(([name, shape]) =>
  builtin(`${name}(self, /)`, (render, [self]: One) => {
    const text = own(render, self);
    render.charge(text.length >> 2);
    return shape.test(text);
  }),
);

const predicate = (name: string, test: (text: string) => boolean) =>
  builtin(`${name}(self, /)`, (render, [self]: One) => {
    const text = own(render, self);
    render.charge(text.length * 2);
    return test(text);
  });

export const stringMethods = tableOf([
  ...asked,
  predicate('islower', (text) => hasCase(text, 'lower')),
  predicate('isupper', (text) => hasCase(text, 'upper')),
  predicate('istitle', isTitle),
  stripMethod('strip', 'both'),
  stripMethod('lstrip', 'left'),
  stripMethod('rstrip', 'right'),
  builtin('split(self, sep?, maxsplit?)', (render, args: One) => split(render, args, false)),
  builtin('rsplit(self, sep?, maxsplit?)', (render, args: One) => split(render, args, true)),
  builtin('splitlines(self, keepends?)', (render, [self, keep]: One) => {
    const text = own(render, self);
    render.charge(text.length >> 4);
    return splitLines(text, keep !== undefined && isTrue(keep), () => render.charge(8));
  }),
  builtin('join(self, iterable, /)', (render, [self, iterable]: Two) => {
    const items = toArray(render, iterable).map((item, at) => {
      const text = textOf(item);
      if (text === undefined) {
        throw typeError(`sequence item ${at}: expected str instance, ${typeName(item)} found`);
      }
      return text;
    });
    return joinTexts(render, textOf(self) ?? '', items);
  }),
  builtin('replace(self, old, new, count?, /)', (render, [self, old, by, count]: Three) =>
    replaceText(render, own(render, self), {
      old: needText(old, 'replace() argument 1'),
      by: needText(by, 'replace() argument 2'),
      most: needInt(count, -1),
    }),
  ),
  affix('startswith', true),
  affix('endswith', false),
  builtin('removeprefix(self, prefix, /)', (render, [self, prefix]: Two) => {
    const text = own(render, self);
    const fix = needText(prefix, 'removeprefix() argument');
    return text.startsWith(fix) ? text.slice(fix.length) : text;
  }),
  builtin('removesuffix(self, suffix, /)', (render, [self, suffix]: Two) => {
    const text = own(render, self);
    const fix = needText(suffix, 'removesuffix() argument');
    return fix !== '' && text.endsWith(fix) ? text.slice(0, -fix.length) : text;
  }),
  search('find', { last: false, fails: false }),
  search('rfind', { last: true, fails: false }),
  search('index', { last: false, fails: true }),
  search('rindex', { last: true, fails: true }),
  builtin('count(self, sub, start?, end?, /)', (render, [self, sub, start, stop]: Two) => {
    const { part, before } = window(own(render, self), start, stop);
    const wanted = needText(sub, 'argument 1');
    chargeSearch(render, part, wanted);
    return before === -1 ? 0 : countOf(part, wanted);
  }),
  mapped('upper', (text) => text.toUpperCase()),
  mapped('lower', (text) => text.toLowerCase()),
  mapped('casefold', (text) => text.toLowerCase().replaceAll('\u00df', 'ss')),
  mapped('capitalize', capitalize),
  mapped('title', titleWords),
  mapped('swapcase', swapCase),
  padded('ljust', '<'),
  padded('rjust', '>'),
  padded('center', '^'),
  builtin('zfill(self, width, /)', (render, [self, width]: Two) => {
    const wide = needInt(width, 0);
    render.chargeText(Math.max(0, wide));
    return applyWidth(own(render, self), { width: wide, align: '=', fill: '0' });
  }),
  partition('partition', false),
  partition('rpartition', true),
  builtin('expandtabs(self, tabsize?)', (render, [self, size]: One) =>
    expandTabs(render, own(render, self), needInt(size, 8)),
  ),
  variadic('format', (render, [self, ...args], kwargs) =>
    formatText(render, textOf(self ?? null) ?? '', { args, kwargs }),
  ),
  builtin('format_map(self, mapping, /)', (render, [self, mapping]: Two) => {
    if (!(mapping instanceof PyDict)) throw typeError('format_map() takes a mapping');
    const named = mapping
      .entries()
      .flatMap(([key, value]) => (typeof key === 'string' ? [[key, value] as const] : []));
    render.charge(named.length);
    return formatText(render, textOf(self) ?? '', { args: [], kwargs: new Map(named) });
  }),
  variadic('encode', () => {
    throw new TemplateFailure('TypeError', 'bytes are not supported in chat templates');
  }),
]);

function expandTabs(render: Render, text: string, size: number): string {
  let result = '';
  let column = 0;
  for (const character of text) {
    if (character === '\t') {
      const count = size <= 0 ? 0 : size - (column % size);
      render.chargeText(result.length + count);
      render.charge(8);
      result += ' '.repeat(count);
      column += count;
    } else {
      result += character;
      column = character === '\n' || character === '\r' ? 0 : column + 1;
    }
  }
  return result;
}
