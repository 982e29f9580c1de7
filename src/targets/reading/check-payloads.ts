/**
 * Checks answers that are passed on as bytes in the OpenAI dialect: what each choice says is collected
 * beside the way, and the payload that would finish a choice goes on only when the choice is as asked for.
 */

import { checkAnswer, type AnswerCheck } from './check-answer.ts';
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
  readonly delta?: WireText | null;
  readonly message?: WireText | null;
  readonly finish_reason?: FinishReason | null;
  readonly stop_reason?: string | number | null;
}

interface Collected {
  content: string;
  /** By the upstream's own index, which need not begin at 0. */
  readonly calls: Map<number, { name: string; arguments: string }>;
  /** All that it says has been checked. */
  checked: boolean;
}

/**
 * A choice that never finishes, or goes on behind its finish, is checked when there is no more to come.
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
  const finish = async (known: Collected, given: WireChoice): Promise<void> => {
    const { index = 0, finish_reason: reason, stop_reason: stopReason } = given;
    known.checked = true;
    const why = await checkAnswer(
      check,
      { content: known.content, calls: [...known.calls.values()] },
      {
        type: 'finish',
        choice: index,
        reason: reason ?? 'stop',
        stopReason: stopReason ?? null,
      },
    );
    if (why !== null) onIncomplete(why);
  };
  for await (const payload of payloads) {
    for (const choice of choicesIn(payload)) {
      const index = choice.index ?? 0;
      const known = collected.get(index) ?? { content: '', calls: new Map(), checked: false };
      collected.set(index, known);
      add(known, choice.delta ?? choice.message ?? {});
      // A message is all that there will be of its choice, whether it says so or not.
      const isMessage = choice.message !== undefined && choice.message !== null;
      if (isMessage || (choice.finish_reason ?? null) !== null) await finish(known, choice);
    }
    yield payload;
  }
  for (const [index, known] of collected) if (!known.checked) await finish(known, { index });
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
  const { content, tool_calls: calls } = text;
  if (content || calls?.length) known.checked = false;
  known.content += content ?? '';
  (calls ?? []).forEach((call, position) => {
    const at = call.index ?? position;
    const one = known.calls.get(at) ?? { name: '', arguments: '' };
    known.calls.set(at, one);
    one.name += call.function?.name ?? '';
    one.arguments += call.function?.arguments ?? '';
  });
}
