/** docs/tool-formats.md: the families of formats for calls and for thinking, with a call in each. */

import {
  endParse,
  formats,
  reasonings,
  startParse,
  stepParse,
  type FormatName,
  type ReasoningName,
} from '../../src/prompt/index.ts';
import { generatedNote, table } from './markdown.ts';

type ToolFormat = (typeof formats)[FormatName];
type CallForm = ToolFormat['forms'][number];

/** Models whose templates ask for it, as far as they are known; a new family needs a line here. */
const users: Readonly<Record<FormatName, string>> = {
  hermes:
    'Hermes 2 and 3, Qwen 2.5 and 3, Granite 4, MiMo, EXAONE 4; templates that take no functions',
  llama3: 'Llama 3.1 to 3.3',
  'mistral-array': 'Mistral 7B v0.3 to Small 3.1, Nemo',
  mistral: 'Mistral since Small 3.2, Magistral, Devstral',
  'mistral-id': 'the same, with the id written out',
  phi4: 'Phi-4-mini',
  'granite-3': 'Granite 3',
  'tool-calls-array': 'Apriel, Hunyuan A13B, Jamba',
  nemotron: 'Nemotron Nano 2',
  functools: 'templates with `functools[`',
  gigachat: 'GigaChat',
  'gigachat-role': 'GigaChat 3',
  'minimax-m1': 'MiniMax-M1',
  'function-call': 'templates with `<function_call>`',
  'json-array': 'xLAM',
  apertus: 'Apertus',
  command: 'Command R7B and A',
  'command-action': 'Command R and R+ of 2024',
  internlm: 'InternLM 2 and 3',
  'deepseek-r1': 'DeepSeek R1, V3',
  'deepseek-v3.1': 'DeepSeek V3.1',
  'kimi-k2': 'Kimi K2',
  solar: 'Solar Open',
  'functionary-v3.1': 'Functionary 3.1',
  'functionary-v3.2': 'Functionary 3.2',
  harmony: 'gpt-oss',
  'qwen3-coder': 'Qwen3-Coder, Qwen 3.5, Nemotron 3, StepFun',
  'seed-oss': 'Seed-OSS',
  glm: 'GLM 4.5 to 4.7',
  hunyuan: 'Hunyuan 3',
  'minimax-m2': 'MiniMax-M2',
  'deepseek-v3.2': 'DeepSeek V3.2',
  'deepseek-v4': 'DeepSeek V4',
  invoke: 'templates with `<invoke name=…>`',
  step3: 'Step 3',
  'minimax-m3': 'MiniMax-M3',
  muse: 'Muse',
  'kimi-k3': 'Kimi K3',
  minicpm: 'MiniCPM',
  lfm2: 'LFM2',
  pythonic: 'Llama 4 and others',
  olmo: 'OLMo 3',
  'tool-code': 'Gemma 3',
  'gemma-4': 'Gemma 4',
  'function-gemma': 'FunctionGemma',
};

/** What stands in the places of a pattern. */
const fillings: Readonly<Record<string, string>> = {
  name: 'get_weather',
  index: '0',
  key: 'city',
  lf: '\n',
};

function fill(pattern: string, types: 'is-string' | 'json-type' | null = null, id = ''): string {
  return pattern.replace(/«([^»]*)»/g, (_, place: string) => {
    if (place === 'id') return id;
    if (place === 'type') return types === 'is-string' ? 'true' : 'string';
    return fillings[place] ?? '';
  });
}

const argument = '{"city": "Paris"}';

function body({ body: kind }: CallForm): string {
  switch (kind.kind) {
    case 'json':
      return argument;
    case 'keyed':
      return `{"get_weather": ${argument}}`;
    case 'object': {
      const { name, arguments: args, id } = kind.fields;
      const first = id === null ? '' : `"${id}": "0", `;
      return `{${first}"${name}": "get_weather", "${args}": ${argument}}`;
    }
    case 'parameters': {
      const { open, close, lines, types } = kind.layout;
      return `${fill(open, types)}Paris${lines ? '\n' : ''}${fill(close)}`;
    }
    case 'python':
      return 'city="Paris")';
    case 'bare-keys':
      return `{city:${kind.quote}Paris${kind.quote}}`;
  }
}

/** A call of `get_weather` as the family writes it. */
function sample(name: FormatName): string {
  const format: ToolFormat = formats[name];
  const [form] = format.forms;
  if (form === undefined) throw new TypeError(`${name} has no forms`);
  const id = format.idPattern === '[a-z0-9]{10}' ? 'k3v9x2m7q1' : 'a1B2c3D4e';
  const call = `${fill(form.head, null, id)}${body(form)}${fill(form.tail)}`;
  const isAlone = form.place === 'alone' || format.group === null;
  const text = isAlone ? call : `${fill(format.group.open)}${call}${fill(format.group.close)}`;
  const lead = fill(format.callLead);
  checkRead(name, lead + text);
  return text;
}

/** A page must not show what the parser does not read. */
function checkRead(name: FormatName, text: string): void {
  const tools = [{ name: 'get_weather', description: null, parameters: null, strict: false }];
  const start = startParse({ tools, format: name, reasoning: null, thinking: false, calls: true });
  const step = stepParse(start, text);
  const parts = [...step.parts, ...endParse(step.state).parts];
  const call = parts.find((part) => part.type === 'tool_call_start');
  const args = parts
    .map((part) => (part.type === 'tool_call_delta' ? part.arguments : ''))
    .join('');
  if (call?.name !== 'get_weather' || args.replaceAll(' ', '') !== '{"city":"Paris"}') {
    throw new TypeError(`${name} does not read its own call: ${text}`);
  }
}

/** Code in a table's cell; line breaks are shown as they are escaped. */
function code(text: string): string {
  const shown = text.replaceAll('\n', String.raw`\n`);
  return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

export function toolFormatsPage(): string {
  const calls = (Object.keys(formats) as FormatName[]).map((name) => [
    `\`${name}\``,
    users[name],
    code(sample(name)),
  ]);
  const thinking = (Object.keys(reasonings) as ReasoningName[]).map((name) => {
    const { open, close } = reasonings[name];
    return [`\`${name}\``, code(fill(open[0] ?? '')), code(fill(close[0] ?? ''))];
  });
  return `${generatedNote}

# Formats of calls and of thinking

How models write calls of functions, and mark their thinking. Which of them a model has is told from its chat
template when it is deployed; \`GET /deploy/{name}\` shows it, and the options \`tool_format\` and
\`reasoning_format\` of a deployment say otherwise ([tools.md](tools.md#formats)).

## Calls

One call of \`get_weather\` with \`${argument}\`. Each family is also read in the variants that its models are
known to write.

${table(['format', 'models, such as', 'a call'], calls)}

## Thinking

${table(['format', 'begins with', 'ends with'], thinking)}
`;
}
