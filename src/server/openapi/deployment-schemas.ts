/**
 * What /deploy takes and answers, as the reference shows it. The room of deployments validates with
 * its own schema and owns the views; these are their outline, open where a runtime adds its own.
 */

import { Type } from 'typebox';

const name = Type.String({ pattern: '^[A-Za-z0-9._:/@-]{1,128}$' });

const deployRequest = Type.Union(
  [
    Type.Object(
      {
        name,
        runtime: Type.Literal('embedded'),
        model: Type.String({
          description: 'A name of the catalogue, a `.gguf` file, or `hf:owner/repo/file.gguf`.',
        }),
        options: Type.Optional(Type.Object({}, { description: 'Options of the engine.' })),
      },
      { additionalProperties: false },
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
    model: Type.String(),
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
