import type { Knex } from 'knex';
import { isMissingReference } from '../../db/dialect.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { siteDeletedError } from '../../shared/errors.ts';
import { truncate } from '../../shared/text.ts';
import { isSame, type PendingUpdate } from './update.ts';
import { toPending, UPDATE_COLUMNS, type UpdateRow } from './update-repository.ts';

/** The run that sent an update. */
export interface SendingRun {
  actor: string;
  /** Position of the change log before the run. */
  logPosition: number;
}

export type OpenUpdate = PendingUpdate & SendingRun;

type OpenUpdateRow = UpdateRow & { actor: string; log_position: number | string };

/** Time after which a version on the site is no longer taken for the effect of an update that was sent. */
const GOOD_FOR = DAY;
const ACTOR_MAX = 255;

/**
 * Updates that were sent to a site and that it may have installed, although no state that was read shows it. If a later
 * run or sync finds the version on the site, it is the work of this service, and not of somebody else.
 */
export class OpenUpdateStore {
  readonly #db: Knex;
  readonly #clock: Clock;

  constructor(db: Knex, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async of(siteId: number): Promise<OpenUpdate[]> {
    const rows = await this.#db('open_updates')
      .where({ site_id: siteId })
      .where('sent_at', '>', this.#clock.now() - GOOD_FOR)
      .select<OpenUpdateRow[]>(...UPDATE_COLUMNS, 'actor', 'log_position');
    return rows.map((row) => ({ ...toPending(row), actor: row.actor, logPosition: Number(row.log_position) }));
  }

  /** Removes an update. Returns false if it is gone. */
  async take(siteId: number, { type, slug, newVersion: new_version }: PendingUpdate): Promise<boolean> {
    return (await this.#db('open_updates').where({ site_id: siteId, type, slug, new_version }).delete()) === 1;
  }

  /**
   * Stores which of the sent updates are still open. One that was open before keeps its earlier run. `run` is null for
   * a run of a release before 0.2. Throws `svc_site_not_found` if the site was deleted meanwhile.
   */
  async settle(
    siteId: number,
    sent: readonly PendingUpdate[],
    open: readonly PendingUpdate[],
    run: SendingRun | null,
  ): Promise<void> {
    const settled = sent.filter((update) => !open.some((each) => isSame(each, update)));
    if (settled.length > 0)
      await this.#db('open_updates')
        .where({ site_id: siteId })
        .whereIn(
          ['type', 'slug'],
          settled.map(({ type, slug }) => [type, slug]),
        )
        .delete();
    if (open.length === 0 || run === null) return;
    try {
      await this.#db('open_updates')
        .insert(
          open.map(({ type, slug, name, currentVersion, newVersion }) => ({
            site_id: siteId,
            type,
            slug,
            name,
            current_version: currentVersion,
            new_version: newVersion,
            actor: truncate(run.actor, ACTOR_MAX),
            log_position: run.logPosition,
            sent_at: this.#clock.now(),
          })),
        )
        .onConflict(['site_id', 'type', 'slug'])
        .merge(['current_version', 'new_version', 'sent_at']);
    } catch (error) {
      throw isMissingReference(error) ? siteDeletedError() : error;
    }
  }
}
