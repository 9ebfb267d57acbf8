import type { Knex } from 'knex';
import type { GuardFileRestored } from '../../connector/child-site.ts';
import { fromJson, toJson } from '../../db/json.ts';
import { readOfIds } from '../../db/prepared.ts';
import { END_STATES } from '../../queue/index.ts';
import { groupBy } from '../../shared/group-by.ts';
import type { GuardFileState, GuardedItem, StoredGuardFile } from './guard-file.ts';

interface GuardFileRow {
  id: number;
  guard_id: string;
  site_id: number;
  item_id: number | string | null;
  kind: GuardedItem['kind'];
  folder: string;
  activated_file: string | null;
  name: string;
  actor: string;
  state: GuardFileState;
  private_key: string | null;
  restored: string | null;
  attempts: number;
  left_since: number | string | null;
}

export type NewGuardFile = Omit<StoredGuardFile, 'id' | 'restored' | 'attempts' | 'leftSince'>;

const COLUMNS = [
  ...['id', 'guard_id', 'site_id', 'item_id', 'kind', 'folder', 'name', 'actor', 'state', 'private_key', 'restored'],
  ...['activated_file', 'attempts', 'left_since'],
].map((column) => `guard_files.${column}`);

const ofSitesSql = (sites: string): string =>
  `select ${COLUMNS.join(', ')} from guard_files where site_id in (${sites}) order by id`;

const numberOrNull = (value: number | string | null): number | null => (value === null ? null : Number(value));

const toGuardFile = (row: GuardFileRow): StoredGuardFile => ({
  ...{ id: row.id, guardId: row.guard_id, siteId: row.site_id, itemId: numberOrNull(row.item_id), kind: row.kind },
  ...{ folder: row.folder, name: row.name, actor: row.actor, state: row.state, privateKey: row.private_key },
  ...(row.activated_file !== null && { activatedFile: row.activated_file }),
  restored: fromJson<GuardFileRestored>(row.restored),
  attempts: row.attempts,
  leftSince: numberOrNull(row.left_since),
});

export class GuardFileRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert(file: NewGuardFile, { now, dueAt }: { now: number; dueAt: number }): Promise<void> {
    const { guardId, siteId, itemId, kind, folder, activatedFile, name, actor, state, privateKey } = file;
    await this.#db('guard_files').insert({
      ...{ guard_id: guardId, site_id: siteId, item_id: itemId, kind, folder, name, actor, state },
      ...{ activated_file: activatedFile ?? null, private_key: privateKey, created_at: now, next_attempt_at: dueAt },
    });
  }

  find(id: number): Promise<StoredGuardFile | null> {
    return this.#first({ 'guard_files.id': id });
  }

  findByGuardId(guardId: string, siteId: number): Promise<StoredGuardFile | null> {
    return this.#first({ 'guard_files.guard_id': guardId, 'guard_files.site_id': siteId });
  }

  findByItem(
    siteId: number,
    itemId: number | null,
    { kind, folder, activatedFile }: GuardedItem,
  ): Promise<StoredGuardFile | null> {
    return this.#first({
      ...{ 'guard_files.site_id': siteId, 'guard_files.item_id': itemId },
      ...{ 'guard_files.kind': kind, 'guard_files.folder': folder },
      'guard_files.activated_file': activatedFile ?? null,
    });
  }

  async ofSites(siteIds: readonly number[]): Promise<Map<number, StoredGuardFile[]>> {
    const rows = await readOfIds<GuardFileRow>(this.#db, siteIds, ofSitesSql);
    return groupBy(rows.map(toGuardFile), ({ siteId }) => siteId);
  }

  async dueSites(now: number, most: number): Promise<number[]> {
    const rows = await this.#db('guard_files')
      .join('sites', 'sites.id', 'guard_files.site_id')
      .where('guard_files.next_attempt_at', '<=', now)
      .where('sites.status', 'connected')
      .orderBy('guard_files.site_id')
      .limit(most)
      .distinct<{ site_id: number }[]>('guard_files.site_id');
    return rows.map(({ site_id }) => site_id);
  }

  /**
   * Returns the files of a site whose next attempt is due. `isOwned` is true if the job item of the guarded change has
   * not ended.
   */
  async dueOfSite(siteId: number, now: number): Promise<{ file: StoredGuardFile; isOwned: boolean }[]> {
    const rows = await this.#db('guard_files')
      .leftJoin('job_items', 'job_items.id', 'guard_files.item_id')
      .where('guard_files.site_id', siteId)
      .where('guard_files.next_attempt_at', '<=', now)
      .orderBy('guard_files.id')
      .select<(GuardFileRow & { item_state: string | null })[]>(...COLUMNS, 'job_items.state as item_state');
    return rows.map((row) => ({
      file: toGuardFile(row),
      isOwned: row.item_state !== null && !(END_STATES as readonly string[]).includes(row.item_state),
    }));
  }

  /**
   * Returns a sequence number that is higher than all earlier ones of the file: the time in milliseconds, or the last
   * number plus 1. The file refuses a number that is not higher than the last.
   */
  async nextSequence(id: number, now: number): Promise<number> {
    await this.#db('guard_files')
      .where({ id })
      .update({
        sequence: this.#db.raw('case when sequence >= ? then sequence + 1 else ? end', [now, now]),
      });
    const row = await this.#db('guard_files')
      .where({ id })
      .first<{ sequence: number | string } | undefined>('sequence');
    return Number(row?.sequence ?? now);
  }

  async setState(id: number, state: GuardFileState, restored: GuardFileRestored | null = null): Promise<void> {
    await this.#db('guard_files')
      .where({ id })
      .update({ state, ...(restored && { restored: toJson(restored) }) });
  }

  async postpone(id: number, { attempts, dueAt }: { attempts: number; dueAt: number }): Promise<void> {
    await this.#db('guard_files').where({ id }).update({ attempts, next_attempt_at: dueAt });
  }

  async markLeft(id: number, since: number): Promise<void> {
    await this.#db('guard_files').where({ id }).update({ left_since: since });
  }

  delete(id: number): Promise<number> {
    return this.#db('guard_files').where({ id }).delete();
  }

  async #first(where: object): Promise<StoredGuardFile | null> {
    const row = await this.#db('guard_files')
      .where(where)
      .first<GuardFileRow | undefined>(...COLUMNS);
    return row ? toGuardFile(row) : null;
  }
}
