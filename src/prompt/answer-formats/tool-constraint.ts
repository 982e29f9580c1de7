/**
 * What the model may write where it may or must call tools: the calls in the layout of its family, with
 * arguments that satisfy the functions' schemas. Written from the same data that the parser reads by. Pure.
 */

import type { ConstraintSpec, TagSpec } from '../../constraint/index.ts';
import type { ToolDefinition } from './answer-part.ts';
import { formats, type FormatName } from './formats.ts';
import { reasonings, type ReasoningFormat, type ReasoningName } from './reasoning.ts';
import type { BodyKind, CallForm, MarkedText, ToolFormat } from './tool-format.ts';
import { objectSchemaText } from './writing/argument-schemas.ts';
import {
  anyNumber,
  either,
  flatParts,
  json,
  literal,
  optional,
  regex,
  sequence,
  textUntil,
  textUntilAny,
  writePattern,
} from './writing/parts.ts';
import { writeBareKeys, writePython } from './writing/write-code.ts';
import { writeElements } from './writing/write-arguments.ts';

export type ToolChoice = 'auto' | 'required' | { readonly name: string };

export interface ToolConstraintOptions {
  readonly format: FormatName;
  readonly tools: readonly ToolDefinition[];
  readonly choice: ToolChoice;
  readonly parallel: boolean;
  /** What free text beside calls must satisfy; null = nothing. */
  readonly answer: ConstraintSpec | null;
}

/** What the model may write for this choice. null = nothing to constrain. */
export function toolConstraint(options: ToolConstraintOptions): ConstraintSpec | null {
  const { choice, answer } = options;
  const format = formats[options.format];
  const named = typeof choice === 'object' ? choice.name : null;
  const tools = options.tools.filter(({ name }) => named === null || name === named);
  if (tools.length === 0) return answer;
  const several = options.parallel && format.several && named === null;
  if (choice !== 'auto') return forced(format, tools, several);
  if (answer !== null)
    return either([forced(format, tools, several), marked(format.marked, answer)]);
  return format.marked === null
    ? tagged(format, tools, several)
    : besideText(format, format.marked, forced(format, tools, several));
}

/** Calls, and nothing else. */
function forced(
  format: ToolFormat,
  tools: readonly ToolDefinition[],
  several: boolean,
): ConstraintSpec {
  const { group, between } = format;
  const one = either(tools.map((tool) => sequence(...writeCall(format, tool))));
  const calls: ConstraintSpec = several
    ? { kind: 'repeat', of: one, min: 1, max: null, separator: between }
    : one;
  const lead = literal(format.callLead);
  if (writtenForm(format).place === 'alone' || group === null) return sequence(lead, calls);
  return sequence(lead, writePattern(group.open, {}), calls, writePattern(group.close, {}));
}

/** Calls wherever their trigger occurs in free text. */
function tagged(
  format: ToolFormat,
  tools: readonly ToolDefinition[],
  several: boolean,
): ConstraintSpec {
  const tags = tools.map((tool): TagSpec => {
    const parts = flatParts(standingAlone(format, tools, { tool, several }));
    const [first, ...rest] = parts;
    const last = rest.at(-1);
    const end = last?.kind === 'literal' ? last.text : '';
    const content = sequence(...(end === '' ? rest : rest.slice(0, -1)));
    return { begin: first?.kind === 'literal' ? first.text : '', content, end };
  });
  return {
    kind: 'tags',
    triggers: [triggerOf(format)],
    tags,
    atLeastOne: false,
    stopAfterFirst: !several,
  };
}

/** A call with what is around it: in a group, also the calls that follow it there. */
function standingAlone(
  format: ToolFormat,
  tools: readonly ToolDefinition[],
  { tool, several }: { readonly tool: ToolDefinition; readonly several: boolean },
): readonly ConstraintSpec[] {
  const { group, between } = format;
  const call = writeCall(format, tool);
  if (writtenForm(format).place === 'alone' || group === null) return call;
  const others = either(tools.map((one) => sequence(literal(between), ...writeCall(format, one))));
  const more = several ? [anyNumber(others)] : [];
  return [writePattern(group.open, {}), ...call, ...more, writePattern(group.close, {})];
}

/** The tag with which every call begins, or its text up to the first space. */
function triggerOf(format: ToolFormat): string {
  const form = writtenForm(format);
  const first = format.group === null || form.place === 'alone' ? form.head : format.group.open;
  const fixed = first.replace(/«[\s\S]*/, '');
  return /^(?:<[^<>]*>|\[[A-Z_]+\]|\S+)/.exec(fixed)?.[0] ?? fixed;
}

