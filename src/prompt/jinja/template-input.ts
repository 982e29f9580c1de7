/**
 * What reaches a template from outside as text: a context in JSON with its numbers as they are spelled,
 * and a date. For the command line, which renders files.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { TemplateFailure } from './values/failure.ts';
import { readJsonValue } from './values/read-json.ts';
import { PyDict } from './values/value.ts';

const invalid = (message: string): ParlanceError => new ParlanceError('invalid_template', message);

/**
 * An object of JSON by its keys; the values are for `JinjaTemplate.render` and for nothing else, save
 * strings, which are strings.
 * @param name what the text is called in errors
 * @throws ParlanceError `invalid_template`
 */
export function readJsonObject(text: string, name: string): ReadonlyMap<string, unknown> {
  try {
    return asObject(readJsonValue(text), name);
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    throw invalid(`${name} is not JSON: ${error.message}.`);
  }
}

/** An object within what `readJsonObject` gave. @throws ParlanceError `invalid_template` */
export function asObject(value: unknown, name: string): ReadonlyMap<string, unknown> {
  if (!(value instanceof PyDict)) throw invalid(`${name} must be a JSON object.`);
  return new Map(value.entries() as [string, unknown][]);
}

const isoDate =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/**
 * A date whose local fields are the written ones, so that it prints the same on every machine.
 * @throws ParlanceError `invalid_template`
 */
export function readTemplateDate(text: string): Date {
  const found = isoDate.exec(text);
  const [year, month, day, hour, minute, second] = (found ?? [])
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const milliseconds = Math.trunc(Number(`0.${found?.[7] ?? '0'}`) * 1000);
  const date = new Date(2000, 0, 1);
  date.setFullYear(year ?? 0, (month ?? 0) - 1, day ?? 0);
  date.setHours(hour ?? 0, minute ?? 0, second ?? 0, milliseconds);
  if (found === null || date.getDate() !== day || date.getMonth() + 1 !== month) {
    throw invalid('A date must look like 2026-11-21 or 2026-11-21T14:30:00.');
  }
  return date;
}
