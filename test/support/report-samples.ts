import { DAY } from '../../src/shared/clock.ts';
import type { ReportItem, SegmentReport, SiteReport } from '../../src/domains/pro-reports/index.ts';

const FROM = Date.UTC(2026, 10, 1);
const at = (day: number): string => new Date(FROM + day * DAY).toISOString();

/** A long name with an injection attempt. */
export const HOSTILE_TEXT = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u0000\u202e{{7*7}}${'W'.repeat(10_000)}`;
export const RIGHT_TO_LEFT = 'مرحبا بكم في متجرنا على الإنترنت';

const segment = (
  name: SegmentReport['segment'],
  source: SegmentReport['source'],
  told: Partial<Omit<SegmentReport, 'segment' | 'source'>>,
): SegmentReport => ({
  ...{ segment: name, source, items: [], total: told.items?.length ?? 0, counts: {}, summary: {} },
  ...told,
});

interface Sample {
  name?: string;
  /** Number of rows in the tables about plugins. */
  rows?: number;
  plugin?: string;
  post?: string;
}

/** Returns a report of November with tables, facts, charts, and a segment without a source. */
export function siteReport({ name = 'Harbour Bakery', rows = 5, plugin, post }: Sample = {}): SiteReport {
  const plugins = Array.from({ length: rows }, (_, index): ReportItem => ({
    ...{
      action: 'updated',
      name: plugin ?? `Plugin ${index}`,
      slug: 'a/b.php',
      old_version: '1.0',
      new_version: '1.1',
    },
    ...{ date: at(29 - Math.floor((index * 29) / rows)), author: 'admin' },
  }));
  const days = Array.from({ length: 30 }, (_, index): ReportItem => ({
    ...{ kind: 'day', day: at(29 - index).slice(0, 10), uptime_percentage: index === 7 ? 99.5 : 100 },
    ...{ downtime_minutes: 0, watched_minutes: 1440, incidents: 0, response_avg: 200 + index },
  }));
  const audits = [0, 7, 14].flatMap((day) =>
    ['desktop', 'mobile'].map((device): ReportItem => ({ device, date: at(20 - day), performance: 90 - day })),
  );
  const posts = [{ action: 'created', title: post ?? 'News', date: at(3), author: 'dora' }];
  return {
    site: { id: 1, url: 'https://harbour-bakery.example/', name, clientId: 3, knownSince: 0 },
    range: { startDate: '2026-11-01', endDate: '2026-11-30', zone: 'UTC', from: FROM, until: FROM + 30 * DAY },
    madeAt: FROM + 31 * DAY,
    segments: [
      segment('plugins', 'change-log', { items: plugins, counts: { installed: 0, updated: rows } }),
      segment('themes', 'change-log', { counts: { updated: 3 } }),
      segment('posts', 'change-log', { items: posts, counts: { created: 1 } }),
      segment('menus', 'change-log', { counts: { created: 0, updated: 0 } }),
      segment('sslmonitor', 'ssl-monitor', { summary: { status: 'valid', days_left: 61, valid_to: at(91) } }),
      segment('domainmonitor', 'domain-monitor', { summary: { domain_name: null, status: 'unknown' } }),
      segment('scanner3', 'none', { summary: { status: 'never told' } }),
      segment('perfaudit', 'perf-audit', { items: audits, summary: { mobile_performance: 76 } }),
      segment('uptime', 'monitors', {
        items: days,
        counts: { incidents: 1 },
        summary: { ratio_all: 99.983, downtime_minutes: 7.5, watched_minutes: 43_200 },
      }),
    ],
    errors: [{ segment: 'backups', code: 'svc_site_unreachable', message: 'The site did not answer.' }],
  };
}
