/** Rows in, text out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { renderTable, type Column } from './table.ts';

interface Row {
  readonly name: string;
  readonly size: number;
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', cell: (row) => row.name },
  { title: 'SIZE', align: 'right', cell: (row) => String(row.size) },
];

const rows = [
  { name: 'a', size: 5 },
  { name: 'longer', size: 12_345 },
];

test('columns are as wide as their widest cell, numbers to the right', () => {
  assert.equal(
    renderTable(rows, columns, { title: String }),
    'NAME     SIZE\na           5\nlonger  12345\n',
  );
});

test('the titles alone are coloured, and colour does not count as width', () => {
  const text = renderTable(rows, columns, { title: (line) => `<${line}>` });
  assert.equal(text.split('\n')[0], '<NAME     SIZE>');
});

test('lines are cut at the width of a terminal', () => {
  const text = renderTable(rows, columns, { title: String, columns: 10 });
  assert.deepEqual(text.trimEnd().split('\n'), ['NAME     …', 'a        …', 'longer  1…']);
});
