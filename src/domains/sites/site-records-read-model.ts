import type { Knex } from 'knex';
import { fromJson } from '../../db/json.ts';
import { orderSqlOf, type OrderedColumn } from '../../db/order-by.ts';
import { listOf, readPrepared } from '../../db/prepared.ts';
import { RevisionCache } from '../../db/revisions.ts';
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
const JOINS_SQL = `join site_states on site_states.site_id = sites.id
  join site_secrets on site_secrets.site_id = sites.id`;
const RECORDS_SQL = `select ${RECORD_FIELDS} from sites ${JOINS_SQL}`;
const TAGS_SQL = `select site_tags.site_id, tags.id, tags.name from site_tags join tags on tags.id = site_tags.tag_id`;

const REVISIONS = `(select value from revisions where name = 'sites') as sites_revision,
  (select value from revisions where name = 'tags') as tags_revision`;
/** Maximum number of sites in all cached pages: about 15 MB with their views and texts. An empty page counts as one. */
export const KEPT_SITES = 20_000;

interface PageRow extends RecordRow {
  sites_revision: number | string;
  tags_revision: number | string;
}

export interface RecordPageRequest {
  /** Columns of `sites`. */
  orderBy: readonly OrderedColumn[];
  limit: number;
  offset: number;
}

export class SiteRecords {
  readonly #db: Knex;
  readonly #countsTranslations: () => boolean;
  readonly #tagsOfPages: RevisionCache<Map<number, SiteTag[]>>;

  constructor(db: Knex, countsTranslations: () => boolean) {
    this.#db = db;
    this.#tagsOfPages = new RevisionCache(db, ['sites', 'tags'], { most: KEPT_SITES, weigh: ({ size }) => size + 1 });
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
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row ? [this.#toRecord(row, tags.get(id) ?? [])] : [];
    });
  }

  /**
   * Reads a page of all sites and the revision of the sites in one statement. The tags of a page are cached, because
   * each change of them bumps one of these revisions. `revision` is null if there are no records.
   */
  async page(
    { orderBy, limit, offset }: RecordPageRequest,
    { withTags = true } = {},
  ): Promise<{ records: SiteRecord[]; revision: number | string | null }> {
    const columns = new Set(['sites.id', ...orderBy.map(({ column }) => column)]);
    const orderSql = orderSqlOf(orderBy);
    // Sorted by the columns of the page, because MariaDB would write whole rows to a temporary table to sort them.
    const rows = await readPrepared<PageRow>(
      this.#db,
      `select ${RECORD_FIELDS}, ${REVISIONS}
       from (select ${[...columns].join(', ')} from sites order by ${orderSql} limit ${Math.trunc(limit)} offset ?) as page
       join sites on sites.id = page.id ${JOINS_SQL} order by ${orderSql.replaceAll('sites.', 'page.')}`,
      [offset],
    );
    const [first] = rows;
    if (!first) return { records: [], revision: null };
    const ids = rows.map(({ id }) => id);
    const revision = Number(first.sites_revision) + Number(first.tags_revision);
    const tags = withTags
      ? await this.#tagsOfPages.getAt(revision, [limit, offset, ...ids].join(','), () => this.#tags(ids))
      : new Map<number, SiteTag[]>();
    return {
      records: rows.map((row) => this.#toRecord(row, tags.get(row.id) ?? [])),
      revision: first.sites_revision,
    };
  }

  #toRecord(row: RecordRow, tags: SiteTag[]): SiteRecord {
    // The fields are set one by one, because copying them from a second object takes longer.
    const record = toDetail(row) as SiteRecord;
    if (!this.#countsTranslations()) record.counters.translationUpdates = 0;
    record.sslVerify = row.ssl_verify === null ? null : row.ssl_verify === 1;
    record.lastBackupAt = row.last_backup_at === null ? null : Number(row.last_backup_at);
    record.brokenByUpdate = fromJson<BrokenByUpdate>(row.broken_by_update);
    record.guardLeft = fromJson<GuardLeft>(row.guard_left);
    record.tags = tags;
    return record;
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
