import type { Knex } from 'knex';
import type { Clock } from '../../shared/clock.ts';

/** Something that was done here, to be remembered beside what it changed. */
export interface Change {
  /** Null for what concerns no single site. */
  siteId: number | null;
  /** `<context>.<action>`, e.g. `site.suspended`, `plugin.activated`. */
  type: string;
  /** One sentence; no secret. */
  description: string;
  /** User name of the caller, or `system`. */
  actor: string;
}

const CHUNK = 100;

/** Appends to the log of changes, in the transaction of the change itself, so that neither stands without the other. */
export class ChangeLog {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async append(trx: Knex.Transaction, ...changes: Change[]): Promise<void> {
    const at = this.#clock.now();
    for (let start = 0; start < changes.length; start += CHUNK)
      await trx('changes').insert(
        changes.slice(start, start + CHUNK).map(({ siteId, type, description, actor }) => ({
          site_id: siteId,
          source: 'dashboard',
          external_id: null,
          type: type.slice(0, 96),
          description: description.slice(0, 500),
          actor: actor.slice(0, 255),
          at,
        })),
      );
  }
}
