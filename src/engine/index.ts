/** The embedded engine's contract: starting one, asking it, and how large it would be. */

export { defaultEngineOptions } from './client/engine.ts';
export { probeLibrary, type LibraryProbe } from './client/probe-library.ts';
export { describeMachine, measureWeights, quantiseWeights } from './client/requantise.ts';
export type { GpuDevice, GpuState } from './llama/gpu-devices.ts';
export {
  findGpuLibraries,
  gpuFolder,
  gpuPackages,
  packageVersion,
  type GpuPackage,
} from './llama/library-folder.ts';
export { startEngine } from './client/start-engine.ts';
export type { Engine, EngineStart, EngineState } from './client/engine.ts';
export type { Generation } from './client/generation.ts';
export { chooseKvType, kvBytesPerToken, planCapacity } from './capacity.ts';
export type { Capacity, CapacityRequest, KvType, ModelShape } from './capacity.ts';
export { neutralRequest, neutralSampling } from './neutral-sampling.ts';
export { readFreeMemory } from './free-memory.ts';
export { compileStops, initialPositions, stepStops } from './text/stop-matcher.ts';
export type { StopPositions, StopTable } from './text/stop-matcher.ts';
export type {
  Ability,
  Accepted,
  BeamOptions,
  ChoiceStep,
  EngineInfo,
  EngineLoad,
  EngineOptions,
  EngineStats,
  Finish,
  GenerateRequest,
  Handover,
  Logprob,
  Sampling,
  TokenLogprob,
} from './protocol.ts';
