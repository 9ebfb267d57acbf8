import type { ChildLink, ChildStats } from '../../connector/child-site.ts';
import { ChildRefusedError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import type { Settings, SettingsService } from '../settings/index.ts';
import { attemptCall, type CallAttempt, type SiteCall } from '../sites/index.ts';
import { ANSWERED, type HealthReadings, type PageState, type ProbeName, type ProbeReading } from './health-readings.ts';

export interface ProbeContext {
  /** Connection of the update run to the site. Null outside of a run. */
  link: ChildLink | null;
  /** Readings that other probes of the same round have already taken. */
  taken: HealthReadings;
}

export interface HealthProbe {
  name: ProbeName;
  /** True if a run gets this reading from its own signed calls. */
  isSigned: boolean;
  /** True if the probe is only for guarded runs, because it costs several requests. */
  isExtensive?: boolean;
  /**
   * Returns null if the request proves nothing, for example because the address must not be called. `before` is the
   * reading that the new one is compared with.
   */
  take: (siteId: number, before: ProbeReading | undefined, context: ProbeContext) => Promise<ProbeReading | null>;
  /** True if the probe finds the site well. Only such a reading is compared with later ones. */
  isWell: (reading: ProbeReading) => boolean;
  isBroken: (after: ProbeReading, before: ProbeReading) => boolean;
}

export interface ProbeDeps {
  settings: Pick<SettingsService, 'current'>;
  /** Requests the home page with a random query, so that no page cache answers. */
  requestHomePage: (
    siteId: number,
    method: Settings<'general'>['check_http_response_method'],
  ) => Promise<{ status: number; isTemporary: boolean }>;
  requestUnknownAction: (siteId: number) => Promise<{ status: number; body: string; isTemporary: boolean }>;
  /** Requests the home page and the pages at `paths`. If `paths` is null, some pages are chosen. */
  requestPages: (siteId: number, paths: readonly string[] | null) => Promise<PageState[]>;
  calls: { run: <T>(siteId: number, call: SiteCall<T>, options: { reads: boolean }) => Promise<T> };
  readState: (link: ChildLink, siteId: number) => Promise<ChildStats>;
  opensHomePage: (link: ChildLink) => Promise<boolean>;
}

/** Each probe sees failures that the others miss (protocol 5.5). */
export const createHealthProbes = (deps: ProbeDeps): HealthProbe[] => [
  homePageProbe(deps),
  adminAjaxProbe(deps),
  signedStatsProbe(deps),
  pagesProbe(deps),
  adminVisitProbe(deps),
];

function homePageProbe({ settings, requestHomePage }: ProbeDeps): HealthProbe {
  const isAccepted = (status: number): boolean =>
    settings.current('monitoring').svc_uptime_monitoring_up_status_codes.includes(status);
  const isResponding = (status: number): boolean => isAccepted(status) || (status > 0 && status < 500);
  return {
    name: 'home_page',
    isSigned: false,
    take: async (siteId) => {
      const method = settings.current('general').check_http_response_method;
      const { value } = await attemptCall(() => requestHomePage(siteId, method));
      if (value === null) return null;
      const { status, isTemporary } = value;
      return { status, isFromWordPress: true, ...(isTemporary && !isAccepted(status) && TEMPORARY) };
    },
    isWell: ({ status }) => isResponding(status),
    /** Also true if a status that the settings accept has changed to one below 500 that they do not accept. */
    isBroken: ({ status }, before) => !(isAccepted(status) || (isResponding(status) && !isAccepted(before.status))),
  };
}

/** WordPress answers an unknown action with `0` and status 400 after it has started completely (`admin_init`). */
function adminAjaxProbe({ requestUnknownAction }: ProbeDeps): HealthProbe {
  const isWell = ({ status, isFromWordPress }: ProbeReading): boolean => status === 400 && isFromWordPress;
  return {
    name: 'admin_ajax',
    isSigned: false,
    take: async (siteId) => {
      const { value } = await attemptCall(() => requestUnknownAction(siteId));
      if (value === null) return null;
      const { status, body, isTemporary } = value;
      return { status, isFromWordPress: body.trim() === '0', ...(isTemporary && TEMPORARY) };
    },
    isWell,
    isBroken: (after) => !isWell(after),
  };
}

const TEMPORARY = { isTemporary: true } as const;

/** Share of the former length of a page. A page that is shorter than this has lost its content. */
const LOST_CONTENT = 0.1;

const isWellPage = ({ status, hasCriticalError }: PageState): boolean =>
  status >= 200 && status < 400 && !hasCriticalError;

/** Compares pages as visitors get them. Ignores a page that failed before the update. */
function pagesProbe({ requestPages }: ProbeDeps): HealthProbe {
  const isWorse = (page: PageState, before: PageState): boolean =>
    page.isTemporary !== true && (!isWellPage(page) || page.length < before.length * LOST_CONTENT);
  const findPage = (
    pages: readonly PageState[],
    before: ProbeReading | undefined,
    matches: (page: PageState, before: PageState) => boolean,
  ): PageState | undefined =>
    pages.find((page) => {
      const then = before?.pages?.find(({ path }) => path === page.path);
      return then !== undefined && isWellPage(then) && matches(page, then);
    });
  return {
    name: 'pages',
    isSigned: false,
    isExtensive: true,
    take: async (siteId, before) => {
      const paths = before?.pages?.slice(1).map(({ path }) => path) ?? null;
      const { value: pages } = await attemptCall(() => requestPages(siteId, paths));
      if (!pages) return null;
      const worse = findPage(pages, before, isWorse);
      const temporary = worse ? undefined : findPage(pages, before, ({ isTemporary }) => isTemporary === true);
      const shown = worse ?? temporary ?? pages[0];
      return shown ? { status: shown.status, isFromWordPress: true, pages, ...(temporary && TEMPORARY) } : null;
    },
    isWell: ({ pages = [] }) => pages.some(isWellPage),
    isBroken: ({ pages = [] }, before) => findPage(pages, before, isWorse) !== undefined,
  };
}

/**
 * Makes the child plugin open the home page as the connected administrator, if visitors cannot see the site. The child
 * returns no HTTP status.
 */
function adminVisitProbe({ calls, opensHomePage }: ProbeDeps): HealthProbe {
  return {
    name: 'admin_visit',
    isSigned: false,
    isExtensive: true,
    take: async (siteId, before, { link, taken }) => {
      if (!before && isOpenToVisitors(taken)) return null;
      const { value: isShown, error } = await attemptCall(() =>
        link ? opensHomePage(link) : calls.run(siteId, opensHomePage, { reads: true }),
      );
      return error ? signedReading({ error }) : { ...ANSWERED, isFromWordPress: isShown };
    },
    isWell: ({ isFromWordPress }) => isFromWordPress,
    isBroken: ({ isFromWordPress }) => !isFromWordPress,
  };
}

const isOpenToVisitors = ({ pages }: HealthReadings): boolean => {
  const [home] = pages?.pages ?? [];
  return home !== undefined && isWellPage(home);
};

function signedStatsProbe({ calls, readState }: ProbeDeps): HealthProbe {
  const read = (siteId: number) =>
    attemptCall(() => calls.run(siteId, (link) => readState(link, siteId), { reads: true }));
  return {
    name: 'signed_stats',
    isSigned: true,
    take: async (siteId) => signedReading(await read(siteId)),
    isWell: ({ isFromWordPress }) => isFromWordPress,
    isBroken: ({ isFromWordPress }) => !isFromWordPress,
  };
}

/**
 * Returns the reading of a signed call. Null for errors of the network, the web server, the key or a short maintenance,
 * which do not prove that WordPress is broken.
 */
export function signedReading({ error }: Pick<CallAttempt<unknown>, 'error'>): ProbeReading | null {
  if (error === null) return ANSWERED;
  return isWordPressFailure(error) ? { status: Number(error.data['http_status'] ?? 0), isFromWordPress: false } : null;
}

const isWordPressFailure = (error: DomainError): boolean =>
  error instanceof ChildRefusedError && ['site_fatal', 'aborted', 'plugin_missing'].includes(error.reason);
