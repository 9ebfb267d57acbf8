import { SEGMENT_NAMES, type SegmentName } from '../segment-names.ts';
import type { Segment } from '../segment.ts';
import { backups } from './backups.ts';
import { maintenance } from './maintenance.ts';
import { pending } from './pending.ts';
import { scanner1 } from './scanner1.ts';
import { scanner2 } from './scanner2.ts';
import { securityplugin1 } from './securityplugin1.ts';
import { shopstatus } from './shopstatus.ts';
import { website } from './website.ts';

const ALL: readonly Segment[] = [
  backups,
  maintenance,
  scanner1,
  scanner2,
  securityplugin1,
  shopstatus,
  website,
  pending,
];
const BY_NAME: ReadonlyMap<SegmentName, Segment> = new Map(ALL.map((each) => [each.name, each]));

/** Each segment, in the order of a report. */
export const SEGMENTS: readonly Segment[] = SEGMENT_NAMES.flatMap((name) => BY_NAME.get(name) ?? []);

export function segmentOf(name: SegmentName): Segment {
  const segment = BY_NAME.get(name);
  if (!segment) throw new Error(`There is no segment ${name}.`);
  return segment;
}
