import type { Knex } from 'knex';
import { fromJson, toJson } from '../../db/json.ts';
import type { ItemError } from '../../shared/errors.ts';
import type { PageHealth, PendingUpdate } from './update.ts';
import type { Outcome } from './update-failures.ts';

/** What a run is about to send, and what it refuses beforehand. */
export interface Plan {
  updates: PendingUpdate[];
  errors: ItemError[];
  /** What the home page answered before; missing or null where nobody asked. */
  pageBefore?: number | null;
}

/** What a run has come to; `since` is when its calls were over. */
export interface KeptOutcome extends Outcome {
  since: number;
  /** Missing in what releases before 0.3 stored. */
  health?: PageHealth | null;
}

/** What an attempt at one item of an update job set out to do, and what it came to. */
export interface UpdateRun {
  planned: Plan;
  /** Null while it is open, or since the process died. */
  outcome: KeptOutcome | null;
}

/** The memory of update jobs between two attempts. */
export class UpdateRunStore {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(itemId: number): Promise<UpdateRun | null> {
    const row = await this.#db<{ item_id: number; planned: string; outcome: string | null }>('update_runs')
      .where({ item_id: itemId })
      .first('planned', 'outcome');
    return row ? { planned: JSON.parse(row.planned) as Plan, outcome: fromJson<KeptOutcome>(row.outcome) } : null;
  }

  async begin(itemId: number, planned: Plan): Promise<void> {
    await this.#db('update_runs')
      .insert({ item_id: itemId, planned: toJson(planned) })
      .onConflict('item_id')
      .ignore();
  }

  async end(itemId: number, outcome: KeptOutcome): Promise<void> {
    await this.#db('update_runs')
      .where({ item_id: itemId })
      .update({ outcome: toJson(outcome) });
  }
}
