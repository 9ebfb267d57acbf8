import type { Knex } from 'knex';
import { readCountedPage } from '../../db/counted-page.ts';
import { RevisionCache } from '../../db/revisions.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { isLimited } from '../../shared/site-scope.ts';
import { readSiteNames } from '../sites/index.ts';
import { whereNotHeld } from './closing-releases-read-model.ts';
import { heldUntilOf, type HoldRule } from './hold-rule.ts';
import type { MinimumAge } from './minimum-age.ts';
import { LEFT_OUT_FLAGS, reasonOfFlag } from './left-out.ts';
import { filterUpdates, type UpdateFilter } from './update-filter.ts';
import type { SkippedUpdateOnSite } from './update-job-result.ts';
import { toPending, UPDATE_COLUMNS, type UpdateRow } from './update-repository.ts';
import { UpdateRuleRepository } from './update-rule-repository.ts';
import { UPDATE_TYPES, type UpdateType, type LeftOutReason } from './update.ts';

export interface LeftOutFilter extends UpdateFilter {
  /** An empty list does not filter. */
  types: readonly UpdateType[];
  /** Without a reason, updates that are ignored or outside of a pin are listed. */
  reason?: LeftOutReason;
}

interface LeftOutRow extends UpdateRow {
  site_id: number;
  ignored: number;
  first_seen_at: number | string;
}

const flagsOf = (reason: LeftOutReason | undefined): number[] =>
  reason === undefined ? Object.values(LEFT_OUT_FLAGS) : [reason === 'held' ? 0 : LEFT_OUT_FLAGS[reason]];

const COLUMNS = ['site_id', 'ignored', 'first_seen_at', ...UPDATE_COLUMNS].map((column) => `site_updates.${column}`);
const ORDER = ['ignored', 'site_key', 'type', 'slug'].map((column) => `site_updates.${column}`);

/**
 * Lists updates that are ignored, outside of a pin, or held by the minimum age, with the reason. Reads them in the
 * order of an index, so that the database sorts nothing.
 */
export class LeftOutReadModel {
  readonly #knex: Knex;
  readonly #totals: RevisionCache;
  readonly #minimumAge: MinimumAge;

  constructor(knex: Knex, minimumAge: MinimumAge) {
    this.#minimumAge = minimumAge;
    this.#knex = knex;
    this.#totals = new RevisionCache(knex, 'updates');
  }

  async page(filter: LeftOutFilter, request: PageRequest): Promise<Page<SkippedUpdateOnSite>> {
    const { scope, types, reason, ...search } = filter;
    if (reason === 'held') return this.#heldPage(filter, request);
    // The sites of a limited scope can change without a new `updates` revision, so their total is not cached.
    const isNarrow = isLimited(scope) || Object.keys(search).length > 0;
    const key = JSON.stringify([reason, [...types].sort()]);
    return readCountedPage(
      {
        chosen: () => this.#chosen(filter),
        orderBy: ORDER,
        columns: COLUMNS,
        toItems: (rows: LeftOutRow[]) => this.#withSites(rows),
        total: isNarrow ? undefined : (count) => this.#totals.get(key, count),
        isLong: true,
      },
      request,
    );
  }

  async #withSites(rows: readonly LeftOutRow[]): Promise<SkippedUpdateOnSite[]> {
    const sites = await readSiteNames(
      this.#knex,
      rows.map(({ site_id }) => site_id),
    );
    const pins = await new UpdateRuleRepository(this.#knex).pinsOf(rows);
    return rows.flatMap((row) => {
      const [site, reason] = [sites.get(row.site_id), reasonOfFlag(row.ignored)];
      if (!site || reason === null) return [];
      const pin = reason === 'pinned' ? pins(row) : null;
      return [{ ...toPending(row), siteId: site.id, siteUrl: site.url, siteName: site.name, leftOut: { reason, pin } }];
    });
  }

  /** The total is not cached, because an update reaches the minimum age without a write to the database. */
  async #heldPage(filter: LeftOutFilter, request: PageRequest): Promise<Page<SkippedUpdateOnSite>> {
    const rule = this.#minimumAge.rule();
    const hold = await this.#minimumAge.filterOf(this.#knex, rule);
    if (!rule || !hold) return { items: [], ...request, total: 0 };
    return readCountedPage(
      {
        chosen: () => this.#chosen(filter).whereNot((free) => void whereNotHeld(free, hold)),
        orderBy: ORDER,
        columns: COLUMNS,
        toItems: (rows: LeftOutRow[]) => this.#withHeldUntil(rows, rule),
        total: undefined,
        isLong: true,
      },
      request,
    );
  }

  async #withHeldUntil(rows: readonly LeftOutRow[], rule: HoldRule): Promise<SkippedUpdateOnSite[]> {
    const sites = await readSiteNames(
      this.#knex,
      rows.map(({ site_id }) => site_id),
    );
    return rows.flatMap((row) => {
      const site = sites.get(row.site_id);
      const heldUntil = heldUntilOf({ ...toPending(row), firstSeenAt: Number(row.first_seen_at) }, rule);
      if (!site || heldUntil === null) return [];
      const leftOut = { reason: 'held' as const, pin: null, heldUntil };
      return [{ ...toPending(row), siteId: site.id, siteUrl: site.url, siteName: site.name, leftOut }];
    });
  }

  #chosen({ types, reason, ...search }: LeftOutFilter): Knex.QueryBuilder {
    const query = filterUpdates(this.#knex, 'site_updates', search);
    void query.whereIn('site_updates.ignored', flagsOf(reason));
    return types.length > 0 && types.length < UPDATE_TYPES.length ? query.whereIn('site_updates.type', types) : query;
  }
}
