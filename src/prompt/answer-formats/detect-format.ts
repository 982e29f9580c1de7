/**
 * Which family of tool-call formats and of thinking marks a chat template belongs to, told from its text:
 * the tags that it writes are in it, whatever the model is called. Pure.
 */

import type { FormatName } from './formats.ts';
import type { ReasoningName } from './reasoning.ts';

interface Sign<Name> {
  readonly name: Name;
  /** All of these are found in the template. */
  readonly all: readonly RegExp[];
  /** None of these is. */
  readonly none?: readonly RegExp[];
}

/** Special cases before general ones: the first whose signs are there is it. */
const toolSigns: readonly Sign<FormatName>[] = [
  { name: 'kimi-k3', all: [/<\|open\|>/, /<\|close\|>/, /argument/] },
  { name: 'harmony', all: [/<\|channel\|>/, /commentary/, /functions\./] },
  { name: 'muse', all: [/<atem:invoke/] },
  {
    name: 'deepseek-v4',
    all: [/｜DSML｜|dsml_token/, /tool_calls>|tool_calls_block|dsml_token \+ ['"]tool_calls/],
    none: [/function_calls/],
  },
  { name: 'deepseek-v3.2', all: [/｜DSML｜/] },
  { name: 'deepseek-r1', all: [/<｜tool▁calls?▁begin｜>/, /```json/] },
  { name: 'deepseek-v3.1', all: [/<｜tool▁calls?▁begin｜>/] },
  { name: 'kimi-k2', all: [/<\|tool_call_argument_begin\|>/] },
  { name: 'step3', all: [/steptml:invoke/] },
  { name: 'solar', all: [/<\|tool_call:begin\|>/] },
  { name: 'mistral-id', all: [/\[TOOL_CALLS\]/, /\[CALL_ID\]/] },
  { name: 'mistral', all: [/\[TOOL_CALLS\]/, /\[ARGS\]/] },
  { name: 'mistral-array', all: [/\[TOOL_CALLS\]/] },
  { name: 'minimax-m3', all: [/\]<\]minimax\[>\[/] },
  { name: 'minimax-m2', all: [/minimax:tool_call/] },
  { name: 'hunyuan', all: [/arg_key/, /<tool_sep|tool_sep\{|:opensource/] },
  { name: 'glm', all: [/<arg_key>/] },
  { name: 'seed-oss', all: [/seed:tool_call/] },
  { name: 'qwen3-coder', all: [/<function=/, /<parameter=/] },
  { name: 'functionary-v3.1', all: [/<function=/] },
  { name: 'minicpm', all: [/<function name=/, /<param name=/] },
  { name: 'invoke', all: [/<invoke name=/, /<parameter name=/] },
  { name: 'functionary-v3.2', all: [/>>>/, /recipient|>>>all|'all'/] },
  { name: 'gemma-4', all: [/<\|tool_call>call:/] },
  { name: 'function-gemma', all: [/<start_function_call>/] },
  { name: 'tool-code', all: [/tool_code/] },
  { name: 'lfm2', all: [/<\|tool_call_start\|>|<\|tool_list_start\|>|List of tools: \[/] },
  { name: 'apertus', all: [/<\|tools_prefix\|>/] },
  { name: 'command', all: [/<\|START_ACTION\|>/] },
  { name: 'command-action', all: [/Action:(?:\s|\\n)*```json/] },
  { name: 'phi4', all: [/<\|tool_call\|>/, /<\|\/tool_call\|>/] },
  { name: 'granite-3', all: [/<\|tool_call\|>/] },
  { name: 'nemotron', all: [/<TOOLCALL>/] },
  { name: 'functools', all: [/functools\[/] },
  { name: 'gigachat', all: [/<\|function_call\|>/] },
  { name: 'gigachat-role', all: [/function call/, /<\|role_sep\|>/] },
  { name: 'olmo', all: [/<function_calls>/], none: [/<invoke/] },
  { name: 'internlm', all: [/<\|action_start\|>/, /<\|plugin\|>/] },
  { name: 'tool-calls-array', all: [/<tool_calls>\s*(?:\[|\\n\[)/] },
  { name: 'hermes', all: [/<tool_call>/] },
  { name: 'minimax-m1', all: [/<tool_calls>/] },
  { name: 'function-call', all: [/<function_call>/, /<\/function_call>/] },
  { name: 'pythonic', all: [/func_name\d?\(params_name|\[func(?:tion)?_name\w*\(/] },
  { name: 'llama3', all: [/<\|python_tag\|>|['"]\{\\?"name\\?": \\?"/, /parameters/, /tools/] },
];

const reasoningSigns: readonly Sign<ReasoningName>[] = [
  { name: 'kimi-k3', all: [/<\|open\|>/, /<\|close\|>/, /think/] },
  { name: 'harmony', all: [/<\|channel\|>/, /analysis/] },
  { name: 'muse', all: [/to=self<\|message\|>/] },
  { name: 'solar', all: [/<\|think\|>/, /<\|content\|>/] },
  { name: 'gemma-4', all: [/<\|channel>/, /<channel\|>/] },
  { name: 'command', all: [/<\|START_THINKING\|>/] },
  { name: 'mistral', all: [/\[THINK\]/] },
  { name: 'seed', all: [/seed:think/] },
  { name: 'minimax', all: [/mm:think>/] },
  { name: 'hunyuan', all: [/think(?:\{\}|:opensource)>/, /:opensource/] },
  { name: 'apriel', all: [/\[BEGIN FINAL RESPONSE\]/] },
  { name: 'apertus', all: [/<\|inner_prefix\|>/] },
  { name: 'granite', all: [/Here is my thought process/i] },
  { name: 'think-response', all: [/<think>/, /<response>/, /<\/response>/, /between <response>/] },
  { name: 'think', all: [/<\/?think>/] },
  { name: 'thinking', all: [/<thinking>/, /<\/thinking>/] },
];

/** `tools` is null where the template takes no tools, `reasoning` where it knows no thinking. */
export function detectFormat(templateSource: string): {
  readonly tools: FormatName | null;
  readonly reasoning: ReasoningName | null;
} {
  const source = withoutComments(templateSource);
  return { tools: found(toolSigns, source), reasoning: found(reasoningSigns, source) };
}

/** Comments say what others do, too. Templates come with requests: no text may take long. */
function withoutComments(source: string): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const open = source.indexOf('{#', from);
    const close = open < 0 ? -1 : source.indexOf('#}', open + 2);
    if (close < 0) return parts.join('') + source.slice(from);
    parts.push(source.slice(from, open));
    from = close + 2;
  }
}

function found<Name>(signs: readonly Sign<Name>[], source: string): Name | null {
  const sign = signs.find(
    ({ all, none = [] }) =>
      all.every((one) => one.test(source)) && !none.some((one) => one.test(source)),
  );
  return sign?.name ?? null;
}
