/**
 * The metrics registry: what `GET /metrics` shows. The server reports requests and tokens, a
 * callback gives the load of the engines. Labels are routes, statuses and targets: never what a
 * client may invent.
 */

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

import { observeEngineMetrics, type EngineReading } from './engine-metrics.ts';

/** What became of the records of inferences. */
export interface RecordCounts {
  readonly waiting: number;
  readonly written: number;
  readonly dropped: number;
  readonly failures: number;
}

/** Requests in slots and requests in queues, over all engines. */
export interface Load {
  readonly running: number;
  readonly waiting: number;
}

export interface RequestEnd {
  /** The route's pattern, or `unmatched`. */
  readonly route: string;
  readonly status: number | 'cancelled';
  readonly seconds: number;
}

export interface AnsweredTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
}

export interface Metrics {
  /** The text exposition format. */
  render(): Promise<string>;
  readonly contentType: string;
  /** Says where the load comes from; asked whenever the metrics are read. */
  observeLoad(read: () => Load): void;
  /** The same for what each engine counts. */
  observeEngines(read: () => readonly EngineReading[]): void;
  /** And for the records of inferences. */
  observeRecords(read: () => RecordCounts): void;
  requestEnded(end: RequestEnd): void;
  /** From the request's arrival to the first piece of its answer. */
  firstToken(seconds: number): void;
  answered(target: string, tokens: AnsweredTokens): void;
  /** Engines tell: from a request's abort to the moment when it held nothing any more. */
  released(seconds: number): void;
}

const latencies = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const releases = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

function requestMetrics(registers: Registry[]) {
  return {
    total: new Counter({
      name: 'parlance_requests_total',
      help: 'Requests that ended, by route and HTTP status (or cancelled).',
      labelNames: ['route', 'status'],
      registers,
    }),
    cancelled: new Counter({
      name: 'parlance_requests_cancelled_total',
      help: 'Requests whose client left before the answer ended.',
      registers,
    }),
    duration: new Histogram({
      name: 'parlance_request_duration_seconds',
      help: 'From the arrival of a request to the end of its answer.',
      labelNames: ['route'],
      buckets: latencies,
      registers,
    }),
    firstToken: new Histogram({
      name: 'parlance_time_to_first_token_seconds',
      help: 'From the arrival of a request to the first piece of its answer.',
      buckets: latencies,
      registers,
    }),
    release: new Histogram({
      name: 'parlance_cancel_release_seconds',
      help: 'From a disconnect to the moment when the request held nothing any more.',
      buckets: releases,
      registers,
    }),
  };
}

function tokenMetrics(registers: Registry[]) {
  const counter = (kind: string, help: string): Counter<'target'> =>
    new Counter({ name: `parlance_${kind}_tokens_total`, help, labelNames: ['target'], registers });
  return {
    prompt: counter('prompt', 'Prompt tokens of answered requests.'),
    completion: counter('completion', 'Tokens generated.'),
    cached: counter('cached', 'Prompt tokens that came from a cached prefix.'),
  };
}

function observeGauges(registers: Registry[], read: () => Load): void {
  const gauge = (name: keyof Load, help: string): Gauge =>
    new Gauge({
      name: `parlance_requests_${name}`,
      help,
      registers,
      collect() {
        this.set(read()[name]);
      },
    });
  gauge('running', 'Requests that are in an engine’s slots.');
  gauge('waiting', 'Requests that wait for a slot.');
}

function observeRecordMetrics(registers: Registry[], read: () => RecordCounts): void {
  void new Gauge({
    name: 'parlance_records_waiting',
    help: 'Records of inferences that are not written yet.',
    registers,
    collect() {
      this.set(read().waiting);
    },
  });
  const counter = (name: string, of: Exclude<keyof RecordCounts, 'waiting'>, help: string): void =>
    void new Counter({
      name: `parlance_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read()[of]);
      },
    });
  counter('records_written', 'written', 'Records of inferences that are in the store.');
  counter('records_dropped', 'dropped', 'Records of inferences that were lost: no room to wait.');
  counter('record_failures', 'failures', 'Writes of records that failed and were tried again.');
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = requestMetrics(registers);
  const tokens = tokenMetrics(registers);
  let load = (): Load => ({ running: 0, waiting: 0 });
  observeGauges(registers, () => load());
  let engines = (): readonly EngineReading[] => [];
  observeEngineMetrics(registers, () => engines());
  return {
    render: () => registry.metrics(),
    contentType: registry.contentType,
    observeLoad(read) {
      load = read;
    },
    observeEngines(read) {
      engines = read;
    },
    observeRecords: (read) => observeRecordMetrics(registers, read),
    requestEnded({ route, status, seconds }) {
      requests.total.inc({ route, status: String(status) });
      requests.duration.observe({ route }, seconds);
      if (status === 'cancelled') requests.cancelled.inc();
    },
    firstToken: (seconds) => requests.firstToken.observe(seconds),
    answered(target, answered) {
      tokens.prompt.inc({ target }, answered.promptTokens);
      tokens.completion.inc({ target }, answered.completionTokens);
      tokens.cached.inc({ target }, answered.cachedTokens);
    },
    released: (seconds) => requests.release.observe(seconds),
  };
}
