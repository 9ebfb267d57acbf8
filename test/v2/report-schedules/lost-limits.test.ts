import assert from 'node:assert/strict';
import { scopeWithin, type SiteLimit } from '../../../src/shared/site-scope.ts';
import { FakeMailServer, listMails, waitForMailState } from '../../support/mail.ts';
import { addReportSchedule, createClientWithSites, makeReport, readReport } from '../../support/report-schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A limited caller passes the checks of its call, and loses the sites before the job runs. */
describe('reports and mails of callers that have lost their sites', () => {
  let server: FakeMailServer;
  let world: World;
  let [bakery, schedule] = [0, 0];

  beforeEach(async () => {
    server = await new FakeMailServer().start();
    world = await startWorld({ sites: 3, env: { SMTP_URL: server.url } });
    bakery = await createClientWithSites(world, 'Bakery', 'office@bakery.example', world.siteId(0), world.siteId(1));
    schedule = (await addReportSchedule(world, { client_id: bakery })).id;
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  const limitOf = (...indexes: number[]): SiteLimit => ({
    ...{ clients: [], tags: [] },
    sites: indexes.map((index) => world.siteId(index)),
  });
  /** Adds a key. Returns a caller that still has the first limit, while the key has the second one. */
  async function callerThatLost(before: SiteLimit, now: SiteLimit | 'deleted') {
    const limit = now === 'deleted' ? before : now;
    const { data } = (await world.request('POST', '/api/v2/rest-api/add-key', { body: { scope: 'read_write', limit } }))
      .body;
    if (now === 'deleted') await world.request('DELETE', `/api/v2/rest-api/delete-key/${data.id}`);
    const permissions = new Set(['reports:write', 'reports:read'] as const);
    return { name: 'limited', userId: 1, keyId: data.id as number, sites: scopeWithin([before]), permissions };
  }
  const itemOf = async (jobId: string) => {
    const { items } = await world.finishedJob(jobId);
    return [items[0].state, items[0].error?.code];
  };

  for (const [loss, now] of [
    ['its key is deleted', 'deleted'],
    ['a site of the client leaves its limit', [0]],
    ['all sites leave its limit', [2]],
  ] as const)
    it(`when ${loss} before the report is made, then the report fails and is not mailed`, async () => {
      const { schedules } = world.container.services.reportSchedules;
      const caller = await callerThatLost(limitOf(0, 1), now === 'deleted' ? now : limitOf(...now));
      const report = await schedules.run(schedule, {}, caller, 'Words of the caller');
      assert.deepEqual(await itemOf(report.jobId ?? ''), ['failed', 'svc_outside_limits']);
      const stored = await readReport(world, report.id);
      assert.deepEqual([stored.status, stored.error.code, stored.mails], ['failed', 'svc_outside_limits', []]);
      assert.deepEqual([await listMails(world), server.received], [[], []]);
    });

  it('when the caller still sees all sites, then its report is made and mailed', async () => {
    const { schedules } = world.container.services.reportSchedules;
    const caller = await callerThatLost(limitOf(0, 1), limitOf(0, 1, 2));
    const report = await schedules.run(schedule, {}, caller, 'Words of the caller');
    assert.deepEqual(await itemOf(report.jobId ?? ''), ['succeeded', undefined]);
    const [mail] = await listMails(world);
    await waitForMailState(world, mail.id, 'sent');
  });

  it('when it has sent a mail that it does not see any more, then the mail is not sent', async () => {
    const { id } = await makeReport(world, schedule);
    const [{ id: mailId }] = await listMails(world);
    await waitForMailState(world, mailId, 'sent');
    const { reportSchedules, mail } = world.container.services;
    const caller = await callerThatLost(limitOf(0, 1), limitOf(0));
    await mail.outbox.resend(caller, mailId);
    const resent = await waitForMailState(world, mailId, 'failed');
    assert.equal(resent.error.code, 'outside_limits');
    assert.deepEqual(await itemOf(resent.job_id), ['failed', 'svc_outside_limits']);
    await reportSchedules.reports.send(id, ['other@example.com'], caller);
    const [newest] = await listMails(world);
    assert.equal((await waitForMailState(world, newest.id, 'failed')).error.code, 'outside_limits');
    assert.equal(server.received.length, 1);
  });
});
