import { parseSiteReference } from './site-url.ts';
import { writeColumns, type SiteStatePatch, type SyncSection } from './sync-section.ts';

/** Length of the column `reported_key`. */
const MAX_KEY = 512;

interface CoreSectionValue {
  childVersion: string;
  wpVersion: string | null;
  phpVersion: string | null;
  dbVersion: string | null;
  ip: string | null;
  reportedKey: string | null;
  health: { good: number; recommended: number; critical: number } | null;
}

/** Stores versions and health in columns of the site. `subjects` is empty: no cached list shows these values. */
export const coreSection: SyncSection<CoreSectionValue> = {
  name: 'core',
  subjects: [],
  read: ({ childVersion, wpVersion, phpVersion, dbVersion, ip, siteUrl, health }) => ({
    childVersion,
    wpVersion,
    phpVersion,
    dbVersion,
    ip,
    reportedKey: siteUrl === null ? null : (parseSiteReference(siteUrl)?.key.slice(0, MAX_KEY) ?? null),
    health: health ?? null,
  }),
  write: writeColumns(toPatch),
};

function toPatch({
  childVersion,
  wpVersion,
  phpVersion,
  dbVersion,
  ip,
  reportedKey,
  health,
}: CoreSectionValue): SiteStatePatch {
  return {
    child_version: childVersion,
    ...(wpVersion === null ? {} : { wp_version: wpVersion }),
    ...(phpVersion === null ? {} : { php_version: phpVersion }),
    ...(dbVersion === null ? {} : { db_version: dbVersion }),
    ...(ip === null ? {} : { ip }),
    ...(reportedKey === null ? {} : { reported_key: reportedKey }),
    ...(health
      ? { health_good: health.good, health_recommended: health.recommended, health_critical: health.critical }
      : {}),
  };
}
