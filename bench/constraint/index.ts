/**
 * `npm run bench -- constraint [--model FILE.gguf] [--schemas N]`: what masks cost for real schemas and
 * documents, beside XGrammar. Writes `bench/results/constraint.*`, but not for a part of the corpus.
 */

import { parseArgs } from 'node:util';

import { createTokenTrie } from '../../src/constraint/index.ts';
import { readMaskbench } from '../../src/constraint/json-schema/machine/maskbench.test-support.ts';
import { readVocabulary } from '../../src/engine/constraints/read-vocabulary.ts';
import { openLibrary } from '../../src/engine/llama/library.ts';
import { loadModel } from '../../src/engine/llama/llama-model.ts';
import { describeMachine } from '../machine.ts';
import { LimitedXGrammar } from './limited-xgrammar.ts';
import { measureAll, measureCase, type Case, type Figures } from './measure.ts';
import { createParlance } from './parlance.ts';
import { writeReport } from './report.ts';

export async function runConstraintBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { model: { type: 'string' }, schemas: { type: 'string' } },
  });
  const path = values.model ?? process.env['PARLANCE_TEST_MODEL'];
  const corpus = readMaskbench();
  if (path === undefined || corpus === null) {
    console.error('needs --model FILE.gguf (or PARLANCE_TEST_MODEL), and the corpus in ../shared');
    process.exitCode = 2;
    return;
  }
  const { vocabulary } = loadModel(openLibrary(), path, () => undefined);
  const read = readVocabulary(vocabulary);
  createTokenTrie(read.pieces);
  const begun = performance.now();
  const trie = createTokenTrie(read.pieces);
  const tree = performance.now() - begun;
  const cases = corpus.slice(0, Number(values.schemas ?? corpus.length)).map((one) => ({
    id: one.id,
    schema: one.schema,
    documents: one.tests
      .filter(({ valid }) => valid)
      .map(({ text }) => vocabulary.tokenize(text, false)),
  }));
  const own = createParlance(trie, read.endTokens);
  const rival = new LimitedXGrammar(read.pieces, read.endTokens);
  const figures: Figures[] = [];
  for (const [name, run] of [
    [own.name, (one: Case) => measureCase(own, one)],
    ['XGrammar (WASM)', (one: Case) => rival.run(one)],
  ] as const) {
    // Code that runs for the first time is slow in both.
    await measureAll(name, cases.slice(0, 40), run);
    const found = await measureAll(name, cases, run);
    figures.push(found);
    console.log(JSON.stringify(found, null, 1));
  }
  await rival.close();
  if (values.schemas !== undefined) return;
  const machine = describeMachine();
  const command = 'npm run bench -- constraint';
  const report = { command, machine, vocabulary: vocabulary.size, tree, figures };
  console.log(`written: ${writeReport(report).join(', ')}`);
}
