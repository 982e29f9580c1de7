/** Schemas, headers and error answers that the paths of the OpenAPI document refer to. */

import {
  chatCompletionChunkSchema,
  chatCompletionRequest,
  chatCompletionSchema,
  completionChunkSchema,
  completionRequest,
  completionSchema,
  errorCatalogue,
  errorSchema,
  modelListSchema,
  modelSchema,
  planSchema,
  promptCompletionChunkSchema,
  promptCompletionSchema,
  type Reason,
  type Schema,
} from '../../contract/index.ts';
import { deploymentSchemas } from './deployment-schemas.ts';
import { plainSchema } from './plain-schema.ts';

const contractSchemas = {
  ChatCompletionRequest: chatCompletionRequest,
  ChatCompletion: chatCompletionSchema,
  ChatCompletionChunk: chatCompletionChunkSchema,
  PromptCompletion: promptCompletionSchema,
  PromptCompletionChunk: promptCompletionChunkSchema,
  Plan: planSchema,
  CompletionRequest: completionRequest,
  Completion: completionSchema,
  CompletionChunk: completionChunkSchema,
  Model: modelSchema,
  ModelList: modelListSchema,
  Error: errorSchema,
} satisfies Record<string, object>;

type SchemaName = keyof typeof contractSchemas | keyof typeof deploymentSchemas;

export const reference = (name: SchemaName): object => ({ $ref: `#/components/schemas/${name}` });

const requestId = {
  description: 'The request’s ID: taken from the request, or made.',
  schema: { type: 'string' },
};

const receipt = {
  description:
    'What was done with each parameter that is not neutral, such as `top_k=honoured; seed=emulated`. Absent when there is none.',
  schema: { type: 'string' },
};

const retryAfter = { description: 'Whole seconds to wait.', schema: { type: 'integer' } };

export const header = (name: 'x-request-id' | 'x-parlance-receipt' | 'retry-after'): object => ({
  $ref: `#/components/headers/${name}`,
});

const statuses = [...new Set(Object.values(errorCatalogue).map((row) => row.status))]
  .filter((status) => status !== 499)
  .sort((one, other) => one - other);

/** The error answers of these HTTP statuses, keyed as an operation wants them. */
export function errorResponses(...wanted: readonly number[]): Record<string, object> {
  return Object.fromEntries(
    wanted.map((status) => [String(status), { $ref: `#/components/responses/error-${status}` }]),
  );
}

function errorResponse(status: number): object {
  const rows = Object.entries(errorCatalogue).filter(([, row]) => row.status === status);
  const reasons = rows.map(([reason, row]) => `\`${reason as Reason}\`: ${row.when}`);
  return {
    description: `${reasons.join('; ')}.`,
    headers: {
      'x-request-id': header('x-request-id'),
      ...(status === 429 || status === 503 ? { 'retry-after': header('retry-after') } : {}),
    },
    content: { 'application/json': { schema: reference('Error') } },
  };
}

export function components(): object {
  const schemas = { ...contractSchemas, ...deploymentSchemas };
  return {
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, one]) => [name, plainSchema(one as Schema)]),
    ),
    headers: {
      'x-request-id': requestId,
      'x-parlance-receipt': receipt,
      'retry-after': retryAfter,
    },
    parameters: {
      'x-request-id': { name: 'x-request-id', in: 'header', ...requestId },
      'x-parlance-unsupported': {
        name: 'x-parlance-unsupported',
        in: 'header',
        description:
          'What happens to a parameter that cannot be honoured, or a field that is not known: `error` refuses the request, `warn` and `drop` go on without it, and the receipt says so.',
        schema: { type: 'string', enum: ['error', 'warn', 'drop'], default: 'error' },
      },
    },
    responses: Object.fromEntries(
      statuses.map((status) => [`error-${status}`, errorResponse(status)]),
    ),
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'Asked for once a key exists, or when the address is not loopback.',
      },
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'The same key in the other form: `Authorization: Api-Key KEY`.',
      },
    },
  };
}
