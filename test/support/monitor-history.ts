import type { Knex } from 'knex';
import { monitorDayOf, sampleHeartbeat } from '../../src/demo/sample-checks.ts';
import { appendBeat, packHeartbeatWithDay, type Heartbeat } from '../../src/domains/uptime/heartbeat.ts';
import type { MonitorSpanKind } from '../../src/domains/uptime/monitor-span-repository.ts';
import { DAY, HOUR } from '../../src/shared/clock.ts';

const CHUNK = 200;

/** Inserts records and monitors of sites, without other data. Their IDs begin with 1. */
export async function seedMonitors(knex: Knex, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  await knex('sites').insert(
    ids.map((id) => {
      const host = `site-${String(id).padStart(3, '0')}.example`;
      const times = { created_at: 0, updated_at: 0 };
      return { id, url: `https://${host}/`, url_key: host, name: host, name_key: host, status: 'connected', ...times };
    }),
  );
  await knex('monitors').insert(ids.map((site_id) => ({ site_id, state: 'up', next_check_at: 0 })));
}

/** Returns a typical heartbeat at this time, up or down. */
export const beatAt = (at: number, isUp: boolean): Heartbeat =>
  isUp
    ? sampleHeartbeat(at, 'up')
    : sampleHeartbeat(at, 'down', { finding: 'timeout', status: 0, totalMs: 60_000, firstByteMs: null });

/** Inserts daily figures with one check per hour until `until`, in the form of the hourly roll-up. */
export async function seedHourlyFigures(
  knex: Knex,
  siteIds: readonly number[],
  days: readonly number[],
  isUp: (siteId: number, at: number) => boolean,
  until = Infinity,
): Promise<void> {
  const rows = siteIds.flatMap((site_id) =>
    days.map((day) => {
      const times = Array.from({ length: 24 }, (_, hour) => day * DAY + hour * HOUR).filter((at) => at <= until);
      const beats = times.map((at) => beatAt(at, isUp(site_id, at)));
      return monitorDayOf(site_id, day, beats);
    }),
  );
  await knex.batchInsert('monitor_days', rows, CHUNK);
}

/** Inserts a successful heartbeat at noon of each of these days. */
export async function seedBeats(knex: Knex, siteId: number, days: readonly number[]): Promise<void> {
  const rows = days.map((day) => ({
    site_id: siteId,
    day,
    beats: appendBeat('', beatAt(day * DAY + 12 * HOUR, true)),
  }));
  await knex.batchInsert('heartbeat_days', rows, CHUNK);
}

/** Inserts an incident. The end is null if the incident is still open. */
export async function seedIncident(
  knex: Knex,
  siteId: number,
  startedAt: number,
  endedAt: number | null,
): Promise<void> {
  const beat = packHeartbeatWithDay(beatAt(startedAt, false));
  const times = { started_at: startedAt, ended_at: endedAt };
  await knex('incidents').insert({ site_id: siteId, ...times, down_count: 1, cause: 'Lost.', beat });
}

/** Makes the sites watched without interruption during this time. */
export async function seedWatch(
  knex: Knex,
  siteIds: readonly number[],
  from: number,
  until: number,
  kind: MonitorSpanKind = 'watched',
): Promise<void> {
  const rows = siteIds.map((site_id) => ({ site_id, kind, started_at: from, ended_at: until }));
  await knex.batchInsert('monitor_spans', rows, CHUNK);
}
