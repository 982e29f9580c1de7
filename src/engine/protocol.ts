/**
 * Every message between the server's process and an engine's process. Both sides import this file
 * and nothing else of each other. Messages are plain JSON (no NaN, no Infinity, no BigInt).
 */

import type { Reason } from '../contract/errors.ts';

/** What one engine process is asked to be. Counts are tokens, `null` means "choose". */
export interface EngineOptions {
  readonly slots: number | null;
  /** Context of each slot. */
  readonly context: number | null;
  /** null: at most the cores, fewer while other processes want them. */
  readonly threads: number | null;
  /** Step budget: the most tokens that one `llama_decode` takes. */
  readonly batchTokens: number;
  /** Requests that may wait beside the running ones. */
  readonly maxWaiting: number;
}

export interface EngineInfo {
  readonly slots: number;
  readonly context: number;
  readonly trainedContext: number;
  readonly threads: number;
  readonly vocabSize: number;
  readonly batchTokens: number;
  /** Bytes that the KV cache of all slots holds. */
  readonly kvBytes: number;
  /** `f16` where the model's head sizes do not allow `q8_0`; results then vary with the load. */
  readonly kvType: 'q8_0' | 'f16';
  readonly modelBytes: number;
  readonly description: string;
  readonly library: string;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
}

/** Everything that decides a generation, with every default filled in. */
export interface Sampling {
  readonly temperature: number;
  readonly topP: number;
  /** 0 = off. */
  readonly topK: number;
  readonly minP: number;
  /** Signed 64-bit integer in decimal, or null for a random one. */
  readonly seed: string | null;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  readonly repetitionPenalty: number;
  readonly logitBias: readonly (readonly [tokenId: number, bias: number])[];
  readonly badTokenIds: readonly number[];
  readonly minTokens: number;
  /** null: what is left of the context, at most `defaultMaxTokens`. */
  readonly maxTokens: number | null;
  readonly defaultMaxTokens: number;
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly includeStop: boolean;
  readonly ignoreEos: boolean;
  readonly skipSpecialTokens: boolean;
  /** null: none; 0..20: the sampled token and that many of the best. */
  readonly topLogprobs: number | null;
}

export interface GenerateRequest {
  readonly prompt:
    | { readonly text: string; readonly addSpecial: boolean }
    | { readonly tokens: readonly number[] };
  /** Keep only the last so many prompt tokens. */
  readonly truncatePromptTokens: number | null;
  readonly choices: number;
  readonly sampling: Sampling;
  /** Answer `accepted` or `rejected`, and generate nothing. */
  readonly dryRun: boolean;
}

export type ToEngine =
  | { readonly type: 'load'; readonly path: string; readonly options: EngineOptions }
  | { readonly type: 'generate'; readonly id: number; readonly request: GenerateRequest }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'stop' };

/** Requests in slots (prefilling or decoding) and requests in the queue, after this message. */
export interface EngineLoad {
  readonly running: number;
  readonly waiting: number;
}

/** Log-softmax of the raw logits; `bytes` are the token's UTF-8 bytes, also when incomplete. */
export interface Logprob {
  readonly token: string;
  readonly bytes: readonly number[];
  readonly logprob: number;
}

export interface TokenLogprob extends Logprob {
  readonly top: readonly Logprob[];
}

export interface Accepted {
  readonly promptTokens: number;
  /** Tokens that `truncatePromptTokens` cut away. */
  readonly truncatedTokens: number;
  /** The limit in force, and whether it is lower than asked for. */
  readonly maxTokens: number;
  readonly maxTokensReduced: boolean;
  /** The prompt as the model sees it, when `dryRun` asked for it. */
  readonly prompt?: string;
}

export interface Finish {
  readonly reason: 'stop' | 'length';
  /** The stop string or the stop token ID that matched; null for the model's own end. */
  readonly stopReason: string | number | null;
}

/** What one step made for one choice. `text` may be empty while characters or stops are pending. */
export interface ChoiceStep {
  readonly id: number;
  readonly choice: number;
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[];
  /** Tokens generated for this choice so far, the end token included. */
  readonly tokens: number;
  readonly finish?: Finish;
}

export type FromEngine =
  | { readonly type: 'loading'; readonly progress: number }
  | { readonly type: 'ready'; readonly info: EngineInfo }
  | { readonly type: 'failed'; readonly reason: Reason; readonly message: string }
  | {
      readonly type: 'accepted';
      readonly id: number;
      readonly accepted: Accepted;
      readonly load: EngineLoad;
    }
  | {
      readonly type: 'rejected';
      readonly id: number;
      readonly reason: Reason;
      readonly message: string;
      readonly param: string | null;
      readonly load: EngineLoad;
    }
  /** All that one step made. A request whose last choice finished is over: nothing follows for it. */
  | { readonly type: 'step'; readonly choices: readonly ChoiceStep[]; readonly load: EngineLoad }
  /** A cancelled request holds nothing any more. */
  | { readonly type: 'released'; readonly id: number; readonly load: EngineLoad };
