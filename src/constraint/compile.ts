/**
 * Makes the machine of a constraint. Masks, verification and `parlance check` begin here; compilers of
 * the single kinds are in the folders beside it.
 */

import { ParlanceError } from '../contract/errors.ts';
import { drawGrammar } from './grammar/draw-grammar.ts';
import { compileJson } from './json-schema/machine/compile-json.ts';
import type { CompileContext, Machine } from './machine.ts';
import { compileRegex } from './regex/compile-regex.ts';
import type { ConstraintSpec } from './spec.ts';
import { ChoiceMachine } from './weave/choice-machine.ts';
import { makeReady } from './weave/closed-nodes.ts';
import { endsTooEarly } from './weave/end-tokens.ts';
import { NetworkBuilder } from './weave/network.ts';
import { NetworkMachine } from './weave/network-machine.ts';
import { drawSpec, type Leaf, type PartCompilers } from './weave/weave.ts';

/**
 * The machine that reads exactly the texts that satisfy the constraint.
 * @throws ParlanceError `invalid_constraint`: malformed, not supported, satisfied by nothing, too large
 */
export function compileConstraint(spec: ConstraintSpec, context: CompileContext): Machine {
  if (spec.kind === 'json' || spec.kind === 'regex' || spec.kind === 'choice') {
    return compileLeaf(spec, context);
  }
  const builder = new NetworkBuilder(context);
  const parts: PartCompilers = {
    machine: (leaf) => compileLeaf(leaf, context),
    grammar: drawGrammar,
  };
  const root = drawSpec(builder, spec, parts);
  const network = makeReady(builder.finish(root), context.budget);
  if (network.start === null) {
    if (network.endsTooEarly) throw endsTooEarly(spec, context.ends ?? [], network.dead);
    const keyword = network.dead ?? spec.kind;
    throw new ParlanceError('invalid_constraint', `No text satisfies \`${keyword}\`.`, { keyword });
  }
  return new NetworkMachine(network, network.start, context.budget);
}

function compileLeaf(leaf: Leaf, { budget }: CompileContext): Machine {
  switch (leaf.kind) {
    case 'regex':
      return compileRegex(leaf.pattern, budget);
    case 'choice':
      if (leaf.options.length === 0) {
        throw new ParlanceError('invalid_constraint', 'The choice has no options.', {
          keyword: 'choice',
        });
      }
      return new ChoiceMachine(leaf.options, budget);
    case 'json':
      return compileJson(leaf.schema, { whitespace: leaf.whitespace }, budget);
  }
}
