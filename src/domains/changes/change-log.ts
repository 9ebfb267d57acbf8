import type { Knex } from 'knex';
import type { Change } from '../../shared/change.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChangeRepository, toChangedObjectColumns, storedKeyOf } from './change-repository.ts';

export class ChangeLog {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  position(db: Knex): Promise<number> {
    return new ChangeRepository(db).lastId();
  }

  /** Leaves out the changes whose type and object have an entry of the same site behind the position. */
  async withoutLogged(db: Knex, siteId: number, changes: readonly Change[], position: number): Promise<Change[]> {
    const entries = await new ChangeRepository(db).ownEntriesBehind(siteId, position);
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
  }
}
