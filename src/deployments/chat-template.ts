/**
 * The option `chat_template`: the text of a template, the path of one on the server, or `none`. Its normal
 * form is stored and compared; the runtime reads the file when it starts the model.
 */

import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { ParlanceError } from '../contract/index.ts';
import type { TemplateWish } from '../targets/index.ts';
import { invalidDeployment } from './check-fields.ts';

const field = 'options.chat_template';

/** Characters of a template, and bytes of its file. */
export const maxTemplate = 1_000_000;

const isText = (given: string): boolean => /\{[{%#]/.test(given);

/**
 * Whoever may deploy sees what a template says: other files than templates are not read.
 * @returns a path absolute, `auto` as null, anything else as it is
 * @throws ParlanceError `invalid_deployment`
 */
export function checkChatTemplate(given: string | null): string | null {
  if (given === null || isText(given)) return given;
  const word = given.trim();
  if (word === 'auto') return null;
  if (word === 'none') return word;
  if (/\.(?:jinja2?|j2)$/i.test(word)) return resolve(word);
  throw invalidDeployment(
    field,
    'expected a file on the server that ends with .jinja, .jinja2 or .j2, the text of a template, "none" (raw prompts only) or "auto"',
  );
}

/** @throws ParlanceError `invalid_deployment` for a file that cannot be read */
export async function readChatTemplate(checked: string | null): Promise<TemplateWish> {
  if (checked === null || checked === 'none') return checked;
  if (isText(checked)) return { source: checked };
  try {
    const { size } = await stat(checked);
    if (size > maxTemplate) {
      throw invalidDeployment(field, `${checked}: it has more than ${maxTemplate} bytes.`);
    }
    return { source: await readFile(checked, 'utf8') };
  } catch (error) {
    if (error instanceof ParlanceError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    throw invalidDeployment(field, `${checked}: ${why}.`);
  }
}
