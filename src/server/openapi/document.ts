/** The OpenAPI 3.1 document of the server, made from the contract. Served as /openapi.json. */

import { components } from './components.ts';
import { paths } from './paths.ts';

export interface OpenApiOptions {
  /** The version of the program. */
  readonly version: string;
}

export function openApiDocument({ version }: OpenApiOptions): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parlance',
      version,
      summary: 'One OpenAI-compatible chat-completions endpoint, self-hosted.',
      description:
        'Every parameter is honoured, or refused with a reason: the header `x-parlance-receipt` says what was done with each.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{}, { bearer: [] }, { apiKey: [] }],
    paths,
    components: components(),
  };
}
