/** What the server tells of itself: models, health, metrics, the OpenAPI document, the front page. */

import { didYouMean, ParlanceError } from '../../contract/index.ts';
import type { Exchange } from '../exchange.ts';

export function getRoot(exchange: Exchange): void {
  exchange.sendJson(200, {
    name: 'parlance',
    version: exchange.services.version,
    chat: '/v1/chat/completions',
    models: '/v1/models',
    docs: '/openapi.json',
  });
}

export function getModels(exchange: Exchange): void {
  exchange.sendJson(200, { object: 'list', data: exchange.services.models.list() });
}

export function getModel(exchange: Exchange): void {
  const id = exchange.parameters['id'] ?? '';
  const models = exchange.services.models.list();
  const found = models.find((model) => model.id === id);
  if (found === undefined) {
    const names = models.map((model) => model.id);
    const hint = didYouMean(id, names);
    const list = names.length === 0 ? 'none is ready' : `there are: ${names.join(', ')}`;
    throw new ParlanceError('unknown_model', `There is no model "${id}"${hint}; ${list}.`, {
      param: 'model',
    });
  }
  exchange.sendJson(200, found);
}

export function getHealth(exchange: Exchange): void {
  const health = exchange.services.health.check();
  if (health.status !== 'ok') exchange.response.setHeader('retry-after', '1');
  exchange.sendJson(health.status === 'ok' ? 200 : 503, health);
}

export async function getMetrics(exchange: Exchange): Promise<void> {
  const { metrics } = exchange.services;
  exchange.sendText(200, metrics.contentType, await metrics.render());
}

export function getOpenApi(exchange: Exchange): void {
  const { openapi } = exchange.services;
  exchange.sendJson(200, typeof openapi === 'function' ? (openapi as () => object)() : openapi);
}
