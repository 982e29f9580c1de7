/**
 * Every message between the server's process and an engine's process. Both sides import this file
 * and nothing else of each other. Messages are plain JSON (no NaN, no Infinity, no BigInt).
 */

import type { ConstraintSpec } from '../constraint/index.ts';
import type { Reason } from '../contract/errors.ts';
import type { KvType } from './capacity.ts';

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
  /**
   * true: the settings under which results do not depend on the load, or no start at all; false: the
   * fastest ones; null: the reproducible ones where the model allows them.
   */
  readonly deterministic: boolean | null;
  /** Most bytes of KV states in host memory; 0 = keep none. */
  readonly prefixCacheBytes: number | null;
  /** Folder in which they outlive a restart; null = none. */
  readonly prefixCacheDir: string | null;
  readonly speculation: 'auto' | 'off';
  /** Layers on a GPU; `auto` = all where there is one. */
  readonly gpuLayers: number | 'auto';
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
  readonly kvType: KvType;
  /** Whether results are the same whatever else runs, and why not. */
  readonly deterministic: Ability;
  /** Whether a prompt's beginning that was computed before is used again, and why not. */
  readonly prefixReuse: Ability;
  /** Most bytes of KV states in host memory. */
  readonly prefixCacheBytes: number;
  /** Null: everything is computed on the CPU. */
  readonly gpu: { readonly device: string; readonly layers: number } | null;
  /** What the user should know: a GPU that could not be used, a draft model that does not fit. */
  readonly notes: readonly string[];
  readonly modelBytes: number;
  readonly description: string;
  readonly library: string;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
}

export interface Ability {
  readonly on: boolean;
  /** Why it is off. */
  readonly why: string | null;
}

/** Everything that decides a generation, with every default filled in. */
export interface Sampling {
  readonly temperature: number;
  readonly topP: number;
  /** 0 = off. */
  readonly topK: number;
  readonly minP: number;
  /**
   * Dynamic top_p: after each token p becomes max(p * topPDecay, topPMin), or what it was at first
   * where the token is one of `topPResetIds`. 0 and 1 = off.
   */
  readonly topPMin: number;
  readonly topPDecay: number;
  readonly topPResetIds: readonly number[];
  /** Signed 64-bit integer in decimal, or null for a random one. */
  readonly seed: string | null;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  readonly repetitionPenalty: number;
  readonly logitBias: readonly (readonly [tokenId: number, bias: number])[];
  readonly badTokenIds: readonly number[];
  /** Phrases that the text must not contain. */
  readonly bad: readonly string[];
  readonly minTokens: number;
  /** null: what is left of the context, at most `defaultMaxTokens`. */
  readonly maxTokens: number | null;
  readonly defaultMaxTokens: number;
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly includeStop: boolean;
  readonly ignoreEos: boolean;
  readonly skipSpecialTokens: boolean;
  /** One space between special tokens that follow each other, where they are shown. */
  readonly spacesBetweenSpecialTokens: boolean;
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
  /** Choices to generate, at least `choices`; the best are told, all at the end where it is more. */
  readonly bestOf: number;
  /** Beam search with `bestOf` beams in place of sampling. */
  readonly beam: BeamOptions | null;
  readonly sampling: Sampling;
  /** What the answer will probably look like: drafts for speculation. */
  readonly prediction: string | null;
  /** Lower goes first. */
  readonly priority: number;
  /** Requests with different salts share no prefix. */
  readonly cacheSalt: string | null;
  /** Name of a loaded adapter; null = the base model. */
  readonly adapter: string | null;
  readonly handover: Handover | null;
  /** What the text must satisfy. */
  readonly constraint: ConstraintSpec | null;
  /** Special tokens by their text that are shown though special tokens are skipped. */
  readonly shownSpecials: readonly string[];
  /** Answer `accepted` or `rejected`, and generate nothing. */
  readonly dryRun: boolean;
}

export interface BeamOptions {
  /** The power of the length that a hypothesis' summed logprobs are divided by. */
  readonly lengthPenalty: number;
  readonly earlyStopping: boolean | 'never';
}

/** One request computes the prompt, a later one goes on from it, perhaps in another engine. */
export type Handover =
  /** End after the first token and hold the context for so long; `context` of the last step names it. */
  | { readonly type: 'hold'; readonly milliseconds: number }
  /** Go on from a context held here. */
  | { readonly type: 'resume'; readonly context: string; readonly firstTokens: readonly number[] }
  /** Go on from a context that another engine of the same model wrote to a file. */
  | { readonly type: 'import'; readonly path: string; readonly firstTokens: readonly number[] };

export type ToEngine =
  | {
      readonly type: 'load';
      readonly path: string;
      /** Weights of the draft model. */
      readonly draft: string | null;
      readonly options: EngineOptions;
    }
  /** Answered by `done` with the same id, as are the next two. */
  | {
      readonly type: 'load-adapter';
      readonly id: number;
      readonly name: string;
      readonly path: string;
    }
  | { readonly type: 'unload-adapter'; readonly id: number; readonly name: string }
  /** Writes a held context to a file and forgets it. */
  | {
      readonly type: 'export-context';
      readonly id: number;
      readonly context: string;
      readonly path: string;
    }
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
  /** Prompt tokens that were not computed for it; in the first step in which that is known. */
  readonly cachedTokens?: number;
  /** Tokens generated for choices that are not told; in the request's last step. */
  readonly untoldTokens?: number;
  /** Draft tokens verified and taken so far; in the choice's last step, where there were any. */
  readonly drafts?: { readonly verified: number; readonly accepted: number };
  /** What `hold` holds; in the last step. */
  readonly context?: { readonly id: string; readonly firstTokens: readonly number[] };
}

/** What an engine tells of itself, at most once a second while it runs and once when it falls idle. */
export interface EngineStats {
  readonly running: number;
  readonly waiting: number;
  readonly slots: number;
  readonly slotsTaken: number;
  /** KV states in host memory: prefixes, parked sequences, held contexts. */
  readonly prefixBytes: number;
  readonly parkedBytes: number;
  readonly heldContexts: number;
  readonly heldBytes: number;
  /** Since the start. */
  readonly steps: number;
  readonly stepSeconds: number;
  readonly promptTokens: number;
  /** Of them not computed, because they were there. */
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  readonly evictions: number;
  readonly preemptions: number;
  readonly draftTokens: number;
  readonly acceptedDraftTokens: number;
  /** Over the last seconds. */
  readonly tokensPerSecond: number;
  readonly stepMilliseconds: number;
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
  /** The end of an order about adapters or contexts; `error` null = it is done. */
  | {
      readonly type: 'done';
      readonly id: number;
      readonly error: { readonly reason: Reason; readonly message: string } | null;
    }
  | { readonly type: 'stats'; readonly stats: EngineStats }
  /** Something that no request fails of and its operator should know, in a sentence for the log. */
  | { readonly type: 'fault'; readonly message: string }
  /** A cancelled request holds nothing any more. */
  | { readonly type: 'released'; readonly id: number; readonly load: EngineLoad };
