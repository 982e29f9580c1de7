/**
 * What a chat template can take, found by trying it: every answer is a few renders of tiny
 * conversations, made when it is first asked for and then kept. Whoever makes a prompt asks here and
 * shapes messages accordingly; nothing here sees a request.
 */

import { ParlanceError } from '../contract/errors.ts';
import type { ChatTemplate } from './chat-template.ts';
import { toSpecialVariables } from './special-variables.ts';
import type { ReasoningEffort, SpecialTokens } from './prompt-input.ts';

type Role = 'system' | 'user' | 'assistant' | 'tool';
type ProbeMessage = Readonly<Record<string, unknown>> & { readonly role: string };

/** How a template wants the content of a role: only as a string, as a list of parts, or as either. */
export type ContentShape = 'string' | 'parts' | 'either';

export interface TemplateProfile {
  readonly contentShape: (role: Role) => ContentShape;
  /** Whether arguments of calls in the history are given as the object that they are, or as its text. */
  readonly callArguments: () => 'object' | 'string';
  /** Whether IDs of calls must be of nine letters and digits. */
  readonly shortCallIds: () => boolean;
  /** Whether calls and their results in the history are shown, or refused, but not left out. */
  readonly showsCalls: () => boolean;
  /** Whether a system message is shown; templates without one raise, or leave it out. */
  readonly takesSystem: () => boolean;
  /** The variable under which the template takes tools, or null. */
  readonly toolsVariable: () => string | null;
  readonly takesDocuments: () => boolean;
  /** Whether the name of who speaks is shown. */
  readonly showsName: (role: Role) => boolean;
  /** The field of a message under which the template takes the thinking of earlier turns, or null. */
  readonly reasoningField: () => string | null;
  /** The variables that switch thinking on and off. */
  readonly thinkingSwitches: () => readonly string[];
  /** The values of `reasoning_effort` that the template takes as they are; none where it has no such variable. */
  readonly efforts: () => readonly ReasoningEffort[];
  readonly mentions: (identifier: string) => boolean;
}

const said = 'qprobe said';
const user: ProbeMessage = { role: 'user', content: 'Hello' };
const argumentsText = '{"probe_key": "probe value"}';

const probeTool = {
  type: 'function',
  function: {
    name: 'probe_tool',
    description: 'Looks up',
    parameters: {
      type: 'object',
      properties: { probe_key: { type: 'string', description: 'The key' } },
      required: ['probe_key'],
    },
  },
};

const callWith = (given: unknown, id: string): ProbeMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, type: 'function', function: { name: 'probe_tool', arguments: given } }],
});

const shortId = 'abcde1234';
const longId = 'call_0123456789abcdef';

const resultOf = (id: string, content: unknown = 'probe result'): ProbeMessage => ({
  role: 'tool',
  tool_call_id: id,
  name: 'probe_tool',
  content,
});

const allEfforts: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
];

type Try = (
  messages: readonly ProbeMessage[],
  more?: Readonly<Record<string, unknown>>,
) => string | null;

/** The template on a probe, or null where it raises. */
function tryOut(template: ChatTemplate, special: SpecialTokens): Try {
  return (messages, more = {}) => {
    try {
      return template.render({
        ...toSpecialVariables(special),
        messages,
        tools: null,
        documents: null,
        add_generation_prompt: messages.at(-1)?.role !== 'assistant',
        ...more,
      });
    } catch (error) {
      if (error instanceof ParlanceError) return null;
      throw error;
    }
  };
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | null = null;
  return () => (found ??= { value: find() }).value;
}

function onceEach<K, T>(find: (key: K) => T): (key: K) => T {
  const found = new Map<K, { readonly value: T }>();
  return (key) => {
    const known = found.get(key) ?? { value: find(key) };
    found.set(key, known);
    return known.value;
  };
}

