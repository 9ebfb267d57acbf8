import type { Knex } from 'knex';
import { isMissingReference } from '../../db/dialect.ts';
import { fromJson } from '../../db/json.ts';
import { readOfIds, readPrepared } from '../../db/prepared.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { siteDeletedError } from '../../shared/errors.ts';
import { groupBy } from '../../shared/group-by.ts';
import { truncate } from '../../shared/text.ts';
import type { WatchStart } from './health-readings.ts';
import type { WaitingRows } from '../../platform/part.ts';
import type { PendingUpdate } from './update.ts';
import { toPending, UPDATE_COLUMNS, type UpdateRow } from './update-repository.ts';

export interface SendingRun {
  actor: string;
  /** ID of the last entry in the change log before the run. */
  logPosition: number;
  watched: WatchStart | null;
}

export interface OpenUpdate extends PendingUpdate, SendingRun {
  sentAt: number;
}

type OpenUpdateRow = UpdateRow & {
  site_id: number;
  actor: string;
  log_position: number | string;
  watched: string | null;
  sent_at: number | string;
};

/** Time for which an update stays open after it was sent. A version that appears later does not count as its result. */
const GOOD_FOR = DAY;
const ACTOR_MAX = 255;

const openUpdatesSql = (condition: string): string =>
  `select site_id, ${UPDATE_COLUMNS.join(', ')}, actor, log_position, watched, sent_at from open_updates
  where ${condition} and sent_at > ? order by log_position, type, slug`;
const OF_SITE_SQL = openUpdatesSql('site_id = ?');
const UNLOGGED = 'logged = 0';
const unloggedSql = (sites: string): string => openUpdatesSql(`${UNLOGGED} and site_id in (${sites})`);

const toOpenUpdate = (row: OpenUpdateRow): OpenUpdate => ({
  ...toPending(row),
  actor: row.actor,
  logPosition: Number(row.log_position),
  watched: fromJson<WatchStart>(row.watched),
  sentAt: Number(row.sent_at),
});

/**
 * Stores updates that were sent, until the state of the site shows their result. If a later run or sync finds the new
 * version on the site, the update is logged as the work of this service, and not of somebody else.
 */
export class OpenUpdateStore {
  readonly #db: Knex;
  readonly #clock: Clock;

  constructor(db: Knex, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Returns the rows of `unlogged`, for all sites, as a condition. */
  static waiting(clock: Clock): WaitingRows {
    const condition = `${UNLOGGED} and sent_at > ?`;
    return { table: 'open_updates', condition, bindings: [clock.now() - GOOD_FOR] };
  }

  /** Stores updates before they are sent. An update that is already open keeps the data of its first run. */
  async begin(siteId: number, updates: readonly PendingUpdate[], run: SendingRun): Promise<void> {
    if (updates.length === 0) return;
    await this.#of(siteId, updates).where({ logged: 1 }).delete();
    try {
      await this.#db('open_updates')
        .insert(
          updates.map(({ type, slug, name, currentVersion, newVersion }) => ({
            site_id: siteId,
            type,
            slug,
            name,
            current_version: currentVersion,
            new_version: newVersion,
            actor: truncate(run.actor, ACTOR_MAX),
            log_position: run.logPosition,
            watched: run.watched && JSON.stringify(run.watched),
            sent_at: this.#clock.now(),
          })),
        )
        .onConflict(['site_id', 'type', 'slug'])
        .merge(['current_version', 'new_version', 'sent_at']);
    } catch (error) {
      throw isMissingReference(error) ? siteDeletedError() : error;
    }
  }

  /** Returns the open updates of a site, earliest run first. */
  async of(siteId: number): Promise<OpenUpdate[]> {
    const bindings = [siteId, this.#clock.now() - GOOD_FOR];
    return (await readPrepared<OpenUpdateRow>(this.#db, OF_SITE_SQL, bindings)).map(toOpenUpdate);
  }

  /** Returns the open updates that are not in the change log, by site ID, earliest run first. */
  async unlogged(siteIds: readonly number[]): Promise<Map<number, OpenUpdate[]>> {
    const since = this.#clock.now() - GOOD_FOR;
    const rows = await readOfIds<OpenUpdateRow>(this.#db, siteIds, unloggedSql, (ids) => [...ids, since]);
    return new Map([...groupBy(rows, (row) => row.site_id)].map(([id, ofSite]) => [id, ofSite.map(toOpenUpdate)]));
  }

  async markLogged(siteId: number, { type, slug, newVersion: new_version }: PendingUpdate): Promise<boolean> {
    const open = this.#db('open_updates').where({ site_id: siteId, type, slug, new_version, logged: 0 });
    return (await open.update({ logged: 1 })) === 1;
  }

  async remove(siteId: number, updates: readonly PendingUpdate[]): Promise<void> {
    if (updates.length > 0) await this.#of(siteId, updates).delete();
  }

  #of(siteId: number, updates: readonly PendingUpdate[]): Knex.QueryBuilder {
    const keys = updates.map(({ type, slug }) => [type, slug]);
    return this.#db('open_updates').where({ site_id: siteId }).whereIn(['type', 'slug'], keys);
  }
}
