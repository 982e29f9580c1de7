/** Our masks, in this thread; each schema begins with nothing but what a vocabulary has once. */

import {
  compileConstraint,
  createClassIndexes,
  createMasker,
  TimedBudget,
  type TokenTrie,
} from '../../src/constraint/index.ts';
import type { Contender } from './contender.ts';

export function createParlance(trie: TokenTrie, endTokens: readonly number[]): Contender {
  const classes = createClassIndexes(trie);
  return {
    name: 'Parlance',
    compile: async (schema) => {
      const budget = new TimedBudget();
      const spec = { kind: 'json', schema, whitespace: null } as const;
      const machine = compileConstraint(spec, { specials: [], budget });
      const masker = createMasker(machine, trie, endTokens, { classes, budget });
      return {
        open: async () => {
          let state: object = machine.start;
          return {
            mask: async () => {
              budget.renew();
              return masker.mask(state);
            },
            take: (token) => {
              const next = masker.step(state, token);
              state = next ?? state;
              return next !== null;
            },
            close: () => undefined,
          };
        },
        close: () => undefined,
      };
    },
  };
}
