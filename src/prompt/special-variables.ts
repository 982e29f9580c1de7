/** The special tokens of a model as the variables that templates know them by. */

import type { SpecialTokens } from './prompt-input.ts';

/** A model without a beginning or an end token has an empty text there, as templates print it anyway. */
export function toSpecialVariables(special: SpecialTokens): Record<string, string> {
  return {
    bos_token: special.bos ?? '',
    eos_token: special.eos ?? '',
    ...(special.pad ? { pad_token: special.pad } : {}),
    ...(special.unknown ? { unk_token: special.unknown } : {}),
  };
}
