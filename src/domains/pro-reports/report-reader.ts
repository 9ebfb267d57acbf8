import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { chunks } from '../../db/chunks.ts';
import { abortAfter } from '../../shared/abort-after.ts';
import { ConcurrencyLimiter } from '../../shared/concurrency-limiter.ts';
import { DomainError, NotFoundError } from '../../shared/errors.ts';
import { endLongTurn } from '../../shared/event-loop.ts';
import type { ClientRef } from '../clients/index.ts';
import { parseReportRange } from './report-range.ts';
import type {
  ClientReport,
  ReportDays,
  ReportedSite,
  ReportItem,
  ReportRange,
  SegmentError,
  SegmentOfSite,
  SegmentReport,
  SiteReport,
} from './report.ts';
import type { SegmentName } from './segment-names.ts';
import type { Segment } from './segment.ts';
import { segmentByName, SEGMENTS } from './segments/index.ts';
import { SiteSources } from './site-sources.ts';
import { ReportSources, type SourceDeps } from './report-sources.ts';
import type { ReportSourcesQuery } from './report-sources-query.ts';
import { segmentTokensOf, type SegmentTokens } from './report-tokens.ts';
import { segmentTotalsOf } from './segment-totals.ts';

export type ReportSubject = { siteId: number } | { client: ClientRef };

export interface ReportRequest {
  range: ReportRange;
  /** Default: all segments that do not need a call to the site. */
  segments?: readonly SegmentName[];
  sinceKnown?: boolean;
  /**
   * Milliseconds for which a report about several sites asks them. Default: 60 seconds, because a caller waits for it.
   */
  askedForMs?: number | undefined;
}

export interface SegmentRequest {
  range: ReportRange;
  action?: string;
  sinceKnown?: boolean;
}

export interface ReportReaderDeps {
  sources: SourceDeps;
  maxItems: () => number;
}

/**
 * Number of sites that a report about many sites asks at a time. With more, the calls to a server that has many of the
 * sites would wait so long for each other that the sites exceed their time limit.
 */
const SITES_AT_ONCE = 16;

/** Number of sites whose stored data is read together. A statement about more of them would hold up other callers. */
const SITES_A_PART = 20;

export class ReportReader {
  readonly #deps: ReportReaderDeps;

  constructor(deps: ReportReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Parses days in the time zone of the client or, for a report about a site, of the client of the site. Throws
   * `svc_site_not_found`, `svc_client_not_found` and `InvalidError`.
   */
  async range(scope: SiteScope, days: ReportDays, about: ReportSubject): Promise<ReportRange> {
    const formats = this.#deps.sources.settings.formats.inZone(await this.#timeZoneOf(scope, about));
    return parseReportRange(days, { zoneName: formats.zoneName(), zone: formats.zone() });
  }

  async site(siteId: number, request: ReportRequest): Promise<SiteReport> {
    const [report] = await this.#reports([await this.reportedSite(ALL_SITES, siteId)], request);
    if (!report) throw siteNotFound();
    return report;
  }

  /** Throws `svc_site_not_found`, and the error of a source that fails. */
  async segment(
    siteId: number,
    name: SegmentName,
    { range, action, sinceKnown = false }: SegmentRequest,
  ): Promise<SegmentOfSite> {
    const [site, chosen] = [await this.reportedSite(ALL_SITES, siteId), segmentByName(name)];
    const maxItems = this.#deps.maxItems();
    const now = this.#deps.sources.clock.now();
    const query = { range, maxItems, sinceKnown, now, ...(action !== undefined && { action }) };
    const sources = new ReportSources(this.#deps.sources, {
      ...query,
      sites: [site],
      isAboutOneSite: true,
      segments: [chosen],
    });
    const segment = { segment: name, ...(await chosen.read(new SiteSources(sources, site), query)) };
    return { site, range, madeAt: now, segment };
  }

