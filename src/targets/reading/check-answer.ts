/**
 * Whether a finished choice satisfies what the request asked for. A constraint never fails open, whoever
 * generated the text: what does not satisfy it is an error, unless it was cut off, which is said.
 */

import type { ConstraintSpec, Verdict, Verifier } from '../../constraint/index.ts';
import { ParlanceError } from '../../contract/index.ts';
import type { AnswerEvent } from '../target.ts';
import type { ReadChoice } from './answer-reader.ts';

export interface AnswerCheck {
  readonly verifier: Verifier;
  /** Null: content may be anything. */
  readonly content: ConstraintSpec | null;
  /** Names of the functions that may be called. */
  readonly callable: ReadonlySet<string>;
  /** Names of functions whose arguments must match, and what they must match. */
  readonly calls: ReadonlyMap<string, ConstraintSpec>;
  /** There must be a call. */
  readonly callNeeded: boolean;
  /** The request names texts or tokens that end the answer, wherever that is. */
  readonly stops: boolean;
}

/** What a choice says. */
type Written = Pick<ReadChoice, 'content' | 'calls'>;
type FinishEvent = Extract<AnswerEvent, { type: 'finish' }>;

/**
 * @returns why the answer is incomplete though nobody is to blame, or null
 * @throws ParlanceError `constraint_not_met`
 */
export async function checkAnswer(
  check: AnswerCheck,
  choice: Written,
  finish: FinishEvent,
): Promise<string | null> {
  if (finish.reason === 'length') return 'incomplete: cut off by max_tokens';
  const problem = await findProblem(check, choice);
  if (problem === null) return null;
  if (check.stops && finish.stopReason !== null)
    return 'incomplete: cut off by a stop string or token';
  throw new ParlanceError(
    'constraint_not_met',
    `What the model wrote does not satisfy the constraint: ${problem}. Try again, or loosen it.`,
  );
}

async function findProblem(check: AnswerCheck, choice: Written): Promise<string | null> {
  for (const call of choice.calls) {
    if (!check.callable.has(call.name)) return 'a function was called that may not be';
    const spec = check.calls.get(call.name);
    if (spec === undefined) continue;
    const verdict = await check.verifier.verify(spec, call.arguments);
    if (!verdict.ok) return `the arguments of ${call.name}: ${reasonOf(verdict)}`;
  }
  if (choice.calls.length > 0) return null;
  if (check.callNeeded) return 'no function was called';
  if (check.content === null) return null;
  const verdict = await check.verifier.verify(check.content, choice.content);
  return verdict.ok ? null : reasonOf(verdict);
}

const reasonOf = (verdict: Extract<Verdict, { ok: false }>): string =>
  verdict.reason.replace(/\.$/, '');
