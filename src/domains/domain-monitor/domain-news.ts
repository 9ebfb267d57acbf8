import type { Knex } from 'knex';
import type { Clock } from '../../shared/clock.ts';
import type { Alerts } from '../mail/index.ts';
import { inUnicode } from './domain-name.ts';
import { newsIn, stateOf, type SettledState } from './domain-state.ts';
import type { KnownProfile } from './profile-read-model.ts';
import { SiteDomainRepository } from './site-domain-repository.ts';

export interface DomainNewsParts {
  clock: Clock;
  alerts: Alerts;
  thresholdDays: () => number;
}

export class DomainNews {
  readonly #parts: DomainNewsParts;

  constructor(parts: DomainNewsParts) {
    this.#parts = parts;
  }

  /** Raises alerts for profiles whose state has changed, in this transaction. Returns the number of alerts. */
  async tell(trx: Knex.Transaction, profiles: readonly KnownProfile[]): Promise<number> {
    let alertCount = 0;
    for (const profile of profiles) if (await this.#tellOne(trx, profile)) alertCount += 1;
    return alertCount;
  }

  async #tellOne(trx: Knex.Transaction, profile: KnownProfile): Promise<boolean> {
    const { site, watch } = profile;
    // Suspended sites get no alerts. The first check after the suspension raises them.
    if (!watch || site.status === 'suspended') return false;
    const state = stateOf(profile, watch.thresholdDays ?? this.#parts.thresholdDays(), this.#parts.clock.now());
    if (newsIn(state, watch.toldState) === null) return false;
    // Another process may raise the same alert, so the state is read again under a lock.
    const repository = new SiteDomainRepository(trx);
    const held = await repository.lock(site.id);
    const news = held && newsIn(state, held.toldState);
    if (!news) return false;
    await repository.setTold(site.id, news, held.toldCount + 1);
    await this.#raise(trx, profile, news, held.toldCount + 1);
    return true;
  }

  async #raise(
    trx: Knex.Transaction,
    { site, watch, domain, expiresAt }: KnownProfile,
    state: SettledState,
    count: number,
  ): Promise<void> {
    const { id, url, name } = site;
    const domainName = watch?.manual?.domainName ?? watch?.domain ?? new URL(url).hostname;
    await this.#parts.alerts.raise(trx, {
      type: 'domain_monitor_noti_email',
      key: `domain:${id}:${count}`,
      site: { id, url, name },
      facts: {
        state,
        domain: inUnicode(domainName),
        expiresAt,
        registrar: (watch?.manual ? watch.manual.registrar : domain?.facts?.registrar) ?? null,
      },
    });
  }
}
