/** One line of `parlance render --jsonl`: a template and its context in, `{text}` or `{error}` out. */

import { ParlanceError } from '../../contract/index.ts';
import {
  asObject,
  compileTemplate,
  readJsonObject,
  readTemplateDate,
  type ChatTemplate,
} from '../../prompt/index.ts';

/** Templates that stay compiled: lines often have the same one. */
const kept = 32;

/** The function that a line of input goes through; it never throws for what a line says. */
export function createLineRenderer(): (line: string) => string {
  const compiled = new Map<string, ChatTemplate>();
  const compile = (source: string): ChatTemplate => {
    const known = compiled.get(source);
    if (known !== undefined) return known;
    const template = compileTemplate(source);
    const [oldest] = compiled.keys();
    if (compiled.size >= kept && oldest !== undefined) compiled.delete(oldest);
    compiled.set(source, template);
    return template;
  };
  return (line) => {
    try {
      return JSON.stringify({ text: renderLine(line, compile) });
    } catch (error) {
      if (!(error instanceof ParlanceError)) throw error;
      return JSON.stringify({ error: error.message });
    }
  };
}

function renderLine(line: string, compile: (source: string) => ChatTemplate): string {
  const fields = readJsonObject(line, 'The line');
  const source = fields.get('template');
  const now = fields.get('now') ?? null;
  if (typeof source !== 'string') throw wrong('`template` must be a string.');
  if (now !== null && typeof now !== 'string') throw wrong('`now` must be a string.');
  const context = asObject(fields.get('context'), '`context`');
  return compile(source).render(context, now === null ? {} : { now: readTemplateDate(now) });
}

const wrong = (message: string): ParlanceError => new ParlanceError('invalid_template', message);
