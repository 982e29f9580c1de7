/** From a request to what its finished answer is checked against, whichever target answers it. */

import {
  anyObjectSchema,
  readConstraint,
  type ConstraintSpec,
  type Verifier,
} from '../../constraint/index.ts';
import type { ChatRequest, ParameterName, ReceiptNote } from '../../contract/index.ts';
import { readToolUse, type ToolDefinition } from '../../prompt/index.ts';
import type { AnswerCheck } from './check-answer.ts';

/** Null: the answer may be anything. */
export function createCheck(request: ChatRequest, verifier: Verifier): AnswerCheck | null {
  const content = readConstraint(request)?.spec ?? null;
  const use = request.input.kind === 'messages' ? readToolUse(request) : null;
  const callNeeded = use !== null && use.choice !== 'auto';
  const checked = use?.callable.filter(({ strict }) => strict || callNeeded) ?? [];
  if (content === null && checked.length === 0) return null;
  const calls = new Map(checked.map((tool) => [tool.name, argumentsSpec(tool)]));
  const callable = new Set(use?.callable.map(({ name }) => name));
  const { stop, stop_token_ids: stopTokens } = request.parameters;
  const stops = stop !== undefined || stopTokens !== undefined;
  return { verifier, content, callable, calls, callNeeded, stops };
}

/** What the arguments of a call must be. */
export const argumentsSpec = ({ parameters }: ToolDefinition): ConstraintSpec => ({
  kind: 'json',
  schema: parameters ?? anyObjectSchema,
  whitespace: null,
});

const constraining: readonly ParameterName[] = [
  'response_format',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'structural_tag',
  'tool_choice',
  'tools',
];

/** Says in the receipt, on the parameter that asked for a form, that a text was cut off. */
export function incompleteNotes({ parameters }: ChatRequest) {
  const parameter = constraining.find((name) => parameters[name] !== undefined);
  const notes: ReceiptNote[] = [];
  return {
    add: (note: string): void => {
      if (parameter !== undefined && notes.length === 0) notes.push({ parameter, note });
    },
    notes: (): readonly ReceiptNote[] => notes,
  };
}
