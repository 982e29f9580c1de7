/** Floats in C's styles, and padding to a width: what `%` and `str.format` share. */

import { textLength } from './characters.ts';
import { fixedText } from './numbers.ts';

export interface FloatStyle {
  /** One of e E f F g G. */
  readonly type: string;
  readonly precision: number;
  /** Keep the point and trailing zeros. */
  readonly alternate?: boolean;
}

/** A float with its sign, in a style of C. */
export function floatFormat(value: number, style: FloatStyle): string {
  const lower = style.type.toLowerCase();
  let text: string;
  if (!Number.isFinite(value)) {
    text = Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  } else if (lower === 'f') {
    text = fixedText(value, style.precision);
    if (style.alternate === true && style.precision === 0) text += '.';
  } else if (lower === 'e') text = exponentText(value, style.precision);
  else text = generalText(value, style);
  return style.type === lower ? text : text.toUpperCase();
}

/** One digit, the point, and so many more. */
function exponentText(value: number, precision: number): string {
  const minus = value < 0 || Object.is(value, -0) ? '-' : '';
  const { digits, exponent } = roundedDigits(Math.abs(value), precision + 1);
  const mantissa = precision === 0 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`;
  return `${minus}${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** So many significant digits, rounded from the exact value. */
function roundedDigits(value: number, count: number): { digits: string; exponent: number } {
  if (value === 0) return { digits: '0'.repeat(count), exponent: 0 };
  // toExponential rounds halves up where Python rounds to even; exact halves are rare and need few digits.
  const [mantissa = '0', power = '0'] = value.toExponential(Math.min(count - 1, 100)).split('e');
  const exponent = Number(power);
  const digits = mantissa.replace('.', '').padEnd(count, '0');
  const behind = count - 1 - exponent;
  if (behind < 0 || behind > 300) return { digits, exponent };
  const exact = fixedText(value, behind).replace('.', '').replace(/^0+/, '');
  return exact.length === count ? { digits: exact, exponent } : { digits, exponent };
}

function generalText(value: number, style: FloatStyle): string {
  const precision = Math.max(1, style.precision);
  const { digits, exponent } = roundedDigits(Math.abs(value), precision);
  const minus = value < 0 || Object.is(value, -0) ? '-' : '';
  const trim = (text: string): string =>
    style.alternate === true || !text.includes('.') ? text : text.replace(/\.?0+$/, '');
  if (exponent < -4 || exponent >= precision) {
    const mantissa = trim(`${digits.slice(0, 1)}.${digits.slice(1)}`).replace(/\.$/, '');
    return `${minus}${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent < 0) return minus + trim(`0.${'0'.repeat(-exponent - 1)}${digits}`);
  const whole = digits.slice(0, exponent + 1);
  return minus + trim(`${whole}.${digits.slice(exponent + 1)}`).replace(/\.$/, '');
}

export interface Padding {
  /** In characters; below the text's length: nothing is done. */
  readonly width: number;
  /** `=` puts the fill behind a sign or a prefix. */
  readonly align: '<' | '>' | '^' | '=';
  readonly fill: string;
}

export function applyWidth(text: string, { width, align, fill }: Padding): string {
  const lack = width - textLength(text);
  if (lack <= 0) return text;
  const pad = (count: number): string => fill.repeat(count);
  switch (align) {
    case '<':
      return text + pad(lack);
    case '>':
      return pad(lack) + text;
    case '^':
      return pad(Math.floor(lack / 2)) + text + pad(Math.ceil(lack / 2));
    case '=': {
      const sign = /^[-+ ]?(?:0[xXob])?/.exec(text)?.[0] ?? '';
      return sign + pad(lack) + text.slice(sign.length);
    }
  }
}
