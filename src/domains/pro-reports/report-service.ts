import { Readable } from 'node:stream';
import { DomainError, NotFoundError } from '../../shared/errors.ts';
import type { ClientRef } from '../clients/index.ts';
import { rangeOf } from './range.ts';
import type {
  ClientReport,
  ReportedSite,
  ReportItem,
  ReportRange,
  SegmentError,
  SegmentReport,
  SiteReport,
} from './report.ts';
import type { SegmentName } from './segment-names.ts';
import type { Segment } from './segment.ts';
import { segmentOf, SEGMENTS } from './segments/index.ts';
import { SiteSources } from './site-sources.ts';
import { Sources, type SourceParts } from './sources.ts';
import { tokensOf, type Tokens } from './tokens.ts';
import { totalsOf } from './totals.ts';

/** What a report is asked to tell. */
export interface ReportRequest {
  range: ReportRange;
  /** Those that the sites need not be called for, unless given. */
  segments?: readonly SegmentName[];
}

export interface SegmentRequest {
  range: ReportRange;
  /** Only items of this action. */
  action?: string;
}

export interface ReportServiceParts {
  sources: SourceParts;
  maxItems: () => number;
}

/** Reports on sites and on all sites of a client, made of what is known at that moment. */
export class ReportService {
  readonly #parts: ReportServiceParts;

  constructor(parts: ReportServiceParts) {
    this.#parts = parts;
  }

  /** Days of the dashboard's time zone, as `2026-11-21`. Throws `InvalidError`. */
  range(days: { startDate: string; endDate: string }): ReportRange {
    return rangeOf(days, this.#parts.sources.settings.formats.zone());
  }

  /** Throws `svc_site_not_found`. */
  async site(siteId: number, request: ReportRequest): Promise<SiteReport> {
    const [report] = await this.#reports([await this.#site(siteId)], request);
    if (!report) throw siteNotFound();
    return report;
  }

  /** One segment alone, which throws what keeps it from being had. Throws `svc_site_not_found`. */
  async segment(siteId: number, name: SegmentName, { range, action }: SegmentRequest): Promise<SegmentReport> {
    const [site, chosen] = [await this.#site(siteId), segmentOf(name)];
    const maxItems = this.#parts.maxItems();
    const query = { range, maxItems, ...(action !== undefined && { action }) };
    const sources = new Sources(this.#parts.sources, { ...query, sites: [site], segments: [chosen] });
    return { segment: name, ...(await chosen.read(new SiteSources(sources, site), query)) };
  }

  /**
   * All items of a segment, read as they are taken where there may be many. What keeps it from being had is thrown
   * before the first of them. Throws `svc_site_not_found`.
   */
  async items(
    siteId: number,
    name: SegmentName,
    { range, action }: SegmentRequest,
  ): Promise<AsyncIterable<ReportItem>> {
    const [site, chosen] = [await this.#site(siteId), segmentOf(name)];
    const maxItems = Number.MAX_SAFE_INTEGER;
    const query = { range, maxItems, ...(action !== undefined && { action }) };
    const all = new Sources(this.#parts.sources, { ...query, sites: [site], segments: [chosen] });
    const sources = new SiteSources(all, site);
    if (chosen.stream) return chosen.stream(sources, query);
    return Readable.from((await chosen.read(sources, query)).items);
  }

  /** The same for each site of a client, and what they come to. Throws `svc_client_not_found`. */
  async client(ref: ClientRef, request: ReportRequest): Promise<ClientReport> {
    const { clients, sites: parts } = this.#parts.sources;
    const { id, name, email } = await clients.clients.find(ref);
    const sites = await this.#reports(await parts.list.all({ clientId: id }), request);
    const { range } = request;
    return {
      client: { id, name, email },
      range,
      madeAt: this.#parts.sources.clock.now(),
      sites,
      totals: totalsOf(sites),
    };
  }

  /** What a segment says, for templates. */
  tokens(report: SegmentReport): Tokens {
    return tokensOf(report, segmentOf(report.segment), this.#parts.sources.settings.formats);
  }

  async #site(siteId: number): Promise<ReportedSite> {
    const [site] = await this.#parts.sources.sites.list.byIds([siteId]);
    if (!site) throw siteNotFound();
    return site;
  }

  async #reports(sites: readonly ReportedSite[], { range, segments: names }: ReportRequest): Promise<SiteReport[]> {
    const maxItems = this.#parts.maxItems();
    const segments = SEGMENTS.filter(({ name, asksSite }) => (names ? names.includes(name) : !asksSite));
    const sources = new Sources(this.#parts.sources, { sites, range, segments, maxItems });
    const madeAt = this.#parts.sources.clock.now();
    return Promise.all(
      sites.map(async ({ id, url, name, clientId }) => {
        const site = { id, url, name, clientId };
        const read = segments.map((each) =>
          attempted(each, () => each.read(new SiteSources(sources, site), { range, maxItems })),
        );
        const outcomes = await Promise.all(read);
        return {
          site,
          range,
          madeAt,
          segments: outcomes.flatMap(({ report }) => report ?? []),
          errors: outcomes.flatMap(({ error }) => error ?? []),
        };
      }),
    );
  }
}

type Outcome = { report?: SegmentReport; error?: SegmentError };

/** A fault of one source is told of its segments, and costs the report nothing else. */
async function attempted({ name }: Segment, read: () => ReturnType<Segment['read']>): Promise<Outcome> {
  try {
    return { report: { segment: name, ...(await read()) } };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { error: { segment: name, code: error.code, message: error.message } };
  }
}

const siteNotFound = (): NotFoundError => new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
