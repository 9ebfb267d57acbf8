import { DAY } from '../shared/clock.ts';

export interface InstalledItem {
  kind: 'plugin' | 'theme' | 'wordpress';
  name: string;
  key: string;
  version: string;
}

export interface VersionChange {
  item: InstalledItem;
  type: string;
  at: number;
  before: string | null;
  after: string;
}

const SETTLED_DAYS = 5;

/**
 * Returns updates of an item, sorted by time. The last one installed the present version. If `installedAt` is set, the
 * result also contains the installation and activation of the item. `random` returns numbers from 0 to 1.
 */
export function versionChangesOf(
  item: InstalledItem,
  { start, end, updates, installedAt }: { start: number; end: number; updates: number; installedAt: number | null },
  random: (seed: number) => number,
): VersionChange[] {
  const versions = [item.version];
  while (versions.length <= updates) {
    const earlier = earlierVersion(versions[0] ?? '', item.kind);
    if (earlier === null) break;
    versions.unshift(earlier);
  }
  const [first = item.version, ...later] = versions;
  const from = installedAt === null ? start : installedAt + SETTLED_DAYS * DAY;
  const step = (end - from) / Math.max(1, later.length);
  const changes = later.map((after, at) => ({
    ...{ item, type: `${item.kind}.updated`, before: versions[at] ?? null, after },
    at: Math.floor(from + step * (at + random(at))),
  }));
  if (installedAt === null) return changes;
  const added = (verb: string, at: number) => ({ item, type: `${item.kind}.${verb}`, at, before: null, after: first });
  return [added('installed', installedAt), added('activated', installedAt + 1_000), ...changes];
}

/** Returns a version that can precede this one, such as 6.9 for 7.0; null if there is none. */
function earlierVersion(version: string, kind: InstalledItem['kind']): string | null {
  if (!/^\d+(\.\d+)+$/.test(version)) return null;
  const parts = version.split('.').map(Number);
  let at = parts.length - 1;
  while (at >= 0 && parts[at] === 0) parts[at--] = 9;
  if (at < 0) return null;
  parts[at] = (parts[at] ?? 0) - 1;
  // The first version of a branch of WordPress is 7.0, not 7.0.0.
  if (kind === 'wordpress' && parts.length > 2 && parts.at(-1) === 0) parts.pop();
  return parts.join('.');
}
