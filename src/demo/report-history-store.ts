import type { Knex } from 'knex';
import type { Container } from '../service/container.ts';
import { packHeartbeatWithDay, type Heartbeat } from '../domains/uptime/heartbeat.ts';
import { monitorDayOf, sampleHeartbeat } from './sample-checks.ts';
import { versionChangesOf, type InstalledItem } from './version-history.ts';
import { DAY, HOUR, MINUTE, toDate } from '../shared/clock.ts';

const MONTHS = 4;
const DAYS = MONTHS * 30;
const CHUNK = 200;

const MONTHLY_CHANGES: readonly [type: string, aMonth: number, names: readonly string[]][] = [
  ['post.created', 5, ['News of the month', 'Opening hours', 'Behind the counter', 'A day at the museum']],
  ['post.updated', 7, ['News of the month', 'Opening hours', 'Our harvest']],
  ['page.updated', 3, ['Contact', 'How to find us', 'Imprint']],
  ['comment.approved', 9, ['News of the month', 'Our harvest']],
  ['comment.spammed', 6, ['News of the month']],
  ['menu.updated', 1, ['Main menu']],
  ['file.uploaded', 8, ['harbour.jpg', 'menu-card.pdf', 'team.webp', 'window.jpg']],
];
const NEW_USERS = ['dora', 'emil', 'fatima', 'goran'];
/** The history of each site shows one deleted plugin: the first of these that is not installed. */
const FORMER_PLUGINS: readonly InstalledItem[] = [
  { kind: 'plugin', name: 'Hello Dolly', key: 'hello.php', version: '1.7.2' },
  { kind: 'plugin', name: 'Classic Widgets', key: 'classic-widgets/classic-widgets.php', version: '0.3' },
];
const UPDATES = { plugin: [3, 7], theme: [1, 3], wordpress: [2, 4] } as const;

export async function demoReportSettings({ services }: Container): Promise<void> {
  const { settings } = services.settings;
  await settings.edit('general', { timezone_string: 'Europe/Lisbon' }, 'demo');
  await settings.edit('pro-reports', { agency_name: 'North Sea Web', agency_color: '#0b5d4e' }, 'demo');
  await settings.edit('monitoring', { svc_uptime_monitoring_active: 1 }, 'demo');
}

export async function addHistory({ knex }: Container, afterId = 0): Promise<void> {
  const siteIds = await knex('sites').where('id', '>', afterId).orderBy('id').pluck<number[]>('id');
  // The sites must be older than their history: reports for clients leave out what was done before a site was added.
  await knex('sites')
    .where('id', '>', afterId)
    .update({ created_at: (today() - DAYS) * DAY });
  for (const id of siteIds) {
    // IDs are the same in each demo. Positions in lists are not, because lists are sorted by URLs with random ports.
    const index = id - 1;
    const changes = [...contentChangesOf(index), ...versionChangesOn(await installedOn(knex, id), index)];
    await knex.batchInsert(
      'changes',
      changes.map((change) => ({ site_id: id, source: 'dashboard', external_id: null, ...change })),
      CHUNK,
    );
    await knex.batchInsert('perf_audit_history', auditsOf(id, index), CHUNK);
  }
  await addMonitorHistory(knex, siteIds);
}

export const lastMonth = (): string =>
  `start_date=${toDate((today() - 30) * DAY)}&end_date=${toDate((today() - 1) * DAY)}`;

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

async function installedOn(knex: Knex, siteId: number): Promise<InstalledItem[]> {
  const columns = ['slug', 'name', 'version'] as const;
  type Row = Record<(typeof columns)[number], string>;
  const itemOf =
    (kind: 'plugin' | 'theme') =>
    ({ slug, name, version }: Row): InstalledItem => ({ kind, name, key: slug, version });
  const plugins = await knex('site_plugins').where({ site_id: siteId, must_use: 0 }).orderBy('slug').select(columns);
  const themes = await knex('site_themes').where({ site_id: siteId }).orderBy('slug').select(columns);
  const [core] = await knex('site_states').where({ site_id: siteId }).pluck<string[]>('wp_version');
  const wordpress = core ? [{ kind: 'wordpress', name: 'WordPress', key: 'wordpress', version: core } as const] : [];
  return [...wordpress, ...plugins.map(itemOf('plugin')), ...themes.map(itemOf('theme'))];
}

