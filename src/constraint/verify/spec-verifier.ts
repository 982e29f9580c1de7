/**
 * Judges finished texts by any constraint: JSON by evaluation, the rest by running the machine of the
 * mask over the bytes. Keeps what it compiled, up to a bound. Runs in the verifier's thread.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { TimedBudget } from '../budget.ts';
import { compileConstraint } from '../compile.ts';
import type { Machine } from '../machine.ts';
import type { ConstraintSpec } from '../spec.ts';
import type { Verdict } from './verdict.ts';
import { JsonVerifier } from './verify-json.ts';

interface SpecVerifier {
  readonly worn: boolean;
  /** States, nodes and items, about 100 bytes each. */
  readonly kept: number;
  verify(text: string): Verdict;
}

const maxCompiled = 100;
/** Of all together: a third or so of what the thread may have. */
const defaultMaxKept = 2_000_000;

export class SpecVerifiers {
  readonly #keyOf: (spec: ConstraintSpec) => string;
  readonly #maxKept: number;
  /** The last used last. */
  readonly #compiled = new Map<string, SpecVerifier>();

  readonly #supported = new Map<string, Verdict>();

  constructor(keyOf: (spec: ConstraintSpec) => string, maxKept = defaultMaxKept) {
    this.#keyOf = keyOf;
    this.#maxKept = maxKept;
  }

  /** Whether texts can be kept to the constraint. Refusals are remembered too: they may take long. */
  compile(spec: ConstraintSpec): Verdict {
    const key = this.#keyOf(spec);
    const known = this.#supported.get(key);
    const verdict = known ?? compileOnce(spec);
    if (this.#supported.size > maxCompiled) this.#supported.clear();
    this.#supported.set(key, verdict);
    return verdict;
  }

  /** Throws `invalid_constraint` where the constraint itself is refused. */
  verify(spec: ConstraintSpec, text: string): Verdict {
    const key = this.#keyOf(spec);
    const known = this.#compiled.get(key);
    const verifier = known === undefined || known.worn ? makeVerifier(spec) : known;
    this.#compiled.delete(key);
    this.#compiled.set(key, verifier);
    this.#forget(key);
    return verifier.verify(text);
  }

  /** The oldest of those that are too many, or keep too much together. */
  #forget(newest: string): void {
    let kept = 0;
    for (const one of this.#compiled.values()) kept += one.kept;
    for (const [oldest, one] of this.#compiled) {
      if (oldest === newest || (this.#compiled.size <= maxCompiled && kept <= this.#maxKept))
        return;
      kept -= one.kept;
      this.#compiled.delete(oldest);
    }
  }
}

/** Whether the mask's machine can be made. */
function compileOnce(spec: ConstraintSpec): Verdict {
  try {
    compileConstraint(spec, { specials: [], budget: new TimedBudget() });
    return { ok: true };
  } catch (error) {
    if (!(error instanceof ParlanceError) || error.reason !== 'invalid_constraint') throw error;
    return { ok: false, reason: error.message, keyword: error.keyword ?? spec.kind };
  }
}

function makeVerifier(spec: ConstraintSpec): SpecVerifier {
  return spec.kind === 'json' ? new JsonVerifier(spec.schema) : new MachineVerifier(spec);
}

/** Texts that are verified hold no special tokens: where a constraint names one, its text is meant. */
class MachineVerifier implements SpecVerifier {
  readonly #budget = new TimedBudget();
  readonly #machine: Machine;
  readonly #keyword: string;

  constructor(spec: ConstraintSpec) {
    this.#machine = compileConstraint(spec, { specials: [], budget: this.#budget });
    this.#keyword = spec.kind;
  }

  get kept(): number {
    return this.#budget.kept;
  }

  /** The states of machines are kept as long as the machine: a new one is made when it used half. */
  get worn(): boolean {
    return this.#budget.kept > 1_000_000;
  }

  verify(text: string): Verdict {
    this.#budget.renew();
    try {
      return this.#run(new TextEncoder().encode(text));
    } catch (error) {
      if (!(error instanceof ParlanceError)) throw error;
      return { ok: false, reason: error.message, keyword: error.keyword ?? this.#keyword };
    }
  }

  #run(bytes: Uint8Array): Verdict {
    let state = this.#machine.start;
    for (const [offset, byte] of bytes.entries()) {
      const next = this.#machine.step(state, byte);
      if (next === null) {
        return this.#no(`The text leaves the constraint at byte ${offset}.`);
      }
      state = next;
    }
    return this.#machine.accepts(state)
      ? { ok: true }
      : this.#no('The text ends before the constraint is met.');
  }

  #no(reason: string): Verdict {
    return { ok: false, reason, keyword: this.#keyword };
  }
}
