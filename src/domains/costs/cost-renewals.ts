import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Schedule, CronTiming } from '../../platform/part.ts';
import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type JobKind,
  type NoInput,
  type Queue,
} from '../../queue/index.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import { DAY, toDate, type Clock } from '../../shared/clock.ts';
import { ALL_SITES } from '../../shared/site-scope.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { Alerts } from '../mail/index.ts';
import { CostRecordReadModel } from './cost-record-read-model.ts';
import { CostRepository, type RenewableCost } from './cost-repository.ts';
import { costFrequencyOf, lastDue, nextDue, onlySiteTarget, toCurrencyAmount, type GetToday } from './cost-rules.ts';

export interface RenewedCost {
  id: number;
  name: string;
  lastRenewal: string | null;
  nextDue: string | null;
}

export const parseRenewedCost = createUnvalidatedParser<RenewedCost>();

export interface CostRenewalsDeps {
  knex: Knex;
  clock: Clock;
  today: GetToday;
  queue: Queue;
  changeLog: ChangeLog;
  alerts: Alerts;
  noticeDays: () => number;
  timing: () => CronTiming;
}

export class CostRenewals {
  readonly #deps: CostRenewalsDeps;

  constructor(deps: CostRenewalsDeps) {
    this.#deps = deps;
  }

  readonly job: JobKind<NoInput, RenewedCost, 'other'> = defineJobKind({
    name: 'renew-cost',
    about: 'other',
    input: noInput,
    result: parseRenewedCost,
    whenCancelled: 'finish',
    retryPermission: null,
    perform: ({ subject, item }) => this.#renew(Number(subject), item.requestedBy),
  });

  readonly schedule: Schedule = {
    name: 'cost-renewals',
    module: 'cost-tracker',
    description:
      'Advances the last renewal of active costs to the date on which they fell due, and sends mails about costs that ' +
      'fall due soon.',
    timing: () => this.#deps.timing(),
    begin: async ({ scope, requestedBy }) => {
      const costs = await this.#repository(scope.trx).renewable();
      for (const cost of costs) await this.#raiseAlerts(scope.trx, cost);
      const items = costs.filter((cost) => this.#dueDay(cost) !== null).map(({ id }) => ({ identifier: id }));
      return this.#deps.queue.enqueueIfAny(scope, this.job, { input: {}, items, requestedBy });
    },
  };

  async #raiseAlerts(trx: Knex.Transaction, cost: RenewableCost): Promise<void> {
    const { today, alerts, noticeDays } = this.#deps;
    const frequency = costFrequencyOf(cost);
    const next = nextDue(cost.anchor, frequency, today());
    const near = toDate(Date.parse(today()) + noticeDays() * DAY);
    const days = [this.#dueDay(cost), next !== null && next <= near ? next : null].filter((day) => day !== null);
    for (const dueOn of days)
      await alerts.raise(trx, {
        type: 'cost_tracker_noti_email',
        key: `cost_renewal:${cost.id}:${dueOn}`,
        site: null,
        facts: { costId: cost.id, name: cost.name, dueOn, price: toCurrencyAmount(cost.priceUnits), frequency },
      });
  }

  async #renew(id: number, actor: string): Promise<RenewedCost> {
    const { knex, today, changeLog } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      const repository = this.#repository(trx);
      const cost = await repository.lockRenewable(id);
      const { targets } = await new CostRecordReadModel(trx, today).get(ALL_SITES, id);
      const due = cost.status === 'active' && targets.length > 0 ? this.#dueDay(cost) : null;
      const next = nextDue(cost.anchor, costFrequencyOf(cost), today());
      if (due !== null) {
        await repository.renew(id, due, cost.anchor ?? due);
        const description = `The cost ${cost.name} fell due on ${due}. The next due date is ${next}.`;
        const thing = describeChangedObject(
          { name: cost.name, key: id },
          { lastRenewal: cost.lastRenewal },
          { lastRenewal: due },
        );
        await changeLog.append(trx, {
          siteId: onlySiteTarget(targets),
          type: 'cost.renewed',
          description,
          actor,
          thing,
        });
      }
      return { id, name: cost.name, lastRenewal: due ?? cost.lastRenewal, nextDue: next };
    });
  }

  #dueDay(cost: RenewableCost): string | null {
    return lastDue(cost, costFrequencyOf(cost), this.#deps.today());
  }

  #repository(trx: Knex): CostRepository {
    return new CostRepository(trx, this.#deps.clock.now());
  }
}
