/**
 * `npm run bench -- constraint [--model FILE.gguf] [--schemas N] [--own]`: what masks cost for real schemas and
 * documents, beside XGrammar. Writes `bench/results/constraint.*`, but not for a part of the corpus;
 * `--own` measures our own masks only and keeps what was found of XGrammar.
 */

import { parseArgs } from 'node:util';

import { createTokenTrie } from '../../src/constraint/index.ts';
import { readMaskbench } from '../../src/constraint/json-schema/machine/maskbench.test-support.ts';
import { readVocabulary } from '../../src/engine/constraints/read-vocabulary.ts';
import { openLibrary } from '../../src/engine/llama/library.ts';
import { loadModel } from '../../src/engine/llama/llama-model.ts';
import { describeMachine } from '../machine.ts';
import { LimitedXGrammar } from './limited-xgrammar.ts';
import { measureAll, measureCase, type Case, type CaseFigures, type Figures } from './measure.ts';
import { createParlance } from './parlance.ts';
import { readFigures, writeReport } from './report.ts';

export async function runConstraintBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { model: { type: 'string' }, schemas: { type: 'string' }, own: { type: 'boolean' } },
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
  const figures = [await measureTwice(own.name, cases, (one) => measureCase(own, one))];
  if (values.own) {
    figures.push(...readFigures().filter(({ name }) => name !== own.name));
  } else {
    const rival = new LimitedXGrammar(read.pieces, read.endTokens);
    figures.push(await measureTwice('XGrammar (WASM)', cases, (one) => rival.run(one)));
    await rival.close();
  }
  if (values.schemas !== undefined) return;
  const machine = describeMachine();
  const command = 'npm run bench -- constraint';
  const report = { command, machine, vocabulary: vocabulary.size, tree, figures };
  console.log(`written: ${writeReport(report).join(', ')}`);
}

type Run = (one: Case) => Promise<CaseFigures | null>;

/** Code that runs for the first time is slow: a part is run before all is measured. */
async function measureTwice(name: string, cases: readonly Case[], run: Run): Promise<Figures> {
  await measureAll(name, cases.slice(0, 40), run);
  const found = await measureAll(name, cases, run);
  console.log(JSON.stringify(found, null, 1));
  return found;
}
