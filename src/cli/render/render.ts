/** `parlance render`: one template and context from files, or a line of output for each line of input. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { ParlanceError } from '../../contract/index.ts';
import { compileTemplate, readJsonObject, readTemplateDate } from '../../prompt/index.ts';
import type { Io } from '../io.ts';
import { createLineRenderer } from './line-renderer.ts';
import { linesOf } from './lines-of.ts';

export interface RenderFlags {
  readonly template?: string;
  readonly context?: string;
  readonly now?: string;
  readonly jsonl?: boolean;
}

const usage = (message: string): ParlanceError => new ParlanceError('invalid_option', message);

/** @throws ParlanceError `invalid_option` for wrong flags, `invalid_template` for what does not render */
export async function renderCommand(io: Io, flags: RenderFlags): Promise<void> {
  if (flags.jsonl === true) {
    if ((flags.template ?? flags.context ?? flags.now) !== undefined) {
      throw usage('--jsonl reads templates, contexts and dates from stdin; give no other option.');
    }
    const renderLine = createLineRenderer();
    for await (const line of linesOf(io.stdin)) {
      if (line.trim() !== '') io.stdout.write(`${renderLine(line)}\n`);
    }
    return;
  }
  if (flags.template === undefined || flags.context === undefined) {
    throw usage('Give --template FILE and --context FILE, or --jsonl.');
  }
  const source = await readText(io, flags.template);
  const context = readJsonObject(await readText(io, flags.context), flags.context);
  const now = flags.now === undefined ? {} : { now: readTemplateDate(flags.now) };
  io.stdout.write(compileTemplate(source).render(context, now));
}

async function readText(io: Io, path: string): Promise<string> {
  try {
    return await readFile(resolve(io.cwd, path), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ParlanceError('invalid_option', `${path} cannot be read (${code}).`, {
      cause: error,
    });
  }
}
