import { toIso } from '../shared/clock.ts';

const GAP = '  ';

export function formatTextTable(rows: readonly (readonly string[])[], head: readonly string[] | null): string {
  const lines = head ? [head, ...rows] : rows;
  const widths: number[] = [];
  for (const line of lines)
    line.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

export const formatTime = (ms: number | null): string => toIso(ms) ?? '-';
