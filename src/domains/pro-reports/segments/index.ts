import { SEGMENT_NAMES, type SegmentName } from '../segment-names.ts';
import type { Segment } from '../segment.ts';
import { pending } from './pending.ts';
import { website } from './website.ts';

const ALL: readonly Segment[] = [website, pending];
const BY_NAME: ReadonlyMap<SegmentName, Segment> = new Map(ALL.map((each) => [each.name, each]));

/** Each segment, in the order of a report. */
export const SEGMENTS: readonly Segment[] = SEGMENT_NAMES.flatMap((name) => BY_NAME.get(name) ?? []);

export function segmentOf(name: SegmentName): Segment {
  const segment = BY_NAME.get(name);
  if (!segment) throw new Error(`There is no segment ${name}.`);
  return segment;
}
