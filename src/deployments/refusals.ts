/** Why a deployment cannot be made or removed beside the others that there are. Pure. */

import { didYouMean, ParlanceError } from '../contract/index.ts';
import { invalidDeployment } from './check-fields.ts';
import { compareSpecs } from './compare-specs.ts';
import type { Deployment } from './deployment.ts';
import { listNames, noAdaptersThere } from './not-ready.ts';
import type { AdapterSpec, DeploymentSpec } from './spec.ts';

/** The other name of an adapter: `base:adapter`. */
export function aliasOf(spec: DeploymentSpec): string | null {
  return spec.runtime === 'adapter' ? `${spec.adapter_of}:${spec.name}` : null;
}

const conflict = (message: string, detail: { param?: string; retryAfter?: number } = {}) =>
  new ParlanceError('deployment_conflict', message, detail);

export function refuseConflict(there: Deployment, wanted: DeploymentSpec): void {
  const { name } = wanted;
  if (there.life.state === 'draining') {
    throw conflict(
      `The deployment "${name}" is still being removed. Try again in a moment, or choose another name.`,
      { param: 'name', retryAfter: 1 },
    );
  }
  const differences = compareSpecs(there.spec, wanted);
  if (differences.length === 0) return;
  throw conflict(
    `There is another deployment "${name}". What differs: ${differences.join('; ')}. ` +
      `Remove it first (DELETE /deploy/${name}), or choose another name.`,
    { param: 'name' },
  );
}

/** Neither a name nor `base:adapter` may mean two deployments. @throws `deployment_conflict` */
export function refuseNameClash(wanted: DeploymentSpec, there: readonly Deployment[]): void {
  for (const { spec } of there) {
    const clash =
      aliasOf(spec) === wanted.name
        ? wanted.name
        : aliasOf(wanted) === spec.name
          ? spec.name
          : null;
    if (clash === null) continue;
    throw conflict(
      `"${clash}" would name both the deployment "${clash}" and an adapter as base:adapter. Choose another name.`,
      { param: 'name' },
    );
  }
}

/** @throws `invalid_deployment` where nothing is there that an adapter could change */
export function refuseBase(
  wanted: AdapterSpec,
  base: Deployment | null,
  names: readonly string[],
): void {
  const { adapter_of: name } = wanted;
  if (base === null) {
    const list = names.length === 0 ? 'There are none.' : `There are: ${listNames(names)}.`;
    throw invalidDeployment(
      'adapter_of',
      `there is no deployment "${name.slice(0, 128)}"${didYouMean(name, names)}. ${list}`,
    );
  }
  if (base.spec.runtime !== 'embedded') throw noAdaptersThere(name);
  if (base.life.state === 'draining') {
    throw conflict(`The deployment "${name}" is being removed.`, { param: 'adapter_of' });
  }
}

/** @throws `deployment_conflict`: an adapter cannot stay without what it changes */
export function refuseOrphans(base: Deployment, adapters: readonly Deployment[]): void {
  if (adapters.length === 0) return;
  const names = listNames(adapters.map(({ spec }) => spec.name));
  const leaving = adapters.every(({ life }) => life.state === 'draining');
  throw leaving
    ? conflict(
        `Adapters of "${base.spec.name}" are still being removed: ${names}. Try again in a moment.`,
        {
          retryAfter: 1,
        },
      )
    : conflict(
        `The deployment "${base.spec.name}" has adapters: ${names}. Remove them first (DELETE /deploy/NAME each).`,
      );
}
