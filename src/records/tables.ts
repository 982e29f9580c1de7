/**
 * The rows of `parlance.db`, as TypeScript sees them. The migrations make these tables; the files
 * beside this one are the only readers and writers. Kept to what SQLite and Postgres both have:
 * JSON as text, times as whole milliseconds, booleans as 0 and 1.
 */

export interface KeysTable {
  id: string;
  name: string;
  /** SHA-256 of the whole key, in hex. */
  hash: string;
  /** The first characters of the key, for people to tell keys apart. */
  prefix: string;
  /** JSON array of words. */
  rights: string;
  created: number;
  last_used: number | null;
  disabled: number;
}

export interface DeploymentsTable {
  name: string;
  /** JSON object: the body that made it, in normal form. */
  spec: string;
  created: number;
  updated: number;
}

/** At most one row: the server that uses this home folder. */
export interface ServerTable {
  id: number;
  pid: number;
  /** What tells this process from a later one with the same ID; null where the machine cannot say. */
  process_start: string | null;
  address: string;
  since: number;
}

/** One ended inference a row. Later versions add columns; bodies, should they be kept, lie elsewhere. */
export interface InferencesTable {
  id: string;
  request_id: string;
  episode_id: string | null;
  created: number;
  key_id: string | null;
  endpoint: string;
  model: string;
  target: string;
  stream: number;
  status: number;
  error: string | null;
  /** JSON array of words. */
  finish_reasons: string;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens: number | null;
  drafts_verified: number | null;
  drafts_accepted: number | null;
  first_token_ms: number | null;
  total_ms: number;
  receipt: string;
}

export interface Tables {
  keys: KeysTable;
  deployments: DeploymentsTable;
  server: ServerTable;
  inferences: InferencesTable;
}
