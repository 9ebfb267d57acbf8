import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { groupBy } from '../../shared/group-by.ts';
import type { Change, ChangeLog } from '../changes/index.ts';
import {
  ExposureRepository,
  type Advisory,
  type EndReason,
  type OpenExposure,
  type NewExposure,
} from './exposure-repository.ts';
import { FixOfferRepository } from './fix-offer-repository.ts';
import type { ExposureAlerts } from './exposure-alerts.ts';
import {
  InstalledSoftwareRepository,
  type ChangedSoftware,
  type InstalledSoftwareOnSite,
  type SoftwareSlug,
} from './installed-software-repository.ts';
import { findFixedVersion, isAffected } from './versions.ts';
import { severityOfRank } from './vulnerability.ts';

export interface ExposureMatcherDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  alerts: ExposureAlerts;
}

interface ExposureComparisonInput {
  installed: readonly InstalledSoftwareOnSite[];
  advisories: ReadonlyMap<string, Advisory[]>;
  exposed: readonly OpenExposure[];
}

export interface ExposureMatchCounts {
  found: number;
  ended: number;
}

interface KnownComparisonData {
  advisories?: ReadonlyMap<string, Advisory[]>;
  /** Sites that report their software for the first time, so that they have no exposures yet. */
  firstSites?: ReadonlySet<number>;
  /** Limits the comparison to this software of each site. Default: all software with the slugs. */
  changed?: readonly ChangedSoftware[];
}

const SLUGS_A_ROUND = 2_000;
const SITES_AT_ONCE = 50;
/** Number of sites per query of installed software. It is low, so that a query takes only milliseconds. */
const SITES_A_LOOK = 200;
/** Maximum number of slugs to filter by. With more, reading all software of the sites is faster. */
const SLUGS_A_STATEMENT = 200;

/**
 * Compares installed software with the feeds. A sync that changes the software of a site compares that site. After a
 * feed has changed its statements about a plugin or theme, all sites with it are compared.
 */
export class ExposureMatcher {
  readonly #deps: ExposureMatcherDeps;

  constructor(deps: ExposureMatcherDeps) {
    this.#deps = deps;
  }

  /** Compares all software that is due. Software stays due until its comparison is done, even if a process dies. */
  async matchDue(signal: AbortSignal): Promise<ExposureMatchCounts> {
    const { knex } = this.#deps;
    const sum: ExposureMatchCounts = { found: 0, ended: 0 };
    for (;;) {
      signal.throwIfAborted();
      const due = await new ExposureRepository(knex).due(SLUGS_A_ROUND);
      if (due.length === 0) return sum;
      const slugs = distinctSoftwareSlugs(due);
      const sites = await this.#sitesWith(slugs, signal);
      // If a feed changes its statements after this point, the software becomes due again.
      const advisories = groupBy(await new ExposureRepository(knex).advisories(slugs), slugKeyOf);
      for (const some of chunks(sites, SITES_AT_ONCE)) {
        signal.throwIfAborted();
        const round = await inTransaction(knex, async ({ trx }) => {
          await new ExposureRepository(trx).lockSites(some);
          const comparable = await this.comparable(trx, some, slugs, { advisories });
          return comparable ? this.compare(trx, comparable) : { found: 0, ended: 0 };
        });
        sum.found += round.found;
        sum.ended += round.ended;
      }
      await new ExposureRepository(knex).markDone(due.map(({ id }) => id));
    }
  }

