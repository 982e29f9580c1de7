/** Filters that make text: case, trimming, padding, wrapping, escaping, JSON. */

import { joinTexts, padText, replaceText, stripText } from '../methods/string-methods.ts';
import { builtin, variadic, type One, type Three } from '../values/callable.ts';
import { hasWideCharacters, textLength } from '../values/characters.ts';
import { escapeText } from '../values/escape.ts';
import { TemplateFailure, typeError } from '../values/failure.ts';
import { isIterable, toArray } from '../values/iterate.ts';
import { lengthOf } from '../values/length.ts';
import { toJsonText } from '../values/json-text.ts';
import { formatPercent } from '../values/percent-format.ts';
import type { Render } from '../values/render.ts';
import { reprOf, toText } from '../values/text.ts';
import { capitalize, splitLines, splitWords } from '../values/unicode.ts';
import {
  Markup,
  PyDict,
  PyTuple,
  Undefined,
  intOf,
  isTrue,
  textOf,
  typeName,
  type Value,
} from '../values/value.ts';
import { attributeGetter, intOr } from './attribute-path.ts';

/** The text of any value, paid for. */
function shown(render: Render, value: Value): string {
  const text = toText(render, value);
  render.chargeText(text.length);
  return text;
}

const mapped = (name: string, change: (text: string) => string) =>
  builtin(`${name}(s)`, (render, [value]: One) => {
    const text = shown(render, value);
    render.charge(text.length * (name === 'title' ? 2 : 0.1));
    const result = change(text);
    return value instanceof Markup ? new Markup(result) : result;
  });

/** The words of a title begin behind white space, dashes and opening brackets. */
function titleText(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map((part) => {
      const [first = ''] = part;
      return first.toUpperCase() + part.slice(first.length).toLowerCase();
    })
    .join('');
}

const indentFilter = builtin('do_indent(s, width?, first?, blank?)', (render, args: One) => {
  const [value, width, first, blank] = args;
  if (value instanceof Undefined) throw value.failure();
  const text = textOf(value);
  if (text === undefined) {
    throw typeError(`unsupported operand type(s) for +=: '${typeName(value)}' and 'str'`);
  }
  const wide = intOf(width);
  if (wide !== undefined) render.chargeText(Math.max(0, Number(wide)));
  const indention = textOf(width) ?? ' '.repeat(Math.max(0, intOr(width, 4)));
  render.chargeText(text.length);
  const lines = splitLines(`${text}\n`, false, () => render.charge(8));
  const isBlankToo = blank !== undefined && isTrue(blank);
  const all = lines.map((line, at) =>
    at > 0 && (isBlankToo || line !== '') ? indention + line : line,
  );
  render.chargeText(text.length + lines.length * indention.length);
  const result = (first !== undefined && isTrue(first) ? indention : '') + all.join('\n');
  return value instanceof Markup ? new Markup(result) : result;
});

const truncate = builtin(
  'do_truncate(s, length?, killwords?, end?, leeway?)',
  (render, args: One) => {
    const [value, length, killwords, end, leeway] = args;
    const text = textOf(value);
    if (text === undefined) {
      // Python only asks for the length, and gives short lists back as they are.
      if (lengthOf(render, value) <= intOr(length, 255) + intOr(leeway, 5)) return value;
      throw typeError(`'${typeName(value)}' cannot be truncated`);
    }
    render.chargeText(text.length);
    const most = intOr(length, 255);
    const ending = textOf(end) ?? '...';
    const slack = intOr(leeway, 5);
    const room = most - textLength(ending);
    if (room < 0) {
      throw new TemplateFailure(
        'AssertionError',
        `expected length >= ${textLength(ending)}, got ${most}`,
      );
    }
    if (textLength(text) <= most + slack) return text;
    const isWide = hasWideCharacters(text);
    if (isWide) render.charge(text.length * 2);
    const cut = isWide ? Array.from(text).slice(0, room).join('') : text.slice(0, room);
    if (killwords !== undefined && isTrue(killwords)) return cut + ending;
    const space = cut.lastIndexOf(' ');
    return (space === -1 ? cut : cut.slice(0, space)) + ending;
  },
);

