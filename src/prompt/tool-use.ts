/**
 * What a request says about calling functions, in one form whatever its spelling. Targets that make or
 * read calls themselves ask here; schemas come from the source text, since their spelling counts.
 */

import { didYouMean, ParlanceError, type ChatRequest, type Parameters } from '../contract/index.ts';
import type { ToolDefinition } from './answer-formats/answer-part.ts';
import { parameterTextsOf } from './parameter-texts.ts';

export type CallChoice = 'auto' | 'required' | { readonly name: string };

export interface ToolUse {
  /** The functions that may be called. */
  readonly callable: readonly ToolDefinition[];
  readonly choice: CallChoice;
  /** One answer may hold several calls. */
  readonly parallel: boolean;
}

type WireTool = NonNullable<Parameters['tools']>[number];
type WireChoice = Parameters['tool_choice'];

/**
 * Null where nothing may be called.
 * @throws ParlanceError `invalid_value` for functions of one name and for choices that name no function
 */
export function readToolUse(request: ChatRequest): ToolUse | null {
  const { tools = [], tool_choice: choice, parallel_tool_calls: parallel } = request.parameters;
  checkNames(tools);
  const names = tools.map((tool) => tool.function.name);
  const chosen = allowedNames(choice, names);
  const allowed = chosen === null ? null : new Set(chosen);
  if (tools.length === 0 || choice === 'none') return null;
  const texts = parameterTextsOf(request);
  const callable = tools.flatMap((tool, index) =>
    allowed === null || allowed.has(tool.function.name)
      ? [toDefinition(tool, texts[index] ?? null)]
      : [],
  );
  return { callable, choice: choiceOf(choice), parallel: parallel ?? true };
}

/** The tools that a chat template is shown; none where none may be called. */
export function shownTools({ parameters }: ChatRequest): readonly WireTool[] | null {
  const { tools = [], tool_choice: choice } = parameters;
  return tools.length === 0 || choice === 'none' ? null : tools;
}

function toDefinition(tool: WireTool, text: string | null): ToolDefinition {
  const { name, description, strict } = tool.function;
  return {
    name,
    description: description ?? null,
    parameters: text === 'null' ? null : text,
    strict: strict ?? false,
  };
}

function choiceOf(choice: WireChoice): CallChoice {
  if (choice === undefined || choice === 'auto' || choice === 'none') return 'auto';
  if (choice === 'required') return 'required';
  return choice.type === 'function' ? choice.function : choice.allowed_tools.mode;
}

/** Null: all of them. */
function allowedNames(choice: WireChoice, names: readonly string[]): readonly string[] | null {
  if (choice === undefined || typeof choice === 'string') return null;
  if (choice.type === 'function') {
    const { name } = choice.function;
    checkKnown(name, names, 'tool_choice.function.name');
    return [name];
  }
  const { tools } = choice.allowed_tools;
  if (tools.length === 0) {
    throw new ParlanceError(
      'invalid_value',
      'tool_choice.allowed_tools.tools: it is empty; name at least one function, or send `tool_choice: "none"`.',
      { param: 'tool_choice.allowed_tools.tools' },
    );
  }
  return tools.map((tool, index) => {
    const param = `tool_choice.allowed_tools.tools[${index}]`;
    const name = nameIn(tool);
    if (name !== null) {
      checkKnown(name, names, param);
      return name;
    }
    throw new ParlanceError(
      'invalid_value',
      `${param}: expected {"type": "function", "function": {"name": …}}.`,
      { param },
    );
  });
}

/** Both `{function: {name}}` and `{name}` are in use. */
function nameIn(tool: Readonly<Record<string, unknown>>): string | null {
  const inner = tool['function'];
  const holder = typeof inner === 'object' && inner !== null ? inner : tool;
  const name = (holder as Readonly<Record<string, unknown>>)['name'];
  return typeof name === 'string' ? name : null;
}

function checkKnown(name: string, names: readonly string[], param: string): void {
  if (names.includes(name)) return;
  throw new ParlanceError(
    'invalid_value',
    `${param}: no function of \`tools\` is called ${JSON.stringify(name)}${didYouMean(name, names)}.`,
    { param },
  );
}

function checkNames(tools: readonly WireTool[]): void {
  const seen = new Set<string>();
  tools.forEach(({ function: { name } }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return;
    }
    const param = `tools[${index}].function.name`;
    throw new ParlanceError(
      'invalid_value',
      `${param}: two functions are called ${JSON.stringify(name)}; give each a name of its own.`,
      { param },
    );
  });
}
