import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { flagOf, reasonOfFlag } from './left-out.ts';
import { NO_UPDATES, type PendingUpdate, type UpdateCounts, type UpdateType, type LeftOutReason } from './update.ts';
import { UpdateRuleRepository } from './update-rule-repository.ts';

export interface StoredUpdate extends PendingUpdate {
  leftOut: LeftOutReason | null;
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

interface FlaggedRow extends UpdateRow {
  ignored: number;
  first_seen_at: number | string;
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
      .select<FlaggedRow[]>(...UPDATE_COLUMNS, 'ignored', 'first_seen_at');
    return rows.map((row) => ({
      ...toPending(row),
      leftOut: reasonOfFlag(row.ignored),
      firstSeenAt: Number(row.first_seen_at),
    }));
  }

  async refreshLeftOut(siteId: number, type: UpdateType): Promise<void> {
    const rules = await new UpdateRuleRepository(this.#db).of(siteId);
    const ofType = () => this.#db('site_updates').where({ site_id: siteId, type });
    const rows = await ofType().select<Pick<FlaggedRow, 'slug' | 'new_version' | 'ignored'>[]>(
      ...(['slug', 'new_version', 'ignored'] as const),
    );
    const flagged = rows.map(({ slug, new_version, ignored }) => ({
      slug,
      before: ignored,
      flag: flagOf(rules.leftOut({ type, slug, newVersion: new_version })),
    }));
    const changed = flagged.filter(({ before, flag }) => flag !== before);
    for (const flag of new Set(changed.map((each) => each.flag))) {
      const slugs = changed.filter((each) => each.flag === flag).map(({ slug }) => slug);
      for (const chunk of chunks(slugs)) await ofType().whereIn('slug', chunk).update({ ignored: flag });
    }
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
