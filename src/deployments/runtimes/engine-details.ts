/** An engine as `GET /deploy/{name}` shows it: what it is, and what it is doing. Pure. */

import type { Engine, EngineStats } from '../../engine/index.ts';
import type { ModelFile } from '../../models/index.ts';

/** Facts that hold as long as its process lives, then what it counts. */
export function toDetails(
  engine: Engine,
  file: ModelFile,
  adapters: readonly string[],
): Record<string, unknown> {
  const { info } = engine;
  const { name, quantisation, licence } = file.metadata;
  return {
    name: name ?? info.description,
    quantisation,
    licence,
    state: engine.state.state,
    pid: engine.pid,
    slots: info.slots,
    context: info.context,
    trained_context: info.trainedContext,
    threads: info.threads,
    batch_tokens: info.batchTokens,
    vocabulary: info.vocabSize,
    kv_bytes: info.kvBytes,
    kv_type: info.kvType,
    model_bytes: file.bytes,
    file: file.path,
    requantised: file.requantised,
    description: info.description,
    library: info.library,
    deterministic: info.deterministic,
    prefix_reuse: info.prefixReuse,
    prefix_cache_bytes: info.prefixCacheBytes,
    gpu: info.gpu,
    notes: info.notes,
    adapters,
    load: engine.load,
    stats: engine.stats === null ? null : toFigures(engine.stats),
  };
}

/** null where there is nothing yet to take a share of. */
const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

const tenths = (value: number): number => Math.round(value * 10) / 10;

function toFigures(stats: EngineStats): Record<string, unknown> {
  return {
    slots_taken: stats.slotsTaken,
    tokens_per_second: tenths(stats.tokensPerSecond),
    step_milliseconds: tenths(stats.stepMilliseconds),
    prefix_bytes: stats.prefixBytes,
    prefix_hit_rate: share(stats.cachedTokens, stats.promptTokens),
    evictions: stats.evictions,
    preemptions: stats.preemptions,
    parked_bytes: stats.parkedBytes,
    held_contexts: stats.heldContexts,
    held_bytes: stats.heldBytes,
    prompt_tokens: stats.promptTokens,
    cached_tokens: stats.cachedTokens,
    generated_tokens: stats.generatedTokens,
    draft_tokens: stats.draftTokens,
    draft_acceptance: share(stats.acceptedDraftTokens, stats.draftTokens),
    steps: stats.steps,
  };
}
