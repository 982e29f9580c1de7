/**
 * The log: one JSON line an event on standard error, or a readable line for a terminal. Made once
 * at start and handed down. Callers pass facts, never bodies, prompts, keys or header lists; what
 * looks like a secret is cut here all the same.
 */

import { pino, type DestinationStream } from 'pino';

import { formatLine } from './pretty.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Facts of one event; `error` takes any thrown value. */
export type LogFacts = Readonly<Record<string, unknown>>;

export interface Log {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  error(facts: LogFacts, message: string): void;
}

export interface LogOptions {
  /** Readable lines in place of JSON. */
  readonly pretty?: boolean;
  /** Where whole lines go; standard error by default. */
  readonly write?: (line: string) => void;
}

const secret = '[secret]';
const secretPaths = ['authorization', 'cookie', 'apiKey', 'api_key', 'key', 'token', 'headers'];

/** A thrown value as a log shows it: with its stack and its causes, since nobody else sees them. */
function describeError(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  // A catalogued error was thrown on purpose: its reason says more than where.
  if ('reason' in value && value.reason !== 'internal') {
    return { reason: value.reason, message: value.message };
  }
  const cause = value.cause === undefined ? {} : { cause: describeError(value.cause) };
  return { name: value.name, message: value.message, stack: value.stack, ...cause };
}

/** @param level the least severe level that is written */
export function createLog(level: LogLevel, options: LogOptions = {}): Log {
  const toLine = options.pretty === true ? formatLine : (line: string): string => line;
  const write = options.write ?? ((line: string): void => void process.stderr.write(line));
  const destination: DestinationStream = { write: (line) => write(toLine(line)) };
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
      redact: { paths: secretPaths.flatMap((name) => [name, `*.${name}`]), censor: secret },
    },
    destination,
  );
}
