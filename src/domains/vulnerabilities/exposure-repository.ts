import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { fromJson } from '../../db/json.ts';
import { pairsOf, readPrepared } from '../../db/prepared.ts';
import { ACTIVE_VERSIONS_SQL } from './feed-generation-repository.ts';
import { whereSoftwareSlugs, type SoftwareSlug } from './installed-software-repository.ts';
import type { ItemType } from './vulnerability.ts';
import type { VersionRange } from './versions.ts';

const END_REASONS = ['updated', 'removed', 'corrected', 'withdrawn'] as const;
export type EndReason = (typeof END_REASONS)[number];

export interface Advisory {
  vulnerabilityId: number;
  type: ItemType;
  slug: string;
  title: string;
  cve: string | null;
  severity: number;
  publishedAt: number | null;
  ranges: VersionRange[];
  patched: string[];
}

export interface OpenExposure {
  id: number;
  siteId: number;
  vulnerabilityId: number;
  type: ItemType;
  item: string;
  slug: string;
  name: string;
  version: string;
  fixedIn: string | null;
  severity: number;
}

export interface NewExposure extends Omit<OpenExposure, 'id'> {
  since: number;
  foundAt: number;
}

export class ExposureRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Locks the rows of the sites in `site_states` until the transaction ends. Syncs take the same lock. */
  async lockSites(siteIds: readonly number[]): Promise<void> {
    const sites = this.#db('site_states').whereIn('site_id', [...siteIds]);
    await lockForUpdate(this.#db, sites.orderBy('site_id').select('site_id'));
  }

  async advisories(slugs: readonly SoftwareSlug[]): Promise<Advisory[]> {
    const all: Advisory[] = [];
    for (const some of chunks(slugs)) {
      const { placeholders, bindings } = pairsOf(
        this.#db,
        some.map(({ type, slug }) => [type, slug]),
      );
      const rows = await readPrepared<AdvisoryRow>(this.#db, advisoriesSql(placeholders), bindings);
      all.push(...rows.map(toAdvisory));
    }
    return all;
  }

  async openExposures(siteIds: readonly number[], slugs?: readonly SoftwareSlug[]): Promise<OpenExposure[]> {
    const query = this.#db('exposures')
      .whereIn('site_id', [...siteIds])
      .where({ lasting: 1 });
    if (slugs) void whereSoftwareSlugs(query, slugs);
    const rows = await query.select<OpenExposureRow[]>(
      ...['id', 'site_id', 'vulnerability_id', 'type', 'item', 'slug', 'name', 'version', 'fixed_in', 'severity'],
    );
    return rows.map(({ site_id, vulnerability_id, fixed_in, ...row }) => ({
      ...row,
      siteId: site_id,
      vulnerabilityId: vulnerability_id,
      fixedIn: fixed_in,
    }));
  }

  async add(exposures: readonly NewExposure[]): Promise<void> {
    const rows = exposures.map(({ siteId, vulnerabilityId, fixedIn, foundAt, ...row }) => ({
      ...row,
      site_id: siteId,
      vulnerability_id: vulnerabilityId,
      fixed_in: fixedIn,
      found_at: foundAt,
      fix_known_at: fixedIn === null ? null : foundAt,
      lasting: 1,
    }));
    for (const some of chunks(rows)) await this.#db('exposures').insert(some);
  }

  /** Updates an open exposure. If a fix was known before, keeps the time at which it was first known. */
  async amend({ id, name, version, fixedIn, severity }: OpenExposure, now: number): Promise<void> {
    const fixKnown = fixedIn !== null && { fix_known_at: this.#db.raw('coalesce(fix_known_at, ?)', [now]) };
    const exposure = this.#db('exposures').where({ id });
    const isSame =
      fixedIn === null ? exposure.clone().whereNull('fixed_in') : exposure.clone().where({ fixed_in: fixedIn });
    const known = await isSame.first<object | undefined>('id');
    await exposure.update({
      name,
      version,
      fixed_in: fixedIn,
      severity,
      ...fixKnown,
      ...(!known && { fix_changed_at: now }),
    });
  }

  async end(id: number, { ending, version, now }: { ending: EndReason; version: string | null; now: number }) {
    await this.#db('exposures').where({ id }).update({ lasting: null, until: now, ending, ended_by_version: version });
  }

  /**
   * Returns software that must be compared, the longest due first, possibly with duplicates. Software that a new
   * generation of a feed has changed (`FeedGenerationRepository`) is left out until that generation is in force.
   */
  async due(most: number): Promise<(SoftwareSlug & { id: number })[]> {
    return this.#db('vulnerability_matches_due as due')
      .leftJoin('vulnerability_feeds', 'vulnerability_feeds.id', 'due.feed_id')
      .whereRaw('(due.feed_id is null or due.generation <= vulnerability_feeds.generation)')
      .orderBy('due.id')
      .limit(most)
      .select<(SoftwareSlug & { id: number })[]>('due.id', 'due.type', 'due.slug');
  }

  async markDone(ids: readonly number[]): Promise<void> {
    for (const some of chunks(ids, IDS_A_STATEMENT))
      await this.#db('vulnerability_matches_due').whereIn('id', some).delete();
  }

  /**
   * Locks the next sites in the order of their IDs, like `lockSites`. Waits for syncs that hold the lock of one of
   * these sites.
   */
  async lockNextSites(after: number, most: number): Promise<number[]> {
    const next = this.#db('site_states').where('site_id', '>', after).orderBy('site_id').limit(most);
    const rows = await lockForUpdate(this.#db, next.select<{ site_id: number }[]>('site_id'));
    return rows.map(({ site_id }) => site_id);
  }

  /**
   * Returns the sites between two IDs that have software with these names, of any type. Reads everything that is
   * installed on them: an index by name would slow down each sync more than it would speed up this query.
   */
  async sitesWith(slugs: readonly SoftwareSlug[], [first, last]: readonly [number, number]): Promise<number[]> {
    const names = [...new Set(slugs.map(({ slug }) => slug))];
    const siteIds: number[] = [];
    for (const some of chunks(names, IDS_A_STATEMENT)) {
      const having = this.#db('installed_versions').whereBetween('site_id', [first, last]).whereIn('slug', some);
      siteIds.push(...(await having.distinct().pluck<number[]>('site_id')));
    }
    return siteIds;
  }

  async sitesExposedBy(slugs: readonly SoftwareSlug[]): Promise<number[]> {
    const siteIds: number[] = [];
    for (const some of chunks(slugs)) {
      const exposed = whereSoftwareSlugs(this.#db('exposures'), some).where({ lasting: 1 });
      siteIds.push(...(await exposed.distinct().pluck<number[]>('site_id')));
    }
    return siteIds;
  }

  pruneEnded(before: number, most: number): Promise<number> {
    return deleteOldest(this.#db, { table: 'exposures', column: 'until', before, most });
  }
}

const advisoriesSql = (placeholders: string): string => `select vulnerability_id, type, slug, ranges, patched, title,
    cve, severity, published_at
  from vulnerable_versions
  join vulnerabilities on vulnerabilities.id = vulnerable_versions.vulnerability_id
  join vulnerability_feeds on vulnerability_feeds.id = vulnerabilities.feed_id
  where (type, slug) in (${placeholders}) and ${ACTIVE_VERSIONS_SQL}`;

interface AdvisoryRow {
  vulnerability_id: number;
  type: ItemType;
  slug: string;
  ranges: string;
  patched: string;
  title: string;
  cve: string | null;
  severity: number;
  published_at: number | null;
}

const toAdvisory = (row: AdvisoryRow): Advisory => ({
  vulnerabilityId: row.vulnerability_id,
  type: row.type,
  slug: row.slug,
  title: row.title,
  cve: row.cve,
  severity: row.severity,
  publishedAt: row.published_at,
  ranges: fromJson<VersionRange[]>(row.ranges) ?? [],
  patched: fromJson<string[]>(row.patched) ?? [],
});

interface OpenExposureRow {
  id: number;
  site_id: number;
  vulnerability_id: number;
  type: ItemType;
  item: string;
  slug: string;
  name: string;
  version: string;
  fixed_in: string | null;
  severity: number;
}
