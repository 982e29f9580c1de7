/**
 * From a request to everything that its run needs: the prompt, what the text must satisfy, and how the
 * text will be read. Nothing has been generated when it fails.
 */

import { readConstraint, type ConstraintSpec } from '../../constraint/index.ts';
import { ParlanceError, type ChatRequest, type ReceiptNote } from '../../contract/index.ts';
import {
  afterThinking,
  closesThinking,
  opensThinking,
  readToolUse,
  shownTools,
  specialTokensOf,
  toolConstraint,
  toPromptInput,
  withFiles,
  type PromptRenderer,
  type ToolUse,
} from '../../prompt/index.ts';
import { createCheck } from '../reading/create-check.ts';
import type { AnswerCheck } from '../reading/check-answer.ts';
import type { ReadingPlan } from '../reading/answer-reader.ts';
import { toContentStops } from '../reading/content-stops.ts';
import { newCallId } from '../reading/call-id.ts';
import type { TargetServices } from '../services.ts';
import { checkToolSchemas } from './check-tool-schemas.ts';
import type { ModelFormat, ModelFormats } from './model-format.ts';

export interface PreparedRequest {
  readonly prompt: string | readonly number[];
  readonly constraint: ConstraintSpec | null;
  /** The field that a refusal of the constraint is about. */
  readonly constraintField: string | null;
  /** Special tokens that are part of the text's form. */
  readonly shownSpecials: readonly string[];
  /** Stop strings are looked for in what the text says, and not by the engine. */
  readonly readsStops: boolean;
  readonly plan: ReadingPlan;
  readonly check: AnswerCheck | null;
  readonly notes: readonly ReceiptNote[];
}

export interface Preparing {
  readonly renderer: PromptRenderer;
  readonly formats: ModelFormats;
  readonly services: TargetServices;
}

/** @throws ParlanceError for what is wrong with messages, templates, files, tools and constraints */
export async function prepareRequest(
  asked: ChatRequest,
  preparing: Preparing,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  const { renderer, services } = preparing;
  const { request, notes: fileNotes } = await withFileTexts(asked, services, signal);
  const use = request.input.kind === 'messages' ? readToolUse(request) : null;
  const prompt = await renderPrompt(request, renderer, signal);
  const format = formatOf(request, preparing, use);
  if (use !== null && use.choice !== 'auto' && format.tools === null) throw noCalls();
  const tools = use === null ? null : await checkToolSchemas(use, services.verifier);
  const text = typeof prompt.text === 'string' ? prompt.text : '';
  const thinking = opensThinking(text, format.reasoning);
  const optional = !closesThinking(text, format.reasoning);
  const constraint = constraintOf(request, format, tools?.use ?? null);
  const spec =
    constraint.spec === null || format.reasoning === null
      ? constraint.spec
      : afterThinking({ reasoning: format.reasoning, thinking, optional }, constraint.spec);
  const parses = use !== null || format.reasoning !== null;
  return {
    prompt: prompt.text,
    constraint: spec,
    constraintField: constraint.field,
    shownSpecials: [
      ...(parses ? specialTokensOf(format.tools, format.reasoning) : []),
      ...literalsOf(spec),
    ],
    readsStops: parses && request.parameters.stop !== undefined,
    plan: planOf(request, { format, use, thinking, parses }),
    check: createCheck(request, services.verifier),
    notes: [...fileNotes, ...prompt.notes, ...(tools?.notes ?? [])],
  };
}

async function withFileTexts(
  request: ChatRequest,
  { files }: TargetServices,
  signal: AbortSignal,
): Promise<{ readonly request: ChatRequest; readonly notes: readonly ReceiptNote[] }> {
  const { input } = request;
  if (input.kind === 'prompt') return { request, notes: [] };
  const { messages, notes } = await withFiles(input.messages, files, signal);
  return {
    request: { ...request, input: { ...input, messages } },
    notes: notes.map(({ path, note }) => ({ parameter: path, note })),
  };
}

async function renderPrompt(
  request: ChatRequest,
  renderer: PromptRenderer,
  signal: AbortSignal,
): Promise<{ text: string | readonly number[]; notes: readonly ReceiptNote[] }> {
  if (request.input.kind === 'prompt') return { text: request.input.prompt, notes: [] };
  const input = toPromptInput(request);
  if (input === null) throw new ParlanceError('internal', 'A request without messages.');
  // Its own tools: they are spelled as they were sent, which the parsed ones are not.
  const shown = shownTools(request) === null ? { ...input, tools: null } : input;
  return await renderer.render(shown, request.parameters.chat_template ?? null, signal);
}

const noCalls = (): ParlanceError =>
  new ParlanceError(
    'unsupported_parameter',
    '`tool_choice` asks for a call, and the model is deployed with `tool_format: "none"`, so that no call is read. Send `tool_choice: "auto"`, or deploy the model without that option.',
    { param: 'tool_choice' },
  );

const nothing: ModelFormat = { tools: null, reasoning: null };

function formatOf(
  { input, parameters }: ChatRequest,
  { formats }: Preparing,
  use: ToolUse | null,
): ModelFormat {
  if (input.kind === 'prompt') return nothing;
  const sent = parameters.chat_template;
  if (sent !== undefined) return formats.of(sent);
  return use === null ? formats.plain : formats.withTools;
}

function constraintOf(
  request: ChatRequest,
  { tools: format }: ModelFormat,
  use: ToolUse | null,
): { readonly spec: ConstraintSpec | null; readonly field: string | null } {
  const asked = readConstraint(request);
  if (use === null || format === null) {
    return { spec: asked?.spec ?? null, field: asked?.field ?? null };
  }
  const { callable: tools, choice, parallel } = use;
  const spec = toolConstraint({ format, tools, choice, parallel, answer: asked?.spec ?? null });
  return { spec, field: asked?.field ?? 'tools' };
}

interface Reading {
  readonly format: ModelFormat;
  readonly use: ToolUse | null;
  readonly thinking: boolean;
  readonly parses: boolean;
}

function planOf(
  { parameters }: ChatRequest,
  { format, use, thinking, parses }: Reading,
): ReadingPlan {
  const { stop, include_stop_str_in_output: include, min_tokens: minTokens, n } = parameters;
  const { tools, reasoning } = format;
  const calls = use !== null;
  return {
    parse: parses
      ? { tools: use?.callable ?? [], format: tools, reasoning, thinking, calls }
      : null,
    stops:
      parses && stop !== undefined
        ? toContentStops([stop].flat(), include ?? false, minTokens ?? 0)
        : null,
    choices: n ?? 1,
    callsOnly: use !== null && use.choice !== 'auto',
    newCallId: () => newCallId(tools),
  };
}

/** The fixed texts of a constraint, in which special tokens may be named. */
function literalsOf(spec: ConstraintSpec | null): string[] {
  if (spec === null) return [];
  switch (spec.kind) {
    case 'literal':
      return [spec.text];
    case 'text-until':
      return [spec.until];
    case 'sequence':
      return spec.parts.flatMap(literalsOf);
    case 'either':
      return spec.of.flatMap(literalsOf);
    case 'repeat':
      return [...literalsOf(spec.of), spec.separator];
    case 'tags':
      return spec.tags.flatMap((tag) => [tag.begin, tag.end, ...literalsOf(tag.content)]);
    default:
      return [];
  }
}
