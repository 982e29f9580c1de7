/**
 * A constraint ready to be stepped: machine, masker, limits, and what is known of its forced stretches.
 * The thread that steps constraints makes it once for a spec, and sessions share it.
 */

import {
  createClassIndexes,
  createMasker,
  findForcedTokens,
  TimedBudget,
  type BudgetLimits,
  type ClassIndexes,
  type CompileContext,
  type ConstraintSpec,
  type Machine,
  type Masker,
  type TokenTrie,
} from '../../constraint/index.ts';

export type Compile = (spec: ConstraintSpec, context: CompileContext) => Machine;

export interface ConstraintLimits {
  /** For compiling one spec. */
  readonly compileMilliseconds: number;
  /** For answering one question; of the thread's own time, whoever else is busy on the machine. */
  readonly stepMilliseconds: number;
  /** States, nodes and items that one constraint may keep; about 100 bytes each. */
  readonly kept: number;
}

export const defaultConstraintLimits: ConstraintLimits = {
  compileMilliseconds: 5000,
  // The first mask of a large list of texts takes some hundred.
  stepMilliseconds: 1000,
  kept: 2_000_000,
};

/** What all constraints of a model have in common. */
export interface ConstraintVocabulary {
  readonly trie: TokenTrie;
  readonly endTokens: readonly number[];
  /** Names of the special tokens. */
  readonly specials: readonly string[];
  /** Those of them that are end tokens. */
  readonly ends: readonly string[];
}

/** Forced stretches and tokenised texts that are remembered. */
const remembered = 4096;
/** States that texts may add before a constraint is worn, about 100 bytes each. */
const wearing = 400_000;
/** Bytes that may be forced at once. */
const longestForced = 4096;

export type Forced =
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  | { readonly kind: 'unknown'; readonly text: string };

const nothing: Forced = { kind: 'tokens', tokens: [] };

export class CompiledConstraint {
  readonly machine: Machine;
  readonly masker: Masker;
  readonly #budget: ReportingBudget;
  readonly #limits: ConstraintLimits;
  /** What was kept when it was compiled. */
  readonly #born: number;
  readonly #forced = new Map<object, Forced>();
  readonly #tokens = new Map<string, readonly number[]>();

  constructor(machine: Machine, masker: Masker, budget: ReportingBudget, limits: ConstraintLimits) {
    this.machine = machine;
    this.masker = masker;
    this.#budget = budget;
    this.#limits = limits;
    this.#born = budget.kept;
  }

  /** A question begins: its time runs from now. */
  renew(): void {
    this.#budget.renewForStep(this.#limits.stepMilliseconds);
  }

  /** So much has come to be kept that texts should go on with a fresh one. */
  get worn(): boolean {
    const most = Math.min(wearing, (this.#limits.kept - this.#born) / 2);
    return this.#budget.kept - this.#born > most;
  }

  get bytes(): number {
    return this.masker.bytes + this.#budget.kept * 100;
  }

  /** What follows whatever is chosen, as tokens. */
  forced(state: object): Forced {
    const known = this.#forced.get(state);
    if (known !== undefined) return known;
    const found = this.#find(state);
    if (found.kind === 'tokens') keep(this.#forced, state, found);
    return found;
  }

  #find(state: object): Forced {
    const stretch = this.masker.forced(state, longestForced);
    if (stretch.bytes.length === 0) return nothing;
    return findForcedTokens(this.masker, stretch.bytes, stretch.state, (text) =>
      text === '' ? [] : (this.#tokens.get(text) ?? null),
    );
  }

  /** How a text is tokenised, after `forced` asked for it. */
  learn(text: string, tokens: readonly number[]): void {
    keep(this.#tokens, text, tokens);
  }
}

function keep<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
  known.set(key, value);
  for (const oldest of known.keys()) {
    if (known.size <= remembered) break;
    known.delete(oldest);
  }
}

/** Work between two reports of what it is for. */
const reportEvery = 2000;

interface Clock {
  stepping: boolean;
}

function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Tells now and then what keyword the work is for. */
class ReportingBudget extends TimedBudget {
  readonly #report: (keyword: string) => void;
  readonly #clock: Clock;
  #work = reportEvery;

  constructor(limits: BudgetLimits, report: (keyword: string) => void) {
    const clock: Clock = { stepping: false };
    super(limits, () => (clock.stepping ? threadMilliseconds() : performance.now()));
    this.#clock = clock;
    this.#report = report;
  }

  /** A text must not fail because others are busy: from now on only this thread's own time counts. */
  renewForStep(milliseconds: number): void {
    this.#clock.stepping = true;
    this.renew(milliseconds);
  }

  override spend(work: number, kept: number, keyword: string): void {
    this.#work += work;
    if (this.#work >= reportEvery) {
      this.#work = 0;
      this.#report(keyword);
    }
    super.spend(work, kept, keyword);
  }
}

/** Compiles specs for one vocabulary; throws `invalid_constraint`. */
export function createCompiler(
  compile: Compile,
  vocabulary: ConstraintVocabulary,
  limits: ConstraintLimits,
  report: (keyword: string) => void = () => undefined,
): (spec: ConstraintSpec) => CompiledConstraint {
  const classes: ClassIndexes = createClassIndexes(vocabulary.trie);
  const { specials, ends } = vocabulary;
  return (spec) => {
    const { compileMilliseconds: milliseconds, kept } = limits;
    const budget = new ReportingBudget({ milliseconds, kept }, report);
    const machine = compile(spec, { specials, ends, budget });
    const masker = createMasker(machine, vocabulary.trie, vocabulary.endTokens, {
      budget,
      classes,
    });
    return new CompiledConstraint(machine, masker, budget, limits);
  };
}
