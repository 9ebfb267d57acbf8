import { ALL_SITES } from '../shared/site-scope.ts';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Container } from '../service/container.ts';
import { unlimitedRequester } from '../shared/requester.ts';

/** A local server answers in the format of the PageSpeed Insights API. */
export interface DemoAudits {
  env: Record<string, string>;
  begin(container: Container): Promise<void>;
}

const METRICS = [
  ['first-contentful-paint', 'First Contentful Paint', 1400],
  ['speed-index', 'Speed Index', 2600],
  ['largest-contentful-paint', 'Largest Contentful Paint', 2400],
  ['interactive', 'Time to Interactive', 3300],
  ['total-blocking-time', 'Total Blocking Time', 180],
] as const;

export async function startDemoAudits(): Promise<DemoAudits> {
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://127.0.0.1');
    const page = searchParams.get('url') ?? '';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answerFor(page, searchParams.get('strategy') === 'mobile')));
  }).listen(0, '127.0.0.1');
  server.unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: { SITEFLEET_PAGESPEED_URL: `http://127.0.0.1:${port}/pagespeedonline/v5/runPagespeed` },
    begin: async ({ services }) => {
      const settings = { provider: 'pagespeed', api_key: 'demo', maximum_audits: 5, score_threshold: 60 } as const;
      await services.settings.settings.edit('perf-audit', settings, 'demo');
      const request = { strategy: null, force: false, requestedBy: unlimitedRequester('demo') };
      await services.perfAudit.audits.requestMany(ALL_SITES, [], request);
    },
  };
}

function answerFor(page: string, isMobile: boolean): object {
  const [speed = 0, care = 0] = createHash('sha256').update(page).digest();
  const performance = Math.max(0.2, 0.55 + (speed / 255) * 0.45 - (isMobile ? 0.18 : 0));
  const slowness = 1.6 - performance;
  const audits = METRICS.map(([id, title, usual]) => {
    const numericValue = Math.round(usual * slowness);
    const displayValue = `${(numericValue / 1000).toFixed(1)} s`;
    return [id, { id, title, score: performance, numericValue, numericUnit: 'millisecond', displayValue }] as const;
  });
  return {
    kind: 'pagespeedonline#result',
    id: page,
    lighthouseResult: {
      requestedUrl: page,
      finalDisplayedUrl: page,
      lighthouseVersion: '12.8.2',
      categories: {
        performance: { score: performance },
        accessibility: { score: 0.7 + (care / 255) * 0.3 },
        'best-practices': { score: 0.96 },
        seo: { score: 0.92 },
      },
      audits: {
        ...Object.fromEntries(audits),
        'unused-css-rules': {
          id: 'unused-css-rules',
          title: 'Reduce unused CSS',
          score: 0.5,
          displayValue: 'Potential savings of 24 KiB',
          details: { type: 'opportunity', overallSavingsMs: Math.round(600 * slowness) },
        },
      },
    },
  };
}
