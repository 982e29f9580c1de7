/** Readable log lines for a terminal, made from the log's JSON lines. Used by `log.ts` only. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}

const quoted = (text: string): string => (/[\s=]/.test(text) ? JSON.stringify(text) : text);

/** `12:03:55 info  message  key=value …`, then the stack of an error, indented. */
export function formatLine(line: string): string {
  const event = parse(line);
  if (event === null) return line;
  const { level, time, msg, error, ...facts } = event;
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  const pairs = Object.entries(facts).map(([name, value]) => `${name}=${quoted(shown(value))}`);
  const first = [clock, shown(level).padEnd(5), shown(msg ?? ''), ...pairs].join(' ');
  const stack = isRecord(error) ? (error['stack'] ?? error['message']) : error;
  const rest = stack === undefined ? '' : `\n  ${shown(stack).replaceAll('\n', '\n  ')}`;
  return `${first}${rest}\n`;
}
