/** The OpenAPI document. */

export { openApiDocument, type OpenApiOptions } from './document.ts';
