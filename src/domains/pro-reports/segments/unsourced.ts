import type { SegmentName } from '../segment-names.ts';
import { noContent, segment, type Segment } from '../segment.ts';

/** Creates a segment that has no data source, so that all its counts are 0. */
const unsourced = (name: SegmentName, counts: readonly string[], actions: readonly string[] = []): Segment => {
  const content = noContent(Object.fromEntries(counts.map((count) => [count, 0])));
  return segment({ name, actions, tokens: { kind: name }, read: () => Promise.resolve(content) });
};

export const UNSOURCED: readonly Segment[] = [
  unsourced('scanner3', ['scan'], ['scan']),
  unsourced('analytics1', ['visits', 'pageviews']),
  unsourced('analytics2', ['visits', 'pageviews']),
  unsourced('uptime1', ['incidents']),
  unsourced('feedback1', ['all', 'billable', 'completed']),
  unsourced('protect', ['plugins_count', 'themes_count', 'core_count']),
  unsourced('scan', ['plugins_count', 'themes_count', 'core_count']),
];
