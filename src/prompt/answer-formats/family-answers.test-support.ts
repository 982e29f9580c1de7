/**
 * One answer for each family, as its template renders it: a call with strings that look like tags, numbers,
 * null and nested values, and a second call. What differs between families is said beside the text.
 */

import type { FormatName } from './formats.ts';

export interface FamilyAnswer {
  readonly text: string;
  /** What the calls of the text are; `days: null` is left out where the family cannot say it. */
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly content?: string;
}

const first = {
  city: 'Zürich "</tool_call>" 你好 🌦',
  days: 2,
  where: { lat: -4.5e1, name: "it's {here}" },
  tags: ['a]', '<tool_call>'],
};
const second = { a: 3, b: -4.5, exact: true };

const both = [
  { name: 'get_weather', arguments: first },
  { name: 'add', arguments: second },
];

const json1 = JSON.stringify(first);
const json2 = JSON.stringify(second);
const object1 = `{"name": "get_weather", "arguments": ${json1}}`;
const object2 = `{"name": "add", "arguments": ${json2}}`;
const where = JSON.stringify(first.where);
const tags = JSON.stringify(first.tags);

/** Strings of these families end at their own tag, which cannot be in them. */
const plainCity = { ...first, city: 'Zürich & 你好 🌦\nline' };
const plainBoth = [
  { name: 'get_weather', arguments: plainCity },
  { name: 'add', arguments: second },
];

const qwen = (open: string, close: string): string => `${open}
<function=get_weather>
<parameter=city>
${plainCity.city}
</parameter>
<parameter=days>
2
</parameter>
<parameter=where>
${where}
</parameter>
<parameter=tags>
${tags}
</parameter>
</function>
${close}
${open}
<function=add>
<parameter=a>
3
</parameter>
<parameter=b>
-4.5
</parameter>
<parameter=exact>
True
</parameter>
</function>
${close}`;

const glm = (line: string): string =>
  `<tool_call>get_weather${line}<arg_key>city</arg_key>${line}<arg_value>${plainCity.city}</arg_value>${line}` +
  `<arg_key>days</arg_key>${line}<arg_value>2</arg_value>${line}<arg_key>where</arg_key>${line}<arg_value>${where}</arg_value>${line}` +
  `<arg_key>tags</arg_key>${line}<arg_value>${tags}</arg_value>${line}</tool_call>${line}` +
  `<tool_call>add${line}<arg_key>a</arg_key>${line}<arg_value>3</arg_value>${line}<arg_key>b</arg_key>${line}` +
  `<arg_value>-4.5</arg_value>${line}<arg_key>exact</arg_key>${line}<arg_value>true</arg_value>${line}</tool_call>`;

interface Invocation {
  readonly group: string;
  readonly prefix: string;
  readonly typed: boolean;
}

function invoke({ group, prefix, typed }: Invocation): string {
  const parameter = (key: string, value: string, isString: boolean): string =>
    `<${prefix}parameter name="${key}"${typed ? ` string="${isString}"` : ''}>${value}</${prefix}parameter>\n`;
  return (
    `<${group}>\n<${prefix}invoke name="get_weather">\n` +
    parameter('city', plainCity.city, true) +
    parameter('days', '2', false) +
    parameter('where', where, false) +
    parameter('tags', tags, false) +
    `</${prefix}invoke>\n<${prefix}invoke name="add">\n` +
    parameter('a', '3', false) +
    parameter('b', '-4.5', false) +
    parameter('exact', 'true', false) +
    `</${prefix}invoke>\n</${group}>`
  );
}

const minimax3 = (source: string): string => source.replaceAll('§', ']<]minimax[>[');

const kimi3 = (key: string, type: string, value: string): string =>
  `<|open|>argument key="${key}" type="${type}"<|sep|>${value}<|close|>argument<|sep|>`;

const atem = (name: string, values: readonly (readonly [string, string])[]): string =>
  `<atem:function_calls>\n<atem:invoke name="${name}">\n${values
    .map(([key, value]) => `<atem:parameter name="${key}">${value}</atem:parameter>\n`)
    .join('')}</atem:invoke>\n</atem:function_calls>`;

const weatherValues = [
  ['city', plainCity.city],
  ['days', '2'],
  ['where', where],
  ['tags', tags],
] as const;
const addValues = [
  ['a', '3'],
  ['b', '-4.5'],
  ['exact', 'true'],
] as const;

const python1 = `get_weather(city='Zürich & 你好 🌦\\nline', days=2, where={"lat": -45, 'name': "it's {here}"}, tags=['a]', '<tool_call>'])`;
const python2 = 'add(a=3, b=-4.5, exact=True)';

