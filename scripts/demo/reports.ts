import type { Knex } from 'knex';
import type { Container } from '../../src/service/container.ts';
import { packHeartbeatWithDay, type Heartbeat } from '../../src/domains/uptime/heartbeat.ts';
import { HourlyFiguresOfDay } from '../../src/domains/uptime/check-figures.ts';
import { DAY, HOUR, MINUTE, toDate } from '../../src/shared/clock.ts';

/** Number of months with data. */
const MONTHS = 4;
const DAYS = MONTHS * 30;
const CHUNK = 200;

/** Typical changes on a site, with their number per month. */
const MONTHLY_CHANGES: readonly [type: string, aMonth: number, names: readonly string[]][] = [
  ['plugin.updated', 14, ['Akismet Anti-spam', 'WooCommerce', 'Yoast SEO', 'Contact Form 7', 'WP Super Cache']],
  ['plugin.activated', 2, ['Contact Form 7', 'Redirection']],
  ['plugin.installed', 1, ['Redirection', 'Wordfence Security']],
  ['plugin.deactivated', 1, ['Hello Dolly']],
  ['plugin.deleted', 1, ['Hello Dolly']],
  ['theme.updated', 2, ['Twenty Twenty-Five', 'GeneratePress']],
  ['wordpress.updated', 1, ['WordPress']],
  ['post.created', 5, ['News of the month', 'Opening hours', 'Behind the counter', 'A day at the museum']],
  ['post.updated', 7, ['News of the month', 'Opening hours', 'Our harvest']],
  ['page.updated', 3, ['Contact', 'How to find us', 'Imprint']],
  ['comment.approved', 9, ['News of the month', 'Our harvest']],
  ['comment.spammed', 6, ['News of the month']],
  ['user.created', 1, ['dora', 'emil']],
  ['menu.updated', 1, ['Main menu']],
  ['file.uploaded', 8, ['harbour.jpg', 'menu-card.pdf', 'team.webp', 'window.jpg']],
];
const VERSIONED = /^(plugin|theme|wordpress)\./;

/** Stores months of changes, checks, outages and audits of the sites. */
export async function demoReports({ knex, services }: Container): Promise<void> {
  const general = { timezone_string: 'Europe/Lisbon' } as const;
  await services.settings.settings.edit('general', general, 'demo');
  await services.settings.settings.edit(
    'pro-reports',
    { agency_name: 'North Sea Web', agency_color: '#0b5d4e' },
    'demo',
  );
  await services.settings.settings.edit('monitoring', { svc_uptime_monitoring_active: 1 }, 'demo');
  const sites = await services.sites.list.all({});
  for (const [index, { id }] of sites.entries()) {
    await insert(knex, 'changes', changesOf(id, index));
    await insert(knex, 'perf_audit_history', auditsOf(id, index));
  }
  await addMonitorHistory(
    knex,
    sites.map(({ id }) => id),
  );
}

/** Query parameters of a report on last month. */
export const lastMonth = (): string =>
  `start_date=${toDate((today() - 30) * DAY)}&end_date=${toDate((today() - 1) * DAY)}`;

/** Returns a number between 0 and 1 that depends only on `seeds`. */
function seededRandom(...seeds: number[]): number {
  let state = 0x9e3779b9;
  for (const seed of seeds) {
    state = Math.imul(state ^ (seed + 1), 0x5bd1e995);
    state = Math.imul(state ^ (state >>> 15), 0xc2b2ae35);
  }
  return ((state ^ (state >>> 16)) >>> 0) / 2 ** 32;
}

const picked = <T>(all: readonly T[], share: number): T => all[Math.floor(share * all.length)] as T;
const today = (): number => Math.floor(Date.now() / DAY);

