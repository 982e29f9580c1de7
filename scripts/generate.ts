/**
 * `npm run generate`: writes the reference pages that are made from the code. With `--check` it
 * writes nothing and ends with 1 when a page is stale. A test does the same.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from './generate/configuration-page.ts';
import { errorsPage } from './generate/errors-page.ts';
import { modelsPage } from './generate/models-page.ts';
import { parametersPage } from './generate/parameters-page.ts';
import { toolFormatsPage } from './generate/tool-formats-page.ts';

const root = join(import.meta.dirname, '..');

/** Path from the repository's root -> the text that belongs there. */
export function generatedPages(): Readonly<Record<string, string>> {
  return {
    'docs/parameters.md': parametersPage(),
    'docs/errors.md': errorsPage(),
    'docs/configuration.md': configurationPage(),
    'docs/models.md': modelsPage(),
    'docs/tool-formats.md': toolFormatsPage(),
  };
}

/** The generated pages whose file is missing or says something else. */
export function stalePages(): readonly string[] {
  return Object.entries(generatedPages())
    .filter(([path, text]) => readOrNull(join(root, path)) !== text)
    .map(([path]) => path);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function main(check: boolean): number {
  const stale = stalePages();
  if (check) {
    for (const path of stale) console.error(`${path} is stale; run: npm run generate`);
    return stale.length === 0 ? 0 : 1;
  }
  const pages = generatedPages();
  for (const path of stale) {
    writeFileSync(join(root, path), pages[path] ?? '');
    console.log(`wrote ${path}`);
  }
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv.includes('--check'));
