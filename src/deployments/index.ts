/** What `POST /deploy` made: its life, its runtimes, and which target has which name. */

export {
  createDeployments,
  type Deployments,
  type DeploymentsOptions,
} from './create-deployments.ts';
export type { CapabilityWord, DeploymentView, ProgressView } from './deployment-view.ts';
export type { DeploymentState } from './lifecycle.ts';
export { createEmbeddedRuntime, type EmbeddedRuntimeOptions } from './runtimes/embedded.ts';
export { createExternalRuntime, type ExternalRuntimeOptions } from './runtimes/external.ts';
export type { Load, Running, Runtime, Runtimes, StartContext } from './runtimes/runtime.ts';
export type { DeploymentSpec, EmbeddedSpec, ExternalSpec, RuntimeName } from './spec.ts';
export { toStartModel } from './start-model.ts';
