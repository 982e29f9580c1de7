/**
 * Constraints without threads: every question is answered before the call returns. Tests of the scheduler
 * use it; it is what the workers do, minus the ways between threads.
 */

import { createTokenTrie } from '../../constraint/index.ts';
import type { ConstraintSpec } from '../../constraint/index.ts';
import type { Vocabulary } from '../llama/decoder.ts';
import {
  createCompiler,
  defaultConstraintLimits,
  type Compile,
  type CompiledConstraint,
  type ConstraintLimits,
} from './compiled-constraint.ts';
import type { Constraints, ConstraintSession, ConstraintView } from './constraint-session.ts';
import { ConstrainedText, type Question } from './constrained-text.ts';
import { readVocabulary } from './read-vocabulary.ts';
import { toFailure } from './to-failure.ts';
import { ViewMemory } from './view-memory.ts';

export interface InProcessOptions {
  readonly vocabulary: Vocabulary;
  readonly compile: Compile;
  readonly limits?: Partial<ConstraintLimits>;
}

export function inProcessConstraints(options: InProcessOptions): Constraints {
  const { vocabulary } = options;
  const read = readVocabulary(vocabulary);
  const trie = createTokenTrie(read.pieces);
  const limits = { ...defaultConstraintLimits, ...options.limits };
  const compile = createCompiler(options.compile, { ...read, trie }, limits);
  const known = new Map<string, CompiledConstraint>();
  const find = (spec: ConstraintSpec): CompiledConstraint => {
    const key = JSON.stringify(spec);
    const last = known.get(key);
    const found = last === undefined || last.worn ? compile(spec) : last;
    known.set(key, found);
    return found;
  };
  return {
    prepare: async (spec) => {
      find(spec);
      return {
        open: () => new InProcessSession(() => find(spec), vocabulary),
        release: () => undefined,
      };
    },
    warm: async () => {},
    close: async () => known.clear(),
  };
}

class InProcessSession implements ConstraintSession {
  readonly ready = true;
  readonly #vocabulary: Vocabulary;
  readonly #memory: ViewMemory;
  readonly #text: ConstrainedText;

  constructor(compiled: () => CompiledConstraint, vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#memory = ViewMemory.create((vocabulary.size + 31) >> 5);
    this.#text = new ConstrainedText(compiled, this.#memory, new Set(vocabulary.eosIds));
    this.#ask({ type: 'open' });
  }

  wait(): boolean {
    return true;
  }

  get view(): ConstraintView {
    if (this.#memory.hasFailed) throw this.#memory.failure();
    return this.#memory.view();
  }

  take(tokens: readonly number[]): void {
    this.#ask({ type: 'take', tokens });
  }

  look(drafts: readonly number[]): void {
    this.#ask({ type: 'look', drafts });
  }

  rewind(tokens: number): void {
    this.#ask({ type: 'rewind', tokens });
  }

  close(): void {
    this.#memory.fail('internal', 'The session is closed.');
  }

  #ask(question: Question): void {
    if (this.#memory.hasFailed) return;
    try {
      this.#text.begin(question);
      for (let text = this.#text.proceed(); text !== null; text = this.#text.proceed()) {
        this.#text.learn(text, this.#vocabulary.tokenize(text, false));
      }
    } catch (error) {
      const { reason, message } = toFailure(error);
      this.#memory.fail(reason, message);
    }
  }
}
