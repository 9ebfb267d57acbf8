import type { Knex } from 'knex';
import type { Clock } from '../../shared/clock.ts';
import type { Alerts } from '../mail/index.ts';
import { toUnicodeDomain } from './domain-name.ts';
import { domainStateOf, newsOf, stateToRecord, type DomainNews } from './domain-state.ts';
import type { StoredProfile } from './profile-read-model.ts';
import { SiteDomainRepository } from './site-domain-repository.ts';

export interface DomainAlertsDeps {
  clock: Clock;
  alerts: Alerts;
  thresholdDays: () => number;
}

export class DomainAlerts {
  readonly #deps: DomainAlertsDeps;

  constructor(deps: DomainAlertsDeps) {
    this.#deps = deps;
  }

  async raiseAlerts(trx: Knex.Transaction, profiles: readonly StoredProfile[]): Promise<number> {
    let alertCount = 0;
    for (const profile of profiles) if (await this.#raiseIfNeeded(trx, profile)) alertCount += 1;
    return alertCount;
  }

  async #raiseIfNeeded(trx: Knex.Transaction, profile: StoredProfile): Promise<boolean> {
    const { site, watch } = profile;
    // Suspended sites get no alerts. The first check after the suspension raises them.
    if (!watch || site.status === 'suspended') return false;
    const state = domainStateOf(profile, watch.thresholdDays ?? this.#deps.thresholdDays(), this.#deps.clock.now());
    if (stateToRecord(state, watch) === null) return false;
    // Another process may raise the same alert, so the last alert is read again under a lock.
    const repository = new SiteDomainRepository(trx);
    const held = await repository.lock(site.id);
    const next = held && stateToRecord(state, held);
    if (!next) return false;
    const { expiresAt } = profile;
    const news = newsOf(next, held, { expiresAt, isManual: watch.manual !== null });
    const alertCount = held.alertCount + (news ? 1 : 0);
    await repository.setAlerted(site.id, { alertedState: next, alertedExpiresAt: expiresAt, alertCount });
    if (news) await this.#raise(trx, profile, news, alertCount);
    return news !== null;
  }

  async #raise(
    trx: Knex.Transaction,
    { site, watch, domain, expiresAt }: StoredProfile,
    state: DomainNews,
    count: number,
  ): Promise<void> {
    const { id, url, name } = site;
    const domainName = watch?.manual?.domainName ?? watch?.domain ?? new URL(url).hostname;
    await this.#deps.alerts.raise(trx, {
      type: 'domain_monitor_noti_email',
      key: `domain:${id}:${count}`,
      site: { id, url, name },
      facts: {
        state,
        domain: toUnicodeDomain(domainName),
        expiresAt,
        registrar: (watch?.manual ? watch.manual.registrar : domain?.facts?.registrar) ?? null,
      },
    });
  }
}
