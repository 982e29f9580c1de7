/**
 * What the engine's thread and a lane (a worker thread that compiles and steps constraints) say to each
 * other. Answers about a text do not go this way but through its `ViewMemory`. Types only.
 */

import type { ConstraintSpec, TokenTrie } from '../../constraint/index.ts';
import type { ConstraintLimits } from './compiled-constraint.ts';
import type { Question } from './constrained-text.ts';
import type { VocabularyPieces } from './read-vocabulary.ts';

/** What a lane begins with. */
export interface LaneStart {
  readonly vocabulary: VocabularyPieces;
  /** null: the lane makes it when it needs it, and tells. */
  readonly trie: TokenTrie | null;
  readonly limits: ConstraintLimits;
  /** Memory of a `LaneProgress`. */
  readonly progress: SharedArrayBuffer;
}

/** A spec and the key under which the lane keeps what it compiled. */
export interface KeyedSpec {
  readonly key: string;
  readonly spec: ConstraintSpec;
}

export type ToLane =
  | { readonly type: 'trie' }
  | ({ readonly type: 'compile'; readonly call: number } & KeyedSpec)
  | ({
      readonly type: 'open';
      readonly session: number;
      readonly memory: SharedArrayBuffer;
    } & KeyedSpec)
  | {
      readonly type: 'ask';
      readonly session: number;
      readonly number: number;
      readonly question: Question;
    }
  | {
      readonly type: 'tokens';
      readonly session: number;
      readonly text: string;
      readonly tokens: readonly number[];
    }
  | { readonly type: 'close'; readonly session: number };

export type FromLane =
  | { readonly type: 'trie'; readonly trie: TokenTrie }
  | { readonly type: 'compiled'; readonly call: number; readonly milliseconds: number }
  | {
      readonly type: 'refused';
      readonly call: number;
      readonly reason: string;
      readonly message: string;
      readonly keyword: string | null;
    }
  /** The memory of the session is not touched any more. */
  | { readonly type: 'closed'; readonly session: number };
