/** The thread of `limited-xgrammar.ts`: says that it is there, then measures what it is sent. */

import { parentPort, workerData } from 'node:worker_threads';

import type { TokenPieces } from '../../src/constraint/index.ts';
import { measureCase, type Case } from './measure.ts';
import { createXGrammar } from './xgrammar.ts';

const { pieces, endTokens } = workerData as { pieces: TokenPieces; endTokens: readonly number[] };
const contender = await createXGrammar(pieces, endTokens);
const tell = (message: unknown): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(message);
};

async function answer(one: Case): Promise<void> {
  tell(await measureCase(contender, one));
}

parentPort?.on('message', (one: Case) => void answer(one));
tell('ready');
