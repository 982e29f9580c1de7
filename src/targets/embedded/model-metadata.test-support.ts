/** What a model file says of itself, as far as the embedded target asks. For tests. */

import type { ModelMetadata } from '../../models/index.ts';

interface Told {
  readonly chatTemplate?: string | null;
  readonly namedChatTemplates?: Readonly<Record<string, string>>;
  readonly architecture?: string;
  readonly eos?: string;
  readonly specialTexts?: readonly string[];
}

/** A file without a chat template, and nothing that tells a family, unless it is said. */
export function metadataWith(told: Told): ModelMetadata {
  const { eos = '</s>', specialTexts = [] } = told;
  return {
    chatTemplate: null,
    namedChatTemplates: {},
    architecture: 'llama',
    ...told,
    tokenizer: { bos: { id: 1, text: '<s>' }, eos: { id: 2, text: eos }, specialTexts },
  } as unknown as ModelMetadata;
}
