/**
 * What /deploy takes and answers, as the reference shows it. The room of deployments validates with
 * its own schema and owns the views; these are their outline, open where a runtime adds its own.
 */

import { Type, type TSchema } from 'typebox';

const name = Type.String({ pattern: '^[A-Za-z0-9._:/@-]{1,128}$' });

const chosen = <S extends TSchema>(schema: S, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

const engineOptions = Type.Object(
  {
    slots: chosen(Type.Integer({ minimum: 1 }), 'Requests that run at a time.'),
    context: chosen(Type.Integer({ minimum: 128 }), 'Tokens of each.'),
    threads: chosen(Type.Integer({ minimum: 1 }), 'Threads that compute.'),
    deterministic: chosen(
      Type.Boolean(),
      'true: the same bytes whatever else runs, or no start; false: the fastest settings.',
    ),
    prefix_cache_bytes: chosen(
      Type.Integer({ minimum: 0 }),
      'Most memory for computed prefixes; 0 keeps none.',
    ),
    draft_model: chosen(Type.String(), 'A small model of the same vocabulary: drafts.'),
    speculation: chosen(Type.Enum(['auto', 'off']), 'Whether drafts are verified.'),
    gpu_layers: chosen(
      Type.Union([Type.Integer({ minimum: 0 }), Type.Literal('auto')]),
      'Layers that a GPU computes.',
    ),
    chat_template: chosen(
      Type.String(),
      'A `.jinja` file on the server, the text of a template, or `none` for raw prompts only.',
    ),
    tool_format: chosen(Type.String(), 'How the model writes calls: `auto`, `none` or a name.'),
    reasoning_format: chosen(Type.String(), 'How it writes thinking: `auto`, `none` or a name.'),
  },
  { additionalProperties: false, description: 'Options of the engine; null lets Parlance choose.' },
);

const deployRequest = Type.Union(
  [
    Type.Object(
      {
        name,
        runtime: Type.Literal('embedded'),
        model: Type.String({
          description: 'A name of the catalogue, a `.gguf` file, or `hf:owner/repo/file.gguf`.',
        }),
        options: Type.Optional(engineOptions),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        name,
        runtime: Type.Optional(Type.Literal('adapter')),
        adapter_of: Type.String({ description: 'The deployment on the embedded engine.' }),
        path: Type.String({ description: 'A GGUF file with a LoRA adapter, on the server.' }),
      },
      {
        additionalProperties: false,
        description: 'An adapter: it answers under its own name and as `base:name`.',
      },
    ),
    Type.Object(
      {
        name,
        runtime: Type.Literal('external'),
        base_url: Type.String({ description: 'As the official SDK takes it, with its `/v1`.' }),
        api_key_env: Type.Optional(
          Type.String({ description: 'A variable that the server was started to allow.' }),
        ),
        model: Type.String({ description: 'The upstream’s own name of the model.' }),
        options: Type.Optional(
          Type.Object({}, { description: 'Such as the parameters that the upstream honours.' }),
        ),
      },
      { additionalProperties: false },
    ),
  ],
  { description: 'A model to make available under a name.' },
);

const deployment = Type.Object(
  {
    name: Type.String(),
    runtime: Type.String(),
    model: Type.Optional(Type.String()),
    adapter_of: Type.Optional(Type.String({ description: 'Of an adapter: what it changes.' })),
    path: Type.Optional(Type.String({ description: 'Of an adapter: its file.' })),
    engine: Type.Optional(
      Type.Unknown({ description: 'Of a ready one on the embedded engine: what it is and does.' }),
    ),
    state: Type.Enum(['pulling', 'loading', 'ready', 'failed', 'draining']),
    reason: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Why it failed.' }),
    ),
    progress: Type.Optional(Type.Unknown({ description: 'How far pulling or loading is.' })),
  },
  { description: 'A deployment and its state.' },
);

const health = Type.Object({
  status: Type.Enum(['ok', 'starting', 'failed', 'draining']),
});

export const deploymentSchemas = {
  DeployRequest: deployRequest,
  Deployment: deployment,
  DeploymentList: Type.Object({ object: Type.Literal('list'), data: Type.Array(deployment) }),
  Health: health,
};
