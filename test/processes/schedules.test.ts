import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { downAlert, type FakeMailServer } from '../support/mail.ts';
import { sharedServer, withMailedFleet, type ServiceFleet } from '../support/service-fleet.ts';
import { eventually, until } from '../support/until.ts';

const SITES = 12;
const ALERTS = 4;
/** These schedules run every minute and queue a job only if there is work. The test checks their effect. */
const BY_THE_MINUTE = ['alert-mails', 'uptime-checks'];
/** Mail types with a recipient. */
const MAILED = ['daily_digest', 'uptime', 'cost_tracker_noti_email'];

interface WrittenMail {
  type: string;
  subject: string;
  text: string;
  state: string;
  message_id: string;
  error: { code: string } | null;
}

(sharedServer() ? describe : describe.skip)('schedules of two processes with one MariaDB', function () {
  this.timeout(240_000);
  let mails: FakeMailServer;
  let services: ServiceFleet;
  withMailedFleet({ sites: SITES }, (started) => ({ services, mails } = started));
  before(async () => {
    await services.request(0, 'POST', '/api/v2/sites/sync');
    const edit = (path: string, body: object) => services.request(0, 'PUT', `/api/v2/settings/${path}/edit`, body);
    // A time zone where it is early afternoon, so that only the test makes daily runs due.
    const hours = 14 - new Date().getUTCHours();
    const zone = { timezone_string: hours < 0 ? `UTC${hours}` : `UTC+${hours}` };
    await edit('general', { ...zone, plugin_automatic_daily_update: 1, delay_autoupdate: 0 });
    await edit('monitoring', { svc_uptime_monitoring_active: 1 });
    for (const type of MAILED) await edit(`emails/${type}`, { recipients: 'ops@example.com' });
    await edit('cost-tracker', { renewal_notice_days: 0 });
    const panel = { url: 'https://127.0.0.1:9', username: 'acme', password: 'closed' };
    await edit('api-backups/cpanel', { enabled: true, ...panel });
    await services.request(0, 'POST', '/api/v2/costs/add', {
      name: 'Hosting',
      price: 10,
      sites: [1],
      last_renewal: '2026-01-31',
      renewal_type: 'weekly',
    });
  });

  const runs = () =>
    services.knex('schedules').select<{ name: string; last_run_at: number | null }[]>('name', 'last_run_at');
  const timings = async (names: readonly string[]): Promise<object[]> =>
    (
      await services
        .knex('schedules')
        .whereIn('name', names)
        .orderBy('name')
        .select<{ name: string; fingerprint: string }[]>('name', 'fingerprint')
    ).map((row) => ({ ...row }));
  /** Makes schedules due for whichever process ticks first. */
  const makeDue = (names: readonly string[]) =>
    services.knex('schedules').whereIn('name', names).update({ last_run_at: null, last_job_id: null, next_run_at: 1 });
  const haveRun = (names: readonly string[]) =>
    Promise.all(
      names.map((name) =>
        eventually(
          async () => (await runs()).some((run) => run.name === name && run.last_run_at !== null),
          `the run of ${name}`,
        ),
      ),
    );
  const areOver = async (): Promise<void> => {
    await eventually(
      async () => (await services.knex('alerts').whereNull('handled_at').pluck('id')).length === 0,
      'the alerts to become mails',
    );
    await eventually(
      async () => (await services.knex('jobs').whereNull('completed_at').pluck('id')).length === 0,
      'the jobs to end',
      100_000,
    );
  };
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
  const timesReceived = ({ message_id: id }: WrittenMail) =>
    mails.received.filter(({ mail }) => mail.messageId === id).length;
  /**
   * Returns the sorted subjects of mails with this start. Each must have arrived once. If the process was killed during
   * the transfer of the content, the outcome of the mail is unknown and it is not resent.
   */
  const mailsThatBegin = async (beginning: string): Promise<string[]> =>
    (await mailsThat(({ subject }) => subject.startsWith(beginning))).map(({ subject }) => subject).sort();
  /** Returns the sorted names of the sites of a round that mails report as down. */
  const sitesReportedDown = async (round: string): Promise<string[]> => {
    const mails = await mailsThat(({ type, text }) => type === 'uptime' && text.includes(`] ${round} `));
    return mails.flatMap(({ text }) => text.match(new RegExp(`${round} \\d+$`, 'gm')) ?? []).sort();
  };
  const mailsThat = async (isWanted: (mail: WrittenMail) => boolean): Promise<WrittenMail[]> => {
    const { data } = await services.request(0, 'GET', '/api/v2/outbox?per_page=100&full_data=true');
    const mails = (data as WrittenMail[]).filter((mail) => MAILED.includes(mail.type) && isWanted(mail));
    for (const mail of mails) {
      const times = timesReceived(mail);
      const isUnknown = mail.state === 'failed' && mail.error?.code === 'outcome_unknown';
      assert.ok(times === 1 || (isUnknown && times === 0), `${mail.subject}: ${mail.state}, came ${times} times`);
    }
    return mails;
  };

  it('when a process is killed around the due time, then each schedule runs once', async () => {
    const { data } = await services.request(0, 'GET', '/api/v2/schedules');
    // The other schedules are off until they are configured.
    const timed = (data as { name: string; next_run: string | null; pattern: string; time_zone: string }[]).filter(
      ({ next_run }) => next_run !== null,
    );
    const names = timed.map(({ name }) => name);
    const wanted = timed.map(({ name, pattern, time_zone }) => ({ name, fingerprint: `${pattern} ${time_zone}` }));
    // A timing that is stored later would move the due time of the test.
    await eventually(
      async () => isDeepStrictEqual(await timings(names), wanted),
      'the timings that the settings were changed to',
    );
    await raise('first');
    await makeDue(names);
    // Both processes tick every second. One of them starts the runs within this time.
    await sleep(Math.random() * 1100);
    await services.kill(0);
    await haveRun(names);
    await areOver();
    // The cost alert may have been raised after the alert mails were written.
    await makeDue(['alert-mails']);
    await haveRun(['alert-mails']);
    await areOver();
    await services.restart(0);
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
    assert.deepEqual(
      await sitesReportedDown('first'),
      Array.from({ length: ALERTS }, (_, at) => `first ${at}`),
    );
    assert.equal((await mailsThatBegin('Daily digest')).length, 1);
    assert.deepEqual(await mailsThatBegin('Falls due: '), ['Falls due: Hosting']);
  });

  it('when a process is killed while it sends mails, then each mail arrives once', async () => {
    const waiting: (() => void)[] = [];
    mails.beforeRecipient = () => new Promise((go) => waiting.push(go));
    await raise('second');
    await makeDue(['alert-mails', 'daily-digest']);
    await until(() => waiting.length > 0, 'a mail to be under way');
    await services.kill(1);
    mails.beforeRecipient = () => Promise.resolve();
    for (const go of waiting) go();
    await haveRun(['alert-mails', 'daily-digest']);
    await areOver();
    assert.deepEqual(
      await sitesReportedDown('second'),
      Array.from({ length: ALERTS }, (_, at) => `second ${at}`),
    );
    assert.equal((await mailsThatBegin('Daily digest')).length, 2);
    // The server had not received the content of any mail.
    const unsent = services.knex('mails').whereNot({ state: 'sent' }).where('text', 'like', '%] second %');
    assert.deepEqual(await unsent.pluck('subject'), []);
  });
});