/** Lines of at most so many characters, as Python's `textwrap` breaks them. */
function wrapLine(
  line: string,
  width: number,
  breaks: { long: boolean; hyphens: boolean },
): string[] {
  const pattern = breaks.hyphens
    ? /\s+|[^\s-]*[\p{L}\p{N}]-(?=[\p{L}])|[^\s]+?(?=\s|$|(?<=[\p{L}]-)\p{L})/gu
    : /\s+|\S+/g;
  const chunks = (line.match(pattern) ?? []).toReversed();
  const lines: string[] = [];
  while (chunks.length > 0) {
    if (lines.length > 0 && (chunks.at(-1) ?? '').trim() === '') chunks.pop();
    let current = '';
    while (chunks.length > 0 && current.length + (chunks.at(-1) ?? '').length <= width) {
      current += chunks.pop() ?? '';
    }
    const next = chunks.at(-1);
    if (next !== undefined && next.length > width) {
      const room = width - current.length;
      if (breaks.long && room > 0) {
        current += next.slice(0, room);
        chunks[chunks.length - 1] = next.slice(room);
      } else if (current === '') current = chunks.pop() ?? '';
    }
    const isBlank = current.trim() === '';
    if (isBlank && chunks.length > 0 && current === '') break;
    if (!isBlank || lines.length === 0) lines.push(current.trimEnd());
  }
  return lines.filter((one, at) => one !== '' || at > 0);
}

const wordwrap = builtin(
  'do_wordwrap(s, width?, break_long_words?, wrapstring?, break_on_hyphens?)',
  (render, [value, width, long, wrapstring, hyphens]: One) => {
    const text = textOf(value);
    if (value instanceof Undefined) throw value.failure();
    if (text === undefined) {
      throw new TemplateFailure(
        'AttributeError',
        `'${typeName(value)}' object has no attribute 'splitlines'`,
      );
    }
    render.charge(text.length * 2);
    const wide = intOr(width, 79);
    if (wide <= 0) throw new TemplateFailure('ValueError', `invalid width ${wide} (must be > 0)`);
    const by = textOf(wrapstring) ?? '\n';
    const breaks = {
      long: long === undefined || isTrue(long),
      hyphens: hyphens === undefined || isTrue(hyphens),
    };
    const lines = splitLines(text, false, () => render.charge(8)).map((line) =>
      joinTexts(render, by, wrapLine(line, wide, breaks)),
    );
    return joinTexts(render, by, lines);
  },
);

const tojson = builtin(
  'tojson(x, ensure_ascii?, indent?, separators?, sort_keys?)',
  (render, [value, ensureAscii, indent, separators, sortKeys]: One) => {
    const width = intOf(indent);
    if (width !== undefined) render.chargeText(Math.max(0, Number(width)));
    const unit = width === undefined ? textOf(indent) : ' '.repeat(Math.max(0, Number(width)));
    const [items, keys] =
      separators === undefined || separators === null
        ? [unit === undefined ? ', ' : ',', ': ']
        : toArray(render, separators).map((one) => textOf(one));
    if (items === undefined || keys === undefined)
      throw typeError('separators must be two strings');
    return toJsonText(render, value, {
      ensureAscii: ensureAscii !== undefined && isTrue(ensureAscii),
      indent: unit ?? null,
      itemSeparator: items,
      keySeparator: keys,
      sortKeys: sortKeys !== undefined && isTrue(sortKeys),
    });
  },
);

function escapeValue(render: Render, value: Value): Markup {
  if (value instanceof Markup) return value;
  const text = shown(render, value);
  render.charge(text.length);
  return new Markup(escapeText(text));
}

const xmlattr = builtin('do_xmlattr(d, autospace?)', (render, [value, autospace]: One) => {
  if (!(value instanceof PyDict)) {
    throw new TemplateFailure(
      'AttributeError',
      `'${typeName(value)}' object has no attribute 'items'`,
    );
  }
  const parts = value.entries().flatMap(([key, one]) => {
    if (one === null || one instanceof Undefined) return [];
    const name = shown(render, key);
    if (/[\s/>=]/.test(name)) {
      throw new TemplateFailure('ValueError', `Invalid character in attribute name: '${name}'`);
    }
    return [`${escapeText(name)}="${escapeValue(render, one).text}"`];
  });
  const text = parts.join(' ');
  return text !== '' && (autospace === undefined || isTrue(autospace)) ? ` ${text}` : text;
});

function urlQuote(render: Render, value: Value, isQuery: boolean): string {
  const text = shown(render, value);
  render.charge(text.length * 2);
  const quoted = encodeURIComponent(text.toWellFormed())
    .replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%7E', '~');
  return isQuery ? quoted.replaceAll('%20', '+') : quoted.replaceAll('%2F', '/');
}

function asPair(render: Render, value: Value): readonly Value[] {
  const items = toArray(render, value, 'unpack');
  if (items.length === 2) return items;
  throw new TemplateFailure(
    'ValueError',
    items.length < 2
      ? `not enough values to unpack (expected 2, got ${items.length})`
      : 'too many values to unpack (expected 2)',
  );
}

