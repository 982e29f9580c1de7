/**
 * The formats that are asserted, each as a regex that matches the whole text. Masks and verification
 * both take them from here.
 */

import type { FormatName } from '../json-schema/node.ts';

function anyOf(options: readonly string[]): string {
  return `(?:${options.join('|')})`;
}

/** Of the Gregorian calendar, from year 0000. */
function datePattern(): string {
  const month = '(?:0[1-9]|1[0-2])';
  const leapYear = anyOf([
    '[0-9]{2}(?:0[48]|[2468][048]|[13579][26])',
    '(?:[02468][048]|[13579][26])00',
  ]);
  return anyOf([
    `[0-9]{4}-${month}-(?:0[1-9]|1[0-9]|2[0-8])`,
    '[0-9]{4}-(?:0[13-9]|1[0-2])-(?:29|30)',
    '[0-9]{4}-(?:0[13578]|1[02])-31',
    `${leapYear}-02-29`,
  ]);
}

const fraction = '(?:\\.[0-9]+)?';
const offset = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';

/**
 * RFC 3339, section 5.6. A leap second is 23:59:60 in UTC: with an offset the local time is later or
 * earlier by just that.
 */
function timePattern(): string {
  const hourAndMinute = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
  const usual = `${hourAndMinute}:[0-5][0-9]${fraction}(?:[Zz]|[+-]${offset})`;
  return anyOf([usual, `23:59:60${fraction}[Zz]`, leapSecond('-'), leapSecond('+')]);
}

/** Local time and offset digit by digit: `-` takes from 23:59 without borrowing, `+` carries a minute. */
function leapSecond(sign: '+' | '-'): string {
  const skeleton = `${offset}:60${fraction}[${sign}]${offset}`;
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, one) => one);
  const two = (value: number): string => String(value).padStart(2, '0');
  /** For each offset: the local value that goes with it, at a place of `HH:MM`, and what else holds. */
  const linked = (before: string, middle: string, pairs: readonly string[][]): string =>
    `(?=${before}${anyOf(pairs.map(([local, shift]) => `${local}${middle}${shift}`))})`;
  const gap = `:60${fraction}[${sign}]`;
  const hours = (local: (hour: number) => number, minutes: string): string[][] =>
    numbers(24).map((hour) => [two(local(hour)), `${two(hour)}:${minutes}`]);
  const betweenHours = `:[0-9]{2}${gap}`;
  const betweenTens = `[0-9]${gap}[0-9]{2}:`;
  const betweenUnits = `${gap}[0-9]{2}:[0-9]`;
  if (sign === '-') {
    const tens = numbers(6).map((one) => [`${5 - one}`, `${one}`]);
    const units = numbers(10).map((one) => [`${9 - one}`, `${one}`]);
    return [
      linked(
        '',
        betweenHours,
        hours((hour) => 23 - hour, ''),
      ),
      linked('[0-9]{2}:', betweenTens, tens),
      linked('[0-9]{2}:[0-9]', betweenUnits, units),
      skeleton,
    ].join('');
  }
  const later = hours((hour) => hour, '(?:[1-5][0-9]|0[1-9])');
  const whole = hours((hour) => (hour + 23) % 24, '00');
  const tens = numbers(6).flatMap((one) => [
    [`${one}`, `${one}[1-9]`],
    [`${(one + 5) % 6}`, `${one}0`],
  ]);
  const units = numbers(10).map((one) => [`${(one + 9) % 10}`, `${one}`]);
  return [
    linked('', betweenHours, [...later, ...whole]),
    linked('[0-9]{2}:', betweenTens, tens),
    linked('[0-9]{2}:[0-9]', betweenUnits, units),
    skeleton,
  ].join('');
}

/** ISO 8601 without fractions: the units in order, at least one, or weeks alone. */
function durationPattern(): string {
  const time = 'T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+S)?';
  return `P(?:(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?(?:${time})?|[0-9]+W)`;
}

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const ipv4 = `${octet}(?:\\.${octet}){3}`;

/** `IPv6address` of RFC 3986: without a zone. */
function ipv6Pattern(): string {
  const group = '[0-9A-Fa-f]{1,4}';
  const last = `(?:${group}:${group}|${ipv4})`;
  const upTo = (most: number): string => `(?:(?:${group}:){0,${most}}${group})?`;
  return anyOf([
    `(?:${group}:){6}${last}`,
    `::(?:${group}:){5}${last}`,
    ...[4, 3, 2, 1, 0].map((after, i) => `${upTo(i)}::(?:${group}:){${after}}${last}`),
    `${upTo(5)}::${group}`,
    `${upTo(6)}::`,
  ]);
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/** Labels of RFC 1123, together at most 253 characters. */
const hostname = `(?=.{1,253}$)${label}(?:\\.${label})*`;

/** RFC 5321: a dot-string or quoted string of at most 64 characters, and a domain or an address. */
function emailPattern(): string {
  const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]";
  const quoted = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
  const local = `(?:${atom}+(?:\\.${atom}+)*|${quoted})`;
  const domain = `${label}(?:\\.${label})*`;
  const literal = `\\[(?:${ipv4}|[Ii][Pp][Vv]6:${ipv6Pattern()})\\]`;
  return `(?=.{1,64}@[^@]*$)${local}@(?:(?=.{1,255}$)${domain}|${literal})`;
}

/** `URI` of RFC 3986: with a scheme, with or without a fragment. */
function uriPattern(): string {
  const unreserved = "A-Za-z0-9._~!$&'()*+,;=\\-";
  const percent = '%[0-9A-Fa-f]{2}';
  const one = `(?:[${unreserved}:@]|${percent})`;
  const user = `(?:(?:[${unreserved}:]|${percent})*@)?`;
  const future = `[Vv][0-9A-Fa-f]+\\.[${unreserved}:]+`;
  const host = `(?:\\[(?:${ipv6Pattern()}|${future})\\]|(?:[${unreserved}]|${percent})*)`;
  const segments = `(?:/${one}*)*`;
  const behind = anyOf([
    `//${user}${host}(?::[0-9]*)?${segments}`,
    `/(?:${one}+${segments})?`,
    `${one}+${segments}`,
    '',
  ]);
  const tail = `(?:[${unreserved}:@/?]|${percent})*`;
  return `[A-Za-z][A-Za-z0-9+.-]*:${behind}(?:\\?${tail})?(?:#${tail})?`;
}

const date = datePattern();
const time = timePattern();
const uuid = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

/** For `whole` of `TextRules`. */
export const formatPatterns: Readonly<Record<FormatName, string>> = {
  date,
  time,
  'date-time': `${date}[Tt]${time}`,
  duration: durationPattern(),
  email: emailPattern(),
  hostname,
  ipv4,
  ipv6: ipv6Pattern(),
  uri: uriPattern(),
  uuid,
};
