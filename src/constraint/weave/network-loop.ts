/**
 * Finds the characters that lead a state back to itself: inside free text, and in stretches such as
 * the body of a quoted string, masks need not be computed token by token. Called by `network-machine.ts`.
 */

import type { Loop, Machine } from '../machine.ts';
import { internClass } from '../regex/character-class.ts';
import { utf8Start, utf8Step } from './utf8.ts';

/** Says "there is none" where nothing would say "not looked for". */
export const noLoop: Loop = { characters: internClass(new Uint8Array(128), false), room: 0 };

/** States without these cannot loop on enough characters to be worth the search. */
const samples = [...Buffer.from('e7T ')];

/** Fewer characters than this are no gain. */
const fewest = 8;

/**
 * The class of characters that lead from the very state to itself, however often.
 * @param beyond whether all characters beyond ASCII do, where these flags say which ASCII ones do
 */
export function findOwnLoop<State extends object>(
  machine: Machine<State>,
  state: State,
  beyond: (ascii: Uint8Array) => boolean,
): Loop | null {
  if (samples.every((byte) => machine.step(state, byte) !== state)) return null;
  const ascii = new Uint8Array(128);
  let count = 0;
  for (let byte = 0; byte < 128; byte++) {
    if (machine.step(state, byte) !== state) continue;
    ascii[byte] = 1;
    count++;
  }
  if (count < fewest) return null;
  return { characters: internClass(ascii, beyond(ascii)), room: Infinity };
}

/** Where the class of a machine's own loop leads back to one state, and that does not accept. */
export function isFixed<State extends object>(
  machine: Machine<State>,
  state: State,
  { characters, room }: Loop,
): boolean {
  if (room !== Infinity || machine.accepts(state)) return false;
  const first = characters.ascii.indexOf(1);
  return first !== -1 && machine.step(state, first) === state;
}

/**
 * Whether every well-formed character beyond ASCII leads back, tried one by one: for machines in which
 * many characters share the states in their middle.
 */
export function loopsBeyond<State extends object>(machine: Machine<State>, home: State): boolean {
  const known = new Map<State, Set<number>>();
  const returns = (state: State | null, position: number): boolean => {
    if (position === utf8Start || state === null) return state === home;
    const positions = known.get(state) ?? new Set();
    if (positions.has(position)) return true;
    for (let byte = 0x80; byte < 0x100; byte++) {
      const after = utf8Step(position, byte);
      if (after !== -1 && !returns(machine.step(state, byte), after)) return false;
    }
    known.set(state, positions.add(position));
    return true;
  };
  for (let byte = 0x80; byte < 0x100; byte++) {
    const after = utf8Step(utf8Start, byte);
    if (after !== -1 && !returns(machine.step(home, byte), after)) return false;
  }
  return true;
}

/**
 * How a machine takes characters beyond ASCII: all of them lead back to the state, none can come, or
 * neither (null).
 */
export function takesBeyond<State extends object>(
  machine: Machine<State>,
  state: State,
): boolean | null {
  const loop = machine.loop(state);
  if (loop !== null && loop.characters.beyond && loop.room === Infinity) {
    return machine.step(state, loop.characters.ascii.indexOf(1)) === state ? true : null;
  }
  for (let byte = 0xc2; byte < 0xf5; byte++) {
    if (machine.step(state, byte) !== null) return null;
  }
  return false;
}

interface Inside {
  readonly edge: { readonly machine: Machine; readonly closed: boolean };
  readonly inner: object;
}

/**
 * The loop of several machines that read the same text, none of which can end in it: of the same class
 * for all. Where one may end, the text may go on with what follows it.
 */
export function commonLoop(stretches: readonly Inside[]): Loop | null {
  let common: Loop | null = null;
  for (const { edge, inner } of stretches) {
    const loop = edge.machine.loop(inner);
    if (loop === null || edge.machine.accepts(inner)) return null;
    if (!edge.closed && !isFixed(edge.machine, inner, loop)) return null;
    if (common !== null && common.characters !== loop.characters) return null;
    if (common === null || loop.room < common.room) common = loop;
  }
  return common;
}
