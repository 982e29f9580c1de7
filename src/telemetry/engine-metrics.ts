/**
 * What every engine counts, in the metrics: one table, read when the metrics are read. The label is
 * the deployment that the engine runs; adapters count with their base. A counter begins again with
 * the engine's process, as Prometheus expects of counters.
 */

import { Counter, Gauge, type Registry } from 'prom-client';

import type { EngineStats } from '../engine/index.ts';

/** What one engine has told of itself last. */
export interface EngineReading {
  readonly deployment: string;
  readonly stats: EngineStats;
}

interface Row {
  /** After `parlance_engine_`; counters get `_total` behind it. */
  readonly name: string;
  readonly help: string;
  readonly read: (stats: EngineStats) => number;
}

const gauges: readonly Row[] = [
  { name: 'requests_running', help: 'Requests in slots.', read: (stats) => stats.running },
  {
    name: 'requests_waiting',
    help: 'Requests that wait for a slot.',
    read: (stats) => stats.waiting,
  },
  { name: 'slots', help: 'Sequences that fit at a time.', read: (stats) => stats.slots },
  { name: 'slots_taken', help: 'Slots that a sequence has.', read: (stats) => stats.slotsTaken },
  {
    name: 'prefix_bytes',
    help: 'Memory that computed prefixes take.',
    read: (stats) => stats.prefixBytes,
  },
  {
    name: 'parked_bytes',
    help: 'Memory of sequences that gave their slot up and wait.',
    read: (stats) => stats.parkedBytes,
  },
  {
    name: 'held_contexts',
    help: 'Contexts that wait for their generation_only request.',
    read: (stats) => stats.heldContexts,
  },
  { name: 'held_bytes', help: 'Memory that they take.', read: (stats) => stats.heldBytes },
  {
    name: 'recent_tokens_per_second',
    help: 'Tokens generated a second, over the last seconds.',
    read: (stats) => stats.tokensPerSecond,
  },
  {
    name: 'recent_step_seconds',
    help: 'Mean length of a step, over the last seconds.',
    read: (stats) => stats.stepMilliseconds / 1000,
  },
];

const counters: readonly Row[] = [
  { name: 'steps', help: 'Steps made.', read: (stats) => stats.steps },
  { name: 'step_seconds', help: 'Time spent in steps.', read: (stats) => stats.stepSeconds },
  {
    name: 'prompt_tokens',
    help: 'Prompt tokens of requests that began.',
    read: (stats) => stats.promptTokens,
  },
  {
    name: 'cached_tokens',
    help: 'Of them not computed, because they were there.',
    read: (stats) => stats.cachedTokens,
  },
  { name: 'generated_tokens', help: 'Tokens generated.', read: (stats) => stats.generatedTokens },
  {
    name: 'evictions',
    help: 'Prefixes given up for want of memory.',
    read: (stats) => stats.evictions,
  },
  {
    name: 'preemptions',
    help: 'Sequences that gave their slot to a more urgent one.',
    read: (stats) => stats.preemptions,
  },
  {
    name: 'draft_tokens',
    help: 'Proposed tokens that were verified.',
    read: (stats) => stats.draftTokens,
  },
  {
    name: 'accepted_draft_tokens',
    help: 'Of them taken.',
    read: (stats) => stats.acceptedDraftTokens,
  },
];

/** Makes the metrics. @param read asked once for each of them whenever they are read */
export function observeEngineMetrics(
  registers: Registry[],
  read: () => readonly EngineReading[],
): void {
  const common = { labelNames: ['deployment'], registers };
  for (const row of gauges) {
    void new Gauge({
      ...common,
      name: `parlance_engine_${row.name}`,
      help: row.help,
      collect() {
        this.reset();
        for (const { deployment, stats } of read()) this.set({ deployment }, row.read(stats));
      },
    });
  }
  for (const row of counters) {
    void new Counter({
      ...common,
      name: `parlance_engine_${row.name}_total`,
      help: row.help,
      collect() {
        this.reset();
        for (const { deployment, stats } of read()) this.inc({ deployment }, row.read(stats));
      },
    });
  }
}
