/**
 * From the name in a request to the target that answers. For now a name is a deployment's; plans of
 * several targets come behind the same `resolve`.
 */

import { ParlanceError } from '../contract/index.ts';
import type { Deployments } from '../deployments/index.ts';
import type { Target } from '../targets/index.ts';

/** A row of `GET /v1/models`. */
export interface ModelView {
  readonly id: string;
  readonly object: 'model';
  /** Whole seconds since 1970. */
  readonly created: number;
  readonly owned_by: string;
  /** Of an adapter: the model that it changes. */
  readonly parent?: string;
}

export interface Routing {
  /**
   * @param model a name, or `parlance::model_name::M` (also with `tensorzero`)
   * @throws ParlanceError `unknown_model`, `model_loading`, `deployment_failed`
   */
  resolve(model: string): Target;
  /** The models that would answer now. */
  list(): ModelView[];
}

const qualified = /^(?:parlance|tensorzero)::(?<kind>[a-z_]+)::(?<name>.+)$/s;

export function createRouting(deployments: Pick<Deployments, 'resolve' | 'list'>): Routing {
  return {
    resolve: (model) => deployments.resolve(toName(model)),
    list: () =>
      deployments
        .list()
        .filter(({ state }) => state === 'ready')
        .map(({ name, created, adapter_of: parent }) => ({
          id: name,
          object: 'model',
          created,
          owned_by: 'parlance',
          ...(parent === undefined ? {} : { parent }),
        })),
  };
}

function toName(model: string): string {
  const { kind, name } = qualified.exec(model)?.groups ?? {};
  if (kind === 'model_name' && name !== undefined) return name;
  if (kind === 'function_name') {
    throw new ParlanceError(
      'unknown_model',
      `"${model.slice(0, 128)}" names a function, and this version has no functions yet. Name a model instead.`,
      { param: 'model' },
    );
  }
  return model;
}
