/**
 * The receipt: what was done with each parameter of one request. Also the gate: a parameter that
 * the target refuses is an error here, before anything is generated, unless the request relaxed it.
 */

import type { CapabilityRecord, Decide, Support } from './capability.ts';
import { contentOf, withoutContent, type Content } from './content.ts';
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
  readonly parameter: ParameterName | ContentPath;
  readonly note: string;
}

/** Where a piece of content stands: `messages[0].content[1]`. */
export type ContentPath = `messages[${string}`;

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
      if (request.unsupported === 'error') throw refusal(field, support, target, true);
      refusedParameters.push(parameter);
    }
    // One field of the client may stand for two parameters (`logprobs` of the completions route).
    if (!lines.some(({ name }) => name === field)) lines.push(lineOf(field, support));
  }
  const left = withoutParameters(request, refusedParameters);
  const refusedContent: Content[] = [];
  for (const content of contentOf(left)) {
    const { name, path, droppable } = content;
    const support = decide(record[name], left);
    if (support.how === 'refused') {
      if (request.unsupported === 'error' || !droppable) {
        throw refusal(path, support, target, droppable);
      }
      refusedContent.push(content);
    }
    if (support.how !== 'honoured') lines.push(lineOf(path, support));
  }
  return { request: withoutContent(left, refusedContent), receipt: lines };
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
  support: Support & { how: 'refused' },
  target: string,
  droppable: boolean,
): ParlanceError {
  const way = support.instead ?? `Leave \`${name}\` out`;
  const relax = ', or send the header x-parlance-unsupported: drop to go on without it';
  return new ParlanceError(
    'unsupported_parameter',
    `\`${name}\` is not supported by ${target}: ${support.reason}. ${way}${droppable ? relax : ''}.`,
    { param: name },
  );
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
    const parameter = fields.get(line.name) ?? line.name;
    const found = notes.filter((note) => note.parameter === parameter).map(({ note }) => note);
    return found.length === 0 ? line : { ...line, note: [...new Set(found)].join(', ') };
  });
}

/** Header values are visible ASCII; a client's own unknown names may be anything. */
const headerSafe = (text: string): string =>
  text.replaceAll(/[^\x21-\x7e]|[;=,]/g, '_').slice(0, 64) || '_';

/** Clients refuse answers whose headers are longer than 8 to 16 KiB in all. */
const headerLimit = 4096;

/** The compact form of the header: `top_k=honoured; seed=emulated`, and at its limit `; ...=N more`. */
export function receiptHeader(receipt: Receipt): string {
  const entries = receipt.map(headerEntry);
  let length = 0;
  const fitting = entries.findIndex((entry) => (length += entry.length + 2) > headerLimit);
  if (fitting === -1) return entries.join('; ');
  return [...entries.slice(0, fitting), `...=${entries.length - fitting} more`].join('; ');
}

/** What was honoured otherwise than asked for (`max_tokens` was cut) says so in brackets. */
function headerEntry({ name, fate, note }: ReceiptLine): string {
  const entry = `${headerSafe(name)}=${fate}`;
  return fate === 'honoured' && note !== undefined ? `${entry} (${noteSafe(note)})` : entry;
}

const noteSafe = (note: string): string => note.replaceAll(/[^ -~]|[;()]/g, '_');
