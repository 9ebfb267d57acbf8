import assert from 'node:assert/strict';
import { DAY, floorToSecond } from '../../../src/shared/clock.ts';
import { createAuthority, type CertificateAuthority } from '../../support/certificates.ts';
import { sendAlertMails } from '../../support/mail.ts';
import { withoutModule } from '../../support/modules.ts';
import { editSettings, ManualClock, readSchedule, runSchedule, runDueAt } from '../../support/schedules.ts';
import { checkCertificate, moveSite, readCertificate, seenCertificates } from '../../support/ssl-monitor.ts';
import { HOSTILE_HANDLERS, serveRaw, serveTls, type LocalServer, type TlsServer } from '../../support/tls-servers.ts';
import { until } from '../../support/until.ts';
import { alertsOf } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

/** Long enough that a good server on a busy machine does not time out. */
const LONG_TIMEOUT = { checkMs: 60_000 };

interface CertificateFacts {
  state: string;
  from: string;
  daysLeft: number | null;
}

describe('certificate checks', () => {
  let world: World;
  let trusted: CertificateAuthority;
  let stranger: CertificateAuthority;
  let clock: ManualClock;
  let servers: LocalServer[];
  before(async () => {
    [trusted, stranger] = await Promise.all([createAuthority('Trusted'), createAuthority('Other')]);
  });
  beforeEach(async () => {
    servers = [];
    clock = new ManualClock(new Date().toISOString());
    const outbound = { certificateAuthorities: [trusted.root.cert, stranger.root.cert] };
    world = await startWorld({ sites: 2, overrides: { clock, outbound, deadlines: LONG_TIMEOUT } });
  });
  afterEach(async () => {
    await world.close();
    for (const server of servers) await server.close();
  });

  const serve = async (siteId: number, from: CertificateAuthority = trusted, days = 60): Promise<TlsServer> => {
    const server = await serveTls(await from.issue({ to: clock.now() + days * DAY }));
    servers.push(server);
    await moveSite(world, siteId, server.url);
    return server;
  };
  const hostile = async (siteId: number, name: string): Promise<LocalServer> => {
    const server = await serveRaw(HOSTILE_HANDLERS[name] ?? assert.fail());
    servers.push(server);
    await moveSite(world, siteId, server.url);
    return server;
  };
  const turns = async (): Promise<[string, string][]> =>
    (await alertsOf<CertificateFacts>(world, 'ssl_monitor_noti_email')).map(({ facts: { from, state } }) => [
      from,
      state,
    ]);
  const logged = async (siteId: number) =>
    (
      (await world.request('GET', `/api/v2/sites/${siteId}/non-svc-changes?source=dashboard`)).body.data as {
        type: string;
        description: string;
      }[]
    ).flatMap(({ type, description }) => (type === 'certificate.changed' ? [description] : []));

  it('when the state of a certificate changes, then one alert is raised, however often it is checked', async () => {
    const site = world.siteId(0);
    const server = await serve(site);
    const check = async (): Promise<void> => {
      clock.time += 1_000;
      await checkCertificate(world, site);
    };
    await check();
    assert.deepEqual(await turns(), []);
    clock.time += 50 * DAY;
    await check();
    await check();
    assert.deepEqual(await turns(), [['valid', 'expiring']]);
    server.setCertificate(await trusted.issue({ to: clock.now() + 90 * DAY }));
    await check();
    await check();
    await server.close();
    await check();
    await check();
    assert.deepEqual(await turns(), [
      ['valid', 'expiring'],
      ['expiring', 'valid'],
      ['valid', 'unreachable'],
    ]);
    const [mail] = (await sendAlertMails(world)) as { type: string; subject: string; text: string }[];
    assert.deepEqual(
      [mail?.type, mail?.subject.split(':')[0]],
      ['ssl_monitor_noti_email', '1 certificate expiring, 1 certificate valid, 1 certificate unreachable'],
    );
    assert.match(mail?.text ?? '', /^- Certificate expires in 9 days$/m);
  });

  it('when the first check finds a fault, then an alert is raised', async () => {
    await hostile(world.siteId(0), 'plain HTTP');
    await checkCertificate(world, world.siteId(0));
    assert.deepEqual(await turns(), [['unknown', 'no_tls']]);
  });

  it('when issuer or key change, then the change is logged; a plain renewal is only in the history', async () => {
    const site = world.siteId(0);
    const first = await trusted.issue();
    const server = await serveTls(first);
    servers.push(server);
    await moveSite(world, site, server.url);
    const shows = async (next: Parameters<TlsServer['setCertificate']>[0]): Promise<void> => {
      clock.time += 1_000;
      server.setCertificate(next);
      await checkCertificate(world, site);
    };
    await shows(first);
    await shows(await trusted.issue({ keys: first.keys }));
    assert.deepEqual(await logged(site), []);
    await shows(await trusted.issue());
    await shows(await stranger.issue({ keys: first.keys }));
    await shows(first);
    assert.deepEqual(await logged(site), [
      'The site shows a certificate of another issuer, Trusted.',
      'The site shows a certificate of another issuer, Other, with another key.',
      'The site shows a certificate with another key; it is still of Trusted.',
    ]);
    const seen = await seenCertificates(world, site);
    assert.deepEqual(
      seen.map(({ current, changed, issuer }) => [current, changed, issuer.O]),
      [
        [true, ['issuer'], 'Trusted'],
        [false, ['issuer', 'key'], 'Other'],
        [false, ['key'], 'Trusted'],
        [false, [], 'Trusted'],
      ],
    );
    assert.ok(seen[0].first_seen < seen[3].first_seen && seen[0].last_seen > seen[1].last_seen);
  });

  it('when the clock was ahead at a check, then later checks are recorded again', async () => {
    const site = world.siteId(0);
    const server = await serve(site);
    const now = clock.time;
    clock.time = now + 40 * DAY;
    assert.equal((await checkCertificate(world, site)).status, 'valid');
    clock.time = now;
    await server.close();
    const { status, last_check: checked } = await checkCertificate(world, site);
    assert.deepEqual([status, Date.parse(checked as string)], ['unreachable', floorToSecond(now)]);
    assert.deepEqual(await turns(), [['valid', 'unreachable']]);
  });

  it('when several checks of a site run at the same time, then one change is recorded', async () => {
    await serve(world.siteId(0), trusted, 3);
    await Promise.all(Array.from({ length: 8 }, () => checkCertificate(world, world.siteId(0))));
    assert.deepEqual(await turns(), [['unknown', 'expiring']]);
    assert.equal((await seenCertificates(world, world.siteId(0))).length, 1);
  });

  it('when the schedule runs, then one job checks all sites, and a failed connection is an error item', async () => {
    const [good, bad] = [world.siteId(0), world.siteId(1)];
    await serve(good);
    await hostile(bad, 'resetting');
    const { data, items } = await runSchedule(world, 'ssl-checks');
    assert.deepEqual([data.type, data.total, data.succeeded, data.failed], ['ssl-check', 2, 1, 1]);
    const { valid_to } = await readCertificate(world, good);
    // Items are ordered by address, and the ports are random.
    const itemOf = (siteId: number) => items.find(({ site_id }: { site_id: number }) => site_id === siteId);
    assert.deepEqual(itemOf(good).result.certificate, { status: 'valid', valid_to });
    assert.deepEqual(itemOf(bad).error, {
      code: 'svc_site_unreachable',
      message: 'The server closed the connection during the TLS handshake.',
    });
    assert.equal((await readCertificate(world, bad)).status, 'unreachable');
  });

  it('when the settings contain a frequency, then the schedule follows it and suspended sites are skipped', async () => {
    await serve(world.siteId(0));
    await world.request('POST', `/api/v2/sites/${world.siteId(1)}/suspend`);
    const tick = (at: string) => runDueAt(world, clock, 'ssl-checks', at);
    await tick('2027-03-01T00:00:00Z');
    assert.equal((await readSchedule(world, 'ssl-checks')).next_run, '2027-03-01T04:10:00Z');
    assert.deepEqual(await tick('2027-03-01T04:09:59Z'), []);
    const [jobId = ''] = await tick('2027-03-01T04:10:00Z');
    const { data } = await world.finishedJob(jobId);
    assert.equal(data.total, 1);
    await editSettings(world, 'ssl-monitor', { frequency: 'weekly' });
    await tick('2027-03-01T12:00:00Z');
    assert.equal((await readSchedule(world, 'ssl-checks')).next_run, '2027-03-08T04:10:00Z');
    await editSettings(world, 'ssl-monitor', { frequency: 'twice_daily' });
    await tick('2027-03-01T12:00:01Z');
    assert.equal((await readSchedule(world, 'ssl-checks')).next_run, '2027-03-01T16:10:00Z');
    await editSettings(world, 'ssl-monitor', { automatic_checks: 0 });
    await tick('2027-03-01T12:00:02Z');
    assert.equal((await readSchedule(world, 'ssl-checks')).next_run, null);
  });

  it('when the module is disabled, then its schedule and queued jobs pause and continue afterwards', async () => {
    const server = await serve(world.siteId(0));
    await world.request('POST', `/api/v2/sites/${world.siteId(1)}/suspend`);
    const tick = (at: string) => runDueAt(world, clock, 'ssl-checks', at);
    await tick('2027-03-01T00:00:00Z');
    let jobId = '';
    await withoutModule(world, 'ssl-monitor', async () => {
      assert.deepEqual(await tick('2027-03-01T04:10:00Z'), []);
      const { services, queue, knex } = world.container;
      const kind = services.sslMonitor.checkCertificates;
      const items = [{ siteId: world.siteId(0), identifier: world.siteId(0) }];
      const { inTransaction } = await import('../../../src/db/transaction.ts');
      jobId = await inTransaction(knex, (scope) =>
        queue.enqueue(scope, kind, { input: {}, items, requestedBy: unlimitedRequester('test') }),
      );
      const item = async () => (await world.request('GET', `/api/v2/jobs/${jobId}`)).body.items[0];
      await until(async () => (await knex('job_items').where({ job_id: jobId }).first('attempt')).attempt > 0, 'a try');
      await until(async () => (await item()).state === 'waiting', 'the item to wait');
      assert.equal(server.connections(), 0);
    });
    clock.time += DAY;
    const { data } = await world.finishedJob(jobId);
    assert.deepEqual([data.succeeded, server.connections()], [1, 1]);
  });

  it('when history is older than the retention period, then it is deleted, except for the current certificate', async () => {
    const site = world.siteId(0);
    const server = await serve(site);
    await checkCertificate(world, site);
    clock.time += DAY;
    server.setCertificate(await trusted.issue());
    await checkCertificate(world, site);
    clock.time += 31 * DAY;
    await editSettings(world, 'ssl-monitor', { history_retention_days: 30 });
    const { items } = await runSchedule(world, 'retention');
    assert.equal(
      items.find(({ identifier }: { identifier: string }) => identifier === 'certificates').result.deleted,
      1,
    );
    const seen = await seenCertificates(world, site);
    assert.deepEqual(
      seen.map(({ current }) => current),
      [true],
    );
  });

  it('when a site is deleted, then its certificate data is deleted', async () => {
    await serve(world.siteId(0));
    await checkCertificate(world, world.siteId(0));
    // The deletion also calls the child plugin.
    await moveSite(world, world.siteId(0), world.site(0).url);
    await world.request('DELETE', `/api/v2/sites/${world.siteId(0)}/remove`);
    for (const table of ['ssl_monitors', 'ssl_certificates'])
      assert.deepEqual(await world.container.knex(table).select('site_id'), []);
  });
});
