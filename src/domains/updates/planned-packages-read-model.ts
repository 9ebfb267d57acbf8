import type { Knex } from 'knex';
import type { UpdatePlan } from './update-run-store.ts';

export class PlannedPackagesReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Returns the IDs of the packages that unfinished runs may still install. */
  async ids(): Promise<Set<number>> {
    const plans = await this.#knex('update_runs')
      .join('job_items', 'job_items.id', 'update_runs.item_id')
      .whereIn('job_items.state', ['waiting', 'running'])
      .pluck<string[]>('update_runs.planned');
    const packages = plans.flatMap((plan) => {
      const { guarded = [], unguarded = [] } = JSON.parse(plan) as UpdatePlan;
      const fallbacks = guarded.map(({ fallback }) => fallback.id);
      return [...fallbacks, ...[...guarded, ...unguarded].map(({ target }) => target?.id ?? null)];
    });
    return new Set(packages.filter((id) => id !== null));
  }
}
