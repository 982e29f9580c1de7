/**
 * The matrix of docs/parameters.md: each parameter x each kind of target. Where a record decides
 * per request, it is asked with small sample requests, and what it says is the footnote.
 */

import {
  decide,
  parameterTable,
  parseChatRequest,
  type CapabilityRecord,
  type ChatRequest,
  type Decide,
  type ParameterRow,
  type Support,
} from '../../src/contract/index.ts';
import { capabilityRecords, type TargetKind } from '../../src/targets/index.ts';
import { table } from './markdown.ts';

interface Sample {
  readonly label: string;
  readonly request: ChatRequest;
}

const messages = { messages: [{ role: 'user', content: 'x' }] };
const sample = (label: string, extra: object): Sample => ({
  label,
  request: parseChatRequest(JSON.stringify({ model: 'm', ...extra })),
});

const usual: readonly Sample[] = [
  sample('`messages`', messages),
  sample('a raw `prompt`', { prompt: 'x' }),
];

const format = (type: string, more: object = {}): Sample =>
  sample(`\`${type}\``, { ...messages, response_format: { type, ...more } });
const streamOption = (name: string): Sample =>
  sample(`\`${name}\``, { ...messages, stream: true, stream_options: { [name]: true } });

/** Parameters whose decision depends on their own value. */
const samples: Readonly<Record<string, readonly Sample[]>> = {
  stream_options: [streamOption('include_usage'), streamOption('continuous_usage_stats')],
  response_format: [
    format('json_object'),
    format('json_schema', { json_schema: { name: 'n', schema: {} } }),
    format('regex', { pattern: 'a' }),
    format('grammar', { grammar: 'a' }),
    format('structural_tag', { structural_tag: {} }),
  ],
};

/** Footnotes in the order in which they are first used, each once. */
class Footnotes {
  readonly #numbers = new Map<string, number>();

  mark(text: string): string {
    const number = this.#numbers.get(text) ?? this.#numbers.size + 1;
    this.#numbers.set(text, number);
    return `[^${number}]`;
  }

  toString(): string {
    return [...this.#numbers].map(([text, number]) => `[^${number}]: ${text}`).join('\n');
  }
}

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

function reasonOf(support: Support): string {
  switch (support.how) {
    case 'honoured':
      return '';
    case 'emulated':
      return sentence(support.note);
    case 'refused':
      return [support.reason, support.instead ?? ''].filter(Boolean).map(sentence).join(' ');
  }
}

function cell(name: string, entry: Decide, notes: Footnotes): string {
  if (typeof entry !== 'function') return plainCell(entry, notes);
  const results = (samples[name] ?? usual).map(({ label, request }) => ({
    label,
    support: decide(entry, request),
  }));
  const [first] = results;
  const same = results.every(
    ({ support }) => JSON.stringify(support) === JSON.stringify(first?.support),
  );
  if (same && first !== undefined) return plainCell(first.support, notes);
  const words = results.map(({ label, support }) => {
    const reason = reasonOf(support);
    return `With ${label}: ${support.how}${reason === '' ? '.' : `. ${reason}`}`;
  });
  return `depends ${notes.mark(words.join(' '))}`;
}

function plainCell(support: Support, notes: Footnotes): string {
  const reason = reasonOf(support);
  return reason === '' ? support.how : `${support.how} ${notes.mark(reason)}`;
}

/** Parameters in the order of the table, then what messages hold. */
function names(record: CapabilityRecord): readonly (keyof CapabilityRecord)[] {
  const rows = Object.entries(parameterTable) as [string, ParameterRow<unknown>][];
  const own = rows
    .filter(([, row]) => row.role === 'parameter' && row.synonymOf === undefined)
    .map(([name]) => name);
  const others = Object.keys(record).filter((name) => !own.includes(name));
  return [...own, ...others.toSorted()] as (keyof CapabilityRecord)[];
}

export function capabilityMatrix(): string {
  const kinds = Object.keys(capabilityRecords) as TargetKind[];
  const notes = new Footnotes();
  const rows = names(capabilityRecords[kinds[0] ?? 'embedded']).map((name) => [
    `\`${name}\``,
    ...kinds.map((kind) => cell(name, capabilityRecords[kind][name], notes)),
  ]);
  return `${kinds.map((kind) => `\`${kind}\`: ${kindText[kind]}`).join(' ')}

${table(['parameter', ...kinds], rows)}

${notes.toString()}`;
}

const kindText: Readonly<Record<TargetKind, string>> = {
  embedded: 'a model in our own engine (with a chat template that has no place but for messages).',
  external: 'anything that speaks the OpenAI dialect, with nothing declared beyond it.',
};
