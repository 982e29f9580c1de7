/**
 * What the parser of answers looks for, made once for each answer from the data of its formats: patterns
 * in the order in which they are tried, and what each of them means. Pure.
 */

import type { ToolDefinition } from './answer-part.ts';
import { formats, type FormatName } from './formats.ts';
import { compilePattern, firstCharacters, type Pattern } from './pattern.ts';
import { reasonings, type ReasoningFormat, type ReasoningName } from './reasoning.ts';
import type { CallForm, ToolFormat } from './tool-format.ts';

export interface ParseOptions {
  readonly tools: readonly ToolDefinition[];
  readonly format: FormatName | null;
  readonly reasoning: ReasoningName | null;
  /** The prompt ended inside an opened thinking block. */
  readonly thinking: boolean;
  /** Calls are looked for at all; where not, text stays text. */
  readonly calls: boolean;
}

/** What a pattern in free text means. */
export interface Mark {
  readonly pattern: Pattern;
  readonly meaning:
    | { readonly kind: 'noise' }
    | { readonly kind: 'thinking' }
    | { readonly kind: 'call'; readonly form: FormPlan; readonly inGroup: boolean };
  /** Only at the beginning of the answer; `after-call`: or after a call. */
  readonly where: 'anywhere' | 'start' | 'after-call';
}

export interface FormPlan {
  readonly form: CallForm;
  readonly heads: readonly { readonly pattern: Pattern }[];
  readonly tails: readonly { readonly pattern: Pattern }[];
}

export interface AnswerPlan {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly calls: boolean;
  readonly marks: readonly Mark[];
  /** Characters with which a mark may begin. */
  readonly candidates: ReadonlySet<string>;
  readonly thinkingCloses: readonly { readonly pattern: Pattern }[];
  readonly thinkingCandidates: ReadonlySet<string>;
  /** Characters that may stand between two calls without a group. */
  readonly separators: string;
  /** The next call of a group. */
  readonly grouped: readonly FormPlan[];
  readonly groupCloses: readonly { readonly pattern: Pattern }[];
}

export function planAnswer(options: ParseOptions): AnswerPlan {
  const format = options.calls && options.format !== null ? formats[options.format] : null;
  const reasoning: ReasoningFormat | null =
    options.reasoning === null ? null : reasonings[options.reasoning];
  const marks = [...callMarks(format), ...reasoningMarks(reasoning), ...noiseMarks(options)];
  const group = format?.group ?? null;
  const thinkingCloses = (reasoning?.close ?? []).map(compiled);
  return {
    tools: new Map(options.tools.map((tool) => [tool.name, tool])),
    calls: format !== null,
    marks,
    candidates: new Set(marks.flatMap(({ pattern }) => firstCharacters(pattern).split(''))),
    thinkingCloses,
    thinkingCandidates: new Set(
      thinkingCloses.flatMap(({ pattern }) => firstCharacters(pattern).split('')),
    ),
    separators: /^[;,]/.exec(format?.between ?? '')?.[0] ?? '',
    grouped: formsOf(format, 'alone').map(planForm),
    groupCloses: group === null ? [] : closing([group.close, ...group.alsoClose]).map(compiled),
  };
}

const compiled = (source: string) => ({ pattern: compilePattern(source) });

/** Whitespace behind a closing tag is not its own: it may come later. */
const closing = (sources: readonly string[]): readonly string[] =>
  sources.map((source) => source.replace(/(?:\s|«nl»)+$/, '')).filter((source) => source !== '');

/** The forms but those of one place, the last first. */
const formsOf = (format: ToolFormat | null, not: CallForm['place']): readonly CallForm[] =>
  (format?.forms ?? []).filter(({ place }) => place !== not).toReversed();

function planForm(form: CallForm): FormPlan {
  return {
    form,
    heads: [form.head, ...form.alsoHeads].map(compiled),
    tails: closing([form.tail, ...form.alsoTails]).map(compiled),
  };
}

function callMarks(format: ToolFormat | null): readonly Mark[] {
  if (format === null) return [];
  const { group } = format;
  const grouped = (group === null ? [] : [group.open, ...group.alsoOpen]).flatMap((open) =>
    formsOf(format, 'alone').flatMap((form) => formMarks(form, open, group?.atStart === true)),
  );
  const alone = formsOf(format, 'group').flatMap((form) => formMarks(form, null, form.atStart));
  return [...grouped, ...alone];
}

function formMarks(form: CallForm, open: string | null, atStart: boolean): readonly Mark[] {
  const plan = planForm(form);
  return [form.head, ...form.alsoHeads].map((head) => ({
    pattern: compilePattern(open === null ? head : `${open} ${head}`),
    meaning: { kind: 'call', form: plan, inGroup: open !== null },
    where: atStart ? 'after-call' : 'anywhere',
  }));
}

function reasoningMarks(reasoning: ReasoningFormat | null): readonly Mark[] {
  if (reasoning === null) return [];
  const opens = reasoning.open.map((source): Mark => ({
    pattern: compilePattern(source),
    meaning: { kind: 'thinking' },
    where: reasoning.anywhere ? 'anywhere' : 'after-call',
  }));
  // A block may be closed that the prompt opened and closed already.
  return [
    ...opens,
    ...reasoning.noise.map((source) => noise(source, 'anywhere')),
    ...[...reasoning.close, reasoning.answerLead.trim()]
      .filter((source) => source !== '')
      .map((source) => noise(source, 'start')),
  ];
}

const noise = (source: string, where: Mark['where']): Mark => ({
  pattern: compilePattern(source),
  meaning: { kind: 'noise' },
  where,
});

/** The marks of free text are dropped also where no calls are looked for. */
function noiseMarks(options: ParseOptions): readonly Mark[] {
  if (options.format === null) return [];
  const format = formats[options.format];
  return [
    ...format.noise.map((source) => noise(source, 'anywhere')),
    ...format.noiseAtStart.map((source) => noise(source, 'start')),
  ];
}
