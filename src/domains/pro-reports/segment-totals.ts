import type { SegmentTotals, SiteReport } from './report.ts';

export function segmentTotalsOf(sites: readonly SiteReport[]): SegmentTotals[] {
  const totals = new Map<string, SegmentTotals>();
  for (const { segments } of sites)
    for (const { segment, total, counts } of segments) {
      const known = totals.get(segment) ?? { segment, total: 0, counts: {} };
      const sums = { ...known.counts };
      for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
      totals.set(segment, { segment, total: known.total + total, counts: sums });
    }
  return [...totals.values()];
}
