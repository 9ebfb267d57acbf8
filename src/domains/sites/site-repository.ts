import type { Knex } from 'knex';
import { isDuplicate, isMissingReference, isMysql, lockForUpdate } from '../../db/dialect.ts';
import { listOf, readPrepared, writePrepared } from '../../db/prepared.ts';
import { bumpRevision } from '../../db/revisions.ts';
import type { WaitingRows } from '../../platform/part.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { siteNotFound, type SiteWithUrlKey, type SiteDetail, type SiteStatus } from './site.ts';
import { siteNameKeyOf } from './site-search.ts';

export interface SiteRow {
  id: number;
  url: string;
  url_key: string;
  name: string;
  name_key: string;
  status: SiteStatus;
  client_id: number | null;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface SiteStateRow {
  site_id: number;
  notes: string;
  admin_username: string;
  wp_version: string | null;
  php_version: string | null;
  db_version: string | null;
  ip: string | null;
  child_version: string | null;
  last_sync_at: number | null;
  state_changed_at: number | null;
  sync_error_code: string | null;
  sync_error_message: string | null;
  sync_error_at: number | null;
  core_updates: number;
  plugin_updates: number;
  theme_updates: number;
  translation_updates: number;
  health_good: number | null;
  health_recommended: number | null;
  health_critical: number | null;
  ssl_valid: number | null;
  ssl_expires_at: number | null;
  ssl_checked_at: number | null;
  section_hashes: string;
  report_number: number;
  section_numbers: string | null;
  actions_cursor: number;
  changes_cursor: number;
  /** Highest ID of a recent comment that the site has listed; null before the first sync. */
  last_comment_id: number | null;
  /** Highest ID of a recent post or page, which share one sequence of IDs; null before the first sync. */
  last_post_id: number | null;
  backup_method: string | null;
  broken_by_update: string | null;
  guard_left: string | null;
  /** Address that the site reported for itself, as a `url_key`. */
  reported_key: string | null;
}

/** Copies of a site report its address too, so many sites can have the same address. */
const MAX_ADDRESS_MATCHES = 10;

export const SITE_COLUMNS = [
  'sites.id',
  'sites.url',
  'sites.url_key',
  'sites.name',
  'sites.status',
  'sites.client_id',
] as const;
export type ListedSiteRow = Pick<SiteRow, 'id' | 'url' | 'url_key' | 'name' | 'status' | 'client_id'>;

export const DETAIL_COLUMNS = [
  ...SITE_COLUMNS,
  'sites.revision',
  'site_states.notes',
  'site_states.admin_username',
  'site_states.wp_version',
  'site_states.php_version',
  'site_states.db_version',
  'site_states.ip',
  'site_states.child_version',
  'site_states.last_sync_at',
  'site_states.state_changed_at',
  'site_states.sync_error_code',
  'site_states.sync_error_message',
  'site_states.sync_error_at',
  'site_states.core_updates',
  'site_states.plugin_updates',
  'site_states.theme_updates',
  'site_states.translation_updates',
  'site_states.health_good',
  'site_states.health_recommended',
  'site_states.health_critical',
  'site_states.ssl_valid',
  'site_states.ssl_expires_at',
  'site_states.ssl_checked_at',
] as const;

export const SITE_FIELDS = SITE_COLUMNS.join(', ');

/** Returns constant texts that read one site. */
const statementsOf = (columns: readonly string[], from: string) => {
  const select = `select ${columns.join(', ')} from ${from}`;
  return { byId: `${select} where sites.id = ?`, byKey: `${select} where sites.url_key = ?` };
};
export const READ_SITE = statementsOf(SITE_COLUMNS, 'sites');
export const READ_DETAIL = statementsOf(DETAIL_COLUMNS, 'sites join site_states on site_states.site_id = sites.id');

export function toSite(row: ListedSiteRow): SiteWithUrlKey {
  return { id: row.id, url: row.url, name: row.name, status: row.status, clientId: row.client_id, urlKey: row.url_key };
}

export function toDetail(row: SiteRow & SiteStateRow): SiteDetail {
  const { health_good: good, health_recommended: recommended, health_critical: critical } = row;
  return {
    id: row.id,
    url: row.url,
    name: row.name,
    status: row.status,
    clientId: row.client_id,
    revision: row.revision,
    notes: row.notes,
    adminUsername: row.admin_username,
    wpVersion: row.wp_version,
    phpVersion: row.php_version,
    dbVersion: row.db_version,
    ip: row.ip,
    childVersion: row.child_version,
    lastSyncAt: row.last_sync_at,
    stateReadAt: row.last_sync_at && Math.max(row.last_sync_at, row.state_changed_at ?? 0),
    counters: {
      coreUpdates: row.core_updates,
      pluginUpdates: row.plugin_updates,
      themeUpdates: row.theme_updates,
      translationUpdates: row.translation_updates,
    },
    health: good === null || recommended === null || critical === null ? null : { good, recommended, critical },
    ssl: row.ssl_checked_at === null ? null : { valid: row.ssl_valid === 1, expiresAt: row.ssl_expires_at },
    syncError:
      row.sync_error_code === null || row.sync_error_at === null
        ? null
        : { code: row.sync_error_code, message: row.sync_error_message ?? '', at: row.sync_error_at },
  };
}

export interface NewSite {
  url: string;
  urlKey: string;
  name: string;
  clientId: number | null;
  adminUsername: string;
}

export interface SiteFieldsPatch {
  url?: string;
  name?: string;
  status?: SiteStatus;
  clientId?: number | null;
}

export interface ConfirmedReport {
  number: number;
  state: Partial<SiteStateRow>;
  tables: readonly string[];
  waiting: readonly WaitingRows[];
}

export interface SyncCheckpoint {
  isSynced: boolean;
  hashes: Record<string, string>;
  reportNumber: number;
  /** Number of the last report with each section, if it is later than the last whole report (`WHOLE_REPORT`). */
  sectionNumbers: Record<string, number>;
  actionsCursor: number;
  changesCursor: number;
  /** The child's name of the method that makes the site's backups; null if unknown. */
  backupMethod: string | null;
}

/**
 * Key of the hash of the whole report, stored with the hashes of the sections. If this hash is unchanged, no section is
 * read.
 */
export const WHOLE_REPORT = '*';

export const CHECKPOINT_COLUMNS = [
  'last_sync_at',
  'section_hashes',
  'report_number',
  'section_numbers',
  'actions_cursor',
  'changes_cursor',
  'backup_method',
] as const;

const checkpointsSql = (sites: string): string =>
  `select site_id, ${CHECKPOINT_COLUMNS.join(', ')} from site_states where site_id in (${sites}) order by site_id`;

export type CheckpointRow = Pick<SiteStateRow, (typeof CHECKPOINT_COLUMNS)[number]>;

export const toCheckpoint = (row?: CheckpointRow): SyncCheckpoint => ({
  isSynced: row !== undefined && row.last_sync_at !== null,
  hashes: JSON.parse(row?.section_hashes ?? '{}') as Record<string, string>,
  reportNumber: Number(row?.report_number ?? 0),
  sectionNumbers: JSON.parse(row?.section_numbers ?? '{}') as Record<string, number>,
  actionsCursor: Number(row?.actions_cursor ?? 0),
  changesCursor: Number(row?.changes_cursor ?? 0),
  backupMethod: row?.backup_method ?? null,
});

export class SiteRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert(site: NewSite): Promise<number> {
    try {
      const [id] = await this.#db('sites').insert({
        url: site.url,
        url_key: site.urlKey,
        name: site.name,
        name_key: siteNameKeyOf(site.name, site.urlKey),
        status: 'disconnected',
        client_id: site.clientId,
        revision: 1,
        created_at: this.#now,
        updated_at: this.#now,
      });
      await this.#db('site_states').insert({
        site_id: id,
        notes: '',
        admin_username: site.adminUsername,
        section_hashes: '{}',
      });
      return id as number;
    } catch (error) {
      if (isDuplicate(error))
        throw new ConflictError('svc_site_already_exists', 'A site with this URL already exists.');
      if (isMissingReference(error)) throw new NotFoundError('svc_client_not_found', 'No client has this ID.');
      throw error;
    }
  }

  async findKeyed(id: number): Promise<SiteWithUrlKey | null> {
    const row = await this.#db<SiteRow>('sites')
      .where({ id })
      .first<ListedSiteRow>(...SITE_COLUMNS);
    return row ? toSite(row) : null;
  }

  async lock(id: number): Promise<SiteWithUrlKey | null> {
    const query = this.#db<SiteRow>('sites')
      .where({ id })
      .first<ListedSiteRow | undefined>(...SITE_COLUMNS);
    const row: ListedSiteRow | undefined = await lockForUpdate(this.#db, query);
    return row ? toSite(row) : null;
  }

  async findIdByKey(urlKey: string): Promise<number | null> {
    const row = await this.#db<SiteRow>('sites').where({ url_key: urlKey }).first<{ id: number } | undefined>('id');
    return row?.id ?? null;
  }

  async findReportedKey(id: number): Promise<string | null> {
    const query = this.#db('site_states').where({ site_id: id });
    const row = await query.first<{ reported_key: string | null } | undefined>('reported_key');
    return row?.reported_key ?? null;
  }

  async findByAddress(key: string, except: number): Promise<SiteWithUrlKey[]> {
    const reporting = this.#db('site_states').where({ reported_key: key }).select('site_id');
    const rows = await this.#db('sites')
      .where((either) => void either.where({ url_key: key }).orWhereIn('id', reporting))
      .whereNot({ id: except })
      .orderBy('id')
      .limit(MAX_ADDRESS_MATCHES)
      .select<ListedSiteRow[]>(...SITE_COLUMNS);
    return rows.map(toSite);
  }

  async hasErrorSince(id: number, since: number): Promise<boolean> {
    const failed = this.#db('site_states').where({ site_id: id }).where('sync_error_at', '>=', since);
    return (await failed.first('site_id')) !== undefined;
  }

  async syncCheckpoint(id: number): Promise<SyncCheckpoint> {
    const [row] = await readPrepared<CheckpointRow>(this.#db, checkpointsSql('?'), [id]);
    return toCheckpoint(row);
  }

  async lockSyncCheckpoint(id: number): Promise<SyncCheckpoint> {
    return (await this.lockSyncCheckpoints([id])).get(id) as SyncCheckpoint;
  }

  /** Locks the rows of sites in the order of their IDs. Throws `svc_site_not_found` if one of them does not exist. */
  async lockSyncCheckpoints(ids: readonly number[]): Promise<Map<number, SyncCheckpoint>> {
    const { placeholders, bindings } = listOf(ids);
    const sql = checkpointsSql(placeholders) + (isMysql(this.#db) ? ' for update' : '');
    const rows = await readPrepared<CheckpointRow & { site_id: number }>(this.#db, sql, bindings);
    if (rows.length < new Set(ids).size) throw siteNotFound();
    return new Map(rows.map((row) => [row.site_id, toCheckpoint(row)]));
  }

  /**
   * Stores that a whole report has brought nothing new. Returns false, and stores nothing, if `known` is no longer the
   * number of the last report, if the site has lost its rows in one of the `tables`, or if it has rows that wait for a
   * report.
   */
  async confirmReport(
    id: number,
    known: number,
    { number, state, tables, waiting }: ConfirmedReport,
  ): Promise<boolean> {
    const section_numbers = JSON.stringify({ [WHOLE_REPORT]: number });
    const changes = changesOf({ ...state, report_number: number, section_numbers });
    const conditions = [
      ...tables.map((table) => ` and exists (select 1 from ${table} where site_id = ?)`),
      ...waiting.map(
        ({ table, condition }) => ` and not exists (select 1 from ${table} where site_id = ? and ${condition})`,
      ),
    ];
    const sql = `update site_states set ${changes.sql} where site_id = ? and report_number = ?${conditions.join('')}`;
    const waitingBindings = waiting.flatMap(({ bindings }) => [id, ...bindings]);
    const bindings = [...changes.bindings, id, known, ...tables.map(() => id), ...waitingBindings];
    return (await writePrepared(this.#db, sql, bindings)) === 1;
  }

  /** Locks the rows of sites in the order of their IDs. */
  async lockStates(ids: readonly number[]): Promise<void> {
    if (!isMysql(this.#db)) return;
    const { placeholders, bindings } = listOf(ids);
    const sql = `select site_id from site_states where site_id in (${placeholders}) order by site_id for update`;
    await readPrepared(this.#db, sql, bindings);
  }

  /** Returns those of the sites that have rows in a table. */
  async sitesWithRows(ids: readonly number[], table: string): Promise<Set<number>> {
    const { placeholders, bindings } = listOf(ids);
    const sql = `select site_id from site_states where site_id in (${placeholders})
      and exists (select 1 from ${table} where ${table}.site_id = site_states.site_id)`;
    const rows = await readPrepared<{ site_id: number }>(this.#db, sql, bindings);
    return new Set(rows.map(({ site_id: siteId }) => siteId));
  }

  async findDetail(id: number): Promise<SiteDetail | null> {
    const [row] = await readPrepared<SiteRow & SiteStateRow>(this.#db, READ_DETAIL.byId, [id]);
    return row ? toDetail(row) : null;
  }

  async patch(id: number, fields: SiteFieldsPatch): Promise<void> {
    const named = fields.name === undefined ? {} : await this.#nameColumns(id, fields.name);
    try {
      await this.#db('sites')
        .where({ id })
        .update({
          ...(fields.url === undefined ? {} : { url: fields.url }),
          ...named,
          ...(fields.status === undefined ? {} : { status: fields.status }),
          ...(fields.clientId === undefined ? {} : { client_id: fields.clientId }),
          revision: this.#db.raw('revision + 1'),
          updated_at: this.#now,
        });
    } catch (error) {
      if (isMissingReference(error)) throw new NotFoundError('svc_client_not_found', 'No client has this ID.');
      throw error;
    }
  }

  async #nameColumns(id: number, name: string): Promise<Pick<SiteRow, 'name' | 'name_key'>> {
    const row = await this.#db<SiteRow>('sites').where({ id }).first<{ url_key: string } | undefined>('url_key');
    return { name, name_key: siteNameKeyOf(name, row?.url_key ?? '') };
  }

  async patchState(id: number, state: Partial<Omit<SiteStateRow, 'site_id'>>): Promise<void> {
    const changes = changesOf(state);
    if (changes.bindings.length === 0) return;
    const sql = `update site_states set ${changes.sql} where site_id = ?`;
    await writePrepared(this.#db, sql, [...changes.bindings, id]);
  }

  async setTags(id: number, urlKey: string, tagIds: readonly number[]): Promise<void> {
    await this.#db('site_tags').where({ site_id: id }).delete();
    if (tagIds.length === 0) return;
    try {
      await this.#db('site_tags').insert(
        [...new Set(tagIds)].map((tag_id) => ({ tag_id, site_id: id, site_key: urlKey })),
      );
    } catch (error) {
      if (isMissingReference(error))
        throw new NotFoundError('svc_tag_not_found', 'At least one of these tag IDs does not exist.');
      throw error;
    }
  }

  /** Deletes a site and, by cascade, its rows in other tables. */
  async delete(id: number): Promise<boolean> {
    const isDeleted = (await this.#db('sites').where({ id }).delete()) > 0;
    if (isDeleted) await bumpRevision(this.#db, 'changes');
    return isDeleted;
  }
}

function changesOf(state: Partial<SiteStateRow>): { sql: string; bindings: (string | number | null)[] } {
  const changed = Object.entries(state).filter(([, value]) => value !== undefined);
  return {
    sql: changed.map(([column]) => `${column} = ?`).join(', '),
    bindings: changed.map(([, value]) => value),
  };
}
