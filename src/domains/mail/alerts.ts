import type { Knex } from 'knex';
import type { Clock } from '../../shared/clock.ts';
import { AlertRepository } from './alert-repository.ts';
import type { AlertFacts, AlertType } from './alert-types.ts';
import type { Alert } from './alert.ts';

/** Stores alerts in the transaction of their cause, so that both are committed or neither is. */
export class Alerts {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async raise<Type extends AlertType>(trx: Knex.Transaction, alert: Alert<Type>): Promise<void> {
    await this.raiseAll(trx, [alert]);
  }

  isAnyRaised(trx: Knex.Transaction, keys: readonly string[]): Promise<boolean> {
    return new AlertRepository(trx).existsAny(keys);
  }

  factsOf<Type extends AlertType>(trx: Knex.Transaction, key: string): Promise<AlertFacts[Type] | null> {
    return new AlertRepository(trx).findFacts<Type>(key);
  }

  async raiseAll<Type extends AlertType>(trx: Knex.Transaction, alerts: readonly Alert<Type>[]): Promise<void> {
    await new AlertRepository(trx).add(alerts, this.#clock.now());
  }
}
