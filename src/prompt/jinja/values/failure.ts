/**
 * How a template fails inside the engine: the name that Python gives the error, and its words. The
 * door of the engine (`template.ts`) turns it into the one error that users meet.
 */

export type FailureKind =
  | 'TemplateSyntaxError'
  | 'TemplateAssertionError'
  | 'TemplateRuntimeError'
  | 'TemplateError'
  | 'UndefinedError'
  | 'SecurityError'
  | 'FilterArgumentError'
  | 'TypeError'
  | 'ValueError'
  | 'KeyError'
  | 'IndexError'
  | 'AttributeError'
  | 'AssertionError'
  | 'ZeroDivisionError'
  | 'OverflowError'
  | 'RuntimeError'
  | 'RecursionError'
  /** Not Python's: a bound of ours on work, size or nesting. */
  | 'LimitError';

export class TemplateFailure extends Error {
  readonly kind: FailureKind;
  /** Line of the template, from 1, where it is known. */
  readonly line: number | null;

  constructor(kind: FailureKind, message: string, line: number | null = null) {
    super(message);
    this.kind = kind;
    this.line = line;
  }
}

export const typeError = (message: string): TemplateFailure =>
  new TemplateFailure('TypeError', message);
export const valueError = (message: string): TemplateFailure =>
  new TemplateFailure('ValueError', message);
