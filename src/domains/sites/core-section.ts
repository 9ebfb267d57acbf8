import type { SyncSection } from './sync-section.ts';

interface Core {
  childVersion: string;
  wpVersion: string | null;
  phpVersion: string | null;
  dbVersion: string | null;
  ip: string | null;
  health: { good: number; recommended: number; critical: number } | null;
}

/** Stores versions and health in columns of the site itself. `subjects` is empty because no list shows them. */
export const coreSection: SyncSection<Core> = {
  name: 'core',
  subjects: [],
  read: ({ childVersion, wpVersion, phpVersion, dbVersion, ip, health }) => ({
    childVersion,
    wpVersion,
    phpVersion,
    dbVersion,
    ip,
    health: health ?? null,
  }),
  write: (_trx, _site, { childVersion, wpVersion, phpVersion, dbVersion, ip, health }) =>
    Promise.resolve({
      child_version: childVersion,
      ...(wpVersion === null ? {} : { wp_version: wpVersion }),
      ...(phpVersion === null ? {} : { php_version: phpVersion }),
      ...(dbVersion === null ? {} : { db_version: dbVersion }),
      ...(ip === null ? {} : { ip }),
      ...(health
        ? { health_good: health.good, health_recommended: health.recommended, health_critical: health.critical }
        : {}),
    }),
};
