import type { Knex } from 'knex';
import type { Change } from '../../shared/change.ts';
import type { Clock } from '../../shared/clock.ts';
import { ChangeRepository, objectColumns } from './change-repository.ts';

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
