import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { isMysql } from '../../src/db/dialect.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { runTool } from '../support/tools.ts';
import { syncSites } from '../support/sites.ts';
import { writeMail } from '../support/mail.ts';
import { createWorkedTask } from '../support/time-tracker.ts';
import { addReportSchedule, makeReport } from '../support/report-schedules.ts';
import { addReportTemplate } from '../support/report-templates.ts';
import { storePackage } from '../support/packages.ts';
import { pinFirstPlugin } from '../support/pins.ts';
import { leaveOutFixes } from '../support/vulnerability-fixes.ts';
import { addRole } from '../support/roles.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

/** Columns that any call changes: the last use of a credential. */
const OF_THE_CALL: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['last_used_at'],
  application_passwords: ['last_used_at'],
};

describe('every read operation', () => {
  const reads = documentedOperations(({ place }) => {
    const facts = place.item['x-ability'];
    return facts ? facts.readonly : place.verb === 'get';
  });
  let world: World;
  let given: Record<string, unknown>;
  let tables: string[];

  /** Returns a hash of the rows of each table. */
  async function rows(): Promise<Record<string, string>> {
    const { knex } = world.container.database;
    const hashes: Record<string, string> = {};
    for (const table of tables) {
      const found = await knex(table).select<Record<string, unknown>[]>();
      const left = found.map((row) =>
        JSON.stringify(Object.entries(row).filter(([column]) => !OF_THE_CALL[table]?.includes(column))),
      );
      hashes[table] = createHash('sha256').update(left.sort().join('\n')).digest('hex');
    }
    return hashes;
  }

  before(async () => {
    world = await startWorld({ sites: 1 });
    const { knex } = world.container.database;
    const listed = isMysql(knex)
      ? await knex('information_schema.tables').whereRaw('table_schema = database()').pluck<string[]>('table_name')
      : await knex('sqlite_master').where({ type: 'table' }).pluck<string[]>('name');
    tables = listed.filter((name) => !name.startsWith('sqlite_')).sort();
    assert.ok(tables.length > 20);
    const body = async (path: string, sent: object): Promise<{ id: number }> =>
      (await world.request('POST', `/api/v2${path}`, { body: sent })).body.data;
    const site = world.siteId(0);
    const client = await body('/clients/add', {
      name: 'Bakery',
      client_email: 'b@example.com',
      selected_sites: [site],
    });
    const tag = await body('/tags/add', { name: 'shops' });
    const cost = await body('/costs/add', { name: 'Hosting', price: 5, sites: [site] });
    const destroy_id = (await runTool(world, 'destroy-sessions')).id;
    const renew_id = (await runTool(world, 'renew-connections')).id;
    const disconnect_id = (await runTool(world, 'disconnect-all-sites')).id;
    await world.request('POST', `/api/v2/sites/${site}/reconnect`);
    await syncSites(world);
    const [job] = (await world.request('GET', '/api/v2/jobs')).body.data;
    const firstOf = async (kind: string): Promise<number> =>
      (await world.request('GET', `/api/v2/${kind}`)).body.data[world.site(0).url][0].id;
    const schedule = await addReportSchedule(world, { site_id: site, format: 'html' });
    const report = await makeReport(world, schedule.id);
    given = {
      schedule_id: schedule.id,
      report_id: report.id,
      template_key: await addReportTemplate(world),
      destroy_id,
      renew_id,
      disconnect_id,
      id_or_domain: site,
      site_id_or_domain: site,
      site_ids_or_domains: [site],
      id_or_email: client.id,
      client_id_or_email: client.id,
      client_id: client.id,
      tag_id: tag.id,
      cost_id: cost.id,
      ...(await createWorkedTask(world, client.id, site)),
      key_id: 1,
      role_name: await addRole(world),
      service_user_id: 1,
      job_id: job.job_id,
      post_id: await firstOf('posts'),
      page_id: await firstOf('pages'),
      mail_id: await writeMail(world),
      ...(await leaveOutFixes(world)),
      package_id: await storePackage(world),
      pin_id: await pinFirstPlugin(world, site),
    };
  });
  after(() => world.close());

  for (const { contract, place } of reads)
    it(`when a read is called, then no table and no site changes: ${place.operation.operationId}`, async () => {
      const { method, path, body } = await exampleRequest(contract, place, given);
      const [before, site] = [await rows(), JSON.stringify(world.site(0).state)];
      const asked = await world.request(method, path, body === null ? {} : { body });
      assert.equal(asked.status, 200);
      assert.deepEqual(await rows(), before);
      assert.equal(JSON.stringify(world.site(0).state), site);
    });

  it('when a site fails during a read, then no table changes', async () => {
    const before = await rows();
    world.site(0).fault = { kind: 'refuse' };
    for (const path of ['posts', 'pages', 'comments', 'users', `posts/${world.siteId(0)}/1`])
      await world.request('GET', `/api/v2/${path}`, { expect: path.includes('/') ? 503 : 200 });
    world.site(0).fault = null;
    assert.deepEqual(await rows(), before);
  });
});
