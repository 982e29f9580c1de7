/**
 * What a row of the benchmark gives: figures with one value for each contender and run, and what a
 * figure should be. Pure; the rows make them, the report shows them.
 */

import { median, medianRatio } from './statistics.ts';

/** What was aimed at: a bound on the ratio to the first rival, or on our own value. */
export interface Goal {
  readonly of: 'ratio' | 'value';
  readonly bound: 'at least' | 'at most';
  readonly value: number;
}

export interface Figure {
  readonly label: string;
  readonly unit: string;
  readonly goal: Goal | null;
  /** Contender -> one value a run; the first contender is ours, or what others are compared with. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

export interface RowResult {
  readonly figures: readonly Figure[];
  /** What a reader must know to judge the figures. */
  readonly notes: readonly string[];
}

export interface FigureSummary {
  readonly medians: Readonly<Record<string, number>>;
  /** Contender (but the first) -> median over the runs of first / contender. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Null without a goal. */
  readonly met: boolean | null;
}

export function summarise({ values, goal }: Figure): FigureSummary {
  const entries = Object.entries(values);
  const [, first = []] = entries[0] ?? [];
  const ratios = Object.fromEntries(
    entries.slice(1).map(([name, others]) => [name, medianRatio(first, others)]),
  );
  const medians = Object.fromEntries(entries.map(([name, own]) => [name, median(own)]));
  if (goal === null) return { medians, ratios, met: null };
  const reached = goal.of === 'value' ? median(first) : (Object.values(ratios)[0] ?? Number.NaN);
  return {
    medians,
    ratios,
    met: goal.bound === 'at least' ? reached >= goal.value : reached <= goal.value,
  };
}

/** What one contender measured in one run: label -> value. */
export type Sample = Readonly<Record<string, number>>;

/**
 * Figures out of samples that all have the same labels.
 * @param shape label -> its unit and goal; labels that it lacks are left out
 */
export function toFigures(
  samples: ReadonlyMap<string, readonly Sample[]>,
  shape: Readonly<Record<string, { readonly unit: string; readonly goal?: Goal }>>,
): Figure[] {
  return Object.entries(shape).map(([label, { unit, goal = null }]) => ({
    label,
    unit,
    goal,
    values: Object.fromEntries(
      [...samples].map(([name, runs]) => [name, runs.map((run) => run[label] ?? Number.NaN)]),
    ),
  }));
}
