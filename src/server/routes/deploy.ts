/** Deployments over HTTP. No web page may reach these routes: foreign hosts and origins are refused. */

import { parseJson } from '../../contract/index.ts';
import type { Exchange } from '../exchange.ts';
import { checkMediaType } from '../http/media-type.ts';
import { checkOrigin } from '../http/origin.ts';

function checkCaller({ request, services }: Exchange): void {
  checkOrigin(
    { host: request.headers.host, origin: request.headers.origin },
    {
      port: request.socket.localPort ?? 0,
      address: request.socket.localAddress ?? '',
      host: services.settings.host,
      allowed: services.settings.allowedHosts,
    },
  );
}

const nameOf = (exchange: Exchange): string => exchange.parameters['name'] ?? '';

export async function postDeployment(exchange: Exchange): Promise<void> {
  checkCaller(exchange);
  checkMediaType(exchange.request.headers, 'required');
  const body = parseJson(await exchange.readText());
  const view = await exchange.services.deployments.deploy(body);
  exchange.response.setHeader('location', `/deploy/${encodeURIComponent(view.name)}`);
  exchange.sendJson(202, view);
}

export function getDeployments(exchange: Exchange): void {
  checkCaller(exchange);
  exchange.sendJson(200, { object: 'list', data: exchange.services.deployments.list() });
}

export function getDeployment(exchange: Exchange): void {
  checkCaller(exchange);
  exchange.sendJson(200, exchange.services.deployments.get(nameOf(exchange)));
}

export async function deleteDeployment(exchange: Exchange): Promise<void> {
  checkCaller(exchange);
  exchange.sendJson(202, await exchange.services.deployments.remove(nameOf(exchange)));
}
