import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { CostTarget, NewCost } from './cost.ts';
import { checkedCost, checkedTargets } from './cost-checks.ts';
import { CostRepository } from './cost-repository.ts';

export interface CostServiceParts {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
}

/** What may be done to costs. */
export class CostService {
  readonly #parts: CostServiceParts;

  constructor(parts: CostServiceParts) {
    this.#parts = parts;
  }

  /** Answers the id. Throws `svc_site_not_found`, `svc_client_not_found` or `svc_tag_not_found` for what it is for. */
  async create(input: NewCost, actor: string): Promise<number> {
    const { knex, clock, changeLog } = this.#parts;
    const cost = checkedCost(input);
    const targets = checkedTargets(input.targets);
    return inTransaction(knex, async ({ trx }) => {
      const repository = new CostRepository(trx, clock.now());
      const id = await repository.insert(cost);
      await repository.setTargets(id, targets);
      const description = `Added the cost ${cost.name}.`;
      await changeLog.append(trx, { siteId: onlySite(targets), type: 'cost.added', description, actor });
      return id;
    });
  }

  /** False when there is no such cost. */
  async delete(id: number, actor: string): Promise<boolean> {
    const { knex, clock, changeLog } = this.#parts;
    return inTransaction(knex, async ({ trx }) => {
      const repository = new CostRepository(trx, clock.now());
      const name = await repository.findName(id);
      if (name === null || !(await repository.delete(id))) return false;
      await changeLog.append(trx, {
        siteId: null,
        type: 'cost.deleted',
        description: `Deleted the cost ${name}.`,
        actor,
      });
      return true;
    });
  }
}

/** The site that a cost concerns, when it concerns one alone. */
function onlySite(targets: readonly CostTarget[]): number | null {
  const [first] = targets;
  return targets.length === 1 && first?.kind === 'site' ? first.id : null;
}
