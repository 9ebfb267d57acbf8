import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import { isLanguageTag, LANGUAGE_TAGS } from '../../languages/index.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { Client, ClientService } from '../clients/index.ts';
import type {
  ClientReport,
  ReportRange,
  ReportReader,
  ReportRequest,
  ReportSubject,
  SegmentName,
  SegmentOfSite,
  SiteReport,
} from '../pro-reports/index.ts';
import { SEGMENTS } from '../pro-reports/index.ts';
import { requireKnownTokens, type ReportTemplate, type ReportTemplateService } from '../report-templates/index.ts';
import type { SettingsService } from '../settings/index.ts';
import { compareSites, daysBefore, type Comparison } from './comparison.ts';
import type { Presentation } from './presentation.ts';
import type { ReportToRender } from './report-page-renderer.ts';
import { segmentsOfTopics } from './appendix-topics.ts';

/** Choices of a caller for one report. Defaults: those of the client, then of the template, then of the settings. */
export interface PresentationChoice {
  template?: string | undefined;
  language?: string | undefined;
  /** Text of the agency, printed in this report only. */
  text?: string | undefined;
}

export interface PageRequest {
  /**
   * Sites that the caller may see. A reported site must be one of them, and a reported client must have one of them.
   */
  scope: SiteScope;
  about: ReportSubject;
  range: ReportRange;
  /** Default: the segments that need no call to the site, and those of the appendix. */
  segments?: readonly SegmentName[] | undefined;
  choice?: PresentationChoice;
  /** Milliseconds for which a report about several sites asks them. Default: 60,000, because a caller waits for it. */
  askedForMs?: number | undefined;
}

export interface ReportPageReaderDeps {
  reports: ReportReader;
  clients: ClientService;
  templates: ReportTemplateService;
  settings: SettingsService;
}

const COMPARED: readonly SegmentName[] = [
  ...(['plugins', 'themes', 'core', 'posts', 'pages', 'uptime', 'perfaudit', 'vulnerable', 'misc'] as const),
];
const READ_BY_DEFAULT: readonly SegmentName[] = SEGMENTS.filter(({ asksSite }) => !asksSite).map(({ name }) => name);

export class ReportPageReader {
  readonly #deps: ReportPageReaderDeps;

  constructor(deps: ReportPageReaderDeps) {
    this.#deps = deps;
  }

  /** Throws `InvalidError` for an unknown template, `svc_site_not_found` and `svc_client_not_found`. */
  async read(request: PageRequest): Promise<ReportToRender> {
    const { scope, about, range, segments: named, choice = {}, askedForMs } = request;
    const presentation = await this.#presentation(await this.#clientOf(scope, about), choice, named ?? null);
    const segments = named ?? segmentsFor(presentation.template);
    const report = await this.#report(scope, about, { range, segments, askedForMs });
    return { report, presentation, before: await this.#comparison(scope, about, report, segments) };
  }

  /** Prepares a page about one segment, with the language and look of the template, but not its sections and texts. */
  async segment(report: SegmentOfSite, choice: PresentationChoice = {}): Promise<ReportToRender> {
    const client = await this.#clientOf(ALL_SITES, { siteId: report.site.id });
    return { report, presentation: await this.#presentation(client, choice, null), before: null };
  }

  async #presentation(
    client: Client | null,
    choice: PresentationChoice,
    namedSegments: readonly SegmentName[] | null,
  ): Promise<Presentation> {
    const { settings, templates } = this.#deps;
    const group = settings.current('pro-reports');
    if (choice.language !== undefined && !isLanguageTag(choice.language))
      throwFieldError('language', `must be one of ${LANGUAGE_TAGS.join(', ')}`);
    requireKnownTokens('text', choice.text ?? '');
    if (choice.template !== undefined) await templates.requireKnown(choice.template, 'template');
    const languageFor = (template: ReportTemplate): string =>
      choice.language ?? (client?.language || template.language || group.language);
    const keys = [choice.template ?? '', client?.reportTemplate ?? '', group.report_template];
    const template = await templates.firstOf(keys, languageFor);
    return {
      template,
      language: languageFor(template),
      texts: [client?.reportText ?? '', choice.text ?? ''].filter((text) => text !== ''),
      agencyName: group.agency_name,
      clientName: client?.name ?? '',
      siteOrder: client?.siteOrder ? client.siteOrder.split(',').map(Number) : [],
      namedSegments,
    };
  }

  async #clientOf(scope: SiteScope, about: ReportSubject): Promise<Client | null> {
    const { clients, reports } = this.#deps;
    if ('client' in about) return clients.get(scope, about.client);
    const { clientId } = await reports.reportedSite(scope, about.siteId);
    return clientId === null ? null : clients.get(scope, clientId);
  }

  /** The site or the client must be in the scope. `read` checks this before, with `#clientOf`. */
  #report(
    scope: SiteScope,
    about: ReportSubject,
    wanted: Pick<ReportRequest, 'range' | 'segments' | 'askedForMs'>,
  ): Promise<SiteReport | ClientReport> {
    const { reports } = this.#deps;
    const request = { ...wanted, sinceKnown: true };
    return 'siteId' in about ? reports.site(about.siteId, request) : reports.client(scope, about.client, request);
  }

  async #comparison(
    scope: SiteScope,
    about: ReportSubject,
    report: SiteReport | ClientReport,
    segments: readonly SegmentName[],
  ): Promise<Comparison | null> {
    const range = await this.#deps.reports.range(scope, daysBefore(report.range), about);
    const compared = COMPARED.filter((name) => segments.includes(name));
    if (sitesIn(report).some(({ site }) => site.knownSince > range.from) || compared.length === 0) return null;
    return compareSites(sitesIn(report), sitesIn(await this.#report(scope, about, { range, segments: compared })));
  }
}

const sitesIn = (report: SiteReport | ClientReport): readonly SiteReport[] =>
  'client' in report ? report.sites : [report];

const segmentsFor = ({ appendix }: ReportTemplate): readonly SegmentName[] => [
  ...new Set([...READ_BY_DEFAULT, ...segmentsOfTopics(appendix)]),
];
