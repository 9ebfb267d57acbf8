import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { downAlert, MailServer } from '../support/mail.ts';
import { ServiceFleet, SHARED_SERVER } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';

const SITES = 12;
const ALERTS = 4;
/** They run each minute, with a job where there is something to do: what counts is what comes of it. */
const BY_THE_MINUTE = ['alert-mails', 'uptime-checks'];

(SHARED_SERVER ? describe : describe.skip)('schedules of two processes on one MariaDB', function () {
  this.timeout(240_000);
  let server: MailServer;
  let services: ServiceFleet;
  before(async () => {
    server = await new MailServer().start();
    services = await ServiceFleet.start({ sites: SITES, env: { SMTP_URL: server.url } });
    await services.ask(0, 'POST', '/api/v2/sites/sync');
    const edit = (path: string, body: object) => services.ask(0, 'PUT', `/api/v2/settings/${path}/edit`, body);
    // It is early in the afternoon there, so that nothing but the test makes a daily run due.
    const hours = 14 - new Date().getUTCHours();
    const zone = { timezone_string: hours < 0 ? `UTC${hours}` : `UTC+${hours}` };
    await edit('general', { ...zone, plugin_automatic_daily_update: 1, delay_autoupdate: 0 });
    await edit('monitoring', { svc_uptime_monitoring_active: 1 });
    for (const type of ['daily_digest', 'uptime', 'cost_tracker_noti_email'])
      await edit(`emails/${type}`, { recipients: 'ops@example.com' });
    await edit('cost-tracker', { renewal_notice_days: 0 });
    const panel = { url: 'https://127.0.0.1:9', username: 'acme', password: 'closed' };
    await edit('api-backups/cpanel', { enabled: true, ...panel });
    await services.ask(0, 'POST', '/api/v2/costs/add', {
      name: 'Hosting',
      price: 10,
      sites: [1],
      last_renewal: '2026-01-31',
      renewal_type: 'weekly',
    });
  });
  after(async () => {
    await services.close();
    await server.close();
  });

  const runs = () =>
    services.knex('schedules').select<{ name: string; last_run_at: number | null }[]>('name', 'last_run_at');
  /** Makes the schedules due, for whichever process looks first. */
  const makeDue = (names: readonly string[]) =>
    services.knex('schedules').whereIn('name', names).update({ last_run_at: null, last_job_id: null, next_run_at: 1 });
  const haveRun = (names: readonly string[]) =>
    Promise.all(
      names.map((name) =>
        until(
          async () => (await runs()).some((run) => run.name === name && run.last_run_at !== null),
          `the run of ${name}`,
        ),
      ),
    );
  const areOver = () =>
    until(
      async () => (await services.knex('jobs').whereNull('completed_at').pluck('id')).length === 0,
      'the jobs to end',
      100_000,
    );
  const jobsOf = async (name: string) =>
    services
      .knex('jobs')
      .where({ requested_by: `schedule:${name}` })
      .select<{ total: number; succeeded: number; failed: number }[]>('total', 'succeeded', 'failed');
  const raise = async (round: string): Promise<void> => {
    for (let at = 0; at < ALERTS; at++) {
      const { type, key, site, facts } = downAlert(`${round}-${at}`, `${round} ${at}`, at + 1);
      const [told, why] = [JSON.stringify(site), JSON.stringify(facts)];
      const row = { type, alert_key: key, site_id: site.id, site: told, facts: why, raised_at: Date.now() };
      await services.knex('alerts').insert(row);
    }
  };
  const received = () => server.received.map(({ mail }) => mail.subject ?? '').sort();

  it('when one of them is killed around the time of the runs, then each schedule runs once', async () => {
    const { data } = await services.ask(0, 'GET', '/api/v2/schedules');
    await until(async () => (await runs()).length === data.length, 'the schedules');
    // The others rest until they are configured.
    const names = (data as { name: string; next_run: string | null }[])
      .filter((each) => each.next_run !== null)
      .map(({ name }) => name);
    await raise('first');
    await makeDue(names);
    // Both look every second: somewhere in it one of them finds the runs due and begins them.
    await sleep(Math.random() * 1100);
    await services.kill(0);
    await haveRun(names);
    await areOver();
    // The alert of the cost may have come after its mails were written.
    await makeDue(['alert-mails']);
    await until(() => received().includes('Falls due: Hosting'), 'the mail of the cost');
    await areOver();
    await services.revive(0);
    for (const name of names.filter((each) => !BY_THE_MINUTE.includes(each)))
      assert.ok((await jobsOf(name)).length <= 1, `${name} has run once`);
    for (const [name, total] of [
      ['daily-sync', SITES],
      ['abandoned-check', SITES],
      ['cost-renewals', 1],
      ['daily-digest', 1],
      ['backup-check', 1],
    ] as const)
      assert.deepEqual(
        (await jobsOf(name)).map((job) => job.total),
        [total],
        name,
      );
    for (const name of ['auto-updates', 'retention', 'uptime-checks']) assert.ok((await jobsOf(name)).length > 0, name);
    const subjects = received();
    assert.deepEqual(
      subjects.filter((subject) => subject.startsWith('Down: ')),
      Array.from({ length: ALERTS }, (_, at) => `Down: first ${at}`),
    );
    assert.equal(subjects.filter((subject) => subject.startsWith('Daily digest')).length, 1);
    assert.equal(subjects.filter((subject) => subject === 'Falls due: Hosting').length, 1);
    assert.equal(new Set(server.received.map(({ mail }) => mail.messageId)).size, subjects.length);
  });

  it('when one of them is killed while mails are handed over, then each mail comes once', async () => {
    server.received.length = 0;
    const waiting: (() => void)[] = [];
    server.beforeRecipient = () => new Promise((go) => waiting.push(go));
    await raise('second');
    await makeDue(['alert-mails', 'daily-digest']);
    await until(() => waiting.length > 0, 'a mail to be under way');
    await services.kill(1);
    server.beforeRecipient = () => Promise.resolve();
    for (const go of waiting) go();
    await haveRun(['alert-mails', 'daily-digest']);
    await areOver();
    const subjects = received();
    assert.deepEqual(
      subjects.filter((subject) => subject.startsWith('Down: second')),
      Array.from({ length: ALERTS }, (_, at) => `Down: second ${at}`),
    );
    assert.equal(subjects.filter((subject) => subject.startsWith('Daily digest')).length, 1);
    const unsent = services.knex('mails').whereNot({ state: 'sent' }).where('subject', 'like', 'Down: second%');
    assert.deepEqual(await unsent.pluck('subject'), []);
  });
});
