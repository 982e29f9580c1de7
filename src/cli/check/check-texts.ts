/**
 * Compiles a constraint and steps texts through it byte by byte, as masks do: what they allow is what
 * is allowed here, and nothing else looks at the texts. Pure; it runs in `check-worker.ts`.
 */

import type { ConstraintSpec } from '../../constraint/index.ts';
import { compileConstraint, TimedBudget } from '../../constraint/index.ts';
import { asParlanceError } from '../../contract/errors.ts';

export interface CheckJob {
  readonly spec: ConstraintSpec;
  readonly texts: readonly (string | Uint8Array)[];
}

/** One entry of `allowed` and `at` for each text. */
export interface CheckResult {
  /** The constraint is supported. */
  readonly ok: boolean;
  readonly reason?: string;
  /** What is not supported, or wrong. */
  readonly keyword?: string;
  readonly allowed: readonly boolean[];
  /** Offset of the first byte that is refused; the length of a text that lacks its end. */
  readonly at: readonly (number | null)[];
}

/** For compiling and for all texts together. */
export const checkMs = 5000;

export function checkTexts({ spec, texts }: CheckJob): CheckResult {
  try {
    const budget = new TimedBudget({ milliseconds: checkMs, kept: 2_000_000 });
    const machine = compileConstraint(spec, { specials: [], budget });
    const at = texts.map((text) => findRefusal(machine, text));
    return { ok: true, allowed: at.map((offset) => offset === null), at };
  } catch (error) {
    const { message, keyword } = asParlanceError(error);
    return notSupported(message, keyword ?? spec.kind, texts.length);
  }
}

export function notSupported(reason: string, keyword: string, texts: number): CheckResult {
  return {
    ok: false,
    reason,
    keyword,
    allowed: Array.from({ length: texts }, () => false),
    at: Array.from({ length: texts }, () => null),
  };
}

type Machine = ReturnType<typeof compileConstraint>;

function findRefusal(machine: Machine, text: string | Uint8Array): number | null {
  const { bytes, isWhole } = encode(text);
  let state: object = machine.start;
  for (let at = 0; at < bytes.length; at++) {
    const next = machine.step(state, bytes[at]!);
    if (next === null) return at;
    state = next;
  }
  return isWhole && machine.accepts(state) ? null : bytes.length;
}

/** UTF-8, up to the first half of a surrogate pair, which no text in UTF-8 can have. */
function encode(text: string | Uint8Array): {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
} {
  if (typeof text !== 'string') return { bytes: text, isWhole: true };
  const isWhole = text.isWellFormed();
  const end = isWhole ? text.length : text.search(/\p{Surrogate}/u);
  return { bytes: Buffer.from(text.slice(0, end)), isWhole };
}