export function createProfile(template: ChatTemplate, special: SpecialTokens): TemplateProfile {
  const render = tryOut(template, special);
  const callArguments = once(() => findCallArguments(render));
  const probeArguments = () =>
    callArguments() === 'object' ? (JSON.parse(argumentsText) as unknown) : argumentsText;
  const toolTurn = (id: string, content?: unknown) => [
    user,
    callWith(probeArguments(), id),
    resultOf(id, content),
  ];
  const conversation = (role: Role, content: unknown, more: object = {}): ProbeMessage[] => {
    if (role === 'tool') return toolTurn(shortId, content);
    const message = { role, content, ...more };
    if (role === 'system') return [message, user];
    return role === 'user' ? [message] : [user, message, user];
  };
  const showsInAnyTurn = (field: string): boolean => {
    const thought = { role: 'assistant', content: 'Well', [field]: said };
    const turns = [
      [user, thought, user],
      [user, { ...callWith(probeArguments(), shortId), [field]: said }, resultOf(shortId)],
    ];
    return turns.some((turn) => render(turn, { tools: [probeTool] })?.includes(said) === true);
  };
  return {
    callArguments,
    contentShape: onceEach((role) =>
      findContentShape((content) => render(conversation(role, content))),
    ),
    shortCallIds: once(
      () => render(toolTurn(longId)) === null && render(toolTurn(shortId)) !== null,
    ),
    showsCalls: once(() => {
      const text = render(toolTurn(shortId), { tools: [probeTool] }) ?? render(toolTurn(shortId));
      // A template that raises on calls has its own words for that; none are lost without notice.
      if (text === null) return true;
      return ['probe_tool', 'probe value', 'probe result'].every((word) => text.includes(word));
    }),
    takesSystem: once(() => render(conversation('system', said))?.includes(said) === true),
    toolsVariable: once(() => findToolsVariable(render, template)),
    takesDocuments: once(() => {
      const documents = [{ doc_id: '1', title: 'qprobe title', text: said }];
      const turns = [conversation('user', 'Hello'), conversation('system', 'Be brief')];
      return (
        template.mentions('documents') &&
        turns.some((turn) => render(turn, { documents })?.includes(said) === true)
      );
    }),
    showsName: onceEach((role) => {
      if (!template.mentions('name')) return false;
      // Results need no name: the call that they answer has it.
      if (role === 'tool') return true;
      return (
        render(conversation(role, said, { name: 'qprobename' }))?.includes('qprobename') === true
      );
    }),
    reasoningField: once(() => {
      if (template.mentions('reasoning_content')) return 'reasoning_content';
      return (
        ['reasoning', 'thinking'].find(
          (field) => template.mentions(field) && showsInAnyTurn(field),
        ) ?? null
      );
    }),
    thinkingSwitches: once(() =>
      ['enable_thinking', 'thinking'].filter(
        (name) =>
          template.mentions(name) &&
          render([user], { [name]: true }) !== render([user], { [name]: false }),
      ),
    ),
    efforts: once(() =>
      template.mentions('reasoning_effort')
        ? allEfforts.filter((effort) => render([user], { reasoning_effort: effort }) !== null)
        : [],
    ),
    mentions: (identifier) => template.mentions(identifier),
  };
}

/** Parts are right where one part renders as the string does, and of several none is lost. */
function findContentShape(render: (content: unknown) => string | null): ContentShape {
  const part = (text: string) => ({ type: 'text', text });
  const asString = render(said);
  const shown = asString?.includes(said) === true;
  const asPart = render([part(said)]);
  if (asPart === null || (shown && asPart !== asString)) return 'string';
  const two = render([part(said), part('qprobe again')]);
  const complete = two?.includes(said) === true && two.includes('qprobe again');
  if (!complete || /['"]qprobe/.test(two)) return 'string';
  return shown ? 'either' : 'parts';
}

/**
 * Some templates print arguments as JSON and want the object, some print the text as it is. An object
 * that comes out as Python writes it, or a text that is quoted once more, is the wrong choice.
 */
function findCallArguments(render: Try): 'object' | 'string' {
  const shown = (given: unknown): string | null => {
    const turn = [user, callWith(given, shortId), resultOf(shortId)];
    return render(turn) ?? render(turn, { tools: [probeTool] });
  };
  const isRight = (text: string | null): boolean =>
    text !== null &&
    text.includes('probe_key') &&
    text.includes('probe value') &&
    !/'probe_key'|\\"probe_key/.test(text);
  const asObject = shown(JSON.parse(argumentsText));
  if (isRight(asObject)) return 'object';
  const asString = shown(argumentsText);
  if (isRight(asString)) return 'string';
  return asObject !== null || asString === null ? 'object' : 'string';
}

/** `tools` in most templates; SmolLM3 has the same list under another name. */
function findToolsVariable(render: Try, template: ChatTemplate): string | null {
  const turns = [[user], [{ role: 'system', content: 'Be brief' }, user]];
  const candidates = ['tools', 'xml_tools'].filter((name) => template.mentions(name));
  return (
    candidates.find((name) =>
      turns.some((turn) => render(turn, { [name]: [probeTool] })?.includes('probe_tool') === true),
    ) ?? null
  );
}
