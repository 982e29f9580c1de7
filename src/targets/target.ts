/**
 * The Target contract: whatever can answer a request. The server knows targets only by this file.
 * A target refuses before it answers (its promise rejects with a catalogued error), and once it has
 * begun to answer, its events end exactly once: with the last choice's `finish` and a `usage`, or
 * by throwing. Aborting the signal ends both, and frees whatever the request held.
 */

import type { CapabilityRecord, ChatRequest, ReceiptNote } from '../contract/index.ts';

export type TargetKind = 'embedded' | 'external';

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** Tokens that were proposed and verified, and those of them that were taken; where there were any. */
  readonly drafts?: DraftCount;
}

export interface DraftCount {
  readonly verified: number;
  readonly accepted: number;
}

export interface Logprob {
  readonly token: string;
  readonly bytes: readonly number[] | null;
  readonly logprob: number;
}

export interface TokenLogprob extends Logprob {
  readonly top: readonly Logprob[];
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** A context that is held for a later request, as its client carries it there. */
export interface HandedContext {
  readonly firstGenTokens: readonly number[];
  readonly ctxRequestId: number;
  /** Signed; nobody but the server that made it reads it. */
  readonly opaqueState: string;
}

/** The one stream that joins targets and the server. */
export type AnswerEvent =
  | {
      readonly type: 'text';
      readonly choice: number;
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
      /** Tokens of the choice so far, where the target knows. */
      readonly tokens?: number;
    }
  | { readonly type: 'reasoning'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'tool_call_start';
      readonly choice: number;
      readonly index: number;
      readonly id: string;
      readonly name: string;
    }
  | {
      readonly type: 'tool_call_delta';
      readonly choice: number;
      readonly index: number;
      readonly arguments: string;
    }
  | {
      readonly type: 'finish';
      readonly choice: number;
      readonly reason: FinishReason;
      readonly stopReason: string | number | null;
      /** Of a request that ends after the prompt, to be gone on from. */
      readonly handed?: HandedContext;
    }
  /** Tokens so far, over all choices; the last one is what the request cost. */
  | { readonly type: 'usage'; readonly usage: Usage };

/** Events of one step together, so that a batch costs one wake-up. */
export type AnswerEvents = AsyncIterable<readonly AnswerEvent[]>;

/** An answer in the client's own dialect: bytes that need no parsing. */
export interface WireAnswer {
  readonly kind: 'wire';
  /** Notes for the receipt that only the target can know. */
  readonly notes: readonly ReceiptNote[];
  /** A stream's `data:` payloads in order (without `[DONE]`), or the one JSON body. */
  readonly payloads: AsyncIterable<string>;
  /** After the last payload: what the request cost, where the client does not want to see it. */
  unshownUsage?(): Usage | null;
  /** What is known only after the last payload. */
  lateNotes?(): readonly ReceiptNote[];
}

export interface EventAnswer {
  readonly kind: 'events';
  readonly notes: readonly ReceiptNote[];
  readonly events: AnswerEvents;
  /** What is known only after the last event. */
  lateNotes?(): readonly ReceiptNote[];
}

export type Answer = EventAnswer | WireAnswer;

/** What a `dry_run` tells. */
export interface Plan {
  readonly target: string;
  readonly prompt: string | null;
  readonly promptTokens: number | null;
  readonly maxTokens: number | null;
  readonly notes: readonly ReceiptNote[];
}

/** What a wire answer splices into the bytes it passes on. */
export interface Identity {
  readonly id: string;
  readonly model: string;
  /** Whole seconds. */
  readonly created: number;
  /** The episode that the answer belongs to, if any. */
  readonly episodeId: string | null;
}

export interface TargetRun {
  readonly request: ChatRequest;
  readonly identity: Identity;
  readonly signal: AbortSignal;
}

export interface Target {
  /** For receipts, plans and messages: `embedded:smollm2-135m`. */
  readonly name: string;
  readonly kind: TargetKind;
  readonly capabilities: CapabilityRecord;
  run(run: TargetRun): Promise<Answer>;
  plan(run: TargetRun): Promise<Plan>;
}
