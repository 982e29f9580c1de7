/**
 * What is known of one inference when it has ended: the server says it, the store keeps it. Facts and
 * counts only; never a word of a prompt or of an answer.
 */

export interface Inference {
  /** The answer's own `id`, as the client saw it. */
  readonly id: string;
  /** The `x-request-id`, which the log lines have. */
  readonly requestId: string;
  readonly episodeId: string | null;
  /** When the request arrived, in milliseconds since 1970. */
  readonly created: number;
  /** Null: nobody in particular, while no key exists. */
  readonly keyId: string | null;
  /** The pattern of the HTTP route. */
  readonly endpoint: string;
  /** As the client called it. */
  readonly model: string;
  readonly target: string;
  readonly stream: boolean;
  /** As in the log: 499 where the client left, the error's own where a stream broke. */
  readonly status: number;
  /** The reason of the error catalogue; null where the answer is complete. */
  readonly error: string | null;
  /** One for each choice that ended. */
  readonly finishReasons: readonly string[];
  /** Tokens are null where the target did not count them. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Of the prompt's tokens, those that were not computed. */
  readonly cachedTokens: number | null;
  readonly reasoningTokens: number | null;
  /** Proposed tokens that were verified, and those of them that were taken; null without speculation. */
  readonly draftsVerified: number | null;
  readonly draftsAccepted: number | null;
  /** Whole milliseconds since the arrival; null where no piece came before the end. */
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
  /** In the form of the header `x-parlance-receipt`. */
  readonly receipt: string;
}
