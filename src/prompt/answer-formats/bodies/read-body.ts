/**
 * One door to the state machines that read arguments: starts the one that a format names, and steps it.
 * The parser of answers keeps the state and calls this. Pure.
 */

import type { BodyKind } from '../tool-format.ts';
import { bareKeysStart, stepBareKeys, type BareKeys } from './bare-keys.ts';
import type { BodyStep } from './body.ts';
import { callObjectStart, stepCallObject, type CallObject } from './call-object.ts';
import { jsonArgumentsStart, stepJsonArguments, type JsonArguments } from './json-arguments.ts';
import { parametersStart, stepParameters, type Parameters } from './parameters.ts';
import { parseSchema, propertyNames } from './parameter-types.ts';
import { pythonCallStart, stepPythonCall, type PythonCall } from './python-call.ts';

export type Body =
  | { readonly kind: 'object'; readonly inner: CallObject }
  | { readonly kind: 'json'; readonly inner: JsonArguments }
  | { readonly kind: 'parameters'; readonly inner: Parameters }
  | { readonly kind: 'python'; readonly inner: PythonCall }
  | { readonly kind: 'bare-keys'; readonly inner: BareKeys };

/** `schema`: JSON text of the schema of the function that is called, where it is known. */
export function startBody(body: BodyKind, schema: string | null): Body {
  switch (body.kind) {
    case 'object':
      return { kind: 'object', inner: callObjectStart(false) };
    case 'keyed':
      return { kind: 'object', inner: callObjectStart(true) };
    case 'json':
      return { kind: 'json', inner: jsonArgumentsStart };
    case 'parameters':
      return { kind: 'parameters', inner: parametersStart(body.layout, parseSchema(schema)) };
    case 'python':
      return { kind: 'python', inner: pythonCallStart(propertyNames(parseSchema(schema))) };
    case 'bare-keys':
      return { kind: 'bare-keys', inner: bareKeysStart(body.quote) };
  }
}

/** Reads on at the beginning of `text`; `final`: nothing follows it. */
export function stepBody(body: Body, text: string, final: boolean): BodyStep<Body> {
  switch (body.kind) {
    case 'object': {
      const step = stepCallObject(body.inner, text);
      return { ...step, state: { kind: 'object', inner: step.state } };
    }
    case 'json': {
      const step = stepJsonArguments(body.inner, text, 0);
      return { ...step, state: { kind: 'json', inner: step.state } };
    }
    case 'parameters': {
      const step = stepParameters(body.inner, text, final);
      return { ...step, state: { kind: 'parameters', inner: step.state } };
    }
    case 'python': {
      const step = stepPythonCall(body.inner, text, final);
      // The same state is the same value: whoever steps sees that nothing was found.
      if (step.state === body.inner) return { ...step, state: body };
      return { ...step, state: { kind: 'python', inner: step.state } };
    }
    case 'bare-keys': {
      const step = stepBareKeys(body.inner, text);
      return { ...step, state: { kind: 'bare-keys', inner: step.state } };
    }
  }
}