function changesOf(siteId: number, index: number): object[] {
  return MONTHLY_CHANGES.flatMap(([type, aMonth, names], kind) =>
    Array.from({ length: Math.round(aMonth * MONTHS * (0.6 + seededRandom(index, kind) * 0.8)) }, (_, count) => {
      const seeds = [index, kind, count] as const;
      const at = (today() - DAYS * seededRandom(...seeds, 1)) * DAY;
      const patch = Math.floor(seededRandom(...seeds, 2) * 9);
      const versions = VERSIONED.test(type) ? [`1.${patch}`, `1.${patch + 1}`] : [];
      const [before, after] = versions.map((version) => JSON.stringify({ version }));
      const name = picked(names, seededRandom(...seeds, 3));
      return {
        site_id: siteId,
        source: 'dashboard',
        external_id: null,
        type,
        description: `${type.replace('.', ' was ')}: ${name}.`,
        actor: picked(['ada', 'grace', 'system'], seededRandom(...seeds, 4)),
        at: Math.floor(at),
        object_name: name,
        object_key: name.toLowerCase().replaceAll(' ', '-'),
        old_values: type.endsWith('.updated') ? (before ?? null) : null,
        new_values: after ?? null,
      };
    }),
  );
}

/** Scores rise over time, with exceptions. */
function auditsOf(siteId: number, index: number): object[] {
  const weeks = Math.floor(DAYS / 7);
  return Array.from({ length: weeks }, (_, week) => week + 1).flatMap((week) =>
    (['desktop', 'mobile'] as const).map((strategy, side) => {
      const at = (today() - week * 7) * DAY + 90 * MINUTE;
      const scored = (low: number, swing: number, what: number): number =>
        Math.min(100, Math.round(low + swing * seededRandom(index, week, side, what) - week * 0.8));
      return {
        site_id: siteId,
        audit_id: `demo-${siteId}-${week}`,
        strategy,
        fetched_at: at,
        performance: scored(side === 0 ? 82 : 62, 16, 1),
        accessibility: scored(90, 9, 2),
        best_practices: scored(92, 8, 3),
        seo: scored(93, 7, 4),
      };
    }),
  );
}

/** Stores a check for every hour, and an outage of one or two hours on some days. */
async function addMonitorHistory(knex: Knex, siteIds: readonly number[]): Promise<void> {
  const days: object[] = [];
  const outages: object[] = [];
  for (const [index, siteId] of siteIds.entries())
    for (let back = DAYS; back >= 1; back--) {
      const day = today() - back;
      const isBad = seededRandom(index, back) < 0.03;
      const at = day * DAY + 13 * HOUR;
      const beats = Array.from({ length: 24 }, (_, hour) =>
        beatAt(day * DAY + hour * HOUR, !(isBad && hour === 13), hour),
      );
      const figures = HourlyFiguresOfDay.of(day, '');
      for (const beat of beats) figures.add(beat);
      const down = beats.filter(({ state }) => state === 'down');
      days.push({ site_id: siteId, day, up: 24 - down.length, down: down.length, hours: figures.packed() });
      const [first] = down;
      const lasted = Math.round((10 + seededRandom(index, back, 1) * 50) * MINUTE);
      const cause = 'The status 503 is not accepted.';
      if (first)
        outages.push({
          ...{ site_id: siteId, started_at: at, ended_at: at + lasted, down_count: 1, cause },
          beat: packHeartbeatWithDay(first),
        });
    }
  const watched = { kind: 'watched', started_at: (today() - DAYS) * DAY, ended_at: today() * DAY };
  await insert(
    knex,
    'monitor_spans',
    siteIds.map((site_id) => ({ site_id, ...watched })),
  );
  await insert(knex, 'monitor_days', days);
  await insert(knex, 'incidents', outages);
}

const beatAt = (at: number, isUp: boolean, index: number): Heartbeat => ({
  at,
  state: isUp ? 'up' : 'down',
  isChange: false,
  attempts: [
    {
      finding: isUp ? 'status_accepted' : 'status_refused',
      status: isUp ? 200 : 503,
      address: '203.0.113.7',
      totalMs: 140 + Math.round(180 * seededRandom(index, Math.floor(at / HOUR))),
      ...{ dnsMs: 2, connectMs: 20, tlsMs: 40, firstByteMs: 90 },
    },
  ],
});

async function insert(knex: Knex, table: string, rows: readonly object[]): Promise<void> {
  for (let start = 0; start < rows.length; start += CHUNK) await knex(table).insert(rows.slice(start, start + CHUNK));
}
