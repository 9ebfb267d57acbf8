import type { Knex } from 'knex';
import type { Alerts, AlertedSite } from '../mail/index.ts';
import type { SettingsService } from '../settings/index.ts';
import { readSiteNames } from '../sites/index.ts';
import { digestOf } from '../../shared/digest.ts';
import type { Advisory, NewExposure } from './exposure-repository.ts';
import { severityRankOf, severityOfRank } from './vulnerability.ts';

interface Discovery {
  exposure: NewExposure;
  advisory: Advisory;
}

export class ExposureAlerts {
  readonly #alerts: Alerts;
  readonly #settings: Pick<SettingsService, 'current'>;

  constructor(alerts: Alerts, settings: Pick<SettingsService, 'current'>) {
    this.#alerts = alerts;
    this.#settings = settings;
  }

  async raise(trx: Knex.Transaction, discoveries: readonly Discovery[]): Promise<void> {
    const { alert_severity: least } = this.#settings.current('vulnerabilities');
    if (least === 'off') return;
    const bad = discoveries.filter(({ exposure }) => exposure.severity >= severityRankOf(least));
    if (bad.length === 0) return;
    const sites = await readSiteNames(
      trx,
      bad.map(({ exposure }) => exposure.siteId),
    );
    await this.#alerts.raiseAll(
      trx,
      bad.flatMap(({ exposure, advisory }) => {
        const site = sites.get(exposure.siteId);
        return site ? [alertOf(exposure, advisory, site)] : [];
      }),
    );
  }
}

function alertOf(exposure: NewExposure, { title, cve }: Advisory, site: AlertedSite) {
  const { vulnerabilityId, type, item, name, version, fixedIn, severity, since, foundAt } = exposure;
  // The key contains the times, so that a later exposure to the same vulnerability raises another alert.
  const digest = digestOf(`${type} ${item} ${since} ${foundAt}`);
  return {
    type: 'vulnerability' as const,
    key: `vulnerability:${site.id}:${vulnerabilityId}:${digest}`,
    site,
    facts: { vulnerabilityId, title, cve, severity: severityOfRank(severity), type, name, version, fixedIn, since },
  };
}