  /**
   * Reads the items in batches if there can be many. Throws `svc_site_not_found`. The error of a source is thrown here
   * or, for segments that are read in batches, by the iteration.
   */
  async items(
    siteId: number,
    name: SegmentName,
    { range, action }: SegmentRequest,
  ): Promise<AsyncIterable<ReportItem>> {
    const [site, chosen] = [await this.reportedSite(ALL_SITES, siteId), segmentByName(name)];
    const maxItems = Number.MAX_SAFE_INTEGER;
    const now = this.#deps.sources.clock.now();
    const query = { range, maxItems, now, ...(action !== undefined && { action }) };
    const all = new ReportSources(this.#deps.sources, {
      ...query,
      sites: [site],
      isAboutOneSite: true,
      segments: [chosen],
    });
    const sources = new SiteSources(all, site);
    if (chosen.stream) return chosen.stream(sources, query);
    return Readable.from((await chosen.read(sources, query)).items);
  }

  async client(scope: SiteScope, ref: ClientRef, request: ReportRequest): Promise<ClientReport> {
    const { clients, sites: parts } = this.#deps.sources;
    const { id, name, email } = await clients.clients.find(scope, ref);
    const sites = await this.#reports(await this.#reported(await parts.list.all(scope, { clientId: id })), request);
    const { range } = request;
    return {
      client: { id, name, email },
      range,
      madeAt: this.#deps.sources.clock.now(),
      sites,
      totals: segmentTotalsOf(sites),
    };
  }

  tokens({ segment, range }: Pick<SegmentOfSite, 'segment' | 'range'>): SegmentTokens {
    const formats = this.#deps.sources.settings.formats.inZone(range.zone);
    return segmentTokensOf(segment, segmentByName(segment.segment), formats);
  }

  async #timeZoneOf(scope: SiteScope, about: ReportSubject): Promise<string> {
    const { clients } = this.#deps.sources.clients;
    if ('client' in about) return (await clients.get(scope, about.client)).timeZone;
    const { clientId } = await this.reportedSite(scope, about.siteId);
    return clientId === null ? '' : (await clients.get(scope, clientId)).timeZone;
  }

  async reportedSite(scope: SiteScope, siteId: number): Promise<ReportedSite> {
    const { list } = this.#deps.sources.sites;
    const sites = isLimited(scope) ? await list.all(scope, { include: [siteId] }) : await list.byIds([siteId]);
    const [site] = await this.#reported(sites);
    if (!site) throw siteNotFound();
    return site;
  }

  async #reported(sites: readonly Omit<ReportedSite, 'knownSince'>[]): Promise<ReportedSite[]> {
    const addedAt = await this.#deps.sources.sites.list.addedAt(sites.map(({ id }) => id));
    return sites.flatMap(({ id, url, name, clientId }) => {
      const knownSince = addedAt.get(id);
      return knownSince === undefined ? [] : [{ id, url, name, clientId, knownSince }];
    });
  }

  async #reports(
    sites: readonly ReportedSite[],
    { range, segments: names, sinceKnown = false, askedForMs }: ReportRequest,
  ): Promise<SiteReport[]> {
    const maxItems = this.#deps.maxItems();
    const segments = SEGMENTS.filter(({ name, asksSite }) => (names ? names.includes(name) : !asksSite));
    const madeAt = this.#deps.sources.clock.now();
    const isAboutOneSite = sites.length === 1;
    const asksSites = segments.some(({ asksSite }) => asksSite);
    const { childReports } = this.#deps.sources.childReports;
    const query: Omit<ReportSourcesQuery, 'sites'> = {
      ...{ range, segments, maxItems, sinceKnown, isAboutOneSite, now: madeAt },
    };
    if (asksSites && !isAboutOneSite) {
      query.end = askedForMs === undefined ? childReports.endOfAwaitedReport() : abortAfter(askedForMs);
      // Each site listens, and Node warns of more than ten listeners.
      setMaxListeners(0, query.end);
    }
    const askedSites = new ConcurrencyLimiter(SITES_AT_ONCE);
    // The SQL statements about many sites are long. If all ran at once, other statements would wait for all of them.
    const mapEach = asksSites || isAboutOneSite ? mapAtOnce : mapInOrder;
    const read = async (site: ReportedSite, sources: ReportSources): Promise<SiteReport> => {
      await endLongTurn();
      const outcomes = await mapEach(segments, (each) =>
        readSegment(each, () => each.read(new SiteSources(sources, site), { range, maxItems })),
      );
      return {
        site,
        range,
        madeAt,
        segments: outcomes.flatMap(({ report }) => report ?? []),
        errors: outcomes.flatMap(({ error }) => error ?? []),
      };
    };
    const parts = await mapEach(chunks(sites, SITES_A_PART), (part) => {
      const sources = new ReportSources(this.#deps.sources, { ...query, sites: part });
      return mapEach(part, (site) =>
        asksSites && !isAboutOneSite ? askedSites.run(() => read(site, sources)) : read(site, sources),
      );
    });
    return parts.flat();
  }
}

type MapAsync = <Item, Made>(items: readonly Item[], make: (item: Item) => Promise<Made>) => Promise<Made[]>;

const mapAtOnce: MapAsync = (items, make) => Promise.all(items.map(make));

const mapInOrder: MapAsync = async (items, make) => {
  const made: Awaited<ReturnType<typeof make>>[] = [];
  for (const item of items) made.push(await make(item));
  return made;
};

type SegmentReadOutcome = { report?: SegmentReport; error?: SegmentError };

async function readSegment({ name }: Segment, read: () => ReturnType<Segment['read']>): Promise<SegmentReadOutcome> {
  try {
    return { report: { segment: name, ...(await read()) } };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { error: { segment: name, code: error.code, message: error.message } };
  }
}

const siteNotFound = (): NotFoundError => new NotFoundError('svc_site_not_found', 'No site matches this reference.');
