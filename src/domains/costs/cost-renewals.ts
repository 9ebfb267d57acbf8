import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedule, Timing } from '../../part.ts';
import { asWritten, jobKind, noInput, type JobKind, type NoInput, type Queue } from '../../queue/index.ts';
import { toDate, type Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import { CostRecordReadModel } from './cost-record-read-model.ts';
import { CostRepository, type RenewableCost } from './cost-repository.ts';
import { frequencyOf, lastDue, nextDue, onlySite } from './cost-rules.ts';

/** A cost after its renewal. */
export interface RenewedCost {
  id: number;
  name: string;
  lastRenewal: string | null;
  nextDue: string | null;
}

export const renewedCost = asWritten<RenewedCost>();

export interface CostRenewalsParts {
  knex: Knex;
  clock: Clock;
  queue: Queue;
  changeLog: ChangeLog;
  timing: () => Timing;
}

/** Puts down that costs were renewed on the day that they fell due. */
export class CostRenewals {
  readonly #parts: CostRenewalsParts;

  constructor(parts: CostRenewalsParts) {
    this.#parts = parts;
  }

  readonly job: JobKind<NoInput, RenewedCost, 'other'> = jobKind({
    name: 'renew-cost',
    about: 'other',
    input: noInput,
    result: renewedCost,
    whenCancelled: 'finish',
    perform: ({ subject, item }) => this.#renew(Number(subject), item.requestedBy),
  });

  readonly schedule: Schedule = {
    name: 'cost-renewals',
    module: 'cost-tracker',
    description: 'Moves the last renewal of active costs on to the day on which they fell due.',
    timing: () => this.#parts.timing(),
    begin: async ({ scope, requestedBy }) => {
      const costs = await this.#repository(scope.trx).renewable();
      const items = costs.filter((cost) => this.#due(cost) !== null).map(({ id }) => ({ identifier: id }));
      return items.length === 0 ? null : this.#parts.queue.enqueue(scope, this.job, { input: {}, items, requestedBy });
    },
  };

  /** Does nothing the second time, and nothing for one that was paid or put on hold meanwhile. */
  async #renew(id: number, actor: string): Promise<RenewedCost> {
    const { knex, clock, changeLog } = this.#parts;
    return inTransaction(knex, async ({ trx }) => {
      const repository = this.#repository(trx);
      const cost = await repository.lockRenewable(id);
      const due = cost.status === 'active' ? this.#due(cost) : null;
      const next = nextDue(cost.anchor, frequencyOf(cost), toDate(clock.now()));
      if (due !== null) {
        await repository.renew(id, due, cost.anchor ?? due);
        const { targets } = await new CostRecordReadModel(trx, clock).get(id);
        const description = `The cost ${cost.name} fell due on ${due}; it does so next on ${next}.`;
        await changeLog.append(trx, { siteId: onlySite(targets), type: 'cost.renewed', description, actor });
      }
      return { id, name: cost.name, lastRenewal: due ?? cost.lastRenewal, nextDue: next };
    });
  }

  #due(cost: RenewableCost): string | null {
    return lastDue(cost, frequencyOf(cost), toDate(this.#parts.clock.now()));
  }

  #repository(trx: Knex): CostRepository {
    return new CostRepository(trx, this.#parts.clock.now());
  }
}
