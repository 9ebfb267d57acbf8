import type { SyncSection } from '../../platform/part.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Alerts } from '../mail/index.ts';
import { healthScore, SiteRepository, type SiteDetail } from '../sites/index.ts';
import type { MonitoringSettingsGroup } from './monitor-settings.ts';

type Health = NonNullable<SiteDetail['health']>;

/**
 * Raises an alert if a sync finds the health score of a site below the threshold, and the score of the sync before was
 * missing or not below it. The alert is stored in the transaction of the sync, so each drop raises one alert.
 */
export const healthAlertSection = (
  alerts: Alerts,
  clock: Clock,
  settings: () => Pick<MonitoringSettingsGroup, 'svc_disable_sites_health_monitoring' | 'svc_sitehealth_threshold'>,
): SyncSection<Health> => ({
  name: 'health',
  subjects: [],
  read: ({ health }) => health ?? undefined,
  write: async (trx, values) => {
    const { svc_disable_sites_health_monitoring: isOff, svc_sitehealth_threshold: threshold } = settings();
    if (isOff === 1) return;
    const now = clock.now();
    for (const { site, value } of values) {
      const score = healthScore(value);
      if (score === null || score >= threshold) continue;
      // The health of this sync is stored after the sections have run, so the row still contains the previous health.
      const before = await new SiteRepository(trx, now).findDetail(site.id);
      const scoreBefore = before && healthScore(before.health);
      if (!before || (scoreBefore !== null && scoreBefore < threshold)) continue;
      await alerts.raise(trx, {
        type: 'site_health',
        key: `site_health:${site.id}:${now}`,
        site: { id: site.id, url: before.url, name: before.name },
        facts: { score, threshold },
      });
    }
  },
});
