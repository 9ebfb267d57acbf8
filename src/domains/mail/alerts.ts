import type { Knex } from 'knex';
import type { Clock } from '../../shared/clock.ts';
import { AlertRepository } from './alert-repository.ts';
import type { Alert, AlertType } from './alert.ts';

/** Takes alerts in the transaction of what they tell of, so that neither is without the other. */
export class Alerts {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async raise<Type extends AlertType>(trx: Knex.Transaction, alert: Alert<Type>): Promise<void> {
    await this.raiseAll(trx, [alert]);
  }

  /** The same for many at a time. */
  async raiseAll<Type extends AlertType>(trx: Knex.Transaction, alerts: readonly Alert<Type>[]): Promise<void> {
    await new AlertRepository(trx).add(alerts, this.#clock.now());
  }
}
