/**
 * Chat templates for model files that carry none: the family's well-known form, where the token that
 * ends a turn, or the architecture, tells the family beyond doubt. Data and one pure choice; the layouts
 * are those of the families' own documentation.
 */

/** What tells a family. */
export interface FamilyTraits {
  readonly architecture: string;
  /** Texts of the tokens that end a text or a turn. */
  readonly endTokens: readonly string[];
  /** Whether the vocabulary has a special token of this text; absent: only `endTokens` are known. */
  readonly hasToken?: (text: string) => boolean;
}

export interface KnownTemplate {
  readonly family: string;
  readonly source: string;
}

const alternating =
  "{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{%- endif %}";

const chatml =
  "{%- for message in messages %}{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}";

const llama3 =
  "{{- bos_token }}{%- for message in messages %}{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}";

const llama4 =
  "{{- bos_token }}{%- for message in messages %}{{- '<|header_start|>' + message['role'] + '<|header_end|>\\n\\n' + message['content'] | trim + '<|eot|>' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|header_start|>assistant<|header_end|>\\n\\n' }}{%- endif %}";

const gemma = `{{- bos_token }}{%- for message in messages %}{%- if message['role'] == 'system' %}{{- raise_exception('System role not supported') }}{%- endif %}${alternating}{{- '<start_of_turn>' + ('model' if message['role'] == 'assistant' else message['role']) + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}`;

const phi3 =
  "{%- for message in messages %}{{- '<|' + message['role'] + '|>\\n' + message['content'] + '<|end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}";

const mistral = `{{- bos_token }}{%- for message in messages %}{%- if message['role'] == 'system' %}{{- raise_exception('System role not supported') }}{%- endif %}${alternating}{%- if message['role'] == 'user' %}{{- '[INST] ' + message['content'] + '[/INST]' }}{%- else %}{{- ' ' + message['content'] + eos_token }}{%- endif %}{%- endfor %}`;

const commandR =
  "{{- bos_token }}{%- for message in messages %}{{- '<|START_OF_TURN_TOKEN|>' + {'system': '<|SYSTEM_TOKEN|>', 'user': '<|USER_TOKEN|>', 'assistant': '<|CHATBOT_TOKEN|>'}[message['role']] + message['content'] + '<|END_OF_TURN_TOKEN|>' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{%- endif %}";

const granite =
  "{%- for message in messages %}{{- '<|start_of_role|>' + message['role'] + '<|end_of_role|>' + message['content'] + '<|end_of_text|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}{%- endif %}";

interface Family {
  readonly family: string;
  readonly source: string;
  readonly is: (traits: FamilyTraits) => boolean;
}

const endsWith =
  (token: string, architecture = /./) =>
  (traits: FamilyTraits): boolean =>
    architecture.test(traits.architecture) &&
    (traits.endTokens.includes(token) || traits.hasToken?.(token) === true);

/**
 * `llama` alone names no family: dozens have that architecture, and what ends their turns tells them
 * apart. Llama 2 and Zephyr end theirs with the plain end of text, so nothing in a file tells those.
 */
const families: readonly Family[] = [
  { family: 'llama-3', source: llama3, is: endsWith('<|eot_id|>') },
  { family: 'llama-4', source: llama4, is: endsWith('<|eot|>', /^llama4$/) },
  { family: 'gemma', source: gemma, is: endsWith('<end_of_turn>', /^gemma(?:2|3|3n)?$/) },
  { family: 'phi-3', source: phi3, is: endsWith('<|end|>', /^phi3$/) },
  {
    family: 'command-r',
    source: commandR,
    is: endsWith('<|END_OF_TURN_TOKEN|>', /^(?:command-r|cohere2)$/),
  },
  { family: 'granite', source: granite, is: endsWith('<|end_of_text|>', /^granite/) },
  {
    family: 'mistral',
    source: mistral,
    is: ({ hasToken }) => hasToken?.('[INST]') === true && hasToken('[/INST]'),
  },
  { family: 'chatml', source: chatml, is: endsWith('<|im_end|>') },
];

/** The template of the family that these traits tell, or null where they tell none. */
export function findKnownTemplate(traits: FamilyTraits): KnownTemplate | null {
  const found = families.find(({ is }) => is(traits));
  return found === undefined ? null : { family: found.family, source: found.source };
}
