/** The old names of tools, as the tools that they mean. */

import type { WireRequest } from './schema.ts';

export function toTools(functions: NonNullable<WireRequest['functions']>) {
  return functions.map((one) => ({ type: 'function' as const, function: one }));
}

export function toToolChoice(call: NonNullable<WireRequest['function_call']>) {
  return typeof call === 'object' ? { type: 'function' as const, function: call } : call;
}
