import {
  intersectSpans,
  lengthOfSpans,
  mergeSpans,
  subtractSpans,
  type TimeSpan,
  type TimeSpans,
} from './time-spans.ts';

export interface UptimeHistory {
  watched: TimeSpans;
  /** Watched time in incidents, without the time in which this service updated the site. */
  down: TimeSpans;
}

export interface UptimeTimes {
  watchedMs: number;
  downMs: number;
}

export interface UptimeRecords {
  watched: readonly TimeSpan[];
  incidents: readonly { startedAt: number; endedAt: number | null }[];
  updates: readonly TimeSpan[];
}

export function uptimeHistoryOf({ watched, incidents, updates }: UptimeRecords): UptimeHistory {
  const merged = mergeSpans(watched);
  const lost = mergeSpans(incidents.map(({ startedAt, endedAt }) => ({ from: startedAt, until: endedAt ?? Infinity })));
  return { watched: merged, down: subtractSpans(intersectSpans(lost, merged), mergeSpans(updates)) };
}

export const uptimeIn = ({ watched, down }: UptimeHistory, span: TimeSpan): UptimeTimes => ({
  watchedMs: lengthOfSpans(intersectSpans(watched, [span])),
  downMs: lengthOfSpans(intersectSpans(down, [span])),
});

/** Returns null if the site was not watched. A site that was down at any time never has 100 percent. */
export function uptimePercentOf({ watchedMs, downMs }: UptimeTimes): number | null {
  if (watchedMs === 0) return null;
  const percent = Math.round((100_000 * (watchedMs - downMs)) / watchedMs) / 1000;
  return downMs > 0 ? Math.min(percent, 99.999) : percent;
}

export function gapsIn({ watched }: UptimeHistory, watchedSince: number | null, { from, until }: TimeSpan): TimeSpan[] {
  const begin = Math.max(from, watchedSince ?? until);
  return begin < until ? subtractSpans([{ from: begin, until }], watched) : [];
}
