import assert from 'node:assert/strict';
import { BackupService } from '../../../src/domains/backups/index.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { recordStatements, withFreshDatabase, type TestDatabase } from '../../support/database.ts';

const SITES = 250;

describe('last backup times of sites', () => {
  let opened: TestDatabase;
  withFreshDatabase((fresh) => (opened = fresh));
  const ids = Array.from({ length: SITES }, (_, index) => index + 1);

  async function insertSites(): Promise<void> {
    const rows = ids.map((id) => ({
      id,
      url: `https://site-${id}.example/`,
      url_key: `site-${id}.example`,
      name: `Site ${id}`,
      name_key: `site ${id}`,
      status: 'connected',
      created_at: 0,
      updated_at: 0,
    }));
    for (let start = 0; start < SITES; start += 50)
      await opened.database.knex('sites').insert(rows.slice(start, start + 50));
  }

  it('when a source reports 250 sites, then the newest time of each site is stored with few SQL statements', async () => {
    await insertSites();
    const { knex } = opened.database;
    const backups = new BackupService(knex);
    const record = (source: string, takenAt: (id: number) => number) =>
      inTransaction(knex, ({ trx }) => backups.record(trx, source, new Map(ids.map((id) => [id, takenAt(id)]))));
    await record('one', () => 1_000);
    // Newer for even IDs, older for odd IDs.
    const sent = await recordStatements(knex, () => record('one', (id) => (id % 2 === 0 ? 2_000 : 500)));
    assert.ok(sent.length <= 12, `${sent.length} statements`);
    await record('two', (id) => (id === 7 ? 3_000 : 1));
    const latest = await backups.latest(ids);
    assert.equal(latest.get(7), 3_000);
    for (const id of ids.filter((each) => each !== 7)) assert.equal(latest.get(id), id % 2 === 0 ? 2_000 : 1_000);
  });
});
