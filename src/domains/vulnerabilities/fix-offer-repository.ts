import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { FixedVersionsReadModel, type FixableExposure } from './fixed-versions-read-model.ts';

interface OfferRow extends FixableExposure {
  id: number;
  new_version: string;
  first_seen_at: number | string;
}

/** Stores when a site first reported an update that fixes an open exposure. */
export class FixOfferRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Sets this time for open exposures of the sites, from their stored updates. Keeps a time that is already set. */
  async mark(siteIds: readonly number[]): Promise<void> {
    for (const some of chunks(siteIds)) {
      const rows = await this.#db('exposures')
        .join('site_updates', (on) => {
          on.on('site_updates.site_id', 'exposures.site_id')
            .andOn('site_updates.type', 'exposures.type')
            .andOn('site_updates.slug', 'exposures.item');
        })
        .whereIn('exposures.site_id', some)
        .where('exposures.lasting', 1)
        .whereNull('exposures.offered_at')
        .whereNotNull('exposures.fixed_in')
        .select<OfferRow[]>(
          ...([
            ...(['exposures.id', 'exposures.vulnerability_id', 'exposures.type', 'exposures.slug'] as const),
            'exposures.fixed_in',
            'site_updates.new_version',
            'site_updates.first_seen_at',
          ] as const),
        );
      const isFixed = await new FixedVersionsReadModel(this.#db).judge(rows);
      const offered = rows.filter((row) => isFixed(row, row.new_version));
      for (const time of new Set(offered.map((row) => Number(row.first_seen_at)))) {
        const ids = offered.filter((row) => Number(row.first_seen_at) === time).map(({ id }) => id);
        for (const part of chunks(ids)) await this.#db('exposures').whereIn('id', part).update({ offered_at: time });
      }
    }
  }
}
