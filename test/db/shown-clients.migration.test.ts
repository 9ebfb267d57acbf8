import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { migrateDown, migrateUp } from '../../src/db/migrations/index.ts';
import { withFreshDatabase } from '../support/database.ts';

const TIMES = { created_at: 1, updated_at: 1 };

describe('migration of the clients that reports, mails and changes show', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));

  it('when reports were mailed, then they and their mails show the client, and changes no longer name it', async () => {
    while ((await migrateDown(knex))[0] !== '20261128T1050_store_shown_clients');
    await knex('clients').insert({ id: 1, name: 'Bakery', name_key: 'bakery', note: '', status: 'active', ...TIMES });
    for (const [id, client] of [
      [1, 1],
      [2, null],
    ] as const) {
      await knex('kept_reports').insert({
        ...{ id, about: 'client', client_id: client, state: 'made', name: 'Report', name_key: 'report', url: '' },
        ...{ frequency: 'weekly', zone: 'UTC', start_date: '2026-11-01', end_date: '2026-11-07', summary: '[]' },
        ...{ recipients: '[]', file_name: '', sites_count: 1, created_at: 1 },
      });
      await knex('mails').insert({
        ...{ id, type: 'report', message_id: `<${id}@x>`, subject: '', html: '', text: '', links: '[]' },
        ...{ state: 'sent', ...TIMES },
      });
      await knex('kept_report_mails').insert({ report_id: id, mail_id: id });
    }
    const texts = ['Changed from suspended to connected together with the client Bakery & Söhne.', 'Changed the name.'];
    for (const [index, description] of texts.entries()) {
      const change = { source: 'dashboard', type: 'site.unsuspended', actor: 'Ann', at: 1 };
      await knex('changes').insert({ id: index + 1, ...change, description });
    }
    await migrateUp(knex);
    for (const table of ['kept_reports', 'mails'])
      assert.deepEqual(await knex(table).orderBy('id').pluck('shown_client_id'), [1, null], table);
    assert.deepEqual(await knex('changes').orderBy('id').pluck('description'), [
      'Changed from suspended to connected together with its client.',
      'Changed the name.',
    ]);
  });
});
