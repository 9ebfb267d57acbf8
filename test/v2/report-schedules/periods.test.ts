import assert from 'node:assert/strict';
import { FakeMailServer, waitForMailState } from '../../support/mail.ts';
import { addReportSchedule, createClientWithSites, readFile, readReport } from '../../support/report-schedules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const NOW = '2026-11-25T03:00:00Z';

describe('periods of reports by hand', () => {
  let server: FakeMailServer;
  let world: World;
  let monthly: number;
  let weekly: number;
  before(async () => {
    server = await new FakeMailServer().start();
    const clock = new ManualClock('2026-08-01T08:00:00Z');
    world = await startWorld({ sites: 2, env: { SMTP_URL: server.url }, overrides: { tickMs: null, clock } });
    clock.set(NOW);
    await createClientWithSites(world, 'Harbour Bakery', 'ann@example.com', world.siteId(0));
    const fields = { site_id: world.siteId(0), segments: ['plugins'] };
    monthly = (await addReportSchedule(world, fields)).id;
    weekly = (await addReportSchedule(world, { ...fields, frequency: 'weekly', day: 1 })).id;
  });
  after(async () => {
    await world.close();
    await server.close();
  });

  async function run(schedule: number, body?: object) {
    const { body: queued } = await world.request('POST', `/api/v2/report-schedules/${schedule}/run`, body && { body });
    await world.finishedJob(queued.data.job_id as string);
    return readReport(world, queued.data.id as number);
  }
  const daysOf = async (schedule: number, body?: object): Promise<string> => {
    const { start_date, end_date } = await run(schedule, body);
    return `${start_date} ${end_date}`;
  };
  const preview = async (schedule: number, query: string): Promise<string> =>
    String((await readFile(world, `/report-schedules/${schedule}/preview${query}`)).body);

  it('when a schedule is run for a period, then the report has its days', async () => {
    assert.equal(await daysOf(monthly), '2026-10-01 2026-10-31');
    assert.equal(await daysOf(monthly, { period: 'previous' }), '2026-10-01 2026-10-31');
    assert.equal(await daysOf(monthly, { period: 'current' }), '2026-11-01 2026-11-25');
    assert.equal(await daysOf(weekly, { period: 'current' }), '2026-11-23 2026-11-25');
    const range = { start_date: '2026-09-10', end_date: '2026-11-09' };
    assert.equal(await daysOf(weekly, range), '2026-09-10 2026-11-09');
  });

  it('when a period is not over, then page and mail say up to which day the report covers it', async () => {
    const covered = 'The period is not over; this report covers it up to November 25, 2026.';
    const report = await run(monthly, { period: 'current' });
    assert.deepEqual(report.summary, [covered, 'No updates were installed.']);
    await waitForMailState(world, report.mails[0].id, 'sent');
    const text = server.received.at(-1)?.mail.text ?? '';
    assert.ok(text.includes(covered));
    assert.ok(text.includes('from November 1, 2026 to November 25, 2026'));
    assert.doesNotMatch(text, /Monthly report/);
    const whole = await run(monthly);
    assert.deepEqual(whole.summary, ['No updates were installed.']);
    await waitForMailState(world, whole.mails[0].id, 'sent');
    assert.match(server.received.at(-1)?.mail.text ?? '', /Monthly report/i);
  });

  it('when a schedule is previewed for a period, then the page has its days', async () => {
    assert.match(await preview(monthly, ''), /<p class="period">October 2026</);
    assert.match(await preview(monthly, '?period=current'), /<p class="period">November 1 – 25, 2026</);
    assert.match(
      await preview(monthly, '?start_date=2026-11-03&end_date=2026-11-03'),
      /<p class="period">November 3, 2026</,
    );
  });

  it('when the client has a time zone, then the current period ends with its day', async () => {
    const { client } = (await world.request('GET', `/api/v2/report-schedules/${monthly}`)).body.data;
    const edit = `/api/v2/clients/${client.id}/edit`;
    await world.request('PUT', edit, { body: { time_zone: 'America/New_York' } });
    assert.equal(await daysOf(monthly, { period: 'current' }), '2026-11-01 2026-11-24');
    await world.request('PUT', edit, { body: { time_zone: '' } });
  });

  it('when a period is invalid, then the error names its fields, and nothing is queued', async () => {
    const refused = async (body: object): Promise<string[]> => {
      const path = `/api/v2/report-schedules/${monthly}/run`;
      const answer = await world.request('POST', path, { body, expect: 400 });
      return answer.body.data.errors.map(
        (error: { path: string; message: string }) => `${error.path} ${error.message}`,
      );
    };
    assert.deepEqual(await refused({ start_date: '2026-11-01' }), ['body.end_date must be set with the first day']);
    assert.deepEqual(await refused({ end_date: '2026-11-01' }), ['body.start_date must be set with the last day']);
    assert.deepEqual(await refused({ period: 'current', start_date: '2026-11-01', end_date: '2026-11-02' }), [
      'body.period must not be set together with days',
    ]);
    assert.deepEqual(await refused({ start_date: '2026-11-02', end_date: '2026-11-01' }), [
      'body.end_date must not be before the first day',
    ]);
    assert.deepEqual(await refused({ start_date: '2026-11-26', end_date: '2026-11-27' }), [
      'body.start_date must not be in the future',
    ]);
    const path = `/api/v2/report-schedules/${monthly}/preview`;
    const answer = await world.request('GET', `${path}?start_date=2026-11-02&end_date=2026-11-01`, { expect: 400 });
    assert.deepEqual(answer.body.data.errors[0].path, 'query.end_date');
    const { body } = await world.request('GET', '/api/v2/reports?status=queued');
    assert.equal(body.total, 0);
  });
});
