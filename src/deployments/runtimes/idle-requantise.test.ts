import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';

import type { RequantiseResult } from '../../models/index.ts';
import { IdleRequantise } from './idle-requantise.ts';

const skipped: RequantiseResult = { outcome: 'skipped', why: 'it is Q8_0 already' };
let open: IdleRequantise | null = null;
describe('a try while nothing is asked', () => {
  afterEach(async () => await open?.stop());

  function start() {
    const load = { running: 0, waiting: 0 };
    const works: { signal: AbortSignal; end: PromiseWithResolvers<RequantiseResult> }[] = [];
    const notes: string[] = [];
    const idle = new IdleRequantise({
      load: () => load,
      work: (signal, onStep) => {
        const end = Promise.withResolvers<RequantiseResult>();
        signal.addEventListener('abort', () => end.reject(signal.reason));
        works.push({ signal, end });
        onStep({ step: 'measuring', from: 'Q4_1' });
        return end.promise;
      },
      onDone: (note) => notes.push(note),
    });
    open = idle;
    return { idle, load, works, notes };
  }

  const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

  test('begins when it was quiet for a while, once', async () => {
    const { idle, works, notes } = start();
    idle.look(19_000);
    assert.equal(works.length, 0);
    idle.look(1000);
    idle.look(60_000);
    assert.equal(works.length, 1);
    assert.deepEqual(idle.view, { state: 'measuring' });
    works[0]?.end.resolve(skipped);
    await turn();
    assert.deepEqual(idle.view, { state: 'done', outcome: 'skipped', note: notes[0] });
    assert.match(notes[0] ?? '', /Q8_0 already/);
    idle.look(60_000);
    assert.equal(works.length, 1);
  });

  test('gives way to a request and tries again later, but not for ever', async () => {
    const { idle, load, works, notes } = start();
    for (let tries = 1; tries <= 5; tries += 1) {
      idle.look(20_000);
      assert.equal(works.length, tries);
      load.running = 1;
      idle.look();
      assert.ok(works.at(-1)?.signal.aborted);
      load.running = 0;
      await turn();
    }
    assert.equal(idle.view.state, 'done');
    assert.match(notes.join(), /requests come too often/);
  });

  test('tries again some minutes after the machine was too busy, but not for ever', async () => {
    const { idle, works, notes } = start();
    const busy = { outcome: 'skipped', why: 'too busy', passing: true } as const;
    for (let tries = 1; tries <= 5; tries += 1) {
      idle.look(20_000);
      assert.equal(works.length, tries);
      works.at(-1)?.end.resolve(busy);
      await turn();
      if (tries === 5) break;
      assert.deepEqual(idle.view, { state: 'waiting', for: 'a quiet moment', last: 'too busy' });
      idle.look(280_000);
      assert.equal(works.length, tries);
    }
    assert.deepEqual([idle.view.state, notes.length], ['done', 1]);
  });

  test('ends with its deployment', async () => {
    const { idle, works } = start();
    idle.look(20_000);
    await idle.stop();
    assert.ok(works[0]?.signal.aborted);
  });
});
