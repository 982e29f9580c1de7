/** Every route: method, path, the right it asks for, and its handler. Closed by default. */

import type { Exchange } from '../exchange.ts';
import type { RouteRow } from '../router.ts';
import type { Right } from '../services.ts';
import { postChat } from './chat.ts';
import { postCompletions } from './completions.ts';
import { deleteDeployment, getDeployment, getDeployments, postDeployment } from './deploy.ts';
import { getHealth, getMetrics, getModel, getModels, getOpenApi, getRoot } from './service.ts';

export interface Route extends RouteRow {
  /** null: public, and then the path is in `publicPaths`. */
  readonly right: Right | null;
  readonly handler: (exchange: Exchange) => Promise<void> | void;
}

/** Load balancers ask for the health without a key; it tells a state and no names. */
export const publicPaths: readonly string[] = ['/health'];

export const routeTable: readonly Route[] = [
  { method: 'GET', path: '/', right: 'chat', handler: getRoot },
  { method: 'POST', path: '/v1/chat/completions', right: 'chat', handler: postChat },
  { method: 'POST', path: '/v1/completions', right: 'chat', handler: postCompletions },
  { method: 'GET', path: '/v1/models', right: 'chat', handler: getModels },
  { method: 'GET', path: '/v1/models/{id}', right: 'chat', handler: getModel },
  { method: 'POST', path: '/deploy', right: 'deploy', handler: postDeployment },
  { method: 'GET', path: '/deploy', right: 'deploy', handler: getDeployments },
  { method: 'GET', path: '/deploy/{name}', right: 'deploy', handler: getDeployment },
  { method: 'DELETE', path: '/deploy/{name}', right: 'deploy', handler: deleteDeployment },
  { method: 'GET', path: '/health', right: null, handler: getHealth },
  // The load of a server is its operator's business, not that of everybody who may chat.
  { method: 'GET', path: '/metrics', right: 'deploy', handler: getMetrics },
  { method: 'GET', path: '/openapi.json', right: 'chat', handler: getOpenApi },
];
