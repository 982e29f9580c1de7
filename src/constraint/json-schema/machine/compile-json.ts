/**
 * JSON schemas to machines: an evaluator that reads a document byte by byte and refuses the first byte
 * after which no document can satisfy the schema. Puts the parts of this folder together.
 */

import { ParlanceError } from '../../../contract/errors.ts';
import type { JsonValue } from '../../json/json-value.ts';
import type { Budget, Loop, Machine } from '../../machine.ts';
import { compileRegex } from '../../regex/compile-regex.ts';
import type { NodeId, SchemaGraph } from '../node.ts';
import { readSchema } from '../read-schema.ts';
import { defaultBlank } from './phase.ts';
import type { Blank } from './phase.ts';
import { Place } from './place.ts';
import { SchemaNodes } from './schema-nodes.ts';
import { ended, MemoState } from './state.ts';
import type { Slot, State } from './state.ts';
import { yes } from './truth.ts';
import type { Verdict } from './truth.ts';
import { JsonValues } from './values.ts';

export interface JsonOptions {
  /** Regex for the whitespace between tokens; null: one space at most, or a newline and up to 16. */
  readonly whitespace: string | null;
}

/**
 * A machine for the documents that satisfy the schema, without whitespace around them.
 *
 * Throws `invalid_constraint` with the keyword at fault where the schema is malformed, not supported or
 * too large, or nothing satisfies it.
 */
export function compileJson(schema: string, options: JsonOptions, budget: Budget): Machine {
  return compileJsonMachine(readSchema(schema, budget), options, budget);
}

/** As `compileJson`, of a schema that has been read. */
export function compileJsonMachine(
  graph: SchemaGraph,
  options: JsonOptions,
  budget: Budget,
): Machine {
  refuseUnwritable(graph);
  const blank = options.whitespace === null ? defaultBlank() : blankOf(options.whitespace, budget);
  const values = new JsonValues(new SchemaNodes(graph, budget), blank);
  const place = new Place(new DocumentSlot(graph.root), values);
  const start = new StartState(place);
  if (!place.possible) {
    throw new ParlanceError(
      'invalid_constraint',
      'No JSON document satisfies the schema: its rules contradict each other.',
      { keyword: 'schema' },
    );
  }
  return new JsonMachine(start);
}

class JsonMachine implements Machine<State> {
  readonly start: State;

  constructor(start: State) {
    this.start = start;
  }

  step(state: State, byte: number): State | null {
    return state.step(byte);
  }

  accepts(state: State): boolean {
    return state.complete;
  }

  loop(state: State): Loop | null {
    return state.loop();
  }

  alike(state: State): State {
    return state.alike;
  }

  risky(state: State): boolean {
    return state.risky;
  }
}

class DocumentSlot implements Slot {
  readonly depth = 0;
  readonly risky = false;
  readonly ids: readonly NodeId[];
  readonly needed = [true];

  constructor(root: NodeId) {
    this.ids = [root];
  }

  hopeless(verdict: Verdict): boolean {
    return verdict.refuted;
  }

  close(verdict: Verdict): State | null {
    return verdict.truths[0] === yes ? ended : null;
  }
}

class StartState extends MemoState {
  readonly risky = false;
  readonly #place: Place;

  constructor(place: Place) {
    super();
    this.#place = place;
  }

  protected advance(byte: number): State | null {
    return this.#place.begin(byte);
  }
}

/** A single value with half a surrogate pair, which no document can have. */
function refuseUnwritable(graph: SchemaGraph): void {
  for (const { path, values } of graph.nodes) {
    if (values?.length !== 1 || isWritable(values[0]!)) continue;
    throw new ParlanceError(
      'invalid_constraint',
      `The value of \`const\` at ${path || 'the root'} has a surrogate without its other half, which no document can have. Write the character whole.`,
      { keyword: 'const' },
    );
  }
}

function isWritable(value: JsonValue): boolean {
  if (value.type === 'string') return value.value.isWellFormed();
  if (value.type === 'array') return value.items.every(isWritable);
  if (value.type !== 'object') return true;
  return value.members.every(([name, one]) => name.isWellFormed() && isWritable(one));
}

function blankOf(pattern: string, budget: Budget): Blank {
  return compileRegex(pattern, budget);
}
