/** What the verifier says of a finished text. Types only. */

export type Verdict =
  | { readonly ok: true }
  /** `reason` is a sentence that says where and why. */
  | { readonly ok: false; readonly reason: string; readonly keyword: string };
