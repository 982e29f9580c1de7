/**
 * The texts of special tokens that the parser of answers must see: those that occur in the patterns of a
 * format. More than a vocabulary has; what is no special token of it is shown anyway. Pure.
 */

import { formats, type FormatName } from './formats.ts';
import { compilePattern } from './pattern.ts';
import { reasonings, type ReasoningFormat, type ReasoningName } from './reasoning.ts';
import type { CallForm } from './tool-format.ts';

/** Tags as vocabularies have them: `<|x|>`, `<｜x｜>`, `<x>`, `<x|>`, `[X]`, Gemma's quote, MiniMax's bracket. */
const tags = [/\]<\]\w+\[>\[|<\|"\|>|<[^<>\s"'=«»]*>|\[\/?[A-Z_]+\]/g, /｜[^｜<>\s]+｜/g];

export function specialTokensOf(
  format: FormatName | null,
  reasoning: ReasoningName | null,
): readonly string[] {
  const sources = [
    ...(format === null ? [] : formatPatterns(format)),
    ...(reasoning === null ? [] : reasoningPatterns(reasonings[reasoning])),
  ];
  const found = sources
    .flatMap(literalsOf)
    .flatMap((text) => tags.flatMap((tag) => text.match(tag) ?? []));
  return [...new Set(found)];
}

function formatPatterns(name: FormatName): readonly string[] {
  const { group, forms, noise, noiseAtStart } = formats[name];
  const around =
    group === null ? [] : [group.open, group.close, ...group.alsoOpen, ...group.alsoClose];
  return [...around, ...forms.flatMap(formPatterns), ...noise, ...noiseAtStart];
}

function formPatterns(form: CallForm): readonly string[] {
  const body =
    form.body.kind === 'parameters'
      ? [form.body.layout.open, form.body.layout.close]
      : form.body.kind === 'bare-keys'
        ? [form.body.quote]
        : [];
  return [form.head, ...form.alsoHeads, ...body, form.tail, ...form.alsoTails];
}

const reasoningPatterns = (format: ReasoningFormat): readonly string[] => [
  ...format.open,
  ...format.close,
  ...format.noise,
];

function literalsOf(source: string): readonly string[] {
  return compilePattern(source).items.flatMap((item) =>
    item.kind === 'literal' || item.kind === 'optional' ? [item.text] : [],
  );
}
