import { SEGMENT_NAMES, type SegmentName } from '../segment-names.ts';
import type { Segment } from '../segment.ts';
import { abandoned } from './abandoned.ts';
import { backups } from './backups.ts';
import { comments } from './comments.ts';
import { core } from './core.ts';
import { domainmonitor } from './domainmonitor.ts';
import { maintenance } from './maintenance.ts';
import { media } from './media.ts';
import { menus } from './menus.ts';
import { misc } from './misc.ts';
import { pages } from './pages.ts';
import { pending } from './pending.ts';
import { perfaudit } from './perfaudit.ts';
import { plugins } from './plugins.ts';
import { posts } from './posts.ts';
import { scanner1 } from './scanner1.ts';
import { scanner2 } from './scanner2.ts';
import { securityplugin1 } from './securityplugin1.ts';
import { shopstatus } from './shopstatus.ts';
import { sslmonitor } from './sslmonitor.ts';
import { themes } from './themes.ts';
import { SEGMENTS_WITHOUT_SOURCE } from './without-source.ts';
import { uptime } from './uptime.ts';
import { users } from './users.ts';
import { vulnerable } from './vulnerable.ts';
import { website } from './website.ts';

const ALL: readonly Segment[] = [
  ...[plugins, themes, core, posts, pages, users, comments, menus, media],
  ...[domainmonitor, sslmonitor, vulnerable, perfaudit, uptime, website, abandoned, pending, misc],
  ...[backups, maintenance, scanner1, scanner2, securityplugin1, shopstatus],
  ...SEGMENTS_WITHOUT_SOURCE,
];
const BY_NAME: ReadonlyMap<SegmentName, Segment> = new Map(ALL.map((each) => [each.name, each]));

export function segmentByName(name: SegmentName): Segment {
  const segment = BY_NAME.get(name);
  if (!segment) throw new Error(`There is no segment ${name}.`);
  return segment;
}

export const SEGMENTS: readonly Segment[] = SEGMENT_NAMES.map(segmentByName);
