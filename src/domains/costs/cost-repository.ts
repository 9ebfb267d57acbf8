import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { nameKeyOf } from '../../shared/text.ts';
import type { Cost, CostStatus, CostTarget, CostType, LicenseType, RenewalType, TargetKind } from './cost.ts';
import { countTargetsInScope } from './cost-scope-read-model.ts';

export interface CostRow {
  id: number;
  name: string;
  url: string;
  type: CostType;
  product_type: string;
  slug: string;
  license_type: LicenseType;
  status: CostStatus;
  payment_method: string;
  price_units: number;
  renewal_type: RenewalType;
  last_renewal: string | null;
  /**
   * Day from which due dates are counted, or null for the last renewal. It lets a cost that is due on the 31st return
   * to the 31st after a shorter month.
   */
  renewal_anchor: string | null;
  color: string | null;
  note: string;
  created_at: number;
  updated_at: number;
}

export const COST_COLUMNS = [
  'id',
  'name',
  'url',
  'type',
  'product_type',
  'slug',
  'license_type',
  'status',
  'payment_method',
  'price_units',
  'renewal_type',
  'last_renewal',
  'renewal_anchor',
  'color',
  'note',
  'created_at',
  'updated_at',
] as const satisfies (keyof CostRow)[];

export const toCost = (row: CostRow): Cost => ({
  name: row.name,
  url: row.url,
  type: row.type,
  productType: row.product_type,
  slug: row.slug,
  licenseType: row.license_type,
  status: row.status,
  paymentMethod: row.payment_method,
  priceUnits: Number(row.price_units),
  renewalType: row.renewal_type,
  lastRenewal: row.last_renewal,
  color: row.color,
  note: row.note,
});

export interface RenewableCost extends Cost {
  id: number;
  anchor: string | null;
}

const toRenewable = (row: CostRow): RenewableCost => ({ ...toCost(row), id: row.id, anchor: renewalAnchorOf(row) });

export const renewalAnchorOf = (row: Pick<CostRow, 'last_renewal' | 'renewal_anchor'>): string | null =>
  row.renewal_anchor ?? row.last_renewal;

const toRow = (
  cost: Cost,
): Omit<CostRow, 'id' | 'renewal_anchor' | 'created_at' | 'updated_at'> & { name_key: string } => ({
  name: cost.name,
  name_key: nameKeyOf(cost.name),
  url: cost.url,
  type: cost.type,
  product_type: cost.productType,
  slug: cost.slug,
  license_type: cost.licenseType,
  status: cost.status,
  payment_method: cost.paymentMethod,
  price_units: cost.priceUnits,
  renewal_type: cost.renewalType,
  last_renewal: cost.lastRenewal,
  color: cost.color,
  note: cost.note,
});

export const costNotFound = (): NotFoundError => new NotFoundError('svc_cost_not_found', 'No cost has this ID.');

const TARGETS: Readonly<Record<TargetKind, { table: string; missing: () => NotFoundError }>> = {
  site: {
    table: 'sites',
    missing: () => new NotFoundError('svc_site_not_found', 'At least one of these site IDs does not exist.'),
  },
  client: {
    table: 'clients',
    missing: () => new NotFoundError('svc_client_not_found', 'At least one of these client IDs does not exist.'),
  },
  tag: {
    table: 'tags',
    missing: () => new NotFoundError('svc_tag_not_found', 'At least one of these tag IDs does not exist.'),
  },
};

const targetIdsByKind = (targets: readonly CostTarget[]) =>
  (['site', 'client', 'tag'] as const).flatMap((kind) => {
    const ids = targets.filter((target) => target.kind === kind).map((target) => target.id);
    return chunks(ids, IDS_A_STATEMENT).map((part) => ({ kind, ids: part, ...TARGETS[kind] }));
  });

export class CostRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert(cost: Cost): Promise<number> {
    const times = { created_at: this.#now, updated_at: this.#now };
    const [id] = await this.#db('costs').insert({ ...toRow(cost), revision: 1, ...times });
    return id as number;
  }

  /** Targets are in three tables, so there is no foreign key, and their existence is checked here. */
  async setTargets(id: number, targets: readonly CostTarget[]): Promise<void> {
    await this.#refuseMissing(targets);
    await this.#db('cost_targets').where({ cost_id: id }).delete();
    for (const chunk of chunks(targets))
      await this.#db('cost_targets').insert(
        chunk.map((target) => ({ cost_id: id, kind: target.kind, target_id: target.id })),
      );
  }

  async refuseUnseen(scope: SiteScope, targets: readonly CostTarget[]): Promise<void> {
    if (!isLimited(scope)) return;
    for (const { kind, ids, missing } of targetIdsByKind(targets))
      if ((await countTargetsInScope(this.#db, scope, kind, ids)) !== ids.length) throw missing();
  }

  async #refuseMissing(targets: readonly CostTarget[]): Promise<void> {
    for (const { table, ids, missing } of targetIdsByKind(targets)) {
      const query = this.#db(table).whereIn('id', ids).orderBy('id').select<{ id: number }[]>('id');
      // The rows are locked, so that no target is deleted before the cost names it.
      const lockedRows: { id: number }[] = await lockForUpdate(this.#db, query);
      if (lockedRows.length !== ids.length) throw missing();
    }
  }

  async lock(id: number): Promise<void> {
    const query = this.#db('costs').where({ id }).first<{ id: number } | undefined>('id');
    if (!(await lockForUpdate(this.#db, query))) throw costNotFound();
  }

  /**
   * Changes a cost. `countedAnew` clears the renewal anchor, so that due dates are counted from the cost's last
   * renewal. It is needed if the last renewal, the renewal type or the type has changed.
   */
  async update(id: number, cost: Cost, { countedAnew }: { countedAnew: boolean }): Promise<void> {
    const revision = this.#db.raw('revision + 1');
    await this.#db('costs')
      .where({ id })
      .update({ ...toRow(cost), ...(countedAnew ? { renewal_anchor: null } : {}), revision, updated_at: this.#now });
  }

  /** A cost without targets is left out, because nobody pays it. */
  async renewable(): Promise<RenewableCost[]> {
    const rows = await this.#db('costs')
      .where({ status: 'active', type: 'subscription' })
      .whereNot({ renewal_type: 'disabled' })
      .whereNotNull('last_renewal')
      .whereExists(this.#db('cost_targets').whereRaw('cost_targets.cost_id = costs.id').select('cost_id'))
      .orderBy('id')
      .select<CostRow[]>(...COST_COLUMNS);
    return rows.map(toRenewable);
  }

  async lockRenewable(id: number): Promise<RenewableCost> {
    await this.lock(id);
    const [row] = await this.#db('costs')
      .where({ id })
      .select<CostRow[]>(...COST_COLUMNS);
    if (!row) throw costNotFound();
    return toRenewable(row);
  }

  async renew(id: number, lastRenewal: string, anchor: string): Promise<void> {
    const revision = this.#db.raw('revision + 1');
    const renewal = { last_renewal: lastRenewal, renewal_anchor: anchor };
    await this.#db('costs')
      .where({ id })
      .update({ ...renewal, revision, updated_at: this.#now });
  }

  /** Deletes a cost. The database also deletes its rows in `cost_targets`. */
  async delete(id: number): Promise<void> {
    await this.#db('costs').where({ id }).delete();
  }
}

/** Targets have no foreign key, so the transaction that deletes a site, client or tag must call `remove`. */
export class CostTargetRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async remove(kind: TargetKind, id: number): Promise<void> {
    await this.#db('cost_targets').where({ kind, target_id: id }).delete();
  }
}
