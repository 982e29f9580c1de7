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

/** The class of characters that lead from the very state to itself, however often. */
export function findOwnLoop<State extends object>(
  machine: Machine<State>,
  state: State,
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
  return { characters: internClass(ascii, loopsBeyond(machine, state)), room: Infinity };
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

/** Whether every well-formed character beyond ASCII leads back. */
function loopsBeyond<State extends object>(machine: Machine<State>, home: State): boolean {
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
