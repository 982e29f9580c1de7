/**
 * Checks answers that are passed on as bytes in the OpenAI dialect: what each choice says is collected
 * beside the way, and the payload that would finish a choice goes on only when the choice is as asked for.
 */

import { checkAnswer, type AnswerCheck } from './check-answer.ts';
import type { ReadChoice } from './answer-reader.ts';
import type { FinishReason } from '../target.ts';

interface WireCall {
  readonly index?: number;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface WireText {
  readonly content?: string | null;
  readonly tool_calls?: readonly WireCall[] | null;
}

interface WireChoice {
  readonly index?: number;
  readonly delta?: WireText;
  readonly message?: WireText;
  readonly finish_reason?: FinishReason | null;
  readonly stop_reason?: string | number | null;
}

interface Collected {
  content: string;
  readonly calls: { name: string; arguments: string }[];
}

/**
 * `onIncomplete` is told of each choice that was cut off.
 *
 * @throws ParlanceError `constraint_not_met`, in place of the payload that finishes the choice
 */
export async function* checkPayloads(
  payloads: AsyncIterable<string>,
  check: AnswerCheck,
  onIncomplete: (why: string) => void,
): AsyncGenerator<string> {
  const collected = new Map<number, Collected>();
  for await (const payload of payloads) {
    for (const choice of choicesIn(payload)) {
      const index = choice.index ?? 0;
      const known = collected.get(index) ?? { content: '', calls: [] };
      collected.set(index, known);
      add(known, choice.delta ?? choice.message ?? {});
      const why = await finish(check, known, { ...choice, index });
      if (why !== null) onIncomplete(why);
    }
    yield payload;
  }
}

async function finish(
  check: AnswerCheck,
  { content, calls }: Collected,
  { finish_reason: given, stop_reason: stopReason = null, index = 0 }: WireChoice,
): Promise<string | null> {
  const reason = given ?? null;
  if (reason === null) return null;
  const choice: Pick<ReadChoice, 'content' | 'calls'> = { content, calls };
  return await checkAnswer(check, choice, { type: 'finish', choice: index, reason, stopReason });
}

function choicesIn(payload: string): readonly WireChoice[] {
  try {
    const { choices } = JSON.parse(payload) as { choices?: readonly WireChoice[] };
    return choices ?? [];
  } catch {
    // What is not JSON is for whoever reads the payload next.
    return [];
  }
}

function add(known: Collected, text: WireText): void {
  known.content += text.content ?? '';
  (text.tool_calls ?? []).forEach((call, position) => {
    const at = call.index ?? position;
    const one = (known.calls[at] ??= { name: '', arguments: '' });
    one.name += call.function?.name ?? '';
    one.arguments += call.function?.arguments ?? '';
  });
}