function versionChangesOn(items: readonly InstalledItem[], index: number): object[] {
  const [start, end] = [(today() - DAYS) * DAY, today() * DAY];
  const plugins = items.filter(({ kind }) => kind === 'plugin');
  const added = plugins.length > 0 ? picked(plugins, seededRandom(index, 1_000)) : null;
  const changes = items.flatMap((item, at) => {
    const [fewest, most] = UPDATES[item.kind];
    const updates = fewest + Math.floor(seededRandom(index, at, 1_001) * (most - fewest + 1));
    const installedAt = item === added ? Math.floor(start + seededRandom(index, 1_002) * (end - start) * 0.5) : null;
    return versionChangesOf(item, { start, end, updates, installedAt }, (seed) => seededRandom(index, at, seed));
  });
  const former = FORMER_PLUGINS.find(({ key }) => !plugins.some((plugin) => plugin.key === key));
  const removedAt = Math.floor(start + seededRandom(index, 1_003) * (end - start - DAY));
  const removed = (former ? (['deactivated', 'deleted'] as const) : []).map((verb, at) => ({
    ...{ item: former as InstalledItem, type: `plugin.${verb}`, at: removedAt + at * HOUR, before: null },
    after: former?.version ?? '',
  }));
  return [...changes, ...removed].map(({ item, type, at, before, after }, count) => ({
    ...changeRow(type, item.name, item.key, at, [index, 1_004, count]),
    old_values: before === null ? null : JSON.stringify({ version: before }),
    new_values: JSON.stringify({ version: after }),
  }));
}

function contentChangesOf(index: number): object[] {
  const changes = MONTHLY_CHANGES.flatMap(([type, aMonth, names], kind) =>
    Array.from({ length: Math.round(aMonth * MONTHS * (0.6 + seededRandom(index, kind) * 0.8)) }, (_, count) => {
      const seeds = [index, kind, count] as const;
      const at = (today() - DAYS * seededRandom(...seeds, 1)) * DAY;
      return changeRow(type, picked(names, seededRandom(...seeds, 3)), null, at, seeds);
    }),
  );
  const users = NEW_USERS.map((name, month) => {
    const at = (today() - DAYS + 30 * (month + seededRandom(index, 1_005, month))) * DAY;
    return changeRow('user.created', name, null, at, [index, 1_005, month]);
  });
  return [...changes, ...users];
}

function describe(type: string, name: string): string {
  const [context = '', action = ''] = type.split('.');
  return context === 'wordpress' ? `WordPress ${action}` : `${context.replace(/^./, upper)} "${name}" ${action}`;
}

const upper = (letter: string): string => letter.toUpperCase();

const changeRow = (type: string, name: string, key: string | null, at: number, seeds: readonly number[]) => ({
  type,
  description: describe(type, name),
  actor: picked(['ada', 'grace', 'system'], seededRandom(...seeds, 4)),
  at: Math.floor(at),
  object_name: name,
  object_key: key ?? name.toLowerCase().replaceAll(' ', '-'),
  old_values: null,
  new_values: null,
});

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

async function addMonitorHistory(knex: Knex, siteIds: readonly number[]): Promise<void> {
  const days: object[] = [];
  const outages: object[] = [];
  for (const siteId of siteIds)
    for (let back = DAYS; back >= 1; back--) {
      const day = today() - back;
      const index = siteId - 1;
      const isBad = seededRandom(index, back) < 0.03;
      const at = day * DAY + 13 * HOUR;
      const beats = Array.from({ length: 24 }, (_, hour) =>
        beatAt(day * DAY + hour * HOUR, !(isBad && hour === 13), hour),
      );
      days.push(monitorDayOf(siteId, day, beats));
      const first = beats.find(({ state }) => state === 'down');
      const lasted = Math.round((10 + seededRandom(index, back, 1) * 50) * MINUTE);
      const cause = 'The status 503 is not accepted.';
      if (first)
        outages.push({
          ...{ site_id: siteId, started_at: at, ended_at: at + lasted, down_count: 1, cause },
          beat: packHeartbeatWithDay(first),
        });
    }
  const watched = { kind: 'watched', started_at: (today() - DAYS) * DAY, ended_at: today() * DAY };
  await knex.batchInsert(
    'monitor_spans',
    siteIds.map((site_id) => ({ site_id, ...watched })),
    CHUNK,
  );
  await knex.batchInsert('monitor_days', days, CHUNK);
  await knex.batchInsert('incidents', outages, CHUNK);
}

const beatAt = (at: number, isUp: boolean, index: number): Heartbeat =>
  sampleHeartbeat(at, isUp ? 'up' : 'down', {
    ...{ totalMs: 140 + Math.round(180 * seededRandom(index, Math.floor(at / HOUR))), firstByteMs: 90 },
    ...(!isUp && { finding: 'status_refused', status: 503 }),
  });
