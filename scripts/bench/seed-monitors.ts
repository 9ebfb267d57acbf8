import type { Knex } from 'knex';
import { createBaseServices } from '../../src/platform/base-services.ts';
import { readConfig } from '../../src/platform/config.ts';
import { appendBeat, dayNumberOf, packHeartbeatWithDay, type Heartbeat } from '../../src/domains/uptime/heartbeat.ts';
import { nextCheckAt } from '../../src/domains/uptime/monitor-settings.ts';
import { HourlyFiguresOfDay } from '../../src/domains/uptime/check-figures.ts';
import { DAY, HOUR, MINUTE } from '../../src/shared/clock.ts';

/** Returns a typical check of the day. `index` varies the values. */
const beatAt = (at: number, index: number): Heartbeat => ({
  at,
  state: 'up',
  isChange: false,
  attempts: [
    {
      finding: 'status_accepted',
      status: 200,
      address: '203.0.113.7',
      totalMs: 150 + ((index * 7) % 60),
      dnsMs: index % 5,
      connectMs: 20 + (index % 7),
      tlsMs: 40 + (index % 11),
      firstByteMs: 90 + ((index * 7) % 40),
    },
  ],
});

/**
 * Gives every site of an SQLite database a monitor with a year of data: its place in the interval, the figures of each
 * hour, a gap and an update per week, and the largest number of heartbeats in a day, so that each further heartbeat has
 * its highest cost.
 */
export async function seedMonitors(env: Record<string, string>, intervalMinutes: number, days: number): Promise<void> {
  const base = await createBaseServices(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  const { knex } = base.database;
  const now = Date.now();
  const today = dayNumberOf(now);
  const checks = Array.from({ length: DAY / (intervalMinutes * MINUTE) }, (_, index) =>
    beatAt(today * DAY + index * intervalMinutes * MINUTE, index),
  );
  const figures = HourlyFiguresOfDay.of(today, '');
  for (const beat of checks) figures.add(beat);
  await knex.raw(
    `insert into monitor_days (site_id, day, up, down, hours)
     with recursive days(day) as (select ? union all select day + 1 from days where day < ?)
     select sites.id, days.day, ?, 0, ? from sites, days order by sites.id, days.day`,
    [today - days + 1, today, checks.length, figures.packed()],
  );
  for (const [kind, from, until] of [
    ['watched', HOUR, 7 * DAY],
    ['update', DAY, DAY + MINUTE],
  ] as const)
    await knex.raw(
      `insert into monitor_spans (site_id, kind, started_at, ended_at)
       with recursive weeks(day) as (select ? union all select day + 7 from weeks where day < ?)
       select sites.id, ?, weeks.day * ? + ?, weeks.day * ? + ? from sites, weeks`,
      [today - days + 1, today - 7, kind, DAY, from, DAY, until],
    );
  await knex.raw('insert into heartbeat_days (site_id, day, beats) select id, ?, ? from sites', [
    today,
    checks.reduce(appendBeat, ''),
  ]);
  await addMonitors(knex, (siteId) => {
    const next_check_at = nextCheckAt(siteId, intervalMinutes, now - (intervalMinutes * MINUTE) / 2);
    const last = beatAt(today * DAY - MINUTE, 0);
    const watch = { watched_since: last.at - DAY, watched_until: last.at, watch_lapses_at: next_check_at + MINUTE };
    const check = { next_check_at, last_check_at: last.at, last_beat: packHeartbeatWithDay(last) };
    return { site_id: siteId, state: 'up', ...check, ...watch };
  });
  await base.close();
}

const CHUNK = 400;

async function addMonitors(knex: Knex, rowOf: (siteId: number) => object): Promise<void> {
  const siteIds = await knex('sites').orderBy('id').pluck<number[]>('id');
  await knex.transaction(async (trx) => {
    for (let start = 0; start < siteIds.length; start += CHUNK)
      await trx('monitors').insert(siteIds.slice(start, start + CHUNK).map(rowOf));
  });
}
