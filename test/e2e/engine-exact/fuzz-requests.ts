/** Random requests, right and wrong in every field, for a tiny model that answers in no time. */

import type { Body } from '../../support/ask.ts';
import { samples } from '../../support/sample-values.ts';
import type { Dice } from './random-requests.ts';

export interface FuzzRequest {
  readonly path: '/v1/chat/completions' | '/v1/completions';
  readonly text: string;
  /** When the client leaves: never, with the request hardly sent, or with the first bytes of the answer. */
  readonly leaves: 'never' | 'at once' | 'at the first bytes';
}

const words = 'the cat and dog is on in he she for are of it to see can low was '.split(' ');

/** `@raw:` goes into the JSON as it stands, without quotes. */
const raw = (text: string): string => `@raw:${text}`;

const junk: readonly unknown[] = [
  [
    null,
    true,
    false,
    '',
    'NaN',
    'Infinity',
    '-Infinity',
    '1',
    'the',
    '\u0000',
    '\ud800',
    '\u{1f4a5}',
  ],
  [0, -0.5, 1, -1, 3, 129, 314, 315, 1e9, -1e9, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324],
  [[], [[]], [0], [-1], [315], ['a', ''], [null], [1.5], Array.from({ length: 40 }, () => 'x')],
  [{}, { a: 1 }, { '0': 1 }, { '315': 1 }, { '-1': 0 }, { type: 'text' }, { type: 'content' }],
  ['1e999', '-1e999', '1e-999', '9223372036854775807', '9223372036854775808'].map(raw),
  ['-9223372036854775809', '12345678901234567890123456789', '0.1e1', '-0', 'NaN'].map(raw),
].flat();

type Make = (dice: Dice) => unknown;

const tokenIds: Make = (dice) => Array.from({ length: dice.below(4) }, () => dice.below(315));
const phrases: Make = (dice) => Array.from({ length: 1 + dice.below(3) }, () => phrase(dice));

function phrase(dice: Dice): string {
  const count = 1 + dice.below(3);
  return Array.from({ length: count }, () => dice.pick(words)).join(dice.pick([' ', '', '\n']));
}

/** Mostly right values; together they may well contradict each other. */
const fields: Readonly<Record<string, Make>> = {
  temperature: (dice) => dice.between(0, 4),
  top_p: (dice) => dice.between(0, 1),
  top_k: (dice) => dice.below(400) - 1,
  min_p: (dice) => dice.between(0, 1),
  top_p_min: (dice) => dice.between(0, 1),
  top_p_decay: (dice) => dice.between(0, 1),
  top_p_reset_ids: tokenIds,
  seed: (dice) => dice.pick([0, -1, dice.below(2 ** 31), raw('9223372036854775807')]),
  frequency_penalty: (dice) => dice.between(-2, 2),
  presence_penalty: (dice) => dice.between(-2, 2),
  repetition_penalty: (dice) => dice.pick([0, 0.5, 1.3, 1e300]),
  logit_bias: (dice) => ({ [dice.below(315)]: dice.between(-100, 100), 5: 100 }),
  bad: phrases,
  bad_token_ids: (dice) =>
    dice.chance(0.1) ? Array.from({ length: 310 }, (_, id) => id) : tokenIds(dice),
  stop: phrases,
  stop_token_ids: tokenIds,
  eos_token_id: tokenIds,
  include_stop_str_in_output: (dice) => dice.chance(0.5),
  ignore_eos: (dice) => dice.chance(0.5),
  skip_special_tokens: (dice) => dice.chance(0.5),
  spaces_between_special_tokens: (dice) => dice.chance(0.5),
  min_tokens: (dice) => dice.below(4),
  n: (dice) => (dice.chance(0.03) ? 128 : 1 + dice.below(4)),
  best_of: (dice) => 1 + dice.below(5),
  use_beam_search: (dice) => dice.chance(0.8),
  length_penalty: (dice) => dice.between(-5, 5),
  early_stopping: (dice) => dice.pick([true, false, 'never']),
  logprobs: (dice) => dice.chance(0.9),
  top_logprobs: (dice) => dice.below(22),
  prediction: (dice) => ({ type: 'content', content: phrase(dice) }),
  priority: (dice) => dice.below(7) - 3,
  cache_salt: (dice) => dice.pick(['', 'a', 'b', 'x'.repeat(5000)]),
  truncate_prompt_tokens: (dice) => 1 + dice.below(20),
  echo: (dice) => dice.chance(0.7),
  add_special_tokens: (dice) => dice.chance(0.5),
  continue_final_message: (dice) => dice.chance(0.5),
  add_generation_prompt: (dice) => dice.chance(0.5),
  dry_run: (dice) => dice.chance(0.5),
  disaggregated_params: (dice) => ({
    request_type: dice.pick(['context_only', 'generation_only', 'context_and_generation']),
    ...(dice.chance(0.5) ? { opaque_state: dice.pick(['', '.', 'e30.e30', 'x'.repeat(99)]) } : {}),
    ...(dice.chance(0.3) ? { first_gen_tokens: tokenIds(dice) } : {}),
  }),
  stream_options: (dice) => ({ include_usage: dice.chance(0.5) }),
};

