/**
 * Inferences in the store, one row each. Every write is a single statement on a connection that waits
 * for nobody, so that a server that writes in its own thread is never held up by another process.
 */

import { CompiledQuery } from 'kysely';

import type { Inference } from '../telemetry/index.ts';
import type { Database } from './database.ts';
import type { InferencesTable } from './tables.ts';

export interface InferenceFilter {
  /** The most that are listed: the latest. */
  readonly limit: number;
  /** As clients called it. */
  readonly model?: string;
}

export interface InferenceRecords {
  /** All or none; one that is there already is left as it is. */
  insert(inferences: readonly Inference[]): Promise<void>;
  /** The latest, in the order in which they arrived. */
  list(filter: InferenceFilter): Promise<Inference[]>;
  /**
   * Removes the oldest of those that arrived before a time, in milliseconds since 1970.
   * @returns how many it were, at most `most`
   */
  removeBefore(time: number, most: number): Promise<number>;
}

export function createInferenceRecords(db: Database): InferenceRecords {
  const statements = new Map<number, string>();
  return {
    async insert(inferences) {
      if (inferences.length === 0) return;
      const rows = inferences.map(toRow);
      const sql = statements.get(rows.length) ?? insertion(db, rows);
      statements.set(rows.length, sql);
      await db.executeQuery(CompiledQuery.raw(sql, rows.flatMap(Object.values)));
    },
    async list({ limit, model }) {
      const all = db.selectFrom('inferences').selectAll();
      const wanted = model === undefined ? all : all.where('model', '=', model);
      const rows = await wanted
        .orderBy('created', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.toReversed().map(toInference);
    },
    async removeBefore(time, most) {
      const old = db
        .selectFrom('inferences')
        .select('id')
        .where('created', '<', time)
        .orderBy('created')
        .limit(most);
      const done = await db.deleteFrom('inferences').where('id', 'in', old).executeTakeFirst();
      return Number(done.numDeletedRows);
    },
  };
}

/** Made once for each number of rows: building it takes longer than running it. */
function insertion(db: Database, rows: readonly InferencesTable[]): string {
  const { sql } = db
    .insertInto('inferences')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .compile();
  return sql;
}

/** Always with all columns, in one order: an insertion has its values by their places. */
function toRow(one: Inference): InferencesTable {
  return {
    id: one.id,
    request_id: one.requestId,
    episode_id: one.episodeId,
    created: one.created,
    key_id: one.keyId,
    endpoint: one.endpoint,
    model: one.model,
    target: one.target,
    stream: one.stream ? 1 : 0,
    status: one.status,
    error: one.error,
    finish_reasons: JSON.stringify(one.finishReasons),
    prompt_tokens: one.promptTokens,
    completion_tokens: one.completionTokens,
    cached_tokens: one.cachedTokens,
    reasoning_tokens: one.reasoningTokens,
    drafts_verified: one.draftsVerified,
    drafts_accepted: one.draftsAccepted,
    first_token_ms: one.firstTokenMs,
    total_ms: one.totalMs,
    receipt: one.receipt,
  };
}

function toInference(row: InferencesTable): Inference {
  return {
    id: row.id,
    requestId: row.request_id,
    episodeId: row.episode_id,
    created: row.created,
    keyId: row.key_id,
    endpoint: row.endpoint,
    model: row.model,
    target: row.target,
    stream: row.stream !== 0,
    status: row.status,
    error: row.error,
    finishReasons: JSON.parse(row.finish_reasons) as string[],
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    cachedTokens: row.cached_tokens,
    reasoningTokens: row.reasoning_tokens,
    draftsVerified: row.drafts_verified,
    draftsAccepted: row.drafts_accepted,
    firstTokenMs: row.first_token_ms,
    totalMs: row.total_ms,
    receipt: row.receipt,
  };
}
