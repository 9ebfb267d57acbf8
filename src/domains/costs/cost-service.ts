import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import type { ChangeLog } from '../changes/index.ts';
import { refuseSitesOutside } from '../sites/index.ts';
import type { Cost, CostFilter, CostOrder, CostPatch, CostRecord, CostTarget, NewCost } from './cost.ts';
import { checkedCost, checkedTargets } from './cost-checks.ts';
import { CostOptionRepository } from './cost-option-repository.ts';
import { CostRecordReadModel } from './cost-record-read-model.ts';
import { CostRepository } from './cost-repository.ts';
import { CostShareReadModel, type CostShareContext } from './cost-share-read-model.ts';
import { toCurrencyAmount, onlySiteTarget } from './cost-rules.ts';

export interface CostServiceDeps extends CostShareContext {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
}

interface CostUnitOfWork {
  repository: CostRepository;
  records: CostRecordReadModel;
  options: CostOptionRepository;
  /** Returns a cost that the caller may change. Throws `svc_cost_not_found` and `svc_outside_limits`. */
  lock: (scope: SiteScope, id: number) => Promise<CostRecord>;
  shares: CostShareReadModel;
  /** `siteId` is the site that a limited caller must see to read the entry. */
  log: (siteId: number | null, type: string, description: string, thing: ChangedObject) => Promise<void>;
}

export class CostService {
  readonly #deps: CostServiceDeps;
  readonly #records: CostRecordReadModel;

  constructor(deps: CostServiceDeps) {
    this.#deps = deps;
    this.#records = new CostRecordReadModel(deps.knex, deps.today);
  }

  get(scope: SiteScope, id: number): Promise<CostRecord> {
    return this.#records.get(scope, id);
  }

  list(scope: SiteScope, filter: CostFilter, request: PageRequest, order?: CostOrder): Promise<Page<CostRecord>> {
    return this.#records.list(scope, filter, request, order);
  }

