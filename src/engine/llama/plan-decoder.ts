/**
 * Decides what a model's context will be: slots, context and the type of the KV cache from the memory
 * that is left, and whether results repeat bit for bit and prefixes can be used again. `open-decoder.ts`
 * asks before it makes the decoder.
 */

import { ParlanceError } from '../../contract/errors.ts';
import { chooseKvType, costOf, planCapacity, type Capacity, type KvType } from '../capacity.ts';
import type { Ability } from '../protocol.ts';
import type { LlamaLibrary } from './bind-library.ts';
import type { LlamaModel } from './llama-model.ts';
import { measureMemory } from './measure-memory.ts';
import { findRecurrentProblem } from './weights-exactness.ts';

export interface DecoderWishes {
  /** null = choose. */
  readonly slots: number | null;
  readonly context: number | null;
  /** As in `EngineOptions`. */
  readonly deterministic: boolean | null;
  /** Memory that may still be taken on this machine. */
  readonly freeBytes: number;
}

export interface DecoderPlan {
  readonly capacity: Extract<Capacity, { fits: true }>;
  readonly deterministic: Ability;
  readonly prefixReuse: Ability;
}

/** Throws `invalid_option` with what would work, or with why results cannot repeat. */
export function planDecoder(
  library: LlamaLibrary,
  model: LlamaModel,
  wishes: DecoderWishes,
): DecoderPlan {
  const { slots, context, freeBytes } = wishes;
  const judged = judgeDeterminism(model, wishes.deterministic);
  const { kvType, cost } = findCost(library, model, judged.on ? 'q8_0/f16' : 'f16/f16');
  const deterministic: Ability =
    judged.on && kvType !== 'q8_0/f16'
      ? { on: false, why: 'its heads are not made of whole blocks of 32 numbers' }
      : judged;
  if (wishes.deterministic === true && !deterministic.on) throw refused(deterministic);
  const { shape } = model;
  const maxSlots = library.maxSequences();
  const request = { shape, cost, freeBytes, slots, context, maxSlots };
  const capacity = planCapacity(request, kvType);
  if (!capacity.fits) throw new ParlanceError('invalid_option', capacity.message);
  return { capacity, deterministic, prefixReuse: judgeReuse(model, capacity.keepWholeWindow) };
}

function findCost(library: LlamaLibrary, model: LlamaModel, wanted: KvType) {
  const possible = wanted === 'q8_0/f16' ? chooseKvType(model.shape) : wanted;
  if (model.memory.uniform) return { kvType: possible, cost: costOf(model.shape, possible) };
  const measured = measureMemory(library, model, possible);
  if (measured !== null) return { kvType: possible, cost: measured };
  const kvType: KvType = 'f16/f16';
  const cost = measureMemory(library, model, kvType) ?? costOf(model.shape, kvType);
  return { kvType, cost };
}

function judgeDeterminism({ exact, gpu, memory }: LlamaModel, wanted: boolean | null): Ability {
  const off = (why: string): Ability => ({ on: false, why });
  if (wanted === false) return off('it was switched off');
  if (gpu !== null)
    return off(
      'a GPU adds in another order from one pass to the next ("gpu_layers": 0 leaves it alone)',
    );
  if (!exact.on) return exact;
  const problem = memory.recurrent ? findRecurrentProblem(memory.architecture) : null;
  return problem === null ? exact : off(problem);
}

function judgeReuse({ memory }: LlamaModel, keepWholeWindow: boolean): Ability {
  if (memory.recurrent) {
    return {
      on: false,
      why: 'the model is recurrent: it cannot forget the end of what it has read',
    };
  }
  if (memory.window > 0 && !keepWholeWindow) {
    return {
      on: false,
      why:
        'the model has layers with a sliding window, and there is no memory for what lies outside ' +
        'of it; fewer slots or a shorter context would leave enough',
    };
  }
  return { on: true, why: null };
}

function refused({ why }: Ability): ParlanceError {
  return new ParlanceError(
    'invalid_option',
    `deterministic: true is not possible with this model: ${why}. Leave it out, or choose another file.`,
  );
}
