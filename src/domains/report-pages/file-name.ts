import type { ReportRange } from '../pro-reports/index.ts';

const LONGEST = 60;

/** Returns a file name without special characters: `report-harbour-bakery-2026-11-01-2026-11-30`. */
export function fileNameOf({ startDate, endDate }: ReportRange, name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-|-$/g, '');
  return ['report', plain, startDate, endDate].filter((part) => part !== '').join('-');
}
