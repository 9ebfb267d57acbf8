import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import { fromJson, toJson } from '../../db/json.ts';
import type { ManualEntry, SiteDomain } from './watched-domain.ts';
import { isInRedemption } from './domain-facts.ts';
import { registrableDomain } from './domain-name.ts';
import type { AlertedDomain, DomainRegistrationState } from './domain-state.ts';

export interface SiteDomainRow {
  site_id: number;
  domain: string | null;
  threshold_days: number | null;
  manual: string | null;
  told_state: DomainRegistrationState | null;
  told_expires_at: number | string | null;
  told_count: number;
}

export const SITE_DOMAIN_COLUMNS = [
  'site_domains.site_id',
  'site_domains.domain',
  'site_domains.threshold_days',
  'site_domains.manual',
  'site_domains.told_state',
  'site_domains.told_expires_at',
  'site_domains.told_count',
] as const;

export const toSiteDomain = (row: SiteDomainRow): SiteDomain => ({
  siteId: row.site_id,
  domain: row.domain,
  thresholdDays: row.threshold_days,
  manual: fromJson<ManualEntry>(row.manual),
  alertedState: row.told_state,
  alertedExpiresAt: row.told_expires_at === null ? null : Number(row.told_expires_at),
  alertCount: row.told_count,
});

const CHUNK = 500;

export class SiteDomainRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insertMissing(): Promise<void> {
    for (;;) {
      const sites = await this.#db('sites')
        .whereNotExists(this.#db('site_domains').select(this.#db.raw('1')).whereRaw('site_domains.site_id = sites.id'))
        .orderBy('id')
        .limit(CHUNK)
        .select<{ id: number; url: string }[]>('id', 'url');
      await this.ensure(...sites);
      if (sites.length < CHUNK) return;
    }
  }

  async ensure(...sites: readonly { id: number; url: string }[]): Promise<void> {
    if (sites.length === 0) return;
    await this.#db('site_domains')
      .insert(sites.map(({ id, url }) => ({ site_id: id, domain: registrableDomain(url), told_count: 0 })))
      .onConflict('site_id')
      .ignore();
  }

  /** Returns the sites that use the data of the registry. */
  lookedUpSites(domain: string): Promise<number[]> {
    return this.#db('site_domains').where({ domain }).whereNull('manual').orderBy('site_id').pluck<number[]>('site_id');
  }

  async lock(siteId: number): Promise<SiteDomain | null> {
    const row = await lockForUpdate(this.#db, this.#db('site_domains').where({ site_id: siteId })).first<
      SiteDomainRow | undefined
    >(...SITE_DOMAIN_COLUMNS);
    return row ? toSiteDomain(row) : null;
  }

  async setThreshold(siteId: number, days: number | null): Promise<void> {
    await this.#db('site_domains').where({ site_id: siteId }).update({ threshold_days: days });
  }

  async setManual(siteId: number, manual: ManualEntry | null): Promise<void> {
    const condition = manual && (isInRedemption({ statuses: manual.statuses ?? [] }) ? 'redemption' : 'registered');
    await this.#db('site_domains')
      .where({ site_id: siteId })
      .update({
        manual: manual && toJson(manual),
        manual_condition: condition,
        manual_expires_at: manual?.expiresAt ?? null,
      });
  }

  async setAlerted(
    siteId: number,
    { alertedState, alertedExpiresAt, alertCount }: AlertedDomain & { alertCount: number },
  ): Promise<void> {
    await this.#db('site_domains')
      .where({ site_id: siteId })
      .update({ told_state: alertedState, told_expires_at: alertedExpiresAt, told_count: alertCount });
  }
}
