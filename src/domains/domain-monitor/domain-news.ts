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
  /** Of the settings. */
  thresholdDays: () => number;
}

/** Tells people how the registrations of their domains stand: once for each change of the state. */
export class DomainNews {
  readonly #parts: DomainNewsParts;

  constructor(parts: DomainNewsParts) {
    this.#parts = parts;
  }

  /** Looks at profiles as they are stored, and raises what is news, in this transaction; how many alerts that makes. */
  async tell(trx: Knex.Transaction, profiles: readonly KnownProfile[]): Promise<number> {
    let alertCount = 0;
    for (const profile of profiles) if (await this.#tellOne(trx, profile)) alertCount += 1;
    return alertCount;
  }

  async #tellOne(trx: Knex.Transaction, profile: KnownProfile): Promise<boolean> {
    const { site, watch } = profile;
    // Of a site at rest nobody is told; the next look behind that tells.
    if (!watch || site.status === 'suspended') return false;
    const state = stateOf(profile, watch.thresholdDays ?? this.#parts.thresholdDays(), this.#parts.clock.now());
    if (newsIn(state, watch.toldState) === null) return false;
    // Another process may be telling the same.
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
