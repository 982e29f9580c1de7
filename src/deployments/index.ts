/** What `POST /deploy` made: its life, its runtimes, and which target has which name. */

export {
  createDeployments,
  type Deployments,
  type DeploymentsOptions,
  type EngineReading,
} from './create-deployments.ts';
export type { CapabilityWord, DeploymentView, ProgressView } from './deployment-view.ts';
export type { DeploymentState } from './lifecycle.ts';
export { createEmbeddedRuntime, type EmbeddedRuntimeOptions } from './runtimes/embedded.ts';
export { createExternalRuntime, type ExternalRuntimeOptions } from './runtimes/external.ts';
export type {
  Attached,
  Load,
  Running,
  Runtime,
  Runtimes,
  StartContext,
} from './runtimes/runtime.ts';
export type { EmbeddedOptions } from './embedded-options.ts';
export type {
  AdapterSpec,
  DeploymentSpec,
  EmbeddedSpec,
  ExternalSpec,
  RuntimeName,
} from './spec.ts';
export { toStartModel } from './start-model.ts';
