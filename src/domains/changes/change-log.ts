import type { Knex } from 'knex';
import type { Change } from '../../shared/change.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChangeRepository, objectColumns } from './change-repository.ts';

/** Appends to the change log in the transaction of the change, so that both are committed or neither is. */
export class ChangeLog {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
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
        ...objectColumns(thing),
      })),
    );
  }
}
