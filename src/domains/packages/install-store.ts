import type { Knex } from 'knex';
import { toJson } from '../../db/json.ts';
import type { LeasedItem } from '../../queue/index.ts';
import type { PackageRef } from './package.ts';
import type { ItemOnSite } from './site-item.ts';

/** State that a job item stores before it sends a package to a site. */
export interface SentInstall {
  packageId: number;
  before: ItemOnSite | null;
  /** ID of the newest change log entry before the call. */
  logPosition: number;
}

export interface StoredInstall extends SentInstall {
  /**
   * Time at which the call ended without a clear result. Null until then: if a later attempt finds null, the
   * process died during the call.
   */
  unclearSince: number | null;
}

const SEARCHED = 50;

export class InstallStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(itemId: number): Promise<StoredInstall | null> {
    const row = await this.#db('package_installs')
      .where({ item_id: itemId })
      .first<{ plan: string; unclear_since: number | string | null } | undefined>('plan', 'unclear_since');
    if (!row) return null;
    const unclearSince = row.unclear_since === null ? null : Number(row.unclear_since);
    return { ...(JSON.parse(row.plan) as SentInstall), unclearSince };
  }

  /**
   * Returns what the newest earlier item of the same job type sent to the site for this plugin or theme. Null if that
   * item ended with a clear outcome. A retry of an unclear item is a new item and has no state of its own.
   */
  async findUnclearBefore(
    { id, kind: jobKind, siteId }: Pick<LeasedItem, 'id' | 'kind' | 'siteId'>,
    { kind, slug }: Pick<PackageRef, 'kind' | 'slug'>,
  ): Promise<SentInstall | null> {
    const rows = await this.#db('package_installs')
      .join('job_items', 'job_items.id', 'package_installs.item_id')
      .join('jobs', 'jobs.id', 'job_items.job_id')
      .where({ 'job_items.site_id': siteId, 'jobs.kind': jobKind })
      .where('job_items.id', '<', id)
      .orderBy('job_items.id', 'desc')
      .limit(SEARCHED)
      .select<{ plan: string; state: string }[]>('package_installs.plan', 'job_items.state');
    const earlier = rows.map(({ plan, state }) => ({ sent: JSON.parse(plan) as SentInstall, state }));
    const ids = earlier.map(({ sent }) => sent.packageId);
    const ofItem = new Set(await this.#db('packages').where({ kind, slug }).whereIn('id', ids).pluck<number[]>('id'));
    const newest = earlier.find(({ sent }) => ofItem.has(sent.packageId));
    return newest && ['partial', 'unknown'].includes(newest.state) ? newest.sent : null;
  }

  /** Returns the IDs of the packages that unfinished items have sent or may send again. */
  async unfinishedPackages(): Promise<number[]> {
    const plans = await this.#db('package_installs')
      .join('job_items', 'job_items.id', 'package_installs.item_id')
      .whereIn('job_items.state', ['waiting', 'running'])
      .pluck<string[]>('package_installs.plan');
    return plans.map((plan) => (JSON.parse(plan) as SentInstall).packageId);
  }

  /** Stores the state before the first attempt. A later attempt does not replace it. */
  async begin(itemId: number, sent: SentInstall): Promise<void> {
    await this.#db('package_installs')
      .insert({ item_id: itemId, plan: toJson(sent), unclear_since: null })
      .onConflict('item_id')
      .ignore();
  }

  async markUnclear(itemId: number, since: number): Promise<void> {
    await this.#db('package_installs').where({ item_id: itemId }).update({ unclear_since: since });
  }
}
