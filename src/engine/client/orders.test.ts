import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ParlanceError } from '../../contract/errors.ts';
import { Orders } from './orders.ts';

test('each order is settled by its own answer, and by the end of the process', async () => {
  const orders = new Orders();
  let sent = 0;
  const open = (id: number): Promise<void> => orders.open(id, () => (sent += 1));
  const [done, refused, lost] = [open(1), open(2), open(3)];
  assert.equal(sent, 3);
  orders.receive({ type: 'done', id: 9, error: null });
  orders.receive({
    type: 'done',
    id: 2,
    error: { reason: 'invalid_adapter', message: 'truncated' },
  });
  orders.receive({ type: 'done', id: 1, error: null });
  await done;
  await assert.rejects(refused, { reason: 'invalid_adapter', message: 'truncated' });
  orders.failAll(new ParlanceError('engine_failed', 'gone'));
  await assert.rejects(lost, { reason: 'engine_failed' });
});
