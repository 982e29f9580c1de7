/**
 * Capability records: for one target, each parameter of the contract is honoured, emulated or
 * refused. The type is exhaustive, so a parameter that a target does not decide does not compile.
 */

import type { ParameterName } from './parameters/table.ts';
import type { ChatRequest } from './normalise.ts';

/** What a message can hold beside text; decided like parameters, but named by its JSON path. */
export const contentNames = [
  'messages[].content.image_url',
  'messages[].content.file',
  'messages[].content.input_audio',
  'messages[].name',
  'messages[].tool_calls',
  'messages[].reasoning_content',
  'messages[].provider_state',
  'cache_control',
] as const;

export type ContentName = (typeof contentNames)[number];

export type Support =
  | { readonly how: 'honoured' }
  | { readonly how: 'emulated'; readonly note: string }
  | {
      readonly how: 'refused';
      /** Completes the sentence "x is refused: …". */
      readonly reason: string;
      /** What would work in its place. */
      readonly instead?: string;
    };

export type Decide = Support | ((request: ChatRequest) => Support);

export type CapabilityRecord = {
  readonly [K in ParameterName | ContentName]: Decide;
};

export const honoured: Support = { how: 'honoured' };
export const emulated = (note: string): Support => ({ how: 'emulated', note });
export const refused = (reason: string, instead?: string): Support =>
  instead === undefined ? { how: 'refused', reason } : { how: 'refused', reason, instead };
