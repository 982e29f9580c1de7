/** Telemetry: the log and the metrics. Other rooms are handed both; none makes its own. */

export { createLog } from './log.ts';
export type { Log, LogLevel, LogOptions } from './log.ts';
export type { EngineReading } from './engine-metrics.ts';
export type { Inference } from './inference.ts';
export { createMetrics } from './metrics.ts';
export type { AnsweredTokens, Load, Metrics, RequestEnd } from './metrics.ts';
