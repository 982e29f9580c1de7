/** The real model for the tests that need one, fetched once into a home folder of their own. */

import { join } from 'node:path';
import { createProgressWriter, defaultModel, ensureModel } from '../../src/models/index.ts';

/**
 * @returns the path of the weights
 * @throws ParlanceError that names every source tried
 */
export async function prepareModel(root: string): Promise<string> {
  const given = process.env['PARLANCE_TEST_MODEL'];
  if (given !== undefined && given !== '') return given;
  const home = process.env['PARLANCE_TEST_HOME'] ?? join(root, '.cache', 'test-home');
  const progress = createProgressWriter(process.stderr);
  try {
    const file = await ensureModel(defaultModel, {
      home,
      onProgress: (one) => progress.update(one),
    });
    return file.path;
  } finally {
    progress.done();
  }
}
