/**
 * The KV states of the fake decoder: the tokens that the cells were computed from, with the position
 * of the first. They refuse to be cut or joined where the real ones would be of no use afterwards.
 */

import { ParlanceError } from '../../contract/errors.ts';
import type { KvState, KvStates } from './decoder.ts';

export class FakeState implements KvState {
  /** Position of the first cell. */
  readonly first: number;
  readonly cells: readonly number[];

  constructor(first: number, cells: readonly number[]) {
    this.first = first;
    this.cells = [...cells];
  }

  get length(): number {
    return this.cells.length;
  }

  get bytes(): number {
    return this.cells.length * 10;
  }
}

export function asFake(state: KvState): FakeState {
  if (!(state instanceof FakeState)) throw misused('a state of another decoder');
  return state;
}

export function createFakeStates(cuttable: boolean): KvStates {
  return {
    cuttable,
    cut(state, from, to) {
      const { first, cells } = asFake(state);
      const whole = from === 0 && to === cells.length;
      if (!cuttable && !whole) throw misused('a state is cut that is only of use whole');
      if (!(0 <= from && from < to && to <= cells.length)) {
        throw misused(`cells ${from} to ${to} of ${cells.length}`);
      }
      return new FakeState(first + from, cells.slice(from, to));
    },
    join(parts) {
      const states = parts.map(asFake);
      if (!cuttable && parts.length !== 1) throw misused('states are joined that are whole');
      const first = states[0]?.first ?? 0;
      const cells: number[] = [];
      for (const state of states) {
        if (state.first !== first + cells.length) throw misused('states do not follow each other');
        cells.push(...state.cells);
      }
      return new FakeState(first, cells);
    },
    encode: (state) => Buffer.from(JSON.stringify([asFake(state).first, ...asFake(state).cells])),
    decode(bytes) {
      try {
        const [first, ...cells] = JSON.parse(Buffer.from(bytes).toString()) as number[];
        return new FakeState(first ?? 0, cells);
      } catch (cause) {
        throw new ParlanceError('internal', 'These bytes are no KV state of the fake.', { cause });
      }
    },
  };
}

function misused(what: string): ParlanceError {
  return new ParlanceError('internal', `A state of the fake decoder was misused: ${what}.`);
}
