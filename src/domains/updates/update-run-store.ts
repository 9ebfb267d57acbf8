import type { Knex } from 'knex';
import { fromJson, toJson } from '../../db/json.ts';
import type { ItemError } from '../../shared/item-error.ts';
import type { GuardedUpdate, UnguardedUpdate } from './guard.ts';
import type { PendingUpdate, UpdateHealth, SkippedUpdate } from './update.ts';
import type { WatchStart } from './health-readings.ts';
import type { UpdateOutcome } from './update-outcome.ts';

export interface UpdatePlan {
  updates: PendingUpdate[];
  errors: ItemError[];
  /** Missing in plans of releases before 0.2. */
  skipped?: SkippedUpdate[];
  watched?: WatchStart | null;
  /** HTTP status of the home page before the update, in plans that were stored by releases before 0.2. */
  pageBefore?: number | null;
  /** ID of the last entry in the change log before the first update. Missing in plans of releases before 0.2. */
  logPosition?: number;
  guarded?: GuardedUpdate[];
  unguarded?: UnguardedUpdate[];
}

/** Returns the start of the health watch. Releases before 0.2 stored it as `pageBefore`. */
export const watchStartOf = ({
  watched,
  pageBefore = null,
}: Pick<UpdatePlan, 'watched' | 'pageBefore'>): WatchStart | null =>
  watched ??
  (pageBefore === null
    ? null
    : { isThorough: true, before: { home_page: { status: pageBefore, isFromWordPress: true } } });

export interface StoredOutcome extends UpdateOutcome {
  since: number;
  /** Missing in outcomes of releases before 0.2, like `skipped`. */
  health?: UpdateHealth | null;
  skipped?: SkippedUpdate[];
}

export interface StoredUpdateRun {
  planned: UpdatePlan;
  /** Null while the run is under way, or if its process died. */
  outcome: StoredOutcome | null;
}

export class UpdateRunStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(itemId: number): Promise<StoredUpdateRun | null> {
    const row = await this.#db<{ item_id: number; planned: string; outcome: string | null }>('update_runs')
      .where({ item_id: itemId })
      .first('planned', 'outcome');
    return row
      ? { planned: JSON.parse(row.planned) as UpdatePlan, outcome: fromJson<StoredOutcome>(row.outcome) }
      : null;
  }

  async begin(itemId: number, planned: UpdatePlan): Promise<void> {
    await this.#db('update_runs')
      .insert({ item_id: itemId, planned: toJson(planned) })
      .onConflict('item_id')
      .ignore();
  }

  async store(itemId: number, planned: UpdatePlan): Promise<void> {
    await this.#db('update_runs')
      .where({ item_id: itemId })
      .update({ planned: toJson(planned) });
  }

  async end(itemId: number, outcome: StoredOutcome): Promise<void> {
    await this.#db('update_runs')
      .where({ item_id: itemId })
      .update({ outcome: toJson(outcome) });
  }
}
