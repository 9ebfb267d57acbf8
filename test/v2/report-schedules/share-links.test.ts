import assert from 'node:assert/strict';
import { ReportLinkRepository } from '../../../src/domains/report-schedules/report-link-repository.ts';
import { isPublicHost } from '../../../src/outbound/index.ts';
import { readMail, waitForMailState, FakeMailServer } from '../../support/mail.ts';
import {
  addReportSchedule,
  createClientWithSites,
  makeReport,
  readFile,
  readReport,
} from '../../support/report-schedules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

const PUBLIC = 'https://fleet.agency.example.com/sub';
const LINK = /https:\/\/fleet\.agency\.example\.com\/sub(\/share\/reports\/[A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/;

describe('links to reports', () => {
  let server: FakeMailServer;
  let world: World;
  let clock: ManualClock;
  let client: number;
  beforeEach(async () => {
    server = await new FakeMailServer().start();
    clock = new ManualClock('2026-11-22T09:00:00Z');
    const env = { SMTP_URL: server.url, SITEFLEET_PUBLIC_URL: PUBLIC };
    world = await startWorld({ sites: 1, env, overrides: { tickMs: null, clock } });
    client = await createClientWithSites(world, 'Corner Bakery', 'ann@example.com', world.siteId(0));
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  /** Sends a report of the client. Returns its record, and the path of the link in the received mail. */
  async function sentReport() {
    const { id } = await makeReport(world, (await addReportSchedule(world, { client_id: client })).id);
    const report = await readReport(world, id);
    const mail = await waitForMailState(world, report.mails[0].id, 'sent');
    const received = server.received.at(-1)?.mail;
    const [, path = ''] = LINK.exec(received?.text ?? '') ?? [];
    return { id: id as number, report, mail, received, path };
  }
  const open = (path: string) => world.agent('nobody').get(path);
  const openings = async () => {
    const { body } = await world.request('GET', '/api/v2/changes?type=report.opened');
    return body.data.map(({ description }: { description: string }) => description);
  };

  it('when the day ends earlier in the time zone of the client, then the link names its last day there', async () => {
    await world.request('PUT', `/api/v2/clients/${client}/edit`, { body: { time_zone: 'Pacific/Auckland' } });
    clock.time = Date.parse('2026-11-22T20:00:00Z');
    // 90 days after 9 a.m. on November 23 in Auckland.
    assert.match((await sentReport()).received?.text ?? '', /It works until February 21, 2027\./);
  });

  it('when a network sends more than 300 unknown links a minute, then further ones get 429, and valid ones work', async () => {
    const { path } = await sentReport();
    const wrong = `/share/reports/${'x'.repeat(43)}`;
    for (let sent = 0; sent < 300; sent++) await open(wrong).expect(404);
    const refused = await open(wrong).expect(429);
    assert.equal(refused.headers['retry-after'], '60');
    assert.match(refused.text, /Too many requests/);
    await open(path).expect(200);
    clock.time += 60_000;
    await open(wrong).expect(404);
  });

  it('when a report is mailed, then the mail has a link instead of the file, and the link shows the report', async () => {
    const { id, report, mail, received, path } = await sentReport();
    assert.deepEqual(received?.attachments, []);
    assert.ok(received.html?.includes(`href="${PUBLIC}${path.slice(0)}"`));
    assert.match(received.text ?? '', /It works until February 20, 2027\./);
    const page = await open(path);
    assert.equal(page.status, 200);
    const file = await readFile(world, `/reports/${id}/file?format=html`);
    const robots = '<meta name="robots" content="noindex, nofollow, noarchive">';
    assert.equal(page.text.replace(robots, ''), (file.body as Buffer).toString('utf8'));
    assert.ok(page.text.includes(`<head>${robots}`));
    assert.equal(page.headers['x-robots-tag'], 'noindex, nofollow, noarchive');
    assert.equal(page.headers['cache-control'], 'private, no-store');
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'/);
    assert.match(policy, /; frame-ancestors 'none'; form-action 'none'; base-uri 'none'; sandbox$/);
    assert.doesNotMatch(policy, /script-src|connect-src/);
    assert.deepEqual(report.links, [
      {
        id: report.links[0].id,
        mail_id: mail.id,
        created_at: '2026-11-22T09:00:00Z',
        expires_at: '2027-02-20T09:00:00Z',
        revoked_at: null,
        openings: 0,
        last_opened_at: null,
      },
    ]);
  });

  it('when a mail with a link is stored, then neither database, outbox nor log has the token', async () => {
    const { mail, path } = await sentReport();
    await open(path).expect(200);
    await open(`/${path}`);
    const token = path.split('/').at(-1) ?? '';
    const stored = await readMail(world, mail.id);
    assert.deepEqual(stored.links, [{ label: 'Open the report', href: `${PUBLIC}/share/reports/hidden-link-token` }]);
    const { knex } = world.container.database;
    const rows = [await knex('mails'), await knex('report_links'), await knex('jobs'), await knex('changes')];
    assert.ok(rows.flat().length > 3);
    for (const text of [JSON.stringify(stored), JSON.stringify(rows), world.logLines.join('')])
      assert.ok(!text.includes(token));
    assert.ok(world.logLines.some((line) => line.includes('"path":"/share/reports/[redacted]"')));
    await world.request('POST', `/api/v2/outbox/${mail.id}/resend`);
    await waitForMailState(world, mail.id, 'sent');
    assert.ok(server.received.at(-1)?.mail.text?.includes(token), 'a mail that is resent has the same link');
  });

  it('when a report is deleted while its link or file is read, then the answer is 404', async () => {
    const { id, path } = await sentReport();
    const { knex } = world.container.database;
    // A reader that found the report before the deletion finds no file after it.
    await knex('kept_report_parts').where({ report_id: id }).delete();
    await open(path).expect(404);
    await knex('kept_reports').where({ id }).update({ pdf_size: 5 });
    for (const format of ['html', 'pdf'])
      await world.request('GET', `/api/v2/reports/${id}/file?format=${format}`, { expect: 404 });
    const [link] = await knex('report_links').where({ report_id: id });
    await world.request('DELETE', `/api/v2/reports/${id}/delete`);
    await new ReportLinkRepository(knex).countOpening({ id: link.id, reportId: id }, '2026-11-22', clock.now());
    assert.deepEqual(await knex('report_openings'), []);
  });

  it('when links are unknown, expired or revoked, then they answer 404 without the report', async () => {
    await editSettings(world, 'pro-reports', { share_link_days: 2 });
    const { id, path } = await sentReport();
    const notFound = async (path: string) => {
      const page = await open(path);
      assert.equal(page.status, 404);
      assert.match(page.text, /The link does not work/);
      assert.equal(page.headers['x-robots-tag'], 'noindex, nofollow, noarchive');
    };
    await notFound(`/share/reports/${'A'.repeat(43)}`);
    await notFound('/share/reports/hidden-link-token');
    await notFound(`${path}x`);
    clock.set('2026-11-24T08:59:59Z');
    await open(path).expect(200);
    clock.set('2026-11-24T09:00:00Z');
    await notFound(path);
    clock.set('2026-11-24T08:00:00Z');
    await world.request('POST', `/api/v2/reports/${id}/revoke-links`, { as: 'viewer', expect: 403 });
    await open(path).expect(200);
    const revoked = (await world.request('POST', `/api/v2/reports/${id}/revoke-links`)).body.data;
    assert.equal(revoked.links[0].revoked_at, '2026-11-24T08:00:00Z');
    await notFound(path);
    await world.request('POST', `/api/v2/reports/${id}/revoke-links`);
    const changes = (await world.request('GET', '/api/v2/changes?type=report.links_revoked')).body.data;
    assert.deepEqual(
      changes.map(({ description }: { description: string }) => description),
      ['Revoked a link to the report Corner Bakery.'],
    );
    await world.request('POST', `/api/v2/reports/${id}/send`);
    const [{ id: mailId }] = (await readReport(world, id)).mails;
    await waitForMailState(world, mailId, 'sent');
    const [, next = ''] = LINK.exec(server.received.at(-1)?.mail.text ?? '') ?? [];
    await open(next).expect(200);
    await world.request('DELETE', `/api/v2/reports/${id}/delete`);
    await notFound(next);
    await world.request('POST', '/api/v2/reports/999/revoke-links', { expect: 404 });
  });

  it('when a report is opened, then the change log has one entry per day with the number', async () => {
    const { id, path } = await sentReport();
    for (let time = 0; time < 3; time++) await open(path).expect(200);
    await world.agent('nobody').head(path).expect(200);
    clock.set('2026-11-23T09:00:00Z');
    await open(path).expect(200);
    assert.deepEqual(await openings(), []);
    const { links } = await readReport(world, id);
    assert.deepEqual([links[0].openings, links[0].last_opened_at], [4, '2026-11-23T09:00:00Z']);
    const run = () => world.request('POST', '/api/v2/schedules/report-openings/run');
    await run();
    await run();
    const first = 'The report Corner Bakery was opened 3 times through its link on 2026-11-22.';
    assert.deepEqual(await openings(), [first]);
    clock.set('2026-11-24T00:05:00Z');
    await run();
    const second = 'The report Corner Bakery was opened once through its link on 2026-11-23.';
    assert.deepEqual(await openings(), [second, first]);
    await open(path).expect(200);
    await world.request('DELETE', `/api/v2/reports/${id}/delete`);
    assert.equal((await openings()).length, 3);
  });

  it('when the module is off, then links answer 404', async () => {
    const { path } = await sentReport();
    await world.request('PUT', '/api/v2/modules/pro-reports', { body: { active: false } });
    assert.equal((await open(path)).status, 404);
  });
});

describe('reports without a public address', () => {
  for (const url of ['', 'http://127.0.0.1:8080', 'http://192.168.1.5', 'https://fleet.local', 'http://localhost'])
    it(`when SITEFLEET_PUBLIC_URL is ${url || 'unset'}, then the report is attached, and the log warns`, async () => {
      const server = await new FakeMailServer().start();
      const env = { SMTP_URL: server.url, SITEFLEET_PUBLIC_URL: url };
      const world = await startWorld({ sites: 1, env });
      try {
        const client = await createClientWithSites(world, 'Corner Bakery', 'ann@example.com', world.siteId(0));
        const report = await makeReport(world, (await addReportSchedule(world, { client_id: client })).id);
        const mail = await waitForMailState(world, report.mails[0].id, 'sent');
        assert.deepEqual([mail.attachments.length, mail.links, report.links], [1, [], []]);
        const warnings = world.logLines.filter((line) => line.includes('a report was attached to its mail'));
        assert.deepEqual(
          warnings.map((line) => JSON.parse(line)).map(({ level, report_id: id }) => [level, id]),
          [['warn', report.id]],
        );
      } finally {
        await world.close();
        await server.close();
      }
    });

  const HOSTS: [string, boolean][] = [
    ['fleet.example.com', true],
    ['fleet.example.co.uk', true],
    ['me.github.io', true],
    ['fleet.example.com.', true],
    ['8.8.8.8', true],
    ['[2606:4700::1111]', true],
    ['10.0.0.1', false],
    ['169.254.1.1', false],
    ['100.64.0.1', false],
    ['[::1]', false],
    ['[fd00::1]', false],
    ['[::ffff:10.0.0.1]', false],
    ['fleet', false],
    ['fleet.localhost', false],
    ['fleet.internal', false],
    ['fleet.lan', false],
    ['fleet.home.arpa', false],
    ['com', false],
  ];
  for (const [host, expected] of HOSTS)
    it(`when the host is ${host}, then it is ${expected ? 'public' : 'not public'}`, () => {
      assert.equal(isPublicHost(host), expected);
    });
});
