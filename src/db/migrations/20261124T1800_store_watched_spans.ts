import type { Knex } from 'knex';
import { createTable, dropTables, time, type Migration } from './columns.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;
const SITES_A_STATEMENT = 200;
const ROWS_A_STATEMENT = 100;

/**
 * A run of consecutive days that all have checks. `hours` contains one text per hour, which is empty for an hour
 * without checks.
 */
interface DaysWithChecks {
  site_id: number;
  first_day: number;
  last_day: number;
  first_hours: string;
  last_hours: string;
  created_at: number;
  last_check_at: number | null;
}

/**
 * Stores the time spans in which a site was monitored, and those in which updates ran. The monitored spans before this
 * migration are estimated from the days that have checks.
 */
export const storeWatchedSpans: Migration = {
  name: '20261124T1800_store_watched_spans',
  async up(knex) {
    await createTable(knex, 'monitor_spans', (table) => {
      table.integer('site_id').unsigned().notNullable().references('sites.id').onDelete('CASCADE');
      table.string('kind', 10).notNullable();
      time(table, 'started_at').notNullable();
      time(table, 'ended_at').notNullable();
      table.primary(['site_id', 'kind', 'started_at']);
      table.index(['site_id', 'ended_at'], 'monitor_spans_of_site');
      table.index(['ended_at'], 'monitor_spans_ended');
    });
    // The current span of monitoring. A check after `watch_lapses_at` begins a new span.
    await knex.schema.alterTable('monitors', (table) => {
      time(table, 'watched_since');
      time(table, 'watched_until');
      time(table, 'watch_lapses_at');
    });
    const siteIds = await knex('monitors').orderBy('site_id').pluck<number[]>('site_id');
    for (let start = 0; start < siteIds.length; start += SITES_A_STATEMENT)
      await estimateSpans(knex, siteIds.slice(start, start + SITES_A_STATEMENT));
    await knex('monitors')
      .whereNotNull('last_check_at')
      .update({
        watched_since: knex.ref('last_check_at'),
        watched_until: knex.ref('last_check_at'),
        // While the service is restarted for the upgrade, the next check can be a few minutes late.
        watch_lapses_at: knex.raw('next_check_at + ?', [10 * MINUTE]),
      });
  },
  async down(knex) {
    for (const column of ['watched_since', 'watched_until', 'watch_lapses_at'])
      await knex.raw('alter table ?? drop column ??', ['monitors', column]);
    await dropTables(knex, 'monitor_spans');
  },
};

async function estimateSpans(knex: Knex, siteIds: readonly number[]): Promise<void> {
  const numbered = knex('monitor_days')
    .whereIn('site_id', [...siteIds])
    .whereRaw('up + down > 0')
    .select(
      'site_id',
      'day',
      knex.raw('day - cast(row_number() over (partition by site_id order by day) as signed) as unbroken'),
    );
  const unbroken = knex
    .from(numbered.as('numbered'))
    .groupBy('site_id', 'unbroken')
    .select('site_id')
    .min({ first_day: 'day' })
    .max({ last_day: 'day' });
  const rows: DaysWithChecks[] = await knex
    .from(unbroken.as('spans'))
    .join('sites', 'sites.id', 'spans.site_id')
    .join('monitors', 'monitors.site_id', 'spans.site_id')
    .join('monitor_days as first', { 'first.site_id': 'spans.site_id', 'first.day': 'spans.first_day' })
    .join('monitor_days as last', { 'last.site_id': 'spans.site_id', 'last.day': 'spans.last_day' })
    .select(
      ...['spans.site_id', 'spans.first_day', 'spans.last_day', 'sites.created_at', 'monitors.last_check_at'],
      ...['first.hours as first_hours', 'last.hours as last_hours'],
    );
  const spans = rows.map(spanOf).filter(({ started_at, ended_at }) => started_at < ended_at);
  for (let start = 0; start < spans.length; start += ROWS_A_STATEMENT)
    await knex('monitor_spans').insert(spans.slice(start, start + ROWS_A_STATEMENT));
}

function spanOf(row: DaysWithChecks) {
  const firstHour = row.first_hours.split(';').findIndex((hour) => hour !== '');
  const lastHour = row.last_hours.split(';').findLastIndex((hour) => hour !== '');
  return {
    site_id: row.site_id,
    kind: 'estimated',
    started_at: Math.max(Number(row.first_day) * DAY + firstHour * HOUR, Number(row.created_at)),
    ended_at: Math.min(Number(row.last_day) * DAY + (lastHour + 1) * HOUR, Number(row.last_check_at ?? Infinity)),
  };
}
