/** Families whose calls are JSON objects with the name in them, or the arguments as JSON behind the name. */

import { objectBody, toolFormat } from '../tool-format.ts';

/** Arrays of call objects between two tags. */
const array = (open: string, close: string, alsoOpen: readonly string[] = []) =>
  toolFormat({
    group: { open, close, alsoOpen },
    forms: [{ head: '', body: objectBody() }],
    between: ', ',
  });

const json = { kind: 'json' } as const;

export const jsonFormats = {
  /** Hermes 2 and 3, Qwen 2.5 and 3, Granite 4, MiMo, EXAONE 4, and what asks a model that knows none. */
  hermes: toolFormat({
    forms: [{ head: '<tool_call>\n', body: objectBody(), tail: '\n</tool_call>' }],
  }),
  /** Llama 3.1 to 3.3: the object is the whole answer. */
  llama3: toolFormat({
    forms: [
      { head: '', body: objectBody('name', 'parameters'), atStart: true },
      { head: '<|python_tag|>«{»', body: objectBody('name', 'parameters') },
      { head: '<|python_tag|>«name»(', body: { kind: 'python' } },
    ],
    between: '; ',
    marked: { lead: '', tail: '', pattern: '\\s*([^\\s{][\\s\\S]*)?' },
  }),
  /** Mistral 7B v0.3 to Small 3.1: an array behind one token. */
  'mistral-array': toolFormat({
    group: { open: '[TOOL_CALLS][', close: ']', alsoOpen: ['[TOOL_CALLS] ['] },
    forms: [{ head: '', body: objectBody() }],
    between: ', ',
  }),
  /** Mistral since Small 3.2: the token before each call. */
  mistral: toolFormat({
    forms: [
      {
        head: '[TOOL_CALLS]«name»[ARGS]',
        alsoHeads: ['[TOOL_CALLS]«name»[CALL_ID]«id»[ARGS]«{»', '[TOOL_CALLS]«name»«{»'],
        body: json,
      },
    ],
    between: '',
  }),
  /** The same with the id written out. */
  'mistral-id': toolFormat({
    forms: [
      {
        head: '[TOOL_CALLS]«name»[CALL_ID]«id»[ARGS]',
        alsoHeads: ['[TOOL_CALLS]«name»[ARGS]«{»', '[TOOL_CALLS]«name»«{»'],
        body: json,
      },
    ],
    between: '',
    idPattern: '[a-zA-Z0-9]{9}',
  }),
  /** Phi-4-mini: alone, or in an array. */
  phi4: toolFormat({
    group: { open: '<|tool_call|>[', close: ']<|/tool_call|>' },
    forms: [
      { head: '<|tool_call|>', body: objectBody(), tail: '<|/tool_call|>', place: 'alone' },
      { head: '', body: objectBody() },
    ],
    between: '',
  }),
  'granite-3': array('<|tool_call|>[', ']', ['<tool_call>[']),
  /** Apriel, Hunyuan A13B, Jamba. */
  'tool-calls-array': array('<tool_calls>[', ']</tool_calls>'),
  nemotron: array('<TOOLCALL>[', ']</TOOLCALL>'),
  functools: array('functools[', ']'),
  gigachat: toolFormat({
    forms: [{ head: '<|function_call|>', alsoHeads: ['<function_call>'], body: objectBody() }],
    several: false,
  }),
  /** GigaChat 3.0: a message of its own role. */
  'gigachat-role': toolFormat({
    forms: [
      { head: '<|message_sep|>\n\nfunction call<|role_sep|>\n', body: objectBody() },
      { head: 'function call<|role_sep|>\n', body: objectBody(), atStart: true },
    ],
    several: false,
    noise: ['<|message_sep|>'],
  }),
  /** MiniMax-M1: a line for each. */
  'minimax-m1': toolFormat({
    group: { open: '<tool_calls>\n', close: '\n</tool_calls>' },
    forms: [{ head: '', body: objectBody() }],
  }),
  'function-call': toolFormat({
    forms: [{ head: '<function_call>', body: objectBody(), tail: '</function_call>' }],
  }),
  /** xLAM: the array is the whole answer. */
  'json-array': toolFormat({
    group: { open: '[', close: ']', atStart: true },
    forms: [{ head: '', body: objectBody() }],
    between: ', ',
    marked: { lead: '', tail: '', pattern: '\\s*([^\\s\\[][\\s\\S]*)?' },
  }),
  apertus: toolFormat({
    group: { open: '<|tools_prefix|>[', close: ']<|tools_suffix|>' },
    forms: [{ head: '', body: { kind: 'keyed' } }],
    between: ', ',
  }),
  /** Command R7B and A. */
  command: toolFormat({
    group: { open: '<|START_ACTION|>[\n    ', close: '\n]<|END_ACTION|>' },
    forms: [{ head: '', body: objectBody('tool_name', 'parameters', 'tool_call_id') }],
    between: ',\n    ',
    noise: ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'],
    marked: { lead: '<|START_RESPONSE|>', tail: '<|END_RESPONSE|>', pattern: null },
  }),
  /** Command R and R+ of 2024. */
  'command-action': toolFormat({
    group: { open: 'Action: ```json\n[\n    ', close: '\n]```', alsoOpen: ['Action:```json\n['] },
    forms: [{ head: '', body: objectBody('tool_name', 'parameters') }],
    between: ',\n    ',
  }),
  internlm: toolFormat({
    forms: [
      {
        head: '<|action_start|><|plugin|>',
        alsoHeads: ['<|action_start|> <|plugin|>'],
        body: objectBody('name', 'parameters'),
        tail: '<|action_end|>',
      },
    ],
  }),
  'deepseek-r1': toolFormat({
    group: { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' },
    forms: [
      {
        head: '<｜tool▁call▁begin｜>function<｜tool▁sep｜>«name»\n```json\n',
        body: json,
        tail: '\n```<｜tool▁call▁end｜>',
        alsoTails: ['<｜tool▁call▁end｜>'],
        place: 'both',
      },
    ],
  }),
  'deepseek-v3.1': toolFormat({
    group: { open: '<｜tool▁calls▁begin｜>', close: '<｜tool▁calls▁end｜>' },
    forms: [
      {
        head: '<｜tool▁call▁begin｜>«name»<｜tool▁sep｜>',
        body: json,
        tail: '<｜tool▁call▁end｜>',
        place: 'both',
      },
    ],
    between: '',
  }),
  'kimi-k2': toolFormat({
    group: { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
    forms: [
      {
        head: '<|tool_call_begin|>functions.«name»:«index»<|tool_call_argument_begin|>',
        alsoHeads: ['<|tool_call_begin|>«id»<|tool_call_argument_begin|>«{»'],
        body: json,
        tail: '<|tool_call_end|>',
        place: 'both',
      },
    ],
    between: '',
  }),
  solar: toolFormat({
    group: { open: '<|tool_calls|>', close: '', alsoClose: ['<|calls|>'] },
    forms: [
      {
        head: '<|tool_call:begin|>«id»<|tool_call:name|>«name»<|tool_call:args|>',
        body: json,
        tail: '<|tool_call:end|>',
        place: 'both',
      },
    ],
    between: '',
    idPattern: '[a-z0-9]{10}',
    noise: ['<|begin|>assistant', '<|content|>', '<|end|>', '<|calls|>'],
    marked: { lead: '<|content|>', tail: '', pattern: null },
  }),
  'functionary-v3.1': toolFormat({
    forms: [{ head: '<function=«name»>', body: json, tail: '</function>' }],
    between: '',
  }),
  /** The prompt ends in `>>>`. */
  'functionary-v3.2': toolFormat({
    forms: [
      { head: '«name»«lf»', body: json, atStart: true },
      { head: '>>>«name»«lf»', body: json },
    ],
    between: '>>>',
    noise: ['>>>all«lf»'],
    noiseAtStart: ['all«lf»'],
    marked: { lead: 'all\n', tail: '', pattern: null },
  }),
  /** gpt-oss: each message has a channel and may have a recipient; a call ends the answer. */
  harmony: toolFormat({
    forms: [
      {
        head: 'to=functions.«name»<|channel|>commentary json<|message|>',
        alsoHeads: ['to=«?functions.»«name» <|channel|>«word» «?<|constrain|>»«?json»<|message|>'],
        body: json,
        alsoTails: ['<|call|>', '<|end|>'],
        atStart: true,
      },
      {
        head: '<|start|>assistant to=«?functions.»«name» <|channel|>«word» «?<|constrain|>»«?json»<|message|>',
        alsoHeads: [
          '«?<|start|>assistant»<|channel|>«word» to=«?functions.»«name» «?<|constrain|>»«?json»<|message|>',
        ],
        body: json,
        alsoTails: ['<|call|>', '<|end|>'],
      },
    ],
    several: false,
    callLead: ' ',
    noise: [
      '«?<|start|>assistant»<|channel|>final «?<|constrain|>»«?json»<|message|>',
      '«?<|start|>assistant»<|channel|>commentary «?<|constrain|>»«?json»<|message|>',
      '<|start|>assistant',
      '<|end|>',
      '<|return|>',
    ],
    marked: { lead: '<|channel|>final<|message|>', tail: '', pattern: null },
  }),
} as const;
