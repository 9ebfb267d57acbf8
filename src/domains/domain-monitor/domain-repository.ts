import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import { fromJson, toJson } from '../../db/json.ts';
import { HOUR } from '../../shared/clock.ts';
import type { DomainCheckError, WatchedDomain } from './watched-domain.ts';
import type { DomainFacts } from './domain-facts.ts';
import type { DomainCondition } from './domain-state.ts';

export interface DomainRow {
  name: string;
  condition_code: DomainCondition;
  facts: string | null;
  source: 'rdap' | 'whois' | null;
  error_code: DomainCheckError['code'] | null;
  error_message: string | null;
  asked_at: number | null;
  answered_at: number | null;
  lease_until: number | null;
}

export const DOMAIN_COLUMNS = [
  'domains.name as domain_name',
  'domains.condition_code',
  'domains.facts',
  'domains.source',
  'domains.error_code',
  'domains.error_message',
  'domains.asked_at',
  'domains.answered_at',
  'domains.lease_until',
] as const;

export type NamedDomainRow = Omit<DomainRow, 'name'> & { domain_name: string };

export const toDomain = (row: NamedDomainRow): WatchedDomain => ({
  name: row.domain_name,
  condition: row.condition_code,
  facts: fromJson<DomainFacts>(row.facts),
  source: row.source,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  askedAt: row.asked_at,
  answeredAt: row.answered_at,
  leaseUntil: row.lease_until,
});

/**
 * Minimum time before a failed lookup is repeated. The next daily run repeats it, even if `frequency` is weekly or
 * monthly.
 */
export const FAILED_RESTS = HOUR;
const A_TIME = 200;

export class DomainRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(name: string): Promise<WatchedDomain | null> {
    const row = await this.#db('domains')
      .where({ name })
      .first<NamedDomainRow | undefined>(...DOMAIN_COLUMNS);
    return row ? toDomain(row) : null;
  }

  /**
   * Creates the row. Do not call this in the transaction that locks the row: an insert of a row that exists already
   * keeps a shared lock on it, and two such transactions would deadlock.
   */
  async ensure(name: string): Promise<void> {
    if (await this.find(name)) return;
    await this.#db('domains').insert({ name, condition_code: 'unknown' }).onConflict('name').ignore();
  }

  async lock(name: string): Promise<WatchedDomain | null> {
    const row = await lockForUpdate(this.#db, this.#db('domains').where({ name })).first<NamedDomainRow | undefined>(
      ...DOMAIN_COLUMNS,
    );
    return row ? toDomain(row) : null;
  }

  async lease(name: string, until: number): Promise<void> {
    await this.#db('domains').where({ name }).update({ lease_until: until });
  }

  async release(name: string, until: number): Promise<void> {
    await this.#db('domains').where({ name, lease_until: until }).update({ lease_until: null });
  }

  async releaseAll(): Promise<void> {
    await this.#db('domains').whereNotNull('lease_until').update({ lease_until: null });
  }

  async save({ name, condition, facts, source, error, askedAt, answeredAt, leaseUntil }: WatchedDomain): Promise<void> {
    await this.#db('domains')
      .where({ name })
      .update({
        condition_code: condition,
        facts: facts && toJson(facts),
        source,
        expires_at: facts?.expiresAt ?? null,
        error_code: error?.code ?? null,
        error_message: error?.message ?? null,
        asked_at: askedAt,
        answered_at: answeredAt,
        lease_until: leaseUntil,
      });
  }

  async due(answeredBefore: number, now: number): Promise<string[]> {
    return (
      this.#db('site_domains')
        .join('sites', 'sites.id', 'site_domains.site_id')
        .leftJoin('domains', 'domains.name', 'site_domains.domain')
        .whereNotNull('site_domains.domain')
        .whereNull('site_domains.manual')
        .whereNot('sites.status', 'suspended')
        .where((due) => {
          void due.whereNull('domains.answered_at').orWhere('domains.answered_at', '<=', answeredBefore);
          // A time in the future comes from a clock that was ahead during the lookup. Such a domain is due.
          void due.orWhere('domains.answered_at', '>', now);
        })
        .where((rested) => {
          void rested.whereNull('domains.asked_at').orWhere('domains.asked_at', '<=', now - FAILED_RESTS);
          void rested.orWhere('domains.asked_at', '>', now);
        })
        .groupBy('site_domains.domain')
        // If a registry is too slow for one run, the domains that are left come first in the next run.
        .orderByRaw('coalesce(min(domains.asked_at), 0), site_domains.domain')
        .pluck<string[]>('site_domains.domain')
    );
  }

  async prune(): Promise<number> {
    const names = await this.#db('domains')
      .whereNotExists(this.#db('site_domains').select(this.#db.raw('1')).whereRaw('site_domains.domain = domains.name'))
      .orderBy('name')
      .limit(A_TIME)
      .pluck<string[]>('name');
    if (names.length > 0) await this.#db('domains').whereIn('name', names).delete();
    return names.length;
  }
}
