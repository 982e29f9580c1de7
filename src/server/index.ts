/** The HTTP server and what it needs of the rooms behind it. */

export { createApp } from './app.ts';
export type { App, AppOptions, ListenOptions } from './app.ts';
export { openApiDocument, type OpenApiOptions } from './openapi/index.ts';
export { defaultSettings } from './services.ts';
export type {
  DeploymentView,
  HealthView,
  ModelView,
  Principal,
  Right,
  ServerSettings,
  Services,
} from './services.ts';
