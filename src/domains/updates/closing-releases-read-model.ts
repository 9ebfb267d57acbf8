import type { Knex } from 'knex';
import { FixedVersionsReadModel, type FixableExposure } from '../vulnerabilities/index.ts';
import type { HoldRule } from './hold-rule.ts';
import { RELEASE_STEPS } from './release-step.ts';
import type { UpdatePlace, UpdateType } from './update.ts';

/** New version of an item that contains the fix of an open vulnerability. `fixed_in` is the version of that fix. */
interface ClosingRelease {
  type: UpdateType;
  slug: string;
  new_version: string;
  fixed_in: string;
}

interface CandidateRow {
  item: string;
  new_version: string;
}

type ExposureRow = FixableExposure & { site_id: number; item: string };

export class ClosingReleasesReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /**
   * Returns each release that fixes an open vulnerability once, among the updates that the minimum ages of the rule
   * could delay.
   */
  async all({ at, ages }: HoldRule): Promise<ClosingRelease[]> {
    const known = Object.values(ages);
    const query = this.#exposed().distinct('exposures.item', 'site_updates.new_version', ...EXPOSURE_COLUMNS);
    if (!known.includes(null))
      void query.where('site_updates.first_seen_at', '>', at - Math.max(...known.map((age) => age ?? 0)));
    const rows = await query.select<(CandidateRow & FixableExposure)[]>();
    const isFixed = await new FixedVersionsReadModel(this.#knex).judge(rows);
    const releases = new Map<string, ClosingRelease>();
    for (const row of rows) {
      const { type, item: slug, new_version, fixed_in } = row;
      if (isFixed(row, new_version))
        releases.set([type, new_version, fixed_in, slug].join(' '), { type, slug, new_version, fixed_in });
    }
    return [...releases.values()];
  }

  async onSites(
    siteIds: readonly number[],
  ): Promise<(siteId: number, update: UpdatePlace & { newVersion: string }) => boolean> {
    const rows = await this.#knex('exposures')
      .whereIn('site_id', [...siteIds])
      .where({ lasting: 1 })
      .whereNotNull('fixed_in')
      .select<ExposureRow[]>('exposures.site_id', 'exposures.item', ...EXPOSURE_COLUMNS);
    const isFixed = await new FixedVersionsReadModel(this.#knex).judge(rows);
    const exposures = new Map<string, ExposureRow[]>();
    for (const row of rows) {
      const key = `${row.site_id} ${row.type} ${row.item}`;
      exposures.set(key, [...(exposures.get(key) ?? []), row]);
    }
    return (siteId, { type, slug, newVersion }) =>
      exposures.get(`${siteId} ${type} ${slug}`)?.some((row) => isFixed(row, newVersion)) ?? false;
  }

  #exposed(): Knex.QueryBuilder {
    return this.#knex('exposures')
      .join('site_updates', (on) => {
        on.on('site_updates.site_id', 'exposures.site_id')
          .andOn('site_updates.type', 'exposures.type')
          .andOn('site_updates.slug', 'exposures.item');
      })
      .where('exposures.lasting', 1)
      .whereNotNull('exposures.fixed_in');
  }
}

const FIXED_IN = 'exposures.fixed_in';
const EXPOSURE_COLUMNS = ['exposures.vulnerability_id', 'exposures.type', 'exposures.slug', FIXED_IN] as const;

export interface HoldFilter {
  rule: HoldRule;
  closing: readonly ClosingRelease[];
}

export function whereNotHeld(updates: Knex.QueryBuilder, { rule, closing }: HoldFilter): Knex.QueryBuilder {
  return updates.where((free) => {
    void free.whereRaw('1 = 0');
    for (const [number, step] of RELEASE_STEPS.entries()) {
      const age = rule.ages[step];
      if (age !== null)
        void free.orWhere((old) => {
          void old.where('site_updates.step', number).where('site_updates.first_seen_at', '<=', rule.at - age);
        });
    }
    if (closing.length > 0)
      void free.orWhereExists((exposing) => {
        void exposing
          .select('exposures.id')
          .from('exposures')
          .whereRaw('exposures.site_id = site_updates.site_id and exposures.type = site_updates.type')
          .whereRaw('exposures.item = site_updates.slug and exposures.lasting = 1')
          .whereIn(
            ['site_updates.type', 'site_updates.slug', 'site_updates.new_version', FIXED_IN],
            closing.map(({ type, slug, new_version, fixed_in }) => [type, slug, new_version, fixed_in]),
          );
      });
  });
}
