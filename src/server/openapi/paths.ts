/** The routes of the server as OpenAPI operations, in the order in which a reader wants them. */

import { errorResponses, header, reference } from './components.ts';

const json = (schema: object): object => ({ 'application/json': { schema } });

const everyAnswer = { 'x-request-id': header('x-request-id') };
const generated = { ...everyAnswer, 'x-parlance-receipt': header('x-parlance-receipt') };

const requestId = { $ref: '#/components/parameters/x-request-id' };
const relax = { $ref: '#/components/parameters/x-parlance-unsupported' };

const answer = (description: string, content: object, headers: object = everyAnswer): object => ({
  description,
  headers,
  content,
});

const generationErrors = errorResponses(400, 401, 403, 404, 408, 413, 415, 429, 500, 502, 503, 504);

const sse = (chunks: readonly object[]): object => ({
  'text/event-stream': {
    schema: {
      type: 'string',
      description:
        'Server-sent events: each `data:` holds a chunk, the last one `[DONE]`. An error after the first chunk is a `data:` with `error`, and then no `[DONE]`.',
      contentMediaType: 'application/json',
      contentSchema: { anyOf: [...chunks, reference('Error')] },
    },
  },
});

const chat = {
  operationId: 'createChatCompletion',
  summary: 'Answer a conversation, or go on from a raw prompt',
  parameters: [requestId, relax],
  requestBody: { required: true, content: json(reference('ChatCompletionRequest')) },
  responses: {
    200: answer(
      'The whole answer; with `stream: true` its chunks; with `dry_run: true` the plan.',
      {
        ...json({
          anyOf: [reference('ChatCompletion'), reference('PromptCompletion'), reference('Plan')],
        }),
        ...sse([reference('ChatCompletionChunk'), reference('PromptCompletionChunk')]),
      },
      generated,
    ),
    ...generationErrors,
  },
};

const completions = {
  operationId: 'createCompletion',
  summary: 'Go on from one or more raw prompts (the old route)',
  parameters: [requestId, relax],
  requestBody: { required: true, content: json(reference('CompletionRequest')) },
  responses: {
    200: answer(
      'The whole answer; with `stream: true` its chunks.',
      { ...json(reference('Completion')), ...sse([reference('CompletionChunk')]) },
      generated,
    ),
    ...generationErrors,
  },
};

const pathParameter = (name: string, description: string): object => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
});

const readErrors = errorResponses(401, 403, 500);
const readOneErrors = errorResponses(401, 403, 404, 500);

const read = (
  operationId: string,
  summary: string,
  description: string,
  schema: object,
): object => ({
  operationId,
  summary,
  parameters: [requestId],
  responses: { 200: answer(description, json(schema)), ...readErrors },
});

const readOne = (
  operationId: string,
  summary: string,
  parameter: object,
  schema: object,
): object => ({
  operationId,
  summary,
  parameters: [parameter, requestId],
  responses: { 200: answer('It.', json(schema)), ...readOneErrors },
});

const deploymentName = pathParameter('name', 'The name of the deployment.');

const deploy = {
  operationId: 'createDeployment',
  summary: 'Make a model available under a name',
  description: 'The same body twice is one deployment.',
  parameters: [requestId],
  requestBody: { required: true, content: json(reference('DeployRequest')) },
  responses: {
    202: answer('The deployment; its state tells how far it is.', json(reference('Deployment'))),
    ...errorResponses(400, 401, 403, 408, 409, 413, 415, 500, 503),
  },
};

const remove = {
  operationId: 'deleteDeployment',
  summary: 'Drain and remove a deployment',
  parameters: [deploymentName, requestId],
  responses: {
    202: answer('It is draining.', json(reference('Deployment'))),
    ...errorResponses(401, 403, 404, 409, 500),
  },
};

const healthCheck = (description: string): object => answer(description, json(reference('Health')));

const health = {
  operationId: 'getHealth',
  summary: 'Whether the server can answer',
  security: [],
  responses: {
    200: healthCheck('The start model is ready.'),
    503: healthCheck('Not yet, not any more, or the start model failed.'),
  },
};

const metrics = {
  operationId: 'getMetrics',
  summary: 'Metrics in the Prometheus text format',
  responses: {
    200: answer('The metrics.', { 'text/plain': { schema: { type: 'string' } } }),
    ...errorResponses(401, 403),
  },
};

export const paths = {
  '/': {
    get: read('getRoot', 'What this server is', 'Its name, its version and where to go on.', {
      type: 'object',
    }),
  },
  '/v1/chat/completions': { post: chat },
  '/v1/completions': { post: completions },
  '/v1/models': {
    get: read('listModels', 'The models there are', 'The models.', reference('ModelList')),
  },
  '/v1/models/{id}': {
    get: readOne(
      'getModel',
      'One model',
      pathParameter('id', 'The model’s name; its slashes need no escape.'),
      reference('Model'),
    ),
  },
  '/deploy': {
    post: deploy,
    get: read(
      'listDeployments',
      'The deployments there are',
      'The deployments with their states.',
      reference('DeploymentList'),
    ),
  },
  '/deploy/{name}': {
    get: readOne('getDeployment', 'One deployment', deploymentName, reference('Deployment')),
    delete: remove,
  },
  '/health': { get: health },
  '/metrics': { get: metrics },
  '/openapi.json': {
    get: read('getOpenApi', 'This document', 'An OpenAPI 3.1 document.', { type: 'object' }),
  },
};
