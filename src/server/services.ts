/**
 * What the server needs of the rooms behind it, as structural interfaces: the server compiles and is
 * tested without them. Whoever starts the program fills this in; views are plain JSON.
 */

import type { Target } from '../targets/index.ts';
import type { Inference, Log, Metrics } from '../telemetry/index.ts';

export type Right = 'chat' | 'deploy' | 'admin';

export interface Principal {
  /** null: nobody in particular, while no key exists. */
  readonly id: string | null;
  readonly name: string;
  /** `admin` stands for all of them. */
  readonly rights: ReadonlySet<Right>;
}

export interface DeploymentView {
  readonly name: string;
  readonly state: string;
}

export interface ModelView {
  readonly id: string;
  readonly object: 'model';
  /** Whole seconds. */
  readonly created: number;
  readonly owned_by: string;
  /** Of an adapter: the model that it changes. */
  readonly parent?: string;
}

export interface HealthView {
  readonly status: 'ok' | 'starting' | 'failed' | 'draining';
}

export interface ServerSettings {
  readonly maxBodyBytes: number;
  /** A body of which nothing came for so long is given up. */
  readonly bodyTimeoutMs: number;
  /** Silence after which a stream sends a comment. */
  readonly heartbeatMs: number;
  /** Where a stream's usage goes: on the last choice's finish chunk, or in a chunk of its own. */
  readonly usageChunk: 'last' | 'separate';
  /** The host that the server was told to listen on. */
  readonly host: string;
  /** Names that `/deploy` may be called by, beside the host's own; with or without a port. */
  readonly allowedHosts: readonly string[];
}

export interface Services {
  readonly access: {
    /** @throws ParlanceError `unauthenticated` */
    authenticate(authorization: string | undefined): Promise<Principal>;
  };
  readonly routing: {
    /** @throws ParlanceError `unknown_model`, `model_loading`, `deployment_failed` */
    resolve(model: string): Target;
  };
  readonly deployments: {
    list(): readonly DeploymentView[];
    /** @throws ParlanceError `unknown_deployment` */
    get(name: string): DeploymentView;
    deploy(body: unknown): Promise<DeploymentView>;
    remove(name: string): Promise<DeploymentView>;
  };
  readonly models: { list(): readonly ModelView[] };
  readonly health: { check(): HealthView };
  /** Told of every request that a target was asked to answer, once it has ended; takes no time. */
  readonly inferences: { add(inference: Inference): void };
  /** The OpenAPI document, or what makes it when it is first asked for. */
  readonly openapi: object | (() => object);
  readonly settings: ServerSettings;
  readonly version: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

export const defaultSettings: ServerSettings = {
  maxBodyBytes: 32 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  heartbeatMs: 15_000,
  usageChunk: 'last',
  host: '127.0.0.1',
  allowedHosts: [],
};
