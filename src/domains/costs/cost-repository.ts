import type { Knex } from 'knex';
import { NotFoundError } from '../../shared/errors.ts';
import type { Cost, CostStatus, CostTarget, CostType, LicenseType, RenewalType, TargetKind } from './cost.ts';

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
  price_minor: number;
  renewal_type: RenewalType;
  last_renewal: string | null;
  note: string;
  revision: number;
  created_at: number;
  updated_at: number;
}

const CHUNK = 500;

/** Where targets are looked up, and what it is called when one is missing. */
const TARGETS: Readonly<Record<TargetKind, { table: string; missing: () => NotFoundError }>> = {
  site: { table: 'sites', missing: () => new NotFoundError('svc_site_not_found', 'No site goes by one of these IDs.') },
  client: {
    table: 'clients',
    missing: () => new NotFoundError('svc_client_not_found', 'No client goes by one of these IDs.'),
  },
  tag: { table: 'tags', missing: () => new NotFoundError('svc_tag_not_found', 'No tag goes by one of these IDs.') },
};

/** Cost records and what they are for, built from the database or from a transaction. */
export class CostRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert(cost: Cost): Promise<number> {
    const [id] = await this.#db('costs').insert({
      name: cost.name,
      url: cost.url,
      type: cost.type,
      product_type: cost.productType,
      slug: cost.slug,
      license_type: cost.licenseType,
      status: cost.status,
      payment_method: cost.paymentMethod,
      price_minor: cost.priceMinor,
      renewal_type: cost.renewalType,
      last_renewal: cost.lastRenewal,
      note: cost.note,
      revision: 1,
      created_at: this.#now,
      updated_at: this.#now,
    });
    return id as number;
  }

  /** Replaces what a cost is for. A target has no foreign key, since it names one of three tables, so it is looked up. */
  async setTargets(id: number, targets: readonly CostTarget[]): Promise<void> {
    await this.#refuseMissing(targets);
    await this.#db('cost_targets').where({ cost_id: id }).delete();
    for (let start = 0; start < targets.length; start += CHUNK)
      await this.#db('cost_targets').insert(
        targets.slice(start, start + CHUNK).map((target) => ({ cost_id: id, kind: target.kind, target_id: target.id })),
      );
  }

  async #refuseMissing(targets: readonly CostTarget[]): Promise<void> {
    for (const [kind, { table, missing }] of Object.entries(TARGETS)) {
      const ids = targets.filter((target) => target.kind === kind).map((target) => target.id);
      for (let start = 0; start < ids.length; start += CHUNK) {
        const chunk = ids.slice(start, start + CHUNK);
        const [found] = await this.#db(table).whereIn('id', chunk).count<{ n: number | string }[]>({ n: '*' });
        if (Number(found?.n ?? 0) !== chunk.length) throw missing();
      }
    }
  }

  async findName(id: number): Promise<string | null> {
    const row = await this.#db('costs').where({ id }).first<{ name: string } | undefined>('name');
    return row?.name ?? null;
  }

  /** Its targets go with it. */
  async delete(id: number): Promise<boolean> {
    return (await this.#db('costs').where({ id }).delete()) > 0;
  }
}

/** What costs are for, as those see it that are named there; no foreign key leads back to them. */
export class CostTargetRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Costs of any status that name this very site, client or tag. */
  async count(kind: TargetKind, id: number): Promise<number> {
    const [row] = await this.#db('cost_targets')
      .where({ kind, target_id: id })
      .count<{ n: number | string }[]>({ n: '*' });
    return Number(row?.n ?? 0);
  }

  /** No cost names it any longer; in the transaction in which it goes. */
  async drop(kind: TargetKind, id: number): Promise<void> {
    await this.#db('cost_targets').where({ kind, target_id: id }).delete();
  }
}
