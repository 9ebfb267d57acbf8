import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { migrateDown, migrateUp } from '../../src/db/migrations/index.ts';
import { withFreshDatabase } from '../support/database.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;
/** Number of the day 2026-11-20. */
const FIRST = 20_777;

/** Returns the figures of a day with one check in each of these hours. */
const hoursOf = (...hours: number[]): string =>
  Array.from({ length: 24 }, (_, hour) => (hours.includes(hour) ? '1,0,5k,5k,5k' : '')).join(';');

describe('migration of watched spans', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));

  it('when monitors have days with checks, then their watched spans are estimated, and the last check continues', async () => {
    while ((await migrateDown(knex))[0] !== '20261124T1800_store_watched_spans');
    const lastCheck = (FIRST + 5) * DAY + 9 * HOUR + 20 * MINUTE;
    for (const [id, created_at] of [
      [1, FIRST * DAY + 14 * HOUR + 10 * MINUTE],
      [2, 1],
    ] as const) {
      const site = { url: `https://${id}.example/`, url_key: `${id}.example`, name: `${id}`, name_key: `${id}` };
      await knex('sites').insert({ id, ...site, status: 'connected', created_at, updated_at: 1 });
    }
    await knex('monitors').insert({
      ...{ site_id: 1, state: 'up', next_check_at: lastCheck + 5 * MINUTE, last_check_at: lastCheck },
    });
    await knex('monitors').insert({ site_id: 2, state: 'first', next_check_at: 0 });
    for (const [day, up, hours] of [
      [FIRST, 3, hoursOf(14, 15, 23)],
      [FIRST + 1, 1, hoursOf(12)],
      [FIRST + 2, 0, hoursOf()],
      [FIRST + 4, 2, hoursOf(8, 20)],
      [FIRST + 5, 1, hoursOf(9)],
    ] as const)
      await knex('monitor_days').insert({ site_id: 1, day, up, down: 0, hours });
    await migrateUp(knex);
    const spans = await knex('monitor_spans').orderBy('started_at').select();
    assert.deepEqual(
      spans.map((row) => ({ ...row, started_at: Number(row.started_at), ended_at: Number(row.ended_at) })),
      [
        {
          ...{ site_id: 1, kind: 'estimated', started_at: FIRST * DAY + 14 * HOUR + 10 * MINUTE },
          ended_at: (FIRST + 1) * DAY + 13 * HOUR,
        },
        { site_id: 1, kind: 'estimated', started_at: (FIRST + 4) * DAY + 8 * HOUR, ended_at: lastCheck },
      ],
    );
    const monitors = await knex('monitors')
      .orderBy('site_id')
      .select('watched_since', 'watched_until', 'watch_lapses_at');
    assert.deepEqual(
      monitors.map((row) => [row.watched_since, row.watched_until, row.watch_lapses_at]),
      [
        [lastCheck, lastCheck, lastCheck + 15 * MINUTE],
        [null, null, null],
      ],
    );
  });
});
