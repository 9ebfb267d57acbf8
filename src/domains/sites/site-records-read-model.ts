import type { Knex } from 'knex';
import { fromJson } from '../../db/json.ts';
import { listOf, readPrepared } from '../../db/prepared.ts';
import type { BrokenByUpdate, GuardLeft, SiteRecord, SiteTag } from './site.ts';
import { DETAIL_COLUMNS, toDetail, type SiteRow, type SiteStateRow } from './site-repository.ts';

type RecordRow = SiteRow & SiteStateRow & { ssl_verify: number | null; last_backup_at: number | string | null };

/**
 * Uses `limit 1` instead of `max`: the column then keeps the type of `taken_at`, so SQLite hands over large results
 * faster.
 */
const LAST_BACKUP = `(select taken_at from site_backups where site_backups.site_id = sites.id
  order by taken_at desc limit 1) as last_backup_at`;

const RECORD_FIELDS = [
  ...DETAIL_COLUMNS,
  'site_secrets.ssl_verify',
  'site_states.broken_by_update',
  'site_states.guard_left',
  LAST_BACKUP,
].join(', ');
const RECORDS_SQL = `select ${RECORD_FIELDS} from sites
  join site_states on site_states.site_id = sites.id join site_secrets on site_secrets.site_id = sites.id`;
const TAGS_SQL = `select site_tags.site_id, tags.id, tags.name from site_tags join tags on tags.id = site_tags.tag_id`;

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
      // The fields are set one by one, because copying them from a second object takes longer.
      const record = toDetail(row) as SiteRecord;
      if (!countsTranslations) record.counters.translationUpdates = 0;
      record.sslVerify = row.ssl_verify === null ? null : row.ssl_verify === 1;
      record.lastBackupAt = row.last_backup_at === null ? null : Number(row.last_backup_at);
      record.brokenByUpdate = fromJson<BrokenByUpdate>(row.broken_by_update);
      record.guardLeft = fromJson<GuardLeft>(row.guard_left);
      record.tags = tags.get(id) ?? [];
      return [record];
    });
  }

  async childVersions(ids: readonly number[]): Promise<Map<number, string | null>> {
    const rows = await this.#db('site_states')
      .whereIn('site_id', [...ids])
      .select<{ site_id: number; child_version: string | null }[]>('site_id', 'child_version');
    return new Map(rows.map((row) => [row.site_id, row.child_version]));
  }

  #rows(ids: readonly number[]): Promise<RecordRow[]> {
    const { placeholders, bindings } = listOf(ids);
    return readPrepared<RecordRow>(this.#db, `${RECORDS_SQL} where sites.id in (${placeholders})`, bindings);
  }

  async #tags(ids: readonly number[]): Promise<Map<number, SiteTag[]>> {
    const { placeholders, bindings } = listOf(ids);
    const rows = await readPrepared<SiteTag & { site_id: number }>(
      this.#db,
      `${TAGS_SQL} where site_tags.site_id in (${placeholders}) order by tags.name_key, tags.id`,
      bindings,
    );
    const bySite = new Map<number, SiteTag[]>();
    for (const { site_id, id, name } of rows) {
      const tags = bySite.get(site_id);
      if (tags) tags.push({ id, name });
      else bySite.set(site_id, [{ id, name }]);
    }
    return bySite;
  }
}