  /**
   * Returns the ID. Throws `svc_site_not_found`, `svc_client_not_found` or `svc_tag_not_found` for a missing target,
   * and `svc_outside_limits` for one with sites outside the scope.
   */
  async create(scope: SiteScope, input: NewCost, actor: string): Promise<number> {
    const cost = checkedCost(input);
    const targets = checkedTargets(input.targets);
    return this.#work(actor, async ({ repository, options, shares, log }) => {
      await lockOptions(options, cost);
      await repository.refuseUnseen(scope, targets);
      const id = await repository.insert(cost);
      await repository.setTargets(id, targets);
      refuseSitesOutside('cost', await shares.countOutside(scope, id));
      const thing = describeChangedObject({ name: cost.name, key: id }, null, loggedValues(cost, targets));
      await log(onlySiteTarget(targets), 'cost.added', `Added the cost ${cost.name}.`, thing);
      return id;
    });
  }

  /**
   * Changes a cost. Throws `svc_outside_limits` if the cost has sites outside the scope. So the only targets that the
   * caller does not see are clients and tags without sites. They are kept.
   */
  async update(
    scope: SiteScope,
    id: number,
    patch: CostPatch,
    actor: string,
    precondition?: Precondition<CostRecord>,
  ): Promise<CostRecord> {
    await this.#work(actor, async ({ repository, records, options, lock, shares, log }) => {
      const stored = await lock(scope, id);
      precondition?.(stored);
      const { targets: newTargets, ...fields } = patch;
      const cost = checkedCost({ ...stored, price: toCurrencyAmount(stored.priceUnits), ...fields }, stored);
      const targets = newTargets ? checkedTargets(replaceTargetsByKind(stored.targets, newTargets)) : stored.targets;
      if (newTargets) await repository.refuseUnseen(scope, targets);
      const moved = sortedTargetKeys(targets) !== sortedTargetKeys(stored.targets);
      const editedFields = editedNames(stored, cost);
      const edited = [...editedFields, ...(moved ? ['targets'] : [])];
      if (edited.length === 0) return;
      await lockOptions(options, cost, stored);
      // If only targets change, `updated_at` stays: callers who see only some of the targets would learn of the change.
      if (editedFields.length > 0)
        await repository.update(id, cost, {
          countedAnew: DUE_DATE_FIELDS.some((field) => cost[field] !== stored[field]),
        });
      const before = await targetsOf(records, scope, stored);
      const after = [...targets, ...before.filter((target) => !stored.targets.some(isSameTarget(target)))];
      if (moved) {
        await repository.setTargets(id, after);
        refuseSitesOutside('cost', await shares.countOutside(scope, id));
      }
      const states = [loggedValues(stored, before), loggedValues(cost, after)] as const;
      const thing = describeChangedObject({ name: cost.name, key: id }, ...states);
      // The log entry names the old and the new targets. Unless both are the same single site, the entry has no site,
      // so that no limited caller sees it.
      const siteId = onlySiteTarget(before) === onlySiteTarget(after) ? onlySiteTarget(after) : null;
      await log(siteId, 'cost.updated', `Changed ${edited.join(', ')} of the cost ${cost.name}.`, thing);
    });
    return this.#records.get(scope, id);
  }

  async delete(
    scope: SiteScope,
    id: number,
    actor: string,
    precondition?: Precondition<CostRecord>,
  ): Promise<CostRecord> {
    return this.#work(actor, async ({ repository, records, lock, log }) => {
      const cost = await lock(scope, id);
      precondition?.(cost);
      const targets = await targetsOf(records, scope, cost);
      await repository.delete(id);
      const thing = describeChangedObject({ name: cost.name, key: id }, loggedValues(cost, targets), null);
      await log(onlySiteTarget(targets), 'cost.deleted', `Deleted the cost ${cost.name}.`, thing);
      return cost;
    });
  }

  #work<T>(actor: string, work: (parts: CostUnitOfWork) => Promise<T>): Promise<T> {
    const { knex, clock, today, currencyDecimals, changeLog } = this.#deps;
    return inTransaction(knex, ({ trx }) => {
      const repository = new CostRepository(trx, clock.now());
      const records = new CostRecordReadModel(trx, today);
      const shares = new CostShareReadModel(trx, { today, currencyDecimals });
      return work({
        ...{ repository, records, shares },
        options: new CostOptionRepository(trx, clock.now()),
        lock: async (scope, id) => {
          // For a cost that the caller does not see, this runs the same SQL as for a missing one, and locks nothing.
          if (isLimited(scope)) await records.get(scope, id);
          await repository.lock(id);
          const cost = await records.get(scope, id);
          refuseSitesOutside('cost', await shares.countOutside(scope, id));
          return cost;
        },
        log: (siteId, type, description, thing) => changeLog.append(trx, { siteId, type, description, actor, thing }),
      });
    });
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

const targetsOf = async (
  records: CostRecordReadModel,
  scope: SiteScope,
  { id, targets }: CostRecord,
): Promise<readonly CostTarget[]> => (isLimited(scope) ? (await records.get(ALL_SITES, id)).targets : targets);

const isSameTarget =
  (target: CostTarget) =>
  ({ kind, id }: CostTarget): boolean =>
    kind === target.kind && id === target.id;

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
  priceUnits: 'price',
  renewalType: 'renewal type',
  lastRenewal: 'last renewal',
};

function editedNames(before: Cost, after: Cost): string[] {
  const names = Object.keys(after) as (keyof Cost)[];
  return names.filter((name) => before[name] !== after[name]).map((name) => FIELD_NAMES[name] ?? name);
}

const loggedValues = (cost: Cost, targets: readonly CostTarget[]) => ({
  ...Object.fromEntries(LOGGED.map((field) => [field, cost[field]])),
  price: toCurrencyAmount(cost.priceUnits),
  for: [...targets].map(({ kind, id }) => `${kind} ${id}`).sort(),
});

const LOGGED = [
  ...(['name', 'url', 'type', 'productType', 'slug', 'licenseType', 'status', 'paymentMethod', 'renewalType'] as const),
  ...(['lastRenewal', 'color', 'note'] as const),
];
