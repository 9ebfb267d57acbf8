import assert from 'node:assert/strict';
import {
  downAlert,
  editEmails,
  FakeMailServer,
  listMails,
  raiseAlerts,
  sendAlertMails,
  waitForMailState,
  writeMail,
} from '../../support/mail.ts';
import { addReportSchedule, createClientWithSites, makeReport } from '../../support/report-schedules.ts';
import { updateSite } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const V2 = '/api/v2';

describe('the outbox of callers that are limited to some sites', () => {
  let server: FakeMailServer;
  let world: World;
  before(async () => {
    server = await new FakeMailServer().start();
    world = await startWorld({ sites: 3, env: { SMTP_URL: server.url } });
    await editEmails(world, 'uptime', { recipients: 'ops@example.com' });
  });
  after(async () => {
    await world.close();
    await server.close();
  });

  const addKey = async (limit: object | null): Promise<string> =>
    (await world.request('POST', `${V2}/rest-api/add-key`, { body: { scope: 'read_write', limit } })).body.data.token;
  const ask = async (token: string, method: string, path: string, expect = 200) =>
    (await world.request(method, V2 + path, { as: 'nobody', headers: { authorization: `Bearer ${token}` }, expect }))
      .body;
  const list = (token: string) => ask(token, 'GET', '/outbox?per_page=100');
  const alertMail = async (...indexes: number[]): Promise<number> => {
    const key = `${indexes.join('-')}-${Date.now()}`;
    await raiseAlerts(world, ...indexes.map((index) => downAlert(`${key}-${index}`, 'Shop', world.siteId(index))));
    const { id } = (await sendAlertMails(world))[0];
    await waitForMailState(world, id, 'sent');
    return id;
  };

  it('when mails are about sites, then those are visible whose sites are all in the limit', async () => {
    const [first, both, second] = [await alertMail(0), await alertMail(0, 1), await alertMail(1)];
    const other = await writeMail(world);
    for (const [sites, seen] of [
      [[0], [first]],
      [[1], [second]],
      [
        [0, 1],
        [second, both, first],
      ],
      [[2], []],
      [[], []],
    ] as const) {
      const token = await addKey({ sites: sites.map((index) => world.siteId(index)) });
      const { data, total } = await list(token);
      const expected = (await listMails(world)).filter(({ id }) => (seen as readonly number[]).includes(id));
      assert.deepEqual([data, total], [expected, seen.length], sites.join());
      assert.deepEqual(
        data.map(({ id }: { id: number }) => id),
        seen,
      );
      for (const id of [first, both, second, other])
        if ((seen as readonly number[]).includes(id))
          assert.equal((await ask(token, 'GET', `/outbox/${id}`)).data.id, id);
        else
          for (const [method, path] of [
            ['GET', ''],
            ['POST', '/resend'],
          ] as const)
            assert.deepEqual(
              await ask(token, method, `/outbox/${id}${path}`, 404),
              await ask(token, method, `/outbox/999999${path}`, 404),
            );
    }
  });

  it('when a mail is visible, then it can be sent again', async () => {
    const id = await alertMail(0);
    await waitForMailState(world, id, 'sent');
    const before = server.received.length;
    const token = await addKey({ sites: [world.siteId(0)] });
    assert.equal((await ask(token, 'POST', `/outbox/${id}/resend`)).data.state, 'queued');
    await waitForMailState(world, id, 'sent');
    assert.equal(server.received.length, before + 1);
  });

  it('when a mail has a report, then it is visible as long as the sites of the report are in the limit', async () => {
    const client = await createClientWithSites(
      ...([world, 'Bakery', 'office@bakery.example', world.siteId(0), world.siteId(1)] as const),
    );
    const fields = { format: 'html', hold_first_report: false };
    const mails: number[] = [];
    for (const about of [{ site_id: world.siteId(0) }, { client_id: client }]) {
      const { id } = await addReportSchedule(world, { ...fields, ...about });
      mails.push((await makeReport(world, id)).mails[0].id);
    }
    const reportsOf = async (token: string): Promise<number[]> =>
      (await ask(token, 'GET', '/outbox?type=report&per_page=100')).data
        .map(({ id }: { id: number }) => id)
        .toReversed();
    const [one, all] = [await addKey({ sites: [world.siteId(0)] }), await addKey({ clients: [client] })];
    assert.deepEqual([await reportsOf(one), await reportsOf(all)], [[mails[0]], mails]);
    await updateSite(world, world.siteId(1), { client_id: null });
    assert.deepEqual([await reportsOf(one), await reportsOf(all)], [[mails[0]], [mails[0]]]);
    await world.request('DELETE', `${V2}/sites/${world.siteId(0)}/remove`);
    assert.deepEqual([await reportsOf(one), await reportsOf(all)], [[], []]);
  });
});
