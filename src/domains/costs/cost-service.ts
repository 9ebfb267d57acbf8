import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { Cost, CostFilter, CostPatch, CostRecord, CostTarget, NewCost } from './cost.ts';
import { checkedCost, checkedTargets } from './cost-checks.ts';
import { CostOptionRepository } from './cost-option-repository.ts';
import { CostRecordReadModel } from './cost-record-read-model.ts';
import { CostRepository } from './cost-repository.ts';
import { toCurrencyAmount, onlySiteTarget, type GetToday } from './cost-rules.ts';

export interface CostServiceDeps {
  knex: Knex;
  clock: Clock;
  today: GetToday;
  changeLog: ChangeLog;
}

interface CostUnitOfWork {
  repository: CostRepository;
  records: CostRecordReadModel;
  options: CostOptionRepository;
  log: (targets: readonly CostTarget[], type: string, description: string, thing: ChangedObject) => Promise<void>;
}

export class CostService {
  readonly #deps: CostServiceDeps;
  readonly #records: CostRecordReadModel;

  constructor(deps: CostServiceDeps) {
    this.#deps = deps;
    this.#records = new CostRecordReadModel(deps.knex, deps.today);
  }

  get(id: number): Promise<CostRecord> {
    return this.#records.get(id);
  }

  list(filter: CostFilter, request: PageRequest): Promise<Page<CostRecord>> {
    return this.#records.list(filter, request);
  }

  /**
   * Returns the ID. Throws `svc_site_not_found`, `svc_client_not_found` or `svc_tag_not_found` for a missing target.
   */
  async create(input: NewCost, actor: string): Promise<number> {
    const cost = checkedCost(input);
    const targets = checkedTargets(input.targets);
    return this.#work(actor, async ({ repository, options, log }) => {
      await lockOptions(options, cost);
      const id = await repository.insert(cost);
      await repository.setTargets(id, targets);
      const thing = describeChangedObject({ name: cost.name, key: id }, null, loggedValues(cost, targets));
      await log(targets, 'cost.added', `Added the cost ${cost.name}.`, thing);
      return id;
    });
  }

  async update(
    id: number,
    patch: CostPatch,
    actor: string,
    precondition?: Precondition<CostRecord>,
  ): Promise<CostRecord> {
    await this.#work(actor, async ({ repository, records, options, log }) => {
      await repository.lock(id);
      const stored = await records.get(id);
      precondition?.(stored);
      const { targets: newTargets, ...fields } = patch;
      const cost = checkedCost({ ...stored, price: toCurrencyAmount(stored.priceMinor), ...fields });
      const targets = newTargets ? checkedTargets(replaceTargetsByKind(stored.targets, newTargets)) : stored.targets;
      const moved = sortedTargetKeys(targets) !== sortedTargetKeys(stored.targets);
      const edited = [...editedNames(stored, cost), ...(moved ? ['targets'] : [])];
      if (edited.length === 0) return;
      await lockOptions(options, cost, stored);
      await repository.update(id, cost, {
        countedAnew: DUE_DATE_FIELDS.some((field) => cost[field] !== stored[field]),
      });
      if (moved) await repository.setTargets(id, targets);
      const [before, after] = [loggedValues(stored, stored.targets), loggedValues(cost, targets)];
      const thing = describeChangedObject({ name: cost.name, key: id }, before, after);
      await log(targets, 'cost.updated', `Changed ${edited.join(', ')} of the cost ${cost.name}.`, thing);
    });
    return this.#records.get(id);
  }

  async delete(id: number, actor: string, precondition?: Precondition<CostRecord>): Promise<CostRecord> {
    return this.#work(actor, async ({ repository, records, log }) => {
      await repository.lock(id);
      const cost = await records.get(id);
      precondition?.(cost);
      await repository.delete(id);
      const thing = describeChangedObject({ name: cost.name, key: id }, loggedValues(cost, cost.targets), null);
      await log(cost.targets, 'cost.deleted', `Deleted the cost ${cost.name}.`, thing);
      return cost;
    });
  }

  #work<T>(actor: string, work: (parts: CostUnitOfWork) => Promise<T>): Promise<T> {
    const { knex, clock, today, changeLog } = this.#deps;
    return inTransaction(knex, ({ trx }) =>
      work({
        repository: new CostRepository(trx, clock.now()),
        records: new CostRecordReadModel(trx, today),
        options: new CostOptionRepository(trx, clock.now()),
        log: (targets, type, description, thing) =>
          changeLog.append(trx, { siteId: onlySiteTarget(targets), type, description, actor, thing }),
      }),
    );
  }
}

/**
 * Locks the product type and the payment method of a cost. Unchanged options are not checked, because an option in use
 * cannot be deleted.
 */
async function lockOptions(options: CostOptionRepository, cost: Cost, stored?: Cost): Promise<void> {
  const errors = new FieldErrors();
  const { productType, paymentMethod } = cost;
  if (productType !== stored?.productType && !(await options.lockIfExists('product_type', productType)))
    errors.add({ path: 'productType', message: 'must be the slug of a product type' });
  if (paymentMethod !== stored?.paymentMethod && !(await options.lockIfExists('payment_method', paymentMethod)))
    errors.add({ path: 'paymentMethod', message: 'must be the slug of a payment method' });
  errors.throwIfAny();
}

function replaceTargetsByKind(
  stored: readonly CostTarget[],
  newTargets: NonNullable<CostPatch['targets']>,
): CostTarget[] {
  const kept = stored.filter(({ kind }) => newTargets[kind] === undefined);
  const came = Object.entries(newTargets) as [CostTarget['kind'], readonly number[]][];
  return [...kept, ...came.flatMap(([kind, ids]) => ids.map((id) => ({ kind, id })))];
}

const sortedTargetKeys = (targets: readonly CostTarget[]): string =>
  targets
    .map(({ kind, id }) => `${kind}:${id}`)
    .sort()
    .join();

const DUE_DATE_FIELDS = ['lastRenewal', 'renewalType', 'type'] as const;

const FIELD_NAMES: Partial<Record<keyof Cost, string>> = {
  productType: 'product type',
  licenseType: 'license type',
  paymentMethod: 'payment method',
  priceMinor: 'price',
  renewalType: 'renewal type',
  lastRenewal: 'last renewal',
};

function editedNames(before: Cost, after: Cost): string[] {
  const names = Object.keys(after) as (keyof Cost)[];
  return names.filter((name) => before[name] !== after[name]).map((name) => FIELD_NAMES[name] ?? name);
}

const loggedValues = (cost: Cost, targets: readonly CostTarget[]) => ({
  ...Object.fromEntries(LOGGED.map((field) => [field, cost[field]])),
  price: toCurrencyAmount(cost.priceMinor),
  for: [...targets].map(({ kind, id }) => `${kind} ${id}`).sort(),
});

const LOGGED = [
  ...(['name', 'url', 'type', 'productType', 'slug', 'licenseType', 'status', 'paymentMethod', 'renewalType'] as const),
  ...(['lastRenewal', 'color', 'note'] as const),
];
