/**
 * What a chat template can take, found by trying it: every answer is a few renders of tiny
 * conversations, made when it is first asked for and then kept. Whoever makes a prompt asks here and
 * shapes messages accordingly; nothing here sees a request.
 */

import type { ChatTemplate } from './chat-template.ts';
import type { ReasoningEffort, SpecialTokens } from './prompt-input.ts';
import {
  createProber,
  once,
  probeTool,
  said,
  user,
  type Prober,
  type Role,
} from './template-prober.ts';

/** How a template wants the content of a role: only as a string, as a list of parts, or as either. */
export type ContentShape = 'string' | 'parts' | 'either';

export interface TemplateProfile {
  readonly contentShape: (role: Role) => ContentShape;
  /** Whether arguments of calls in the history are given as the object that they are, or as its text. */
  readonly callArguments: () => 'object' | 'string';
  /** What stands for the content of a message that only calls: some templates look for none. */
  readonly emptyContent: () => '' | null;
  /** What stands for tools and documents that were not sent: none, but for templates that raise on it. */
  readonly absent: () => Readonly<Record<string, null>>;
  /** Whether IDs of calls must be of nine letters and digits. */
  readonly shortCallIds: () => boolean;
  /** Whether calls and their results in the history are shown. */
  readonly showsCalls: () => boolean;
  /** Whether several calls of one message are. */
  readonly showsParallelCalls: () => boolean;
  /** Whether two messages of the user in a row are refused. */
  readonly alternates: () => boolean;
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
  /** The values of `reasoning_effort` that the template takes; none where it has no such variable. */
  readonly efforts: () => readonly ReasoningEffort[];
}

export function createProfile(template: ChatTemplate, special: SpecialTokens): TemplateProfile {
  const prober = createProber(template, special);
  const { render, conversation, showsTurn } = prober;
  const emptyContent = once(() => (!showsTurn('') && showsTurn(null) ? null : ''));
  return {
    callArguments: prober.callArguments,
    absent: prober.absent,
    shortCallIds: prober.shortCallIds,
    contentShape: onceEach((role) =>
      findContentShape((content) => render(conversation(role, content))),
    ),
    emptyContent,
    // A template that raises on everything says why itself.
    showsCalls: once(() => showsTurn('') || showsTurn(null) || render([user]) === null),
    showsParallelCalls: once(() => prober.showsParallel(emptyContent())),
    alternates: once(() => render([user, user]) === null && render([user]) !== null),
    takesSystem: once(() => render(conversation('system', said))?.includes(said) === true),
    toolsVariable: once(() => findToolsVariable(prober)),
    takesDocuments: once(() => showsDocuments(prober)),
    showsName: onceEach((role) => {
      if (!prober.mentions('name')) return false;
      // Results need no name: the call that they answer has it.
      if (role === 'tool') return true;
      const text = render(conversation(role, said, { name: 'qprobename' }));
      return text?.includes('qprobename') === true;
    }),
    reasoningField: once(() => findReasoningField(prober)),
    thinkingSwitches: once(() =>
      ['enable_thinking', 'thinking'].filter(
        (name) =>
          prober.mentions(name) &&
          render([user], { [name]: true }) !== render([user], { [name]: false }),
      ),
    ),
    efforts: once(() => findEfforts(prober)),
  };
}

function onceEach<K, T>(find: (key: K) => T): (key: K) => T {
  const found = new Map<K, { readonly value: T }>();
  return (key) => {
    const known = found.get(key) ?? { value: find(key) };
    found.set(key, known);
    return known.value;
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

/** `tools` in most templates; SmolLM3 has the same list under another name. */
function findToolsVariable({ render, mentions, conversation }: Prober): string | null {
  const turns = [[user], conversation('system', 'Be brief')];
  return (
    ['tools', 'xml_tools']
      .filter((name) => mentions(name))
      .find((name) =>
        turns.some((turn) => render(turn, { [name]: [probeTool] })?.includes('probe_tool')),
      ) ?? null
  );
}

function showsDocuments({ render, mentions, conversation }: Prober): boolean {
  if (!mentions('documents')) return false;
  const documents = [{ doc_id: '1', title: 'qprobe title', text: said }];
  const turns = [[user], conversation('system', 'Be brief')];
  return turns.some((turn) => render(turn, { documents })?.includes(said) === true);
}

function findReasoningField({ render, mentions, conversation, toolTurn }: Prober): string | null {
  if (mentions('reasoning_content')) return 'reasoning_content';
  const isShown = (field: string): boolean => {
    const more = { [field]: said };
    // Many templates show the thinking of the turn only in which functions are called.
    const turns = [conversation('assistant', 'Well', more), toolTurn({ more })];
    return turns.some((turn) => render(turn, { tools: [probeTool] })?.includes(said) === true);
  };
  return ['reasoning', 'thinking'].find((field) => mentions(field) && isShown(field)) ?? null;
}

const allEfforts: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
];

function findEfforts({ render, mentions }: Prober): readonly ReasoningEffort[] {
  if (!mentions('reasoning_effort')) return [];
  return allEfforts.filter((effort) => render([user], { reasoning_effort: effort }) !== null);
}
