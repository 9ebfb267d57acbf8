import type { Knex } from 'knex';
import { DAY, type Clock } from '../../shared/clock.ts';
import { isSame, type PendingUpdate, type UpdatePlace } from './update.ts';

export interface OpenUpdate extends UpdatePlace {
  newVersion: string;
  /** Position of the change log before the run that sent the update. */
  logPosition: number;
}

interface OpenUpdateRow {
  type: PendingUpdate['type'];
  slug: string;
  new_version: string;
  log_position: number | string;
}

/** Time after which a version on the site is no longer taken for the effect of an update that was sent. */
const GOOD_FOR = DAY;

/**
 * Updates that were sent to a site and whose outcome is unknown. If a later run finds the version on the site, it is
 * the work of this service, and not of somebody else.
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
      .select<OpenUpdateRow[]>('type', 'slug', 'new_version', 'log_position');
    return rows.map(({ type, slug, new_version: newVersion, log_position: position }) => ({
      type,
      slug,
      newVersion,
      logPosition: Number(position),
    }));
  }

  /** Stores which of the sent updates are still open. One that was open before keeps its earlier log position. */
  async settle(
    siteId: number,
    sent: readonly PendingUpdate[],
    open: readonly PendingUpdate[],
    logPosition: number | undefined,
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
    if (open.length === 0 || logPosition === undefined) return;
    await this.#db('open_updates')
      .insert(
        open.map(({ type, slug, newVersion }) => ({
          site_id: siteId,
          type,
          slug,
          new_version: newVersion,
          log_position: logPosition,
          sent_at: this.#clock.now(),
        })),
      )
      .onConflict(['site_id', 'type', 'slug'])
      .merge(['new_version', 'sent_at']);
  }
}
