/**
 * The error catalogue: every failure that a user can meet has a row here, and only these are thrown.
 * The server writes them (one writer), the CLI prints them, deployments keep them as their reason.
 * A message says what is wrong and what would work; it never carries a prompt, a key or a stack.
 */

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'overloaded_error'
  | 'upstream_error'
  | 'timeout_error'
  | 'internal_error';

interface ErrorRow {
  readonly status: number;
  readonly type: ErrorType;
  /** When this happens, for the reference page. */
  readonly when: string;
}

const bad = (when: string): ErrorRow => ({ status: 400, type: 'invalid_request_error', when });

/** Reason (the stable machine word) -> HTTP status and OpenAI error type. */
export const errorCatalogue = {
  invalid_json: bad('the body is not JSON; the message has the position'),
  invalid_value: bad('a field has a wrong type or is out of its range'),
  missing_field: bad('a required field is absent'),
  unknown_field: bad('the body has a field that the contract does not know'),
  conflicting_fields: bad('two fields contradict each other, or one needs another'),
  unsupported_parameter: bad('the target that would answer cannot honour this parameter'),
  context_length_exceeded: bad('the prompt is longer than the model’s context'),
  invalid_template: bad('the chat template failed on these messages'),
  invalid_token_id: bad('a token ID is outside the vocabulary of the model'),
  malformed_request: bad('what came is not HTTP/1.1, or its headers are too large (431)'),
  invalid_header: bad('a request header has a value that means nothing here'),
  invalid_model_file: bad('a weights file is truncated, corrupt, or not GGUF'),
  invalid_deployment: bad('a deployment cannot be made as asked'),
  invalid_adapter: bad('an adapter’s file is damaged, or made for another model'),
  invalid_handle: bad(
    'the opaque_state of disaggregated_params is foreign, expired, used up, or of another prompt',
  ),
  invalid_constraint: bad(
    'a schema, regex, grammar or structural tag is malformed, too large, not supported, or satisfied by nothing; the message names the keyword',
  ),
  invalid_file: bad(
    'a file or image in a message is damaged, encrypted, too large or of no known type',
  ),
  foreign_origin: {
    status: 403,
    type: 'permission_error',
    when: 'an admin route is called with a foreign Host or Origin header',
  },
  unauthenticated: { status: 401, type: 'authentication_error', when: 'no valid API key was sent' },
  forbidden: { status: 403, type: 'permission_error', when: 'the API key lacks the right' },
  unknown_route: { status: 404, type: 'not_found_error', when: 'no route has this path' },
  unknown_model: { status: 404, type: 'not_found_error', when: 'no model has this name' },
  unknown_deployment: { status: 404, type: 'not_found_error', when: 'no deployment has this name' },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    when: 'the route exists, but not for this method; see the Allow header',
  },
  deployment_conflict: {
    status: 409,
    type: 'invalid_request_error',
    when: 'another deployment has this name, or is still being removed',
  },
  request_timeout: { status: 408, type: 'timeout_error', when: 'the body came too slowly' },
  body_too_large: {
    status: 413,
    type: 'invalid_request_error',
    when: 'the body is over the limit',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    when: 'the body is not application/json',
  },
  rate_limited: { status: 429, type: 'rate_limit_error', when: 'a limit was hit; see retry-after' },
  cancelled: { status: 499, type: 'internal_error', when: 'the client left; only in records' },
  internal: { status: 500, type: 'internal_error', when: 'a bug of ours' },
  engine_failed: {
    status: 500,
    type: 'internal_error',
    when: 'the engine process ended while it ran this request; it is being restarted',
  },
  upstream_failed: {
    status: 502,
    type: 'upstream_error',
    when: 'an external target could not be reached, or its answer made no sense',
  },
  upstream_refused: {
    status: 502,
    type: 'upstream_error',
    when: 'an external target refused the request; its own message is kept',
  },
  constraint_not_met: {
    status: 502,
    type: 'upstream_error',
    when: 'what the model wrote does not satisfy the constraint of the request, or could not be made to',
  },
  queue_full: {
    status: 503,
    type: 'overloaded_error',
    when: 'too many requests are waiting; see retry-after',
  },
  model_loading: {
    status: 503,
    type: 'overloaded_error',
    when: 'the deployment is not ready yet; the message has its progress',
  },
  deployment_failed: {
    status: 503,
    type: 'overloaded_error',
    when: 'the deployment failed; the message has the reason',
  },
  shutting_down: { status: 503, type: 'overloaded_error', when: 'the server is draining' },
  upstream_timeout: {
    status: 504,
    type: 'timeout_error',
    when: 'an external target did not answer in time',
  },
  model_unavailable: {
    status: 500,
    type: 'internal_error',
    when: 'weights could not be fetched; the message names every source tried',
  },
  home_unusable: {
    status: 500,
    type: 'internal_error',
    when: 'the home folder cannot be read or written, or another server uses it',
  },
  machine_unsupported: {
    status: 500,
    type: 'internal_error',
    when: 'the engine does not run on this machine',
  },
  invalid_option: bad('a start option or a line of parlance.yaml is wrong'),
} as const satisfies Record<string, ErrorRow>;

export type Reason = keyof typeof errorCatalogue;

export interface ErrorDetail {
  /** JSON path of the field at fault, such as `messages[2].content`. */
  readonly param?: string;
  /** Whole seconds, becomes the `retry-after` header. */
  readonly retryAfter?: number;
  /** Status of an upstream's answer where it differs from the catalogue's. */
  readonly status?: number;
  readonly type?: ErrorType;
  /** The keyword of a schema, or the construct of a regex or grammar, that is at fault. */
  readonly keyword?: string;
  readonly cause?: unknown;
}

/** The only error class that is thrown on purpose; anything else is a bug and reads `internal`. */
export class ParlanceError extends Error {
  readonly reason: Reason;
  readonly param: string | null;
  readonly retryAfter: number | null;
  readonly status: number;
  readonly type: ErrorType;
  readonly keyword: string | null;

  constructor(reason: Reason, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'ParlanceError';
    this.reason = reason;
    this.param = detail.param || null;
    this.retryAfter = detail.retryAfter ?? null;
    this.keyword = detail.keyword ?? null;
    this.status = detail.status ?? errorCatalogue[reason].status;
    this.type = detail.type ?? errorCatalogue[reason].type;
  }
}

/** The one shape of an error on every path. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: ErrorType;
    /** The HTTP status. */
    readonly code: number;
    readonly param: string | null;
    readonly reason: Reason;
  };
}

/** What a client gets of any thrown value; an uncatalogued one is never shown. */
export function toErrorBody(error: unknown): ErrorBody {
  const known = asParlanceError(error);
  return {
    error: {
      message: known.message,
      type: known.type,
      code: known.status,
      param: known.param,
      reason: known.reason,
    },
  };
}

/** Any thrown value as a catalogued error; the original stays behind as its cause. */
export function asParlanceError(error: unknown): ParlanceError {
  if (error instanceof ParlanceError) return error;
  return new ParlanceError(
    'internal',
    'Something went wrong in Parlance; the log has the details.',
    {
      cause: error,
    },
  );
}
