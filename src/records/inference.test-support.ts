/** Inferences for the tests of this room: alike but for their number, which is in their time. */

import type { Inference } from '../telemetry/index.ts';

export const inference = (number: number, more: Partial<Inference> = {}): Inference => ({
  id: `i${number}`,
  requestId: `r${number}`,
  episodeId: null,
  created: 1000 + number,
  keyId: null,
  endpoint: '/v1/chat/completions',
  model: 'tiny',
  target: 'embedded:tiny',
  stream: false,
  status: 200,
  error: null,
  finishReasons: ['stop'],
  promptTokens: 9,
  completionTokens: 3,
  cachedTokens: 4,
  reasoningTokens: 0,
  draftsVerified: null,
  draftsAccepted: null,
  firstTokenMs: 12,
  totalMs: 34,
  receipt: 'top_k=honoured',
  ...more,
});
