/** Deploys, follows and removes over HTTP, for tests. */

import assert from 'node:assert/strict';
import { get, jsonOf, post, remove, type Body } from './ask.ts';
import { waitUntil } from './wait-until.ts';

interface At {
  readonly url: string;
}

export interface Deployment {
  readonly name: string;
  readonly runtime: string;
  readonly state: string;
  readonly reason?: string | null;
  readonly progress?: unknown;
  readonly [field: string]: unknown;
}

export const deploymentUrl = ({ url }: At, name: string): string =>
  `${url}/deploy/${encodeURIComponent(name)}`;

/** Deploys and waits until it is ready. */
export async function deploy(server: At, body: Body & { readonly name: string }): Promise<void> {
  const reply = await post(`${server.url}/deploy`, body);
  assert.equal(reply.status, 202, reply.text);
  await waitForState(server, body.name, 'ready');
}

/** @returns the states that were seen on the way, the last one included, each once */
export async function waitForState(server: At, name: string, state: string): Promise<string[]> {
  const seen: string[] = [];
  await waitUntil(
    `${name} to be ${state}`,
    async () => {
      const reply = await get(deploymentUrl(server, name));
      const found = jsonOf<Deployment>(reply);
      assert.ok(reply.status === 200, reply.text);
      if (seen.at(-1) !== found.state) seen.push(found.state);
      assert.ok(found.state !== 'failed' || state === 'failed', String(found.reason));
      return found.state === state;
    },
    60_000,
  );
  return seen;
}

/** Removes and waits until the name is free. */
export async function undeploy(server: At, name: string): Promise<void> {
  const reply = await remove(deploymentUrl(server, name));
  assert.ok([200, 202, 404].includes(reply.status), reply.text);
  await waitUntil(
    `${name} to be gone`,
    async () => (await get(deploymentUrl(server, name))).status === 404,
  );
}
