/** Which characters Python counts as space, letters, digits, cased; and its changes of case. */

/** What `str.strip` and `str.split` take for white space. */
const spaces: ReadonlySet<number> = new Set([
  0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);
/** The ends of lines for `str.splitlines`. */
// oxlint-disable-next-line no-control-regex -- Python counts separators among them
const lineEnd = /\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029]/g;

export function isSpace(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 0x80) return (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x20);
  return (code >= 0x2000 && code <= 0x200a) || spaces.has(code);
}

/** Ends of a text without the characters that `isOut` names. */
export function stripEnds(
  text: string,
  isOut: (character: string) => boolean,
  ends: 'both' | 'left' | 'right',
): string {
  let start = 0;
  let end = text.length;
  if (ends !== 'right') while (start < end && isOut(text[start] ?? '')) start++;
  if (ends !== 'left') while (end > start && isOut(text[end - 1] ?? '')) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

export const strip = (text: string): string => stripEnds(text, isSpace, 'both');

/** Words between white space; at most `most` cuts, from the left. */
export function splitWords(text: string, most: number): string[] {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isSpace(text[at] ?? '')) at++;
    if (at >= text.length) return words;
    if (words.length === most) return [...words, stripEnds(text.slice(at), isSpace, 'right')];
    const start = at;
    while (at < text.length && !isSpace(text[at] ?? '')) at++;
    words.push(text.slice(start, at));
  }
}

/** The same from the right. */
export function splitWordsRight(text: string, most: number): string[] {
  const words: string[] = [];
  let at = text.length;
  for (;;) {
    while (at > 0 && isSpace(text[at - 1] ?? '')) at--;
    if (at === 0) return words.toReversed();
    if (words.length === most) {
      return [stripEnds(text.slice(0, at), isSpace, 'left'), ...words.toReversed()];
    }
    const end = at;
    while (at > 0 && !isSpace(text[at - 1] ?? '')) at--;
    words.push(text.slice(at, end));
  }
}

/** @param pay is called for each line that was found */
export function splitLines(text: string, keepEnds: boolean, pay: () => void): string[] {
  const lines: string[] = [];
  let start = 0;
  lineEnd.lastIndex = 0;
  for (let found = lineEnd.exec(text); found !== null; found = lineEnd.exec(text)) {
    pay();
    const end = lineEnd.lastIndex;
    lines.push(text.slice(start, keepEnds ? end : found.index));
    start = end;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

export function capitalize(text: string): string {
  const [first = ''] = text;
  return titleCase(first) + text.slice(first.length).toLowerCase();
}

/** One character at the start of a word: ligatures give one capital, not two. */
function titleCase(character: string): string {
  const upper = character.toUpperCase();
  if (upper.length <= character.length) return upper;
  return upper.slice(0, 1) + upper.slice(1).toLowerCase();
}

/** Every word with a capital, as `str.title` has it: whatever follows a letter is small. */
export function titleWords(text: string): string {
  let result = '';
  let isInWord = false;
  for (const character of text) {
    result += isInWord ? character.toLowerCase() : titleCase(character);
    isInWord = isCased(character);
  }
  return result;
}

const lower = /^[\p{Lowercase}]$/u;
const upper = /^[\p{Uppercase}\p{Lt}]$/u;
const casedByProperty = /^\p{Cased}$/u;

export const isCased = (character: string): boolean => casedByProperty.test(character);

/** At least one cased character, and none of the other case. */
export function hasCase(text: string, wanted: 'lower' | 'upper'): boolean {
  let found = false;
  const other = wanted === 'lower' ? upper : lower;
  for (const character of text) {
    if (other.test(character)) return false;
    found ||= isCased(character);
  }
  return found;
}

export function isTitle(text: string): boolean {
  let found = false;
  let isInWord = false;
  for (const character of text) {
    if (upper.test(character)) {
      if (isInWord) return false;
      isInWord = true;
      found = true;
    } else if (lower.test(character)) {
      if (!isInWord) return false;
    } else isInWord = false;
  }
  return found;
}

export function swapCase(text: string): string {
  let result = '';
  for (const character of text) {
    if (upper.test(character)) result += character.toLowerCase();
    else result += lower.test(character) ? character.toUpperCase() : character;
  }
  return result;
}

/** Whole texts of one kind of character; an empty one is of none, but printable and ASCII. */
export const kindsOfText: Readonly<Record<string, RegExp>> = {
  isalpha: /^\p{L}+$/u,
  isalnum: /^[\p{L}\p{N}]+$/u,
  isdecimal: /^\p{Nd}+$/u,
  isdigit:
    /^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490]+$/u,
  isnumeric: /^\p{N}+$/u,
  // oxlint-disable-next-line no-control-regex -- as above
  isspace: /^[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/,
  isidentifier: /^[\p{XID_Start}_]\p{XID_Continue}*$/u,
  // oxlint-disable-next-line no-control-regex -- ASCII begins there
  isascii: /^[\u0000-\u007f]*$/,
  isprintable: /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]| )*$/u,
};