/** Text in its marks, or calls; both where the mark of the text's end parts them. */
function besideText(format: ToolFormat, mark: MarkedText, calls: ConstraintSpec): ConstraintSpec {
  if (mark.tail !== '') {
    const text = sequence(literal(mark.lead), textUntil(mark.tail));
    const without = format.callLead === '' ? calls : afterLead(calls, format.callLead);
    return either([sequence(text, optional(without)), calls]);
  }
  const text: ConstraintSpec = mark.pattern === null ? { kind: 'text' } : regex(mark.pattern);
  return either([sequence(literal(mark.lead), text), calls]);
}

/** The same without the text that it begins with. */
function afterLead(spec: ConstraintSpec, lead: string): ConstraintSpec {
  const [first, ...rest] = flatParts([spec]);
  if (first?.kind !== 'literal' || !first.text.startsWith(lead)) return spec;
  return sequence(literal(first.text.slice(lead.length)), ...rest);
}

const marked = (mark: MarkedText | null, answer: ConstraintSpec): ConstraintSpec =>
  mark === null ? answer : sequence(literal(mark.lead), answer, literal(mark.tail));

function writtenForm(format: ToolFormat): CallForm {
  const [form] = format.forms;
  if (form === undefined) throw new TypeError('a format without forms');
  return form;
}

/** One call, as the family's template renders it. */
function writeCall(format: ToolFormat, tool: ToolDefinition): readonly ConstraintSpec[] {
  const form = writtenForm(format);
  const fillings = { name: tool.name, id: format.idPattern };
  return [
    writePattern(form.head, fillings),
    ...writeBody(form.body, tool),
    writePattern(tailOf(form), fillings),
  ];
}

/** Elements bring what parts them from the tail with them. */
function tailOf({ body, tail }: CallForm): string {
  if (body.kind !== 'parameters' || body.layout.between === '') return tail;
  return tail.replace(/^(?:\s|«nl»)+/, '');
}

function writeBody(body: BodyKind, tool: ToolDefinition): readonly ConstraintSpec[] {
  const name = JSON.stringify(tool.name);
  const args = json(objectSchemaText(tool.parameters));
  switch (body.kind) {
    case 'json':
      return [args];
    case 'keyed':
      return [literal(`{${name}: `), args, literal('}')];
    case 'object': {
      const { fields } = body;
      const id =
        fields.id === null ? [] : [literal(`"${fields.id}": "`), regex('[0-9]+'), literal('", ')];
      return [
        literal('{'),
        ...id,
        literal(`"${fields.name}": ${name}, "${fields.arguments}": `),
        args,
        literal('}'),
      ];
    }
    case 'parameters':
      return [writeElements(body.layout, tool.parameters)];
    case 'python':
      return [writePython(tool.parameters), literal(')')];
    case 'bare-keys':
      return [writeBareKeys(tool.parameters, body.quote)];
  }
}

/**
 * The constraint begins after the thinking. `thinking`: the prompt has opened a block; `optional`: the model
 * may open one itself.
 */
export function afterThinking(
  options: {
    readonly reasoning: ReasoningName | null;
    readonly thinking: boolean;
    readonly optional: boolean;
  },
  spec: ConstraintSpec,
): ConstraintSpec {
  if (options.reasoning === null) return spec;
  const format: ReasoningFormat = reasonings[options.reasoning];
  const answer = beginsMarked(spec) ? spec : sequence(literal(format.answerLead), spec);
  const [open = ''] = format.open;
  const behind = format.afterClose === '' ? regex('\\n{0,2}') : literal(format.afterClose);
  const rest = sequence(textUntilAny(format.close), behind, answer);
  if (options.thinking) return rest;
  return options.optional ? either([sequence(literal(open), rest), answer]) : answer;
}

/** Whether it says itself in what channel it is: its first text is a mark. */
function beginsMarked(spec: ConstraintSpec): boolean {
  if (spec.kind === 'literal') return /^\s*(?:<|to=)/.test(spec.text);
  if (spec.kind === 'sequence') return spec.parts[0] !== undefined && beginsMarked(spec.parts[0]);
  if (spec.kind === 'either') return spec.of.every(beginsMarked);
  return spec.kind === 'repeat' && spec.min > 0 && beginsMarked(spec.of);
}
