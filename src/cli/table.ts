/** Tables for the terminal: pure, one string in the end. Columns are as wide as their widest cell. */

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  cell(row: Row): string;
}

export interface TableStyle {
  /** Colours the line of titles. */
  readonly title: (text: string) => string;
  /** Lines are cut here; undefined in pipes, where nothing is lost. */
  readonly columns?: number | undefined;
}

/** A table with one line a row, each ended by a line break. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  style: TableStyle,
): string {
  const titles = columns.map((column) => column.title);
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const widths = columns.map((_, index) =>
    Math.max(...[titles, ...cells].map((line) => line[index]?.length ?? 0)),
  );
  const toLine = (line: readonly string[]): string => {
    const padded = line.map((cell, index) =>
      columns[index]?.align === 'right'
        ? cell.padStart(widths[index] ?? 0)
        : cell.padEnd(widths[index] ?? 0),
    );
    return clip(padded.join('  ').trimEnd(), style.columns);
  };
  return [style.title(toLine(titles)), ...cells.map(toLine)].map((line) => `${line}\n`).join('');
}

function clip(line: string, columns: number | undefined): string {
  if (columns === undefined || line.length <= columns) return line;
  return `${line.slice(0, Math.max(0, columns - 1))}…`;
}
