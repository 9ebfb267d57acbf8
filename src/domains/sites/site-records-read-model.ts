import type { Knex } from 'knex';
import { fromJson } from '../../db/json.ts';
import type { BrokenByUpdate, SiteRecord, SiteTag } from './site.ts';
import { DETAIL_COLUMNS, toDetail, type SiteRow, type SiteStateRow } from './site-repository.ts';

type RecordRow = SiteRow & SiteStateRow & { ssl_verify: number | null; last_backup_at: number | string | null };

const LAST_BACKUP = '(select max(taken_at) from site_backups where site_backups.site_id = sites.id) as last_backup_at';

export class SiteRecords {
  readonly #db: Knex;
  readonly #countsTranslations: () => boolean;

  constructor(db: Knex, countsTranslations: () => boolean) {
    this.#db = db;
    this.#countsTranslations = countsTranslations;
  }

  async get(id: number): Promise<SiteRecord | null> {
    const [record] = await this.of([id]);
    return record ?? null;
  }

  /** Returns the records in the order of `ids`. `withTags: false` saves one statement and leaves `tags` empty. */
  async of(ids: readonly number[], { withTags = true } = {}): Promise<SiteRecord[]> {
    if (ids.length === 0) return [];
    const [rows, tags] = await Promise.all([
      this.#rows(ids),
      withTags ? this.#tags(ids) : new Map<number, SiteTag[]>(),
    ]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const countsTranslations = this.#countsTranslations();
    return ids.flatMap((id) => {
      const row = byId.get(id);
      if (!row) return [];
      const detail = toDetail(row);
      if (!countsTranslations) detail.counters.translationUpdates = 0;
      return [
        Object.assign(detail, {
          sslVerify: row.ssl_verify === null ? null : row.ssl_verify === 1,
          lastBackupAt: row.last_backup_at === null ? null : Number(row.last_backup_at),
          brokenByUpdate: fromJson<BrokenByUpdate>(row.broken_by_update),
          tags: tags.get(id) ?? [],
        }),
      ];
    });
  }

  async childVersions(ids: readonly number[]): Promise<Map<number, string | null>> {
    const rows = await this.#db('site_states')
      .whereIn('site_id', [...ids])
      .select<{ site_id: number; child_version: string | null }[]>('site_id', 'child_version');
    return new Map(rows.map((row) => [row.site_id, row.child_version]));
  }

  #rows(ids: readonly number[]): Promise<RecordRow[]> {
    return this.#db('sites')
      .join('site_states', 'site_states.site_id', 'sites.id')
      .join('site_secrets', 'site_secrets.site_id', 'sites.id')
      .whereIn('sites.id', [...ids])
      .select<RecordRow[]>(
        ...DETAIL_COLUMNS,
        'site_secrets.ssl_verify',
        'site_states.broken_by_update',
        this.#db.raw(LAST_BACKUP),
      );
  }

  async #tags(ids: readonly number[]): Promise<Map<number, SiteTag[]>> {
    const rows = await this.#db('site_tags')
      .join('tags', 'tags.id', 'site_tags.tag_id')
      .whereIn('site_tags.site_id', [...ids])
      .orderBy(['tags.name_key', 'tags.id'])
      .select<(SiteTag & { site_id: number })[]>('site_tags.site_id', 'tags.id', 'tags.name');
    const bySite = new Map<number, SiteTag[]>();
    for (const { site_id, id, name } of rows) bySite.set(site_id, [...(bySite.get(site_id) ?? []), { id, name }]);
    return bySite;
  }
}
