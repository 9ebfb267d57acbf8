import { styleText } from 'node:util';

const GAP = '  ';

/** Replaces control characters, because data from a site could contain terminal escape sequences. */
export const formatValue = (value: unknown): string =>
  (typeof value === 'string' ? value : value === null || value === undefined ? '-' : JSON.stringify(value)).replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are the signs that are meant
    /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g,
    ' ',
  );

export interface Column<Row> {
  title: string;
  of: (row: Row) => unknown;
}

/** Formats rows as aligned columns. On a terminal, long lines are cut to its width. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, colored }: { width?: number | undefined; colored: boolean },
): string {
  const cells = rows.map((row) => columns.map(({ of }) => formatValue(of(row))));
  const heads = columns.map(({ title }) => title.toUpperCase());
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((line) => line[at]?.length ?? 0)));
  const formatLine = (line: readonly string[]): string => {
    const text = line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
    return width !== undefined && text.length > width ? `${text.slice(0, Math.max(1, width - 1))}…` : text;
  };
  const head = formatLine(heads);
  return [colored ? styleText('bold', head) : head, ...cells.map(formatLine), ''].join('\n');
}

export function formatRecord(fields: object): string {
  const all = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...all.map(([name]) => name.length));
  return all.map(([name, value]) => `${name.padEnd(width)}${GAP}${formatValue(value)}\n`).join('');
}
