import type { Knex } from 'knex';
import { NO_UPDATES, ALL_ITEMS_SLUG, type PendingUpdate, type UpdateCounts, type UpdateType } from './update.ts';

export interface StoredUpdate extends PendingUpdate {
  ignored: boolean;
  /** Time at which this version was first reported, in milliseconds since 1970. */
  firstSeenAt: number;
}

export interface UpdateRow {
  type: UpdateType;
  slug: string;
  name: string;
  current_version: string;
  new_version: string;
}

export const UPDATE_COLUMNS = ['type', 'slug', 'name', 'current_version', 'new_version'] as const;

export const toPending = (row: UpdateRow): PendingUpdate => ({
  type: row.type,
  slug: row.slug,
  name: row.name,
  currentVersion: row.current_version,
  newVersion: row.new_version,
});

export const limitToVulnerable = (updates: Knex.QueryBuilder, onlyVulnerable: boolean): Knex.QueryBuilder =>
  onlyVulnerable
    ? updates.whereExists((exposing) => {
        void exposing
          .select('exposures.id')
          .from('exposures')
          .whereRaw('exposures.site_id = site_updates.site_id and exposures.type = site_updates.type')
          .whereRaw('exposures.item = site_updates.slug and exposures.lasting = 1');
      })
    : updates;

export class UpdateRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async of(siteId: number, { onlyVulnerable = false } = {}): Promise<StoredUpdate[]> {
    const rows = await limitToVulnerable(this.#db('site_updates'), onlyVulnerable)
      .where({ site_id: siteId })
      .orderBy(['type', 'slug'])
      .select<(UpdateRow & { ignored: number; first_seen_at: number | string })[]>(
        ...UPDATE_COLUMNS,
        'ignored',
        'first_seen_at',
      );
    return rows.map((row) => ({
      ...toPending(row),
      ignored: row.ignored === 1,
      firstSeenAt: Number(row.first_seen_at),
    }));
  }

  async refreshIgnored(siteId: number, type: UpdateType): Promise<void> {
    const ruled = this.#db.raw(
      `exists (select 1 from ignored_updates as rules where rules.site_id = site_updates.site_id
        and rules.type = site_updates.type and rules.slug in (site_updates.slug, ?))`,
      [ALL_ITEMS_SLUG],
    );
    await this.#db('site_updates').where({ site_id: siteId, type }).update({ ignored: ruled });
  }

  async counts(siteId: number): Promise<UpdateCounts> {
    const rows = await this.#db('site_updates')
      .where({ site_id: siteId, ignored: 0 })
      .groupBy('type')
      .select<{ type: UpdateType; n: number | string }[]>('type', this.#db.raw('count(*) as n'));
    return { ...NO_UPDATES, ...Object.fromEntries(rows.map(({ type, n }) => [type, Number(n)])) };
  }
}

export const counterColumns = (counts: UpdateCounts) => ({
  core_updates: counts.core,
  plugin_updates: counts.plugin,
  theme_updates: counts.theme,
  translation_updates: counts.translation,
});