/** What a field is refused without. */
const needed: Readonly<Record<string, Body>> = {
  top_logprobs: { logprobs: true },
  stream_options: { stream: true },
  top_p_decay: { top_p_min: 0.1 },
  top_p_reset_ids: { top_p_min: 0.1 },
  length_penalty: { use_beam_search: true },
  early_stopping: { use_beam_search: true },
  continue_final_message: { add_generation_prompt: false },
};

const ownFields = Object.keys(fields);
const allFields = Object.keys(samples);

export function fuzzRequest(dice: Dice): FuzzRequest {
  const leaves = dice.chance(0.8) ? 'never' : dice.pick(['at once', 'at the first bytes'] as const);
  const path = dice.chance(0.15) ? '/v1/completions' : '/v1/chat/completions';
  const body: Record<string, unknown> = {
    model: 'tiny',
    ...prompt(dice, path),
    max_tokens: 1 + dice.below(4),
    stream: dice.chance(0.4),
    ...someFields(dice),
  };
  if (leaves !== 'never' && dice.chance(0.7)) {
    // Long enough to be left in its middle.
    Object.assign(body, { stream: true, ignore_eos: true, max_tokens: 40 });
  }
  // Nothing may go on for as long as the context lasts.
  if (typeof body['max_tokens'] !== 'number') body['max_completion_tokens'] = 2;
  const text = JSON.stringify(body).replaceAll(/"@raw:([^"]*)"/g, '$1');
  return { path, leaves, text: dice.chance(0.02) ? damage(text, dice) : text };
}

function prompt(dice: Dice, path: FuzzRequest['path']): Body {
  // Behind the context, now and then.
  const length = dice.chance(0.01) ? 400 : dice.below(12);
  const text = Array.from({ length }, () => dice.pick(words)).join(' ');
  const asPrompt = path === '/v1/completions' || dice.chance(0.2);
  if (!asPrompt) return { messages: [{ role: 'user', content: text }, ...turns(dice)] };
  if (dice.chance(0.6)) return { prompt: text };
  const ids = Array.from({ length: 1 + (length % 9) }, () =>
    dice.below(dice.chance(0.05) ? 400 : 315),
  );
  return { prompt: ids };
}

const turns = (dice: Dice): Body[] =>
  dice.chance(0.2) ? [{ role: 'assistant', content: phrase(dice) }] : [];

function someFields(dice: Dice): Body {
  const body: Record<string, unknown> = {};
  const wrong = dice.chance(0.25);
  const count = dice.below(6);
  for (let index = 0; index < count; index += 1) {
    const field = dice.pick(ownFields);
    body[field] = fields[field]?.(dice);
    Object.assign(body, dice.chance(0.9) ? needed[field] : {});
  }
  if (dice.chance(0.1)) {
    const sample = samples[dice.pick(allFields) as keyof typeof samples];
    Object.assign(body, dice.chance(0.5) ? sample.sent : sample.neutral);
  }
  if (wrong) body[dice.pick([...ownFields, ...allFields])] = dice.pick(junk);
  if (wrong && dice.chance(0.2)) body[dice.pick(['tempratur', '__proto__', 'Stop', ''])] = 1;
  return body;
}

/** Cut off, or with one byte that is another. */
function damage(text: string, dice: Dice): string {
  const at = dice.below(text.length);
  return dice.chance(0.5)
    ? text.slice(0, at)
    : text.slice(0, at) + dice.pick(['"', '}', '\u0001', ',', '9']) + text.slice(at + 1);
}
