/**
 * What an external target does: the parameters of OpenAI's own API are passed on, and those that
 * the deployment declared. Anything else is refused, because most servers of this dialect drop
 * what they do not know without a word.
 */

import {
  honoured,
  parameterTable,
  refused,
  type CapabilityRecord,
  type ChatRequest,
  type ContentName,
  type Decide,
  type ParameterName,
  type ParameterRow,
} from '../../contract/index.ts';
import { isStandardField } from '../dialects/openai/index.ts';

/** Parameters that the upstream honours beyond OpenAI's own; `all` is every one of the contract. */
export type Declared = readonly string[] | 'all';

const undeclared = refused(
  'it is not part of OpenAI’s API, and the deployment does not say that its upstream honours it',
  'Name it in `options.parameters` of the deployment if the upstream does',
);

const noChat = refused('the upstream’s completions route takes no such field', 'Send `messages`');

const content: Readonly<Record<ContentName, Decide>> = {
  'messages[].content.image_url': honoured,
  'messages[].content.file': honoured,
  'messages[].content.input_audio': honoured,
  'messages[].name': honoured,
  'messages[].tool_calls': honoured,
  'messages[].reasoning_content': honoured,
  'messages[].provider_state': refused('nothing of this dialect keeps provider state'),
  cache_control: honoured,
};

/** Parameters of the chat route that the completions route does not have. */
const chatOnly: ReadonlySet<ParameterName> = new Set<ParameterName>([
  'logprobs',
  'top_logprobs',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'verbosity',
  'modalities',
  'prediction',
]);

function decideParameter(name: ParameterName, declared: Declared): Decide {
  const known = declared === 'all' || declared.includes(name);
  if (name === 'stream_options') return streamOptions(known);
  if (name === 'response_format') return responseFormat(known);
  if (!known && !isStandardField(name)) return undeclared;
  if (!chatOnly.has(name)) return honoured;
  return (request) => (request.input.kind === 'prompt' ? noChat : honoured);
}

/** Usage in the last chunk is OpenAI's own; usage in every chunk is an engine's. */
const streamOptions =
  (known: boolean): Decide =>
  (request: ChatRequest) =>
    request.continuousUsage && !known ? undeclared : honoured;

const ownFormats: ReadonlySet<string> = new Set(['json_object', 'json_schema']);

const responseFormat =
  (known: boolean): Decide =>
  (request: ChatRequest) => {
    if (request.input.kind === 'prompt') return noChat;
    const type = request.parameters.response_format?.type ?? 'text';
    return known || ownFormats.has(type) ? honoured : undeclared;
  };

export function externalCapabilities(declared: Declared): CapabilityRecord {
  const rows = Object.entries(parameterTable) as [string, ParameterRow<unknown>][];
  const parameters = rows
    .filter(([, row]) => row.role === 'parameter' && row.synonymOf === undefined)
    .map(([name]) => [name, decideParameter(name as ParameterName, declared)] as const);
  return {
    ...(Object.fromEntries(parameters) as Record<ParameterName, Decide>),
    ...content,
  };
}