const urlencode = builtin('do_urlencode(value)', (render, [value]: One) => {
  const text = textOf(value);
  const isPlain = text !== undefined || !isIterable(value);
  if (isPlain) return urlQuote(render, value, false);
  const pairs =
    value instanceof PyDict
      ? value.entries()
      : toArray(render, value).map((pair) => asPair(render, pair));
  return pairs
    .map((pair) => {
      const [key = null, one = null] = pair;
      return `${urlQuote(render, key, true)}=${urlQuote(render, one, true)}`;
    })
    .join('&');
});

const units = { decimal: 'kB MB GB TB PB EB ZB YB', binary: 'KiB MiB GiB TiB PiB EiB ZiB YiB' };

export function fileSize(bytes: number, isBinary: boolean): string {
  const base = isBinary ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const names = (isBinary ? units.binary : units.decimal).split(' ');
  const at = names.findIndex((_, place) => bytes < base ** (place + 2));
  const place = at === -1 ? names.length - 1 : at;
  return `${((base * bytes) / base ** (place + 2)).toFixed(1)} ${names[place]}`;
}

/** Everything between two marks goes, the marks too; an open mark without its end stays. */
function cutOut(text: string, open: string, close: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start);
    if (end === -1) break;
    parts.push(text.slice(from, start));
    from = end + close.length;
  }
  return parts.join('') + text.slice(from);
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&#34;': '"',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

function stripTags(render: Render, text: string): string {
  render.charge(text.length);
  const plain = cutOut(cutOut(text, '<!--', '-->'), '<', '>');
  return splitWords(plain, Number.POSITIVE_INFINITY)
    .join(' ')
    .replaceAll(/&(?:lt|gt|#34|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}

export const textFilters = [
  mapped('upper', (text) => text.toUpperCase()),
  mapped('lower', (text) => text.toLowerCase()),
  mapped('capitalize', capitalize),
  mapped('title', titleText),
  builtin('trim(value, chars?)', (render, [value, characters]: One) =>
    stripText(render, { text: shown(render, value), characters, ends: 'both' }),
  ),
  builtin('center(value, width?)', (render, [value, width]: One) =>
    padText(render, {
      text: shown(render, value),
      width: intOr(width, 80),
      fill: undefined,
      align: '^',
    }),
  ),
  builtin('replace(s, old, new, count?)', (render, [value, old, by, count]: Three) =>
    replaceText(render, shown(render, value), {
      old: shown(render, old),
      by: shown(render, by),
      most: intOr(count, -1),
    }),
  ),
  { ...indentFilter, name: 'indent' },
  { ...truncate, name: 'truncate' },
  { ...wordwrap, name: 'wordwrap' },
  tojson,
  variadic('format', (render, [value, ...args], kwargs) => {
    if (args.length > 0 && kwargs !== null && kwargs.size > 0) {
      throw new TemplateFailure(
        'FilterArgumentError',
        "can't handle positional and keyword arguments at the same time",
      );
    }
    const given = kwargs !== null && kwargs.size > 0 ? PyDict.from(kwargs) : new PyTuple(args);
    return formatPercent(render, shown(render, value ?? null), given);
  }),
  builtin('join(value, d?, attribute?)', (render, [value, separator, attribute]: One) => {
    const get = attributeGetter(render, attribute);
    const items = toArray(render, value).map((item) => toText(render, get(item)));
    return joinTexts(render, separator === undefined ? '' : shown(render, separator), items);
  }),
  builtin('string(value)', (render, [value]: One) =>
    value instanceof Markup ? value : toText(render, value),
  ),
  builtin('escape(s)', (render, [value]: One) => escapeValue(render, value)),
  builtin('e(s)', (render, [value]: One) => escapeValue(render, value)),
  builtin('forceescape(s)', (render, [value]: One) => escapeValue(render, shown(render, value))),
  builtin('safe(value)', (render, [value]: One) => new Markup(shown(render, value))),
  builtin('striptags(value)', (render, [value]: One) => stripTags(render, shown(render, value))),
  builtin('wordcount(s)', (render, [value]: One) => {
    const text = shown(render, value);
    render.charge(text.length / 4);
    return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).length;
  }),
  { ...xmlattr, name: 'xmlattr' },
  { ...urlencode, name: 'urlencode' },
  builtin('pprint(value)', (render, [value]: One) => reprOf(render, value)),
  variadic('urlize', () => {
    throw new TemplateFailure(
      'TypeError',
      "the filter 'urlize' is not supported in chat templates",
    );
  }),
];
