import assert from 'node:assert/strict';
import { FakeMailServer } from '../support/mail.ts';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';
import { eventually, until } from '../support/until.ts';
import { ALPHA, removeItemsWithUpdates } from '../support/updates.ts';
import { FeedServer, osvRecord } from '../support/vulnerabilities.ts';

/** Number of sites, which are compared in two transactions. */
const SITES = 55;
/** Number of records, which are stored in thirty transactions. */
const RECORDS = 1_500;
/** Time limit that includes the lease of a dead process on a busy machine. */
const PATIENCE = 180_000;

/** The first and the last record affect a plugin of every site. */
const feedOf = (fixed: string) => [
  osvRecord('alpha', fixed),
  ...Array.from({ length: RECORDS - 2 }, (_, index) => osvRecord(`plugin-of-nobody-${index}`, fixed)),
  osvRecord('beta', fixed),
];

interface Exposure {
  site_id: number;
  slug: string;
  ending: string | null;
}

/** On MariaDB a second process continues. On SQLite the killed process is restarted. */
describe('a vulnerability refresh of a killed process', function () {
  this.timeout(400_000);
  let mails: FakeMailServer;
  let feed: FeedServer;
  let services: ServiceFleet;
  const other = sharedServer() ? 1 : 0;
  before(async () => {
    [mails, feed] = await Promise.all([new FakeMailServer().start(), FeedServer.start()]);
    services = await ServiceFleet.start({ sites: SITES, env: { SMTP_URL: mails.url } });
    for (const site of services.fleet.sites) removeItemsWithUpdates(site);
    await ask(0, 'POST', '/sites/sync');
    await ask(0, 'PUT', '/settings/emails/vulnerability/edit', { recipients: 'ops@example.com' });
    const settings = { osv_sources: [feed.url], alert_severity: 'low' };
    await ask(0, 'PUT', '/settings/vulnerabilities/edit', settings);
    if (sharedServer()) await services.kill(other);
  });
  after(async () => {
    await services.close();
    await feed.close();
    await mails.close();
  });

  const ask = (index: number, method: string, path: string, body?: object) =>
    services.request(index, method, `/api/v2${path}`, body);
  const count = async (table: string, where: object = {}): Promise<number> => {
    const [row] = await services.knex(table).where(where).count<{ rows: number }[]>({ rows: '*' });
    return Number(row?.rows);
  };
  const begin = async (): Promise<string> => (await services.runSchedule(0, 'vulnerability-refresh')).job_id;
  const killAndGoOn = async (): Promise<void> => {
    await services.kill(0);
    await services.restart(other);
  };
  const exposures = async (): Promise<Exposure[]> =>
    (await ask(other, 'GET', '/vulnerabilities/exposures?per_page=500&state=any')).data;
  const told = async (): Promise<string[]> =>
    (await exposures()).map(({ site_id, slug, ending }) => `${site_id} ${slug} ${ending}`).sort();
  const ofAll = (...slugs: string[]): string[] =>
    services.fleet.sites.flatMap((_, index) => slugs.map((slug) => `${index + 1} ${slug}`)).sort();

  it('when the process dies while it stores records, then no partial feed is used, and the next process finishes it', async () => {
    feed.content = feedOf('99');
    const job = await begin();
    await until(async () => (await count('vulnerabilities')) > 0, 'the first records');
    await services.kill(0);
    const half = await count('vulnerabilities');
    assert.ok(half > 0 && half < RECORDS, `${half} records were written`);
    assert.equal(await count('exposures'), 0);
    await services.restart(other);
    // A sync compares its versions with the stored records, whether half or all of them.
    const [first = assert.fail()] = services.fleet.sites;
    Object.assign(first.state.plugins.get(ALPHA) ?? assert.fail(), { version: '5.9' });
    first.touch();
    await ask(other, 'POST', '/sites/1/sync');
    const found = await count('exposures');
    const generations = await count('vulnerability_feeds', { generation: 1 });
    assert.ok(found === 0 || generations === 1, `${found} exposures by half a feed`);

    const { data, items } = await services.finishedJob(other, job, PATIENCE);
    assert.deepEqual([data.status, items[0].result.feed.records], ['completed', RECORDS]);
    assert.equal(await count('vulnerabilities'), RECORDS);
    assert.equal(await count('vulnerable_versions'), RECORDS);
    assert.deepEqual(await told(), ofAll('alpha null', 'beta null'));
    assert.equal(await count('alerts', { type: 'vulnerability' }), 2 * SITES);
  });

  it('when the process dies while it compares, then each exposure begins, ends and is mailed once', async () => {
    // The process that took over before is killed now.
    if (sharedServer()) {
      await services.kill(other);
      await services.restart(0);
    }
    feed.content = [osvRecord('alpha', '0.1'), ...feedOf('98').slice(1), osvRecord('gamma', '99')];
    const job = await begin();
    const corrected = () => count('exposures', { ending: 'corrected' });
    await until(async () => (await corrected()) > 0, 'the first comparisons');
    await killAndGoOn();
    const { data } = await services.finishedJob(other, job, PATIENCE);
    assert.equal(data.status, 'completed');
    assert.deepEqual(await told(), ofAll('alpha corrected', 'beta null', 'gamma null'));
    assert.equal(await count('alerts', { type: 'vulnerability' }), 3 * SITES);
    assert.equal(await count('vulnerability_matches_due'), 0);
    assert.equal(await count('changes', { type: 'vulnerability.found' }), 3 * SITES);
    assert.equal(await count('changes', { type: 'vulnerability.ended' }), SITES);

    const { job_id: again } = await services.runSchedule(other, 'vulnerability-refresh');
    await services.finishedJob(other, again, PATIENCE);
    await services.runSchedule(other, 'alert-mails');
    await eventually(
      async () => (await ask(other, 'GET', '/outbox?type=vulnerability&state=sent')).total > 0,
      'a mail',
    );
    assert.equal(await count('alerts', { type: 'vulnerability' }), 3 * SITES);
  });
});
