/** Families that write each argument as an element of its own, and those that write calls as code. */

import { parameterBody, toolFormat } from '../tool-format.ts';

const qwenParameters = parameterBody({
  open: '<parameter=«key»>\n',
  close: '</parameter>',
  lines: true,
});

const glmParameters = parameterBody({
  open: '<arg_key>«key»</arg_key>«nl»<arg_value>',
  close: '</arg_value>',
  between: '«nl»',
});

/** Elements `invoke` and `parameter` with their names as attributes, below some prefix. */
const invocations = (prefix: string, group: string, types: 'is-string' | null = null) =>
  toolFormat({
    group: { open: `<${group}>\n`, close: `</${group}>` },
    forms: [
      {
        head: `<${prefix}invoke name="«name»">\n`,
        body: parameterBody({
          open: `<${prefix}parameter name="«key»"${types === null ? '' : ' string="«type»"'}>`,
          close: `</${prefix}parameter>`,
          types,
        }),
        tail: `\n</${prefix}invoke>\n`,
        place: 'both',
      },
    ],
    between: '',
  });

const minimax = ']<]minimax[>[';

const museParameters = parameterBody({
  open: '<atem:parameter name="«key»">',
  close: '</atem:parameter>',
});

export const elementFormats = {
  /** Also Nemotron 3, StepFun, Qwen 3.5. */
  'qwen3-coder': toolFormat({
    forms: [
      {
        head: '<tool_call>\n<function=«name»>\n',
        alsoHeads: ['<function=«name»>\n'],
        body: qwenParameters,
        tail: '\n</function>\n</tool_call>',
        alsoTails: ['</function>', '</tool_call>'],
      },
    ],
  }),
  'seed-oss': toolFormat({
    forms: [
      {
        head: '<seed:tool_call>\n<function=«name»>\n',
        body: parameterBody({ open: '<parameter=«key»>', close: '</parameter>' }),
        tail: '\n</function>\n</seed:tool_call>',
        alsoTails: ['</function>', '</seed:tool_call>'],
      },
    ],
  }),
  /** GLM 4.5 to 4.7, Laguna, Spark, Ling 3. */
  glm: toolFormat({
    forms: [
      {
        head: '<tool_call>«name»«nl»',
        body: glmParameters,
        tail: '«nl»</tool_call>«nl»',
      },
    ],
    between: '',
  }),
  /** Hunyuan 3. */
  hunyuan: toolFormat({
    group: { open: '<tool_calls:opensource>\n', close: '</tool_calls:opensource>' },
    forms: [
      {
        head: '<tool_call:opensource>«name»<tool_sep:opensource>\n',
        body: parameterBody({
          open: '<arg_key:opensource>«key»</arg_key:opensource>\n<arg_value:opensource>',
          close: '</arg_value:opensource>',
        }),
        tail: '\n</tool_call:opensource>\n',
        place: 'both',
      },
    ],
    between: '',
  }),
  'minimax-m2': invocations('', 'minimax:tool_call'),
  'deepseek-v3.2': invocations('｜DSML｜', '｜DSML｜function_calls', 'is-string'),
  'deepseek-v4': invocations('｜DSML｜', '｜DSML｜tool_calls', 'is-string'),
  invoke: invocations('', 'function_calls'),
  step3: toolFormat({
    group: { open: '<｜tool_calls_begin｜>\n', close: '<｜tool_calls_end｜>' },
    forms: [
      {
        head: '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="«name»">\n',
        body: parameterBody({
          open: '<steptml:parameter name="«key»">',
          close: '</steptml:parameter>',
        }),
        tail: '\n</steptml:invoke><｜tool_call_end｜>\n',
        place: 'both',
      },
    ],
    between: '',
  }),
  'minimax-m3': toolFormat({
    group: { open: `${minimax}<tool_call>\n`, close: `${minimax}</tool_call>` },
    forms: [
      {
        head: `${minimax}<invoke name="«name»">`,
        body: parameterBody({
          open: `${minimax}<«key»>`,
          close: `${minimax}</«key»>`,
          nested: minimax,
          between: '',
        }),
        tail: `${minimax}</invoke>\n`,
        place: 'both',
      },
    ],
    between: '',
  }),
  /** Muse: each message has a recipient. */
  muse: toolFormat({
    forms: [
      {
        head: 'to=«name»<|message|><atem:function_calls>\n<atem:invoke name="«name»">\n',
        body: museParameters,
        tail: '\n</atem:invoke>\n</atem:function_calls>',
        alsoTails: ['</atem:invoke>'],
        atStart: true,
      },
      {
        head: '<atem:invoke name="«name»">\n',
        alsoHeads: [
          '<atem:function_calls>\n<atem:invoke name="«name»">\n',
          '<|start|>assistant to=«name»<|message|><atem:function_calls>\n<atem:invoke name="«name»">\n',
        ],
        body: museParameters,
        tail: '\n</atem:invoke>\n</atem:function_calls>',
        alsoTails: ['</atem:invoke>'],
      },
    ],
    between: '<|eom|><|start|>assistant ',
    callLead: ' ',
    noise: ['<|start|>assistant to=user<|message|>', '<|start|>assistant', '<|eom|>', '<|eot|>'],
    noiseAtStart: ['to=user<|message|>', '<|message|>'],
    marked: { lead: ' to=user<|message|>', tail: '', pattern: null },
  }),
  'kimi-k3': toolFormat({
    group: { open: '<|open|>tools<|sep|>', close: '<|close|>tools<|sep|>' },
    forms: [
      {
        head: '<|open|>call tool="«name»" index="«index»"<|sep|>',
        body: parameterBody({
          open: '<|open|>argument key="«key»" type="«type»"<|sep|>',
          close: '<|close|>argument<|sep|>',
          types: 'json-type',
          between: '',
        }),
        tail: '<|close|>call<|sep|>',
      },
      {
        head: '<|open|>call tool="«name»" index="«index»"<|sep|><|open|>json type="object"<|sep|>',
        body: { kind: 'json' },
        tail: '<|close|>json<|sep|><|close|>call<|sep|>',
      },
    ],
    between: '',
    callLead: '<|open|>response<|sep|><|close|>response<|sep|>',
    noise: [
      '<|open|>response<|sep|>',
      '<|close|>response<|sep|>',
      '<|close|>message<|sep|>',
      '<|end_of_msg|>',
    ],
    marked: {
      lead: '<|open|>response<|sep|>',
      tail: '<|close|>response<|sep|>',
      pattern: null,
    },
  }),
  minicpm: toolFormat({
    forms: [
      {
        head: '<function name="«name»">',
        body: parameterBody({
          open: '<param name="«key»">',
          close: '</param>',
          cdata: true,
          between: '',
        }),
        tail: '</function>',
      },
    ],
  }),
  lfm2: toolFormat({
    group: { open: '<|tool_call_start|>[', close: ']<|tool_call_end|>' },
    forms: [{ head: '«name»(', body: { kind: 'python' } }],
    between: ', ',
  }),
  /** Llama 4 and others: the list of calls is the whole answer. */
  pythonic: toolFormat({
    group: { open: '[', close: ']', atStart: true },
    forms: [{ head: '«name»(', body: { kind: 'python' } }],
    between: ', ',
    marked: { lead: '', tail: '', pattern: '\\s*([^\\s\\[][\\s\\S]*)?' },
  }),
  /** OLMo 3: a line for each call. */
  olmo: toolFormat({
    group: { open: '<function_calls>\n', close: '\n</function_calls>' },
    forms: [{ head: '«name»(', body: { kind: 'python' } }],
  }),
  /** Gemma 3, as its guide asks for it. */
  'tool-code': toolFormat({
    forms: [
      {
        head: '```tool_code\n«name»(',
        alsoHeads: ['```tool_code\nprint(«name»('],
        body: { kind: 'python' },
        tail: '\n```',
        alsoTails: [')\n```'],
      },
    ],
  }),
  'gemma-4': toolFormat({
    forms: [
      {
        head: '<|tool_call>call:«name»',
        alsoHeads: [],
        body: { kind: 'bare-keys', quote: '<|"|>' },
        tail: '<tool_call|>',
        alsoTails: ['}<tool_call|>'],
      },
    ],
    between: '',
    noise: ['<|tool_response>'],
  }),
  'function-gemma': toolFormat({
    forms: [
      {
        head: '<start_function_call>call:«name»',
        body: { kind: 'bare-keys', quote: '<escape>' },
        tail: '<end_function_call>',
      },
    ],
    between: '',
  }),
} as const;
