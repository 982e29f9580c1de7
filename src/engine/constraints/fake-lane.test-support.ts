/**
 * A worker thread whose compiler makes small machines, some of which misbehave: `literal` specs name
 * which. Tests of lanes start it. Tests only.
 */

import type { ConstraintSpec, Machine } from '../../constraint/index.ts';
import { ParlanceError } from '../../contract/errors.ts';
import { runLane } from './lane-loop.ts';
import { machineOf } from './small-machines.test-support.ts';

/** a, then b or c, again and again. */
export const alternating = (): Machine =>
  machineOf({ start: { a: 'odd' }, odd: { b: 'start', c: 'start' } }, ['start']);

/** d ten times, then a or b, again and again. */
function tenTimes(): Machine {
  const steps: Record<string, Record<string, string>> = { d10: { a: 'start', b: 'start' } };
  for (let i = 0; i < 10; i += 1) steps[i === 0 ? 'start' : `d${i}`] = { d: `d${i + 1}` };
  return machineOf(steps, []);
}

function burn(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

runLane((spec: ConstraintSpec, { budget }) => {
  const name = spec.kind === 'literal' ? spec.text : '';
  const machine = name === 'forced' ? tenTimes() : alternating();
  if (name === 'refused') {
    throw new ParlanceError('invalid_constraint', '`not` is not supported.', { keyword: 'not' });
  }
  if (name.startsWith('endless')) {
    budget.spend(5000, 0, 'allOf');
    for (;;) burn(1000);
  }
  if (name === 'large') for (;;) budget.spend(100, 1000, 'maxItems');
  if (name.startsWith('heavy')) burn(130);
  if (name === 'exits') process.exit(1);
  const hang = (): void => {
    for (;;) burn(1000);
  };
  return {
    ...machine,
    step: (state, byte) => {
      // Such a text's first mask is never done.
      if (name.includes('stuck') && byte === 99) hang();
      return machine.step(state, byte);
    },
  };
});
