import type { BrokenByUpdate, SiteWithUrlKey } from '../sites/index.ts';
import type { HealthReadings } from './health-readings.ts';
import type { HealthWatch } from './health-watch.ts';
import type { UpdateHealth } from './update.ts';
import { appliedUpdateOf } from './update-outcome.ts';

export interface HealthFinding {
  site: SiteWithUrlKey;
  health: UpdateHealth;
  readings: { before: HealthReadings; after: HealthReadings };
  updates: BrokenByUpdate['updates'];
  at: number;
  jobId: string | null;
}

export function findingOf(
  watch: HealthWatch | null,
  { site, at, jobId = null }: { site: SiteWithUrlKey; at: number; jobId?: string | null | undefined },
): HealthFinding | null {
  const health = watch?.health ?? null;
  if (!watch || !health) return null;
  const updates = watch.brokenBy.map((step) => {
    const applied = appliedUpdateOf(step);
    const { type, slug, name, currentVersion, newVersion } = step.update;
    const fromVersion = applied?.oldVersion ?? currentVersion;
    return { type, slug, name, fromVersion, toVersion: applied?.newVersion ?? newVersion };
  });
  return { site, health, readings: watch.readings, updates, at, jobId };
}
