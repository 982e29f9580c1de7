/**
 * A deployment as a server describes it. The server may be another version, so every field is read
 * with care and only the name and the state are taken for granted.
 */

import { ParlanceError } from '../../contract/index.ts';

/** The JSON that the server sent, with the fields that the CLI looks at. */
export interface DeploymentView {
  readonly name: string;
  readonly state: string;
  readonly [field: string]: unknown;
}

/** @throws ParlanceError `upstream_failed` */
export function parseDeployment(value: unknown): DeploymentView {
  const view = value as { name?: unknown; state?: unknown } | null;
  if (typeof view?.name === 'string' && typeof view.state === 'string') {
    return view as DeploymentView;
  }
  throw new ParlanceError('upstream_failed', 'The server described a deployment without a state.');
}

/** Takes the bare list and the form `{data: […]}`. */
export function parseDeployments(value: unknown): DeploymentView[] {
  const list = Array.isArray(value) ? value : (value as { data?: unknown } | null)?.data;
  if (Array.isArray(list)) return list.map(parseDeployment);
  throw new ParlanceError('upstream_failed', 'The server did not answer with a list.');
}

/** The path of a deployment's routes. */
export function deploymentPath(name: string): string {
  return `/deploy/${encodeURIComponent(name)}`;
}
