import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerRequest, openLoginLink, type IncomingCall } from './dispatch.ts';
import { downloadFile, downloadPackages, packageUrls, type Download } from './downloads.ts';
import type { FaultSpec } from './faults.ts';
import { answerOfGuardFile, expireGuardFiles, restoreAfterFatal } from './guard-files.ts';
import { brokenHomePage, runsNewest } from './operations/running-versions.ts';
import { continueAfterTimeout } from './gateway-timeout.ts';
import { maintain, updatesActivePlugin } from './maintenance-mode.ts';
import {
  AJAX_PATH,
  fatalPage,
  outagePage,
  parseErrorIn,
  serverErrorPage,
  undefinedFunctionIn,
  WORDPRESS_HEADERS,
  type FatalCause,
  type PageVisit,
} from './outages.ts';
import { CRITICAL_ERROR, frontPage, notFoundPage, type HttpPage } from './pages.ts';
import { parseForm, textField, type PhpFormFields } from './protocol/form.ts';
import { frame } from './protocol/frame.ts';
import { frameReply, type Reply } from './protocol/reply.ts';
import {
  steadyNow,
  withoutSecretHeaders,
  withoutSecrets,
  type ConcurrencyGauge,
  type RequestEntry,
} from './request-log.ts';
import { faultResponder, sendPage } from './respond.ts';
import type { SimulatedSite } from './site.ts';

const SAMPLE_PATH = '/sample-page/';
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const HTML = { 'content-type': 'text/html; charset=UTF-8' };

export interface SiteRequest {
  site: SimulatedSite;
  request: IncomingMessage;
  response: ServerResponse;
  /** Path relative to the site, with a leading slash and without the query. */
  path: string;
  query: string;
  secure: boolean;
  fleetGauge: ConcurrencyGauge;
}

export async function handleSiteRequest(visit: SiteRequest): Promise<void> {
  const { site, request, response } = visit;
  const method = request.method ?? 'GET';
  const entry: RequestEntry = {
    method,
    path: visit.path,
    function: '',
    signed: false,
    at: steadyNow(),
    finishedAt: null,
    status: null,
    fields: {},
    headers: withoutSecretHeaders(request.headers),
    reached: false,
  };
  site.gauge.enter();
  visit.fleetGauge.enter();
  response.on('close', () => {
    entry.finishedAt = steadyNow();
    entry.status = response.headersSent ? response.statusCode : null;
    site.gauge.leave();
    visit.fleetGauge.leave();
  });
  site.remember(entry);

  const { fields, bytes } = method === 'POST' ? await readForm(request) : { fields: parseForm(visit.query), bytes: 0 };
  entry.function = method === 'POST' ? textField(fields, 'function') : method;
  entry.signed = textField(fields, 'mainwpsignature') !== '';
  entry.fields = withoutSecrets(fields);

  const trouble = site.faults.take(entry.function, visit.path);
  const asked: PageVisit = { request, path: visit.path, bytes, title: site.state.title, siteUrl: site.siteUrl };
  const refusal = trouble === null ? undefined : faultResponder(trouble, asked);
  if (refusal !== undefined) {
    await pause(site.latencyMs);
    refusal(response);
    return;
  }
  await pause(site.latencyMs);
  if (trouble?.kind === 'delay') await (typeof trouble.ms === 'number' ? pause(trouble.ms) : trouble.ms.until);
  if (response.destroyed) return;
  entry.reached = true;
  const maintenance = site.isInMaintenance ? outagePage({ kind: 'maintenance' }, asked) : undefined;
  if (maintenance !== undefined) {
    sendPage(response, maintenance, null, method === 'HEAD');
    return;
  }
  const guarded = method === 'POST' ? answerOfGuardFile(site, fields) : undefined;
  if (guarded !== undefined) {
    sendPage(response, pageOfReply(visit, asked, frameReply(guarded), null), trouble, false);
    return;
  }
  if (isCached(visit)) {
    sendPage(response, { status: 200, headers: HTML, body: frontPage(site.state.title) }, null, method === 'HEAD');
    return;
  }
  const { defects } = site;
  if (isBrokenBy(site, defects.dying)) {
    sendPage(response, { status: 200, headers: HTML, body: '' }, null, method === 'HEAD');
    return;
  }
  if (isBrokenBy(site, defects.crashing)) {
    sendPage(response, serverErrorPage(502), null, method === 'HEAD');
    return;
  }
  const cause = fatalCauseOf(site, isUnsignedAjax(visit, entry));
  if (cause) {
    sendPage(response, fatalPage(asked, cause), null, method === 'HEAD');
    restoreAfterFatal(
      site,
      [...defects.breaking, ...defects.unparsable, ...defects.breakingAdmin].filter((slug) =>
        runsNewest(site.state, slug),
      ),
    );
    return;
  }
  if (defects.closedPages !== null && isPage(visit)) {
    const body = frontPage('Coming soon').replace(/<a .*?<\/a>/, '');
    sendPage(response, { status: defects.closedPages, headers: HTML, body }, null, method === 'HEAD');
    return;
  }
  const status = isHomePage(visit) ? brokenHomePage(site) : undefined;
  if (status !== undefined) {
    if (status === 0) request.socket.destroy();
    else sendPage(response, { ...fatalPage(asked, undefinedFunctionIn('page.php')), status }, null, method === 'HEAD');
    if (status >= 500) restoreAfterFatal(site, defects.breakingPage.keys());
    return;
  }
  if (isHomePage(visit)) expireGuardFiles(site);
  const downloads = await downloadsFor(site, entry, fields);
  if (trouble?.kind === 'goes-on') {
    continueAfterTimeout(site, fields, response, trouble, () => pageForRequest(visit, asked, fields, downloads, null));
    return;
  }
  const isUpgrade = entry.signed && entry.function === 'upgradeplugintheme';
  const maintains = isUpgrade && updatesActivePlugin(site, fields);
  if (isUpgrade) site.maintenanceFile = null;
  const page = pageForRequest(visit, asked, fields, downloads, trouble);
  if (trouble?.kind === 'late') await (maintains ? maintain(site, response, trouble.ms) : pause(trouble.ms));
  sendPage(response, page, trouble, method === 'HEAD');
}

