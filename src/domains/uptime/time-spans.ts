/** Milliseconds since 1970. `from` is included, `until` is not. */
export interface TimeSpan {
  from: number;
  until: number;
}

/** Spans in the order of time, without overlaps and without empty spans. */
export type TimeSpans = readonly TimeSpan[];

export function mergeSpans(spans: readonly TimeSpan[]): TimeSpan[] {
  const merged: TimeSpan[] = [];
  for (const { from, until } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else if (from < until) merged.push({ from, until });
  }
  return merged;
}

export function intersectSpans(left: TimeSpans, right: TimeSpans): TimeSpan[] {
  const common: TimeSpan[] = [];
  for (let one = 0, other = 0; one < left.length && other < right.length;) {
    const [a, b] = [left[one] as TimeSpan, right[other] as TimeSpan];
    const [from, until] = [Math.max(a.from, b.from), Math.min(a.until, b.until)];
    if (from < until) common.push({ from, until });
    if (a.until < b.until) one++;
    else other++;
  }
  return common;
}

export function subtractSpans(from: TimeSpans, removed: TimeSpans): TimeSpan[] {
  const ends = [-Infinity, ...removed.map(({ until }) => until)];
  const kept = ends.map((end, index) => ({ from: end, until: removed[index]?.from ?? Infinity }));
  return intersectSpans(from, kept);
}

export const lengthOfSpans = (spans: TimeSpans): number =>
  spans.reduce((sum, { from, until }) => sum + until - from, 0);
