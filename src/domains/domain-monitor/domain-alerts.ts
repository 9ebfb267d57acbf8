import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Alerts } from '../mail/index.ts';
import { toUnicodeDomain } from './domain-name.ts';
import { domainStateOf, newsOf, stateToRecord, type DomainNews, type DomainRegistrationState } from './domain-state.ts';
import { ProfileReadModel, type StoredProfile } from './profile-read-model.ts';
import { SiteDomainRepository } from './site-domain-repository.ts';

export interface DomainAlertsDeps {
  clock: Clock;
  alerts: Alerts;
  thresholdDays: () => number;
}

export interface RaiseAllOptions {
  domain?: string;
  signal?: AbortSignal;
}

/** Number of sites per transaction. */
const A_TIME = 200;

export class DomainAlerts {
  readonly #deps: DomainAlertsDeps;

  constructor(deps: DomainAlertsDeps) {
    this.#deps = deps;
  }

  /**
   * Raises the alerts of all sites, or of those of a domain, in several transactions. If the process is killed, the
   * next run of the schedule raises the rest.
   */
  async raiseAll(knex: Knex, { domain, signal }: RaiseAllOptions): Promise<{ sites: number; told: number }> {
    const sum = { sites: 0, told: 0 };
    for (let behind = 0; ;) {
      signal?.throwIfAborted();
      const profiles = await new ProfileReadModel(knex).pageAfter(behind, A_TIME, domain);
      sum.sites += profiles.length;
      if (profiles.length > 0) sum.told += await inTransaction(knex, ({ trx }) => this.raiseAlerts(trx, profiles));
      if (profiles.length < A_TIME) return sum;
      behind = profiles.at(-1)?.site.id ?? behind;
    }
  }

  async raiseAlerts(trx: Knex.Transaction, profiles: readonly StoredProfile[]): Promise<number> {
    let alertCount = 0;
    for (const profile of profiles) if (await this.#raiseIfNeeded(trx, profile)) alertCount += 1;
    return alertCount;
  }

  async #raiseIfNeeded(trx: Knex.Transaction, profile: StoredProfile): Promise<boolean> {
    const { site } = profile;
    if (this.#stateToRecord(profile) === null) return false;
    // Another process may raise the same alert or store other data, so the profile is read again under a lock.
    const repository = new SiteDomainRepository(trx);
    await repository.lock(site.id);
    const held = await new ProfileReadModel(trx).get(site.id);
    const next = held && this.#stateToRecord(held);
    if (!next || !held.watch) return false;
    const { expiresAt, watch } = held;
    const news = newsOf(next, watch, { expiresAt, isManual: watch.manual !== null });
    const alertCount = watch.alertCount + (news ? 1 : 0);
    await repository.setAlerted(site.id, { alertedState: next, alertedExpiresAt: expiresAt, alertCount });
    if (news) await this.#raise(trx, held, news, alertCount);
    return news !== null;
  }

  #stateToRecord(profile: StoredProfile): DomainRegistrationState | null {
    const { site, watch } = profile;
    // Suspended sites get no alerts. The first check after the suspension raises them.
    if (!watch || site.status === 'suspended') return null;
    const thresholdDays = watch.thresholdDays ?? this.#deps.thresholdDays();
    return stateToRecord(domainStateOf(profile, thresholdDays, this.#deps.clock.now()), watch);
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