  async #sitesWith(slugs: readonly SoftwareSlug[], signal: AbortSignal): Promise<number[]> {
    const sites = new Set(await new ExposureRepository(this.#deps.knex).sitesExposedBy(slugs));
    for (let look = await this.#nextSites(slugs, 0); look; look = await this.#nextSites(slugs, look.last)) {
      signal.throwIfAborted();
      for (const id of look.siteIds) sites.add(id);
    }
    return [...sites].sort((one, other) => one - other);
  }

  #nextSites(slugs: readonly SoftwareSlug[], after: number): Promise<{ last: number; siteIds: number[] } | null> {
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      const exposures = new ExposureRepository(trx);
      const held = await exposures.lockNextSites(after, SITES_A_LOOK);
      const [first, last] = [held[0], held.at(-1)];
      if (first === undefined || last === undefined) return null;
      return { last, siteIds: await exposures.sitesWith(slugs, [first, last]) };
    });
  }

  /**
   * Reads the data for a comparison. Returns null if the software has neither advisories nor open exposures. The caller
   * must have locked the sites.
   */
  async comparable(
    trx: Knex.Transaction,
    siteIds: readonly number[],
    software: readonly SoftwareSlug[],
    known: KnownComparisonData,
  ): Promise<ExposureComparisonInput | null> {
    if (software.length === 0) return null;
    const slugs = distinctSoftwareSlugs(software);
    const exposures = new ExposureRepository(trx);
    const narrowed = slugs.length > SLUGS_A_STATEMENT ? undefined : slugs;
    const wanted = new Set(slugs.map(slugKeyOf));
    const changed = known.changed && new Set(known.changed.map(changedKeyOf));
    const isWanted = (item: ChangedSoftware): boolean =>
      changed ? changed.has(changedKeyOf(item)) : wanted.has(slugKeyOf(item));
    const advisories = known.advisories ?? groupBy(await exposures.advisories(slugs), slugKeyOf);
    const others = siteIds.filter((id) => !known.firstSites?.has(id));
    const open = others.length > 0 ? await exposures.openExposures(others, narrowed) : [];
    const exposed = open.filter(isWanted);
    if (advisories.size === 0 && exposed.length === 0) return null;
    const installed = (await new InstalledSoftwareRepository(trx).of(siteIds, narrowed)).filter(isWanted);
    return { installed, advisories, exposed };
  }

  async compare(
    trx: Knex.Transaction,
    { installed, advisories, exposed }: ExposureComparisonInput,
  ): Promise<ExposureMatchCounts> {
    const exposures = new ExposureRepository(trx);
    const open = new Map(exposed.map((each) => [exposureKeyOf(each), each]));
    const now = this.#deps.clock.now();
    const changes: Change[] = [];
    const amended = new Set<number>();
    const discoveries: { exposure: NewExposure; advisory: Advisory }[] = [];
    for (const each of installed)
      for (const advisory of advisories.get(slugKeyOf(each)) ?? []) {
        if (!isAffected(each.version, advisory.ranges)) continue;
        const exposure = exposureOf(each, advisory, now);
        const before = open.get(exposureKeyOf(exposure));
        open.delete(exposureKeyOf(exposure));
        if (!before) discoveries.push({ exposure, advisory });
        else if (exposureDiffers(before, exposure)) {
          await exposures.amend({ ...exposure, id: before.id }, now);
          amended.add(exposure.siteId);
        }
      }
    await exposures.add(discoveries.map(({ exposure }) => exposure));
    for (const { exposure } of discoveries) amended.add(exposure.siteId);
    if (amended.size > 0) await new FixOfferRepository(trx).mark([...amended]);
    changes.push(...discoveries.map(({ exposure, advisory }) => exposureFoundChange(exposure, advisory)));
    const versions = new Map(installed.map((each) => [itemKeyOf(each), each.version]));
    for (const each of open.values()) {
      const isListed = advisories.get(slugKeyOf(each))?.some((one) => one.vulnerabilityId === each.vulnerabilityId);
      const end = exposureEndOf(each, versions.get(itemKeyOf(each)), isListed === true);
      await exposures.end(each.id, { ...end, now });
      changes.push(exposureEndedChange(each, end));
    }
    if (changes.length > 0) await this.#deps.changeLog.append(trx, ...changes);
    await this.#deps.alerts.raise(trx, discoveries);
    return { found: discoveries.length, ended: open.size };
  }
}

const changedKeyOf = (item: ChangedSoftware): string => `${item.siteId} ${slugKeyOf(item)}`;

const slugKeyOf = ({ type, slug }: SoftwareSlug): string => `${type} ${slug}`;

const distinctSoftwareSlugs = (items: readonly SoftwareSlug[]): SoftwareSlug[] => [
  ...new Map(items.map(({ type, slug }) => [slugKeyOf({ type, slug }), { type, slug }])).values(),
];

const itemKeyOf = ({ siteId, type, item }: Pick<InstalledSoftwareOnSite, 'siteId' | 'type' | 'item'>): string =>
  `${siteId} ${type} ${item}`;

const exposureKeyOf = (each: Pick<OpenExposure, 'siteId' | 'type' | 'item' | 'vulnerabilityId'>): string =>
  `${each.vulnerabilityId} ${itemKeyOf(each)}`;

/** An exposure begins when the version is installed or when the vulnerability is published, whichever is later. */
function exposureOf(installed: InstalledSoftwareOnSite, advisory: Advisory, now: number): NewExposure {
  const { siteId, type, item, slug, name, version } = installed;
  const { vulnerabilityId, severity, publishedAt, patched } = advisory;
  const since = Math.max(installed.since, Math.min(publishedAt ?? 0, now));
  const mendedIn = findFixedVersion(version, patched);
  return { siteId, vulnerabilityId, type, item, slug, name, version, fixedIn: mendedIn, severity, since, foundAt: now };
}

const exposureDiffers = (known: OpenExposure, now: NewExposure): boolean =>
  known.name !== now.name ||
  known.version !== now.version ||
  known.fixedIn !== now.fixedIn ||
  known.severity !== now.severity;

interface ExposureEnd {
  ending: EndReason;
  version: string | null;
}

function exposureEndOf(each: OpenExposure, version: string | undefined, isListed: boolean): ExposureEnd {
  if (version === undefined) return { ending: 'removed', version: null };
  if (version !== each.version) return { ending: 'updated', version };
  return { ending: isListed ? 'corrected' : 'withdrawn', version: null };
}

const exposureFoundChange = (
  { siteId, item, name, version, severity }: NewExposure,
  { title, cve }: Advisory,
): Change => ({
  siteId,
  type: 'vulnerability.found',
  description: `${name} ${version} is vulnerable (${severityOfRank(severity)}${cve === null ? '' : `, ${cve}`}): ${title}`,
  actor: 'system',
  thing: { name, key: item, after: { version } },
});

const ENDED: Readonly<Record<EndReason, string>> = {
  updated: 'it was updated',
  removed: 'it was removed',
  corrected: 'the feed no longer lists this version',
  withdrawn: 'the feed withdrew the vulnerability',
};

const exposureEndedChange = (
  { siteId, item, name, version, vulnerabilityId }: OpenExposure,
  end: ExposureEnd,
): Change => ({
  siteId,
  type: 'vulnerability.ended',
  description:
    `${name} ${version} is no longer exposed by vulnerability ${vulnerabilityId}: ${ENDED[end.ending]}` +
    `${end.version === null ? '' : ` to ${end.version}`}.`,
  actor: 'system',
  thing: { name, key: item, before: { version }, ...(end.version !== null && { after: { version: end.version } }) },
});
