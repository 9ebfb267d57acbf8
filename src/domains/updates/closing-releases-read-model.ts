import type { Knex } from 'knex';
import { compareVersions } from '../vulnerabilities/index.ts';
import type { HoldRule } from './hold-rule.ts';
import { RELEASE_STEPS } from './release-step.ts';
import type { UpdatePlace, UpdateType } from './update.ts';

/** A version of an item that closes an open vulnerability with this fixed version. */
interface ClosingRelease {
  type: UpdateType;
  slug: string;
  new_version: string;
  fixed_in: string;
}

/** Finds the releases that close a vulnerability which a site is exposed to. They are never held. */
export class ClosingReleasesReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Returns the different releases among all updates of the fleet that the rule could hold. */
  async all({ at, ages }: HoldRule): Promise<ClosingRelease[]> {
    const known = Object.values(ages);
    const query = this.#exposed().distinct(
      'site_updates.type',
      'site_updates.slug',
      'site_updates.new_version',
      FIXED_IN,
    );
    if (!known.includes(null))
      void query.where('site_updates.first_seen_at', '>', at - Math.max(...known.map((age) => age ?? 0)));
    const rows = await query.select<ClosingRelease[]>();
    return rows.filter(({ new_version: offered, fixed_in: fixed }) => compareVersions(offered, fixed) >= 0);
  }

  /** Returns a function that tells if a version of an item closes a vulnerability of the site. One statement. */
  async onSites(
    siteIds: readonly number[],
  ): Promise<(siteId: number, update: UpdatePlace & { newVersion: string }) => boolean> {
    const rows = await this.#knex('exposures')
      .whereIn('site_id', [...siteIds])
      .where({ lasting: 1 })
      .whereNotNull('fixed_in')
      .select<{ site_id: number; type: UpdateType; item: string; fixed_in: string }[]>(
        ...(['site_id', 'type', 'item', 'fixed_in'] as const),
      );
    const fixes = new Map<string, string[]>();
    for (const { site_id, type, item, fixed_in } of rows) {
      const key = `${site_id} ${type} ${item}`;
      fixes.set(key, [...(fixes.get(key) ?? []), fixed_in]);
    }
    return (siteId, { type, slug, newVersion }) =>
      fixes.get(`${siteId} ${type} ${slug}`)?.some((fixed) => compareVersions(newVersion, fixed) >= 0) ?? false;
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

/** Rule of a run, with the releases that it does not hold. */
export interface HoldFilter {
  rule: HoldRule;
  closing: readonly ClosingRelease[];
}

/** Limits a query of `site_updates` to updates that are old enough or close a vulnerability. */
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
