import type { Knex } from 'knex';
import { IDS_A_STATEMENT } from '../../db/chunks.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Change } from '../../shared/change.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChangeRepository, toChangedObjectColumns, storedKeyOf } from './change-repository.ts';
import { listedKeyOf, ListedCreationRepository } from './listed-creation-repository.ts';

const OWN_CREATION = /^(post|page)\.created$/;

export class ChangeLog {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  position(db: Knex): Promise<number> {
    return new ChangeRepository(db).lastId();
  }

  async withoutLogged(db: Knex, siteId: number, changes: readonly Change[], position: number): Promise<Change[]> {
    const entries = await new ChangeRepository(db).ownEntriesAfter(siteId, position);
    const logged = new Set(entries.map(({ type, object_key: key }) => JSON.stringify([type, key])));
    return changes.filter(({ type, thing }) => !logged.has(JSON.stringify([type, storedKeyOf(thing)])));
  }

  async append(trx: Knex.Transaction, ...changes: Change[]): Promise<void> {
    const at = this.#clock.now();
    await new ChangeRepository(trx).insert(
      changes.map(({ siteId, type, description, actor, thing }) => ({
        site_id: siteId,
        source: 'dashboard',
        external_id: null,
        type,
        description,
        actor,
        at,
        ...toChangedObjectColumns(thing),
      })),
    );
    await this.#dropListed(trx, changes);
  }

  /**
   * Deletes all changes of a site except for less than 500, in several transactions: a single statement would block
   * other writers. Returns the number of deleted changes.
   */
  async deleteMostOf(knex: Knex, siteId: number): Promise<number> {
    // Each part begins where the last one ended: MariaDB reads deleted rows again until it has purged them.
    let from = 0;
    for (let deleted = 0; ;) {
      const oldest = await new ChangeRepository(knex).oldestOf(siteId, from, IDS_A_STATEMENT);
      if (oldest.length < IDS_A_STATEMENT) return deleted;
      const ids = oldest.map(({ id }) => Number(id));
      deleted += await inTransaction(knex, ({ trx }) => new ChangeRepository(trx).delete(ids));
      from = Number(oldest.at(-1)?.at ?? from);
    }
  }

  /**
   * Deletes entries that a sync has made from the lists of recent items, if `changes` has the same creations. A sync
   * can find a creation in these lists before the call that made it is logged.
   */
  async #dropListed(trx: Knex.Transaction, changes: readonly Change[]): Promise<void> {
    const created = changes.flatMap(({ siteId, type, thing }) => {
      const kind = OWN_CREATION.exec(type)?.[1];
      const key = storedKeyOf(thing);
      return kind === undefined || siteId === null || key === null ? [] : [{ siteId, key: listedKeyOf(kind, key) }];
    });
    await new ListedCreationRepository(trx).delete(created);
  }
}