const NO_DOWNLOADS: ReadonlyMap<string, Download> = new Map();

function downloadsFor(
  site: SimulatedSite,
  entry: RequestEntry,
  fields: PhpFormFields,
): ReadonlyMap<string, Download> | Promise<ReadonlyMap<string, Download>> {
  if (!entry.signed || site.defects.namedPackages) return NO_DOWNLOADS;
  const isPhp = /\.php(file\.txt)?$/.test(textField(fields, 'filename'));
  if (entry.function === 'uploader_action' && isPhp) return downloadFile(textField(fields, 'url'), site.siteUrl);
  return entry.function === 'installplugintheme' ? downloadPackages(packageUrls(fields), site.siteUrl) : NO_DOWNLOADS;
}

function fatalCauseOf({ state, defects }: SimulatedSite, isUnsigned: boolean): FatalCause | undefined {
  const unparsable = [...defects.unparsable].find((slug) => runsNewest(state, slug));
  if (unparsable !== undefined) return parseErrorIn(unparsable);
  const fatal = [...defects.breaking, ...(isUnsigned ? defects.breakingAdmin : [])];
  const broken = fatal.find((slug) => runsNewest(state, slug));
  return broken === undefined ? undefined : undefinedFunctionIn(broken);
}

const isBrokenBy = ({ state }: SimulatedSite, items: ReadonlySet<string>): boolean =>
  [...items].some((slug) => runsNewest(state, slug));

const isUnsignedAjax = ({ path }: SiteRequest, entry: RequestEntry): boolean => path === AJAX_PATH && !entry.signed;

const isHomePage = ({ request: { method }, path, query }: SiteRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && path === '/' && !query.includes('mainwpsignature');

const isPage = (visit: SiteRequest): boolean =>
  isHomePage(visit) || (visit.path === SAMPLE_PATH && visit.request.method !== 'POST');

const isCached = (visit: SiteRequest): boolean => {
  const { pageCache } = visit.site.defects;
  return pageCache !== null && isHomePage(visit) && (pageCache === 'any-query' || visit.query === '');
};

/** A body with another content type has no fields, because PHP's `$_POST` is empty then. */
async function readForm(request: IncomingMessage): Promise<{ fields: PhpFormFields; bytes: number }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) return { fields: {}, bytes: size };
  const type = request.headers['content-type'] ?? '';
  const isForm = type.includes('x-www-form-urlencoded');
  return { fields: isForm ? parseForm(Buffer.concat(chunks).toString('utf8')) : {}, bytes: size };
}

async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function pageForRequest(
  visit: SiteRequest,
  asked: PageVisit,
  fields: PhpFormFields,
  downloads: ReadonlyMap<string, Download>,
  trouble: FaultSpec | null,
): HttpPage {
  const { site, request, path } = visit;
  if (path === SAMPLE_PATH && request.method !== 'POST') {
    const page = frontPage(`Sample page of ${site.state.title}`);
    const isBroken = isBrokenBy(site, site.defects.breakingContent);
    return { status: 200, headers: HTML, body: isBroken ? page.replace(/<p>.*$/s, CRITICAL_ERROR) : page };
  }
  // WordPress loads the child plugin for every page, so each page can answer a call.
  const isPagePath = request.method === 'POST' && path.endsWith('/');
  const answersChild = path === '/' || path === AJAX_PATH || path === '/index.php' || isPagePath;
  if (!answersChild) return { status: 404, headers: HTML, body: notFoundPage(site.state.title) };
  const arrival: IncomingCall = {
    fields,
    cookieHeader: request.headers.cookie,
    cookies: {
      siteUrl: site.siteUrl,
      basePath: new URL(site.url).pathname,
      secure: visit.secure,
      now: site.now(),
    },
    now: site.now(),
    downloads,
  };
  if (request.method === 'POST') return pageOfReply(visit, asked, answerRequest(site, arrival), trouble);
  const login = openLoginLink(site, arrival);
  if (login !== undefined) {
    return { status: 302, headers: { ...HTML, location: login.location, 'set-cookie': login.cookies }, body: '' };
  }
  return pageOfReply(visit, asked, { kind: 'ignored' }, trouble);
}

function pageOfReply(visit: SiteRequest, asked: PageVisit, reply: Reply, trouble: FaultSpec | null): HttpPage {
  if (trouble?.kind === 'fatal' || reply.kind === 'fatal') {
    return reply.kind === 'fatal' && reply.silent ? { ...fatalPage(asked), body: '' } : fatalPage(asked);
  }
  if (reply.kind === 'html') return { status: 200, headers: HTML, body: reply.body };
  if (reply.kind === 'ignored') {
    if (visit.path === AJAX_PATH) return { status: 400, headers: WORDPRESS_HEADERS, body: '0' };
    return { status: 200, headers: HTML, body: frontPage(visit.site.state.title) };
  }
  const cookies = reply.cookies === undefined ? {} : { 'set-cookie': reply.cookies };
  return {
    status: 200,
    headers: { ...HTML, ...cookies },
    body: (reply.noise ?? '') + frame(reply.json),
    frame: { noise: reply.noise ?? '', json: reply.json },
  };
}
