import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { editSettings } from './settings.ts';
import type { World } from './world.ts';

/** Writes a response of the API. */
type Reply = (response: ServerResponse) => void;

/** Returns a Lighthouse report with this performance score (0 to 100), in the published format of the API. */
export const lighthouseReport = (performance: number | null, more: object = {}): object => ({
  requestedUrl: 'https://shop.example/',
  finalUrl: 'https://shop.example/home',
  finalDisplayedUrl: 'https://shop.example/home',
  lighthouseVersion: '13.0.1',
  fetchTime: '2026-11-22T08:00:00.000Z',
  runWarnings: [],
  configSettings: { formFactor: 'mobile', locale: 'en', channel: 'lr' },
  categories: {
    performance: { id: 'performance', title: 'Performance', score: performance === null ? null : performance / 100 },
    accessibility: { id: 'accessibility', title: 'Accessibility', score: 0.94 },
    'best-practices': { id: 'best-practices', title: 'Best Practices', score: 1 },
    seo: { id: 'seo', title: 'SEO', score: 0.92 },
  },
  audits: {
    'speed-index': measure('speed-index', 'Speed Index', 2900.4, '2.9 s'),
    'first-contentful-paint': measure('first-contentful-paint', 'First Contentful Paint', 1200.2, '1.2 s'),
    'largest-contentful-paint': measure('largest-contentful-paint', 'Largest Contentful Paint', 2103.4, '2.1 s'),
    interactive: measure('interactive', 'Time to Interactive', 3401, '3.4 s'),
    'total-blocking-time': measure('total-blocking-time', 'Total Blocking Time', 120, '120 ms'),
    'cumulative-layout-shift': {
      ...measure('cumulative-layout-shift', 'Cumulative Layout Shift', 0.02, '0.02'),
      numericUnit: 'unitless',
    },
    'unused-css-rules': {
      id: 'unused-css-rules',
      title: 'Reduce unused CSS',
      score: 0.5,
      displayValue: 'Potential savings of 24 KiB',
      details: { type: 'opportunity', overallSavingsMs: 450, items: [] },
    },
    'render-blocking-insight': {
      id: 'render-blocking-insight',
      title: 'Render blocking requests',
      score: 0,
      metricSavings: { FCP: 800, LCP: 750, CLS: 12 },
    },
    'is-crawlable': { id: 'is-crawlable', title: 'Page is not blocked from indexing', score: 1 },
  },
  ...more,
});

const measure = (id: string, title: string, numericValue: number, displayValue: string): object => ({
  id,
  title,
  score: 0.82,
  scoreDisplayMode: 'numeric',
  numericValue,
  numericUnit: 'millisecond',
  displayValue,
});

/** Returns a complete response of the API. */
export const reportReply = (report: unknown): Reply =>
  json(200, {
    captchaResult: 'CAPTCHA_NOT_NEEDED',
    kind: 'pagespeedonline#result',
    id: 'https://shop.example/home',
    loadingExperience: { initial_url: 'https://shop.example/' },
    lighthouseResult: report,
    analysisUTCTimestamp: '2026-11-22T08:00:02.417Z',
  });

export const scoreReply = (performance: number): Reply => reportReply(lighthouseReport(performance));

/** Returns an error in the format of Google's APIs. */
export const errorReply = (
  status: number,
  { message = 'Refused.', reason = 'badRequest', name = 'INVALID_ARGUMENT', headers = {} } = {},
): Reply =>
  json(
    status,
    { error: { code: status, message, errors: [{ message, domain: 'global', reason }], status: name } },
    headers,
  );

function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** The PageSpeed Insights API, as its documentation describes it. */
export class FakePageSpeedApi {
  readonly #server: Server;
  readonly url: string;
  /** Queries in their order. */
  readonly requests: URLSearchParams[] = [];
  /** The next responses. After them, each response is `defaultReply`. */
  readonly nextReplies: Reply[] = [];
  defaultReply: Reply = scoreReply(90);
  /** The largest number of requests that were open at the same time. */
  maxConcurrent = 0;
  #open = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pagespeedonline/v5/runPagespeed`;
    server.on('request', ({ url = '' }, response: ServerResponse) => {
      this.requests.push(new URL(url, 'http://127.0.0.1').searchParams);
      this.maxConcurrent = Math.max(this.maxConcurrent, ++this.#open);
      response.once('close', () => this.#open--);
      (this.nextReplies.shift() ?? this.defaultReply)(response);
    });
  }

  static async start(): Promise<FakePageSpeedApi> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakePageSpeedApi(server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export const API_KEY = 'AIzaSy-a-key-that-nobody-may-see';

/** Makes the service use this API, with further settings. */
export async function usePageSpeedApi(world: World, settings: object = {}): Promise<void> {
  await editSettings(world, 'perf-audit', { provider: 'pagespeed', api_key: API_KEY, ...settings });
}

/** Returns the audit record of a site. */
export const readAudit = async (world: World, siteId: number, query = '') =>
  (await world.request('GET', `/api/v2/perf-audit/results/${siteId}${query}`)).body.data;

/** Audits sites and waits for the job. Returns the job with its items. */
export async function auditSites(world: World, siteIds: readonly number[], body: object = {}) {
  const { body: answer } = await world.request('POST', '/api/v2/perf-audit/audit', {
    body: { websites: siteIds, force: true, ...body },
  });
  return world.finishedJob(answer.data.job_id as string, 120_000);
}

/** Audits one site. Returns its audit record. */
export async function auditSite(world: World, siteId: number, body: object = {}) {
  await auditSites(world, [siteId], body);
  return readAudit(world, siteId);
}
