import type { SegmentName } from '../segment-names.ts';
import { emptySegmentContent, defineSegment, type Segment } from '../segment.ts';

const segmentWithoutSource = (
  name: SegmentName,
  counts: readonly string[],
  actions: readonly string[] = [],
): Segment => {
  const content = emptySegmentContent(Object.fromEntries(counts.map((count) => [count, 0])));
  return defineSegment({ name, actions, tokens: { kind: name }, read: () => Promise.resolve(content) });
};

export const SEGMENTS_WITHOUT_SOURCE: readonly Segment[] = [
  segmentWithoutSource('scanner3', ['scan'], ['scan']),
  segmentWithoutSource('analytics1', ['visits', 'pageviews']),
  segmentWithoutSource('analytics2', ['visits', 'pageviews']),
  segmentWithoutSource('uptime1', ['incidents']),
  segmentWithoutSource('feedback1', ['all', 'billable', 'completed']),
  segmentWithoutSource('protect', ['plugins_count', 'themes_count', 'core_count']),
  segmentWithoutSource('scan', ['plugins_count', 'themes_count', 'core_count']),
];
