import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { listOf, readPrepared } from '../../db/prepared.ts';
import { FixedVersionsReadModel, type FixableExposure } from './fixed-versions-read-model.ts';

interface OfferRow extends FixableExposure {
  id: number;
  new_version: string;
  first_seen_at: number | string;
}

const offersSql = (placeholders: string): string => `select exposures.id, exposures.vulnerability_id, exposures.type,
    exposures.slug, exposures.fixed_in, site_updates.new_version, site_updates.first_seen_at
  from exposures
  join site_updates on site_updates.site_id = exposures.site_id and site_updates.type = exposures.type
    and site_updates.slug = exposures.item
  where exposures.site_id in (${placeholders}) and exposures.lasting = 1 and exposures.offered_at is null
    and exposures.fixed_in is not null`;

export class FixOfferRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Stores for open exposures of these sites when the site first reported an update that fixes them. Keeps a time that
   * is already stored.
   */
  async mark(siteIds: readonly number[]): Promise<void> {
    for (const some of chunks(siteIds)) {
      const { placeholders, bindings } = listOf(some);
      const rows = await readPrepared<OfferRow>(this.#db, offersSql(placeholders), bindings);
      const isFixed = await new FixedVersionsReadModel(this.#db).judge(rows);
      const offered = rows.filter((row) => isFixed(row, row.new_version));
      for (const time of new Set(offered.map((row) => Number(row.first_seen_at)))) {
        const ids = offered.filter((row) => Number(row.first_seen_at) === time).map(({ id }) => id);
        for (const part of chunks(ids)) await this.#db('exposures').whereIn('id', part).update({ offered_at: time });
      }
    }
  }
}
