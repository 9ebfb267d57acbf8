import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { migrateDown, migrateUp } from '../../src/db/migrations/index.ts';
import { withFreshDatabase } from '../support/database.ts';

describe('migration of the sites of stored reports', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));

  it('when reports were made, then they show their site, or the sites that their client has now', async () => {
    while ((await migrateDown(knex))[0] !== '20261128T0600_create_kept_report_sites');
    const times = { created_at: 1, updated_at: 1 };
    await knex('clients').insert({ id: 1, name: 'Bakery', name_key: 'bakery', note: '', status: 'active', ...times });
    for (const [id, client] of [
      [1, 1],
      [2, 1],
      [3, null],
    ] as const) {
      const names = { url: `https://${id}.example/`, url_key: `${id}.example`, name: `${id}`, name_key: `${id}` };
      await knex('sites').insert({ id, client_id: client, ...names, status: 'connected', ...times });
    }
    for (const [id, about, site, client, state] of [
      [1, 'site', 1, 1, 'made'],
      [2, 'site', null, 1, 'made'],
      [3, 'client', null, 1, 'made'],
      [4, 'client', null, null, 'made'],
      [5, 'client', null, 1, 'queued'],
    ] as const)
      await knex('kept_reports').insert({
        ...{ id, about, site_id: site, client_id: client, state, name: 'Report', name_key: 'report', url: '' },
        ...{ frequency: 'weekly', zone: 'UTC', start_date: '2026-11-01', end_date: '2026-11-07', summary: '[]' },
        ...{ recipients: '[]', file_name: '', sites_count: 1, created_at: 1 },
      });
    await migrateUp(knex);
    const rows = await knex('kept_report_sites').orderBy(['report_id', 'site_id']).select('report_id', 'site_id');
    assert.deepEqual(
      rows.map((row) => [row.report_id, row.site_id]),
      [
        [1, 1],
        [3, 1],
        [3, 2],
      ],
    );
  });
});
