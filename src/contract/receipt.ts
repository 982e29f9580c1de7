/**
 * The receipt: what was done with each parameter of one request. Also the gate: a parameter that
 * the target refuses is an error here, before anything is generated, unless the request relaxed it.
 */

import type { CapabilityRecord, ContentName, Decide, Support } from './capability.ts';
import { ParlanceError } from './errors.ts';
import { withoutParameters, type ChatRequest } from './normalise.ts';
import type { ParameterName } from './parameters/table.ts';

export type Fate = 'honoured' | 'emulated' | 'dropped';

export interface ReceiptLine {
  /** In the client's own spelling. */
  readonly name: string;
  readonly fate: Fate;
  readonly note?: string;
}

/** What a target learnt about a parameter only while it answered. */
export interface ReceiptNote {
  readonly parameter: ParameterName;
  readonly note: string;
}

export type Receipt = readonly ReceiptLine[];

export interface Admitted {
  /** The request without what was dropped. */
  readonly request: ChatRequest;
  readonly receipt: Receipt;
}

/**
 * Decides every parameter and every piece of content that the request uses.
 * @throws ParlanceError `unsupported_parameter` for the first one that the target refuses.
 */
export function admit(request: ChatRequest, record: CapabilityRecord, target: string): Admitted {
  const lines: ReceiptLine[] = request.dropped.map((name) => ({
    name,
    fate: 'dropped',
    note: 'not a field of the contract',
  }));
  const refusedParameters: ParameterName[] = [];
  for (const { field, parameter } of request.given) {
    const support = decide(record[parameter], request);
    if (support.how === 'refused') {
      if (request.unsupported === 'error') throw refusal(field, field, support, target);
      refusedParameters.push(parameter);
    }
    lines.push(lineOf(field, support));
  }
  for (const { name, path } of contentOf(request)) {
    const support = decide(record[name], request);
    if (support.how === 'refused') throw refusal(path, path, support, target);
  }
  return { request: withoutParameters(request, refusedParameters), receipt: lines };
}

export function decide(entry: Decide, request: ChatRequest): Support {
  return typeof entry === 'function' ? entry(request) : entry;
}

function lineOf(name: string, support: Support): ReceiptLine {
  switch (support.how) {
    case 'honoured':
      return { name, fate: 'honoured' };
    case 'emulated':
      return { name, fate: 'emulated', note: support.note };
    case 'refused':
      return { name, fate: 'dropped', note: support.reason };
  }
}

function refusal(
  name: string,
  param: string,
  support: Support & { how: 'refused' },
  target: string,
): ParlanceError {
  const way = support.instead ?? `Leave \`${name}\` out`;
  return new ParlanceError(
    'unsupported_parameter',
    `\`${name}\` is not supported by ${target}: ${support.reason}. ${way}, or send the header x-parlance-unsupported: drop to go on without it.`,
    { param },
  );
}

interface Content {
  readonly name: ContentName;
  readonly path: string;
}

const partNames: Partial<Record<string, ContentName>> = {
  image_url: 'messages[].content.image_url',
  file: 'messages[].content.file',
  input_audio: 'messages[].content.input_audio',
};

/** What the messages hold beside text, each with its JSON path. */
function contentOf(request: ChatRequest): Content[] {
  if (request.input.kind === 'prompt') return [];
  const found: Content[] = [];
  for (const [index, message] of request.input.messages.entries()) {
    const path = `messages[${index}]`;
    const add = (name: ContentName, key: string): void => {
      found.push({ name, path: `${path}.${key}` });
    };
    if (message.name) add('messages[].name', 'name');
    if ((message.provider_state ?? null) !== null)
      add('messages[].provider_state', 'provider_state');
    if (message.role === 'assistant') {
      if (message.tool_calls?.length) add('messages[].tool_calls', 'tool_calls');
      if (message.function_call) add('messages[].tool_calls', 'function_call');
      if (message.reasoning_content) add('messages[].reasoning_content', 'reasoning_content');
      if (message.reasoning) add('messages[].reasoning_content', 'reasoning');
    }
    if (!Array.isArray(message.content)) continue;
    for (const [at, part] of message.content.entries()) {
      const name = partNames[part.type];
      if (name !== undefined) add(name, `content[${at}]`);
      if ('cache_control' in part && part.cache_control)
        add('cache_control', `content[${at}].cache_control`);
    }
  }
  return found;
}

/** Adds what the target learnt: `max_tokens` was cut, for instance. */
export function annotate(
  receipt: Receipt,
  notes: readonly ReceiptNote[],
  request: ChatRequest,
): Receipt {
  if (notes.length === 0) return receipt;
  const fields = new Map(request.given.map(({ field, parameter }) => [field as string, parameter]));
  return receipt.map((line) => {
    const found = notes.find((note) => note.parameter === fields.get(line.name));
    return found === undefined ? line : { ...line, note: found.note };
  });
}

/** Header values are visible ASCII; a client's own unknown names may be anything. */
const headerSafe = (text: string): string =>
  text.replaceAll(/[^\x21-\x7e]|[;=,]/g, '_').slice(0, 64);

/** The compact form of the header: `top_k=honoured; seed=emulated`. */
export function receiptHeader(receipt: Receipt): string {
  return receipt.map((line) => `${headerSafe(line.name)}=${line.fate}`).join('; ');
}
