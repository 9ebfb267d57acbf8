import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { DismissedMessageRepository, type DismissedMessage } from './dismissed-message-repository.ts';

export class InfoMessageDismissals {
  readonly #knex: Knex;
  readonly #clock: Clock;

  constructor({ knex, clock }: { knex: Knex; clock: Clock }) {
    this.#knex = knex;
    this.#clock = clock;
  }

  dismissed(userId: number, request: PageRequest): Promise<Page<DismissedMessage>> {
    return new DismissedMessageRepository(this.#knex).page(userId, request);
  }

  /** A message that is already dismissed keeps its time. */
  dismiss(userId: number, messageId: string): Promise<DismissedMessage> {
    const message = { messageId, dismissedAt: this.#clock.now() };
    return inTransaction(this.#knex, async ({ trx }) => {
      const repository = new DismissedMessageRepository(trx);
      await repository.add(userId, message);
      return (await repository.find(userId, messageId)) ?? message;
    });
  }

  restore(userId: number): Promise<number> {
    return inTransaction(this.#knex, ({ trx }) => new DismissedMessageRepository(trx).clear(userId));
  }
}
