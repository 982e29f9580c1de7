/** Chat templates in the manner of three families, as short as they can be. For tiny models. */

/** Thinks first, unless it is switched off; calls in Hermes form. */
const thinking = `{%- if tools %}{{ '<|im_start|>system\\nFunctions:\\n<tools>' }}{% for tool in tools %}{{ '\\n' + tool | tojson }}{% endfor %}{{ '\\n</tools>\\nFor each call: <tool_call>\\n{"name": <function-name>, "arguments": <args-json-object>}\\n</tool_call><|im_end|>\\n' }}{% endif %}
{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}
{%- if message.reasoning_content %}{{ '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}{% endif %}
{{- message.content if message.content else '' }}
{%- for call in message.tool_calls %}{{ '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + call.function.arguments | tojson + '}\\n</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% if enable_thinking is defined and not enable_thinking %}{{ '\\n</think>\\n\\n' }}{% endif %}{% endif %}`;

/** One JSON object without tags. */
const llama = `{{- bos_token }}{% if tools %}{{ '<|start_header_id|>system<|end_header_id|>\\n\\nEnvironment: ipython\\nRespond in the format {"name": function name, "parameters": dictionary of argument name and its value}.\\n' }}{% for tool in tools %}{{ tool | tojson + '\\n' }}{% endfor %}{{ '<|eot_id|>' }}{% endif %}
{%- for message in messages %}{% if message.tool_calls %}
{%- if message.tool_calls | length != 1 %}{{ raise_exception('This model only supports single tool-calls at once!') }}{% endif %}
{%- set call = message.tool_calls[0].function %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{{ '{"name": "' + call.name + '", "parameters": ' + call.arguments | tojson + '}<|eot_id|>' }}
{%- elif message.role == 'tool' %}{{ '<|start_header_id|>ipython<|end_header_id|>\\n\\n' + message.content | tojson + '<|eot_id|>' }}
{%- else %}{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content + '<|eot_id|>' }}{% endif %}{% endfor %}
{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}`;

/** A list of calls behind one token, with IDs of nine characters. */
const mistral = `{{- bos_token }}{% for message in messages %}{% if message.role == 'user' %}
{%- if tools and loop.last %}{{ '[AVAILABLE_TOOLS]' + tools | tojson + '[/AVAILABLE_TOOLS]' }}{% endif %}{{ '[INST]' + message.content + '[/INST]' }}
{%- elif message.tool_calls %}{{ '[TOOL_CALLS][' }}{% for call in message.tool_calls %}
{%- if call.id | length != 9 %}{{ raise_exception('Tool call IDs should be alphanumeric strings with length 9!') }}{% endif %}
{{- '{"name": "' + call.function.name + '", "arguments": ' + call.function.arguments | tojson + ', "id": "' + call.id + '"}' }}{{ ', ' if not loop.last }}{% endfor %}{{ ']' + eos_token }}
{%- elif message.role == 'tool' %}{{ '[TOOL_RESULTS]{"content": ' + message.content | tojson + ', "call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
{%- else %}{{ message.content + eos_token }}{% endif %}{% endfor %}`;

export const smallTemplates = { thinking, llama, mistral };

/** Special tokens of the three; in a tiny model they have IDs from 315 on, in this order. */
export const specials = [
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|eot_id|>',
  '<|python_tag|>',
  '[AVAILABLE_TOOLS]',
  '[/AVAILABLE_TOOLS]',
  '[INST]',
  '[/INST]',
  '[TOOL_CALLS]',
  '[TOOL_RESULTS]',
  '[/TOOL_RESULTS]',
];

const firstSpecial = 315;

/** A bias that ends thinking after some ten tokens, whatever a tiny model thinks of. */
export const endsThinking = { [firstSpecial + specials.indexOf('</think>')]: 7 };
