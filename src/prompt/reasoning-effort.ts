/**
 * How much a model shall think, in the words that its template has for it: the effort itself, or a
 * switch. The capability record and the prompt both come from here, so that they never differ. Pure.
 */

import type { Support } from '../contract/index.ts';
import type { ReasoningEffort } from './prompt-input.ts';

/** What the template knows of thinking. */
export interface ThinkingControls {
  /** The efforts that it takes by name. */
  readonly efforts: readonly ReasoningEffort[];
  /** Variables that are true for thinking. */
  readonly switches: readonly string[];
  /** Whether anything in it speaks of thinking. */
  readonly thinks: boolean;
}

export interface EffortPlan {
  readonly support: Support;
  /** For the template. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A switch has two positions: off for `none` and `minimal`, on for every other effort. */
const isOff = (effort: ReasoningEffort): boolean => effort === 'none' || effort === 'minimal';

export function planEffort(effort: ReasoningEffort, controls: ThinkingControls): EffortPlan {
  const { efforts, switches, thinks } = controls;
  const thinking = !isOff(effort);
  const switched = Object.fromEntries(switches.map((name) => [name, thinking]));
  if (efforts.includes(effort)) {
    return { support: { how: 'honoured' }, variables: { reasoning_effort: effort, ...switched } };
  }
  const [first] = switches;
  if (first !== undefined && (efforts.length === 0 || !thinking)) {
    const note = `${first} is ${String(thinking)}; the template has no finer steps`;
    return { support: { how: 'emulated', note }, variables: switched };
  }
  return { support: withoutControl(effort, efforts, thinks), variables: {} };
}

function withoutControl(
  effort: ReasoningEffort,
  efforts: readonly ReasoningEffort[],
  thinks: boolean,
): Support {
  if (efforts.length > 0) {
    const reason = `the chat template does not take ${effort}`;
    return { how: 'refused', reason, instead: `It takes ${efforts.join(', ')}` };
  }
  // A model that never thinks does what `none` asks for.
  if (!thinks && effort === 'none') return { how: 'honoured' };
  return { how: 'refused', reason: 'the model’s chat template has no control of thinking' };
}
