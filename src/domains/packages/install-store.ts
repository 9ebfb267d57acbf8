import type { Knex } from 'knex';
import { toJson } from '../../db/json.ts';
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

/** Package that an earlier job sent to the site. Its result is unknown, so the site may have installed it. */
export interface RetriedInstall extends SentInstall {
  /** Null if the package was deleted. */
  version: string | null;
}

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
   * Returns what the job `firstJobId`, or the newest of its retries, sent to the site. A retry has new items, which
   * have no state of their own. Null if nothing was sent, or if it has failed.
   */
  async findRetried(firstJobId: string, siteId: number): Promise<RetriedInstall | null> {
    const newest = await this.#db('package_installs')
      .join('job_items', 'job_items.id', 'package_installs.item_id')
      .join('jobs', 'jobs.id', 'job_items.job_id')
      .where({ 'job_items.site_id': siteId })
      .where((related) => {
        void related
          .where('jobs.id', firstJobId)
          .orWhere('jobs.input', 'like', `%${toJson({ firstJobId }).slice(1, -1)}%`);
      })
      .orderBy('job_items.id', 'desc')
      .first<{ plan: string; state: string } | undefined>('package_installs.plan', 'job_items.state');
    if (!newest || newest.state === 'failed') return null;
    const sent = JSON.parse(newest.plan) as SentInstall;
    const stored = await this.#db('packages')
      .where({ id: sent.packageId })
      .first<{ version: string } | undefined>('version');
    return { ...sent, version: stored?.version ?? null };
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