export const familyAnswers: Readonly<Record<FormatName, FamilyAnswer>> = {
  hermes: {
    text: `<tool_call>\n${object1}\n</tool_call>\n<tool_call>\n${object2}\n</tool_call>`,
    calls: both,
  },
  llama3: {
    text: `{"name": "get_weather", "parameters": ${json1}}; {"type": "function", "name": "add", "parameters": ${json2}}`,
    calls: both,
  },
  'mistral-array': { text: `[TOOL_CALLS][${object1}, ${object2}]`, calls: both },
  mistral: {
    text: `[TOOL_CALLS]get_weather[ARGS]${json1}[TOOL_CALLS]add[ARGS]${json2}`,
    calls: both,
  },
  'mistral-id': {
    text: `[TOOL_CALLS]get_weather[CALL_ID]abcdefghi[ARGS]${json1}[TOOL_CALLS]add[CALL_ID]ABCDEFGH9[ARGS]${json2}`,
    calls: both,
  },
  phi4: {
    text: `<|tool_call|>${object1}<|/tool_call|><|tool_call|>${object2}<|/tool_call|>`,
    calls: both,
  },
  'granite-3': { text: `<|tool_call|>[${object1}, ${object2}]`, calls: both },
  'tool-calls-array': {
    text: `\n<tool_calls>[${object1}, ${object2}]</tool_calls>`,
    calls: both,
  },
  nemotron: { text: `<TOOLCALL>[${object1}, ${object2}]</TOOLCALL>`, calls: both },
  functools: { text: ` functools[${object1}, ${object2}]`, calls: both },
  gigachat: { text: `<|function_call|>${object1}`, calls: both.slice(0, 1) },
  'gigachat-role': {
    text: `Look.<|message_sep|>\n\nfunction call<|role_sep|>\n${object1}<|message_sep|>\n\n`,
    calls: both.slice(0, 1),
    content: 'Look.',
  },
  'minimax-m1': { text: `<tool_calls>\n${object1}\n${object2}\n</tool_calls>`, calls: both },
  'function-call': {
    text: `<function_call>${object1}</function_call>\n<function_call> ${object2} </function_call>`,
    calls: both,
  },
  'json-array': { text: `[${object1}, ${object2}]`, calls: both },
  apertus: {
    text: `<|tools_prefix|>[{"get_weather": ${json1}}, {"add": ${json2}}]<|tools_suffix|>`,
    calls: both,
  },
  command: {
    text: `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": ${json1}},\n    {"tool_call_id": "1", "tool_name": "add", "parameters": ${json2}}\n]<|END_ACTION|>`,
    calls: both,
  },
  'command-action': {
    text: `Action: \`\`\`json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": ${json1}\n    },\n    {\n        "tool_name": "add",\n        "parameters": ${json2}\n    }\n]\`\`\``,
    calls: both,
  },
  internlm: {
    text: `<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": ${json1}}<|action_end|>`,
    calls: both.slice(0, 1),
  },
  'deepseek-r1': {
    text: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${json1}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n\`\`\`json\n${json2}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    calls: both,
  },
  'deepseek-v3.1': {
    text: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${json1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>${json2}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    calls: both,
  },
  'kimi-k2': {
    text: `<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${json1}<|tool_call_end|><|tool_call_begin|>functions.add:1<|tool_call_argument_begin|>${json2}<|tool_call_end|><|tool_calls_section_end|>`,
    calls: both,
  },
  solar: {
    text: `<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>get_weather<|tool_call:args|>${json1}<|tool_call:end|><|tool_call:begin|>a1b2c3d4e6<|tool_call:name|>add<|tool_call:args|>${json2}<|tool_call:end|><|calls|>`,
    calls: both,
  },
  'functionary-v3.1': {
    text: `<function=get_weather>${json1}</function><function=add>${json2}</function>`,
    calls: both,
  },
  'functionary-v3.2': {
    text: `all\nLook.>>>get_weather\n${json1}>>>add\n${json2}`,
    calls: both,
    content: 'Look.',
  },
  harmony: {
    text: `<|channel|>commentary<|message|>Look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${json1}<|call|>`,
    calls: both.slice(0, 1),
    content: 'Look.',
  },
  'qwen3-coder': { text: qwen('<tool_call>', '</tool_call>'), calls: plainBoth },
  'seed-oss': {
    text: qwen('<seed:tool_call>', '</seed:tool_call>').replaceAll(
      />\n(?=[^<]|\{|\[)|\n(?=<\/parameter>)/g,
      (found) => (found.startsWith('>') ? '>' : ''),
    ),
    calls: plainBoth,
  },
  glm: { text: glm('\n'), calls: plainBoth },
  hunyuan: {
    text: `<tool_calls:opensource>\n${glm('\n')
      .replaceAll(/<(\/?\w+)>/g, (tag, name: string) =>
        name === 'tool_call' && tag === '' ? tag : `<${name}:opensource>`,
      )
      .replaceAll(/(<tool_call:opensource>\w+)/g, '$1<tool_sep:opensource>')
      .replace('"<tool_call:opensource>"', '"<tool_call>"')}\n</tool_calls:opensource>`,
    calls: plainBoth,
  },
  'minimax-m2': {
    text: `\n${invoke({ group: 'minimax:tool_call', prefix: '', typed: false })}`,
    calls: plainBoth,
  },
  'deepseek-v3.2': {
    text: invoke({ group: '｜DSML｜function_calls', prefix: '｜DSML｜', typed: true }),
    calls: plainBoth,
  },
  'deepseek-v4': {
    text: invoke({ group: '｜DSML｜tool_calls', prefix: '｜DSML｜', typed: true }),
    calls: plainBoth,
  },
  invoke: { text: invoke({ group: 'function_calls', prefix: '', typed: false }), calls: plainBoth },
  'minimax-m3': {
    text: minimax3(
      `§<tool_call>\n§<invoke name="get_weather">§<city>${plainCity.city}§</city>§<days>2§</days>§<where>§<lat>-45§</lat>§<name>it's {here}§</name>§</where>§<tags>§<item>a]§</item>§<item><tool_call>§</item>§</tags>§</invoke>\n§<invoke name="add">§<a>3§</a>§<b>-4.5§</b>§<exact>true§</exact>§</invoke>\n§</tool_call>`,
    ),
    calls: plainBoth,
  },
  muse: {
    text: ` to=get_weather<|message|>${atem('get_weather', weatherValues)}<|eom|><|start|>assistant to=add<|message|>${atem('add', addValues)}<|eot|>`,
    calls: plainBoth,
  },
  'kimi-k3': {
    text: `<|open|>response<|sep|>Look.<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>${kimi3('city', 'string', plainCity.city)}${kimi3('days', 'number', '2')}${kimi3('where', 'object', where)}${kimi3('tags', 'array', tags)}<|close|>call<|sep|><|open|>call tool="add" index="2"<|sep|><|open|>json type="object"<|sep|>${json2}<|close|>json<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|><|end_of_msg|>`,
    calls: plainBoth,
    content: 'Look.',
  },
  minicpm: {
    text: `<function name="get_weather"><param name="city"><![CDATA[${plainCity.city}]]></param><param name="days">2</param><param name="where">${where}</param><param name="tags">['a]', '<tool_call>']</param></function>\n<function name="add"><param name="a">3</param><param name="b">-4.5</param><param name="exact">True</param></function>`,
    calls: plainBoth,
  },
  lfm2: { text: `<|tool_call_start|>[${python1}, ${python2}]<|tool_call_end|>`, calls: plainBoth },
  pythonic: { text: `[${python1}, ${python2}]`, calls: plainBoth },
  olmo: { text: `<function_calls>\n${python1}\n${python2}\n</function_calls>`, calls: plainBoth },
  step3: {
    text: `<｜tool_calls_begin｜>\n${invoke({ group: '', prefix: 'steptml:', typed: false })
      .slice(3, -4)
      .replaceAll('<steptml:invoke', '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke')
      .replaceAll(
        '</steptml:invoke>',
        '</steptml:invoke><｜tool_call_end｜>',
      )}\n<｜tool_calls_end｜>`,
    calls: plainBoth,
  },
  'tool-code': { text: `\`\`\`tool_code\nprint(${python1})\n\`\`\``, calls: plainBoth.slice(0, 1) },
  'gemma-4': {
    text: `<|tool_call>call:get_weather{city:<|"|>${first.city}<|"|>,days:2,where:{lat:-45,name:<|"|>it's {here}<|"|>},tags:[<|"|>a]<|"|>,<|"|><tool_call><|"|>]}<tool_call|><|tool_call>call:add{a:3,b:-4.5,exact:true}<tool_call|>`,
    calls: both,
  },
  'function-gemma': {
    text: `<start_function_call>call:get_weather{city:<escape>${first.city}<escape>,days:2,where:{lat:-45,name:<escape>it's {here}<escape>},tags:[<escape>a]<escape>,<escape><tool_call><escape>]}<end_function_call><start_function_call>call:add{a:3,b:-4.5,exact:true}<end_function_call>`,
    calls: both,
  },
};
