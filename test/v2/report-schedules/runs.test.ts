import assert from 'node:assert/strict';
import { listMails } from '../../support/mail.ts';
import { withoutModule } from '../../support/modules.ts';
import {
  addReportSchedule,
  createClientWithSites,
  editReportSchedule,
  listReports,
  readReport,
  readReportSchedule,
} from '../../support/report-schedules.ts';
import { ManualClock, readSchedule, runDueAt } from '../../support/schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('due report schedules', () => {
  let world: World;
  let clock: ManualClock;
  let client: number;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-18T09:00:00Z');
    world = await startWorld({ sites: 2, overrides: { tickMs: null, clock } });
    client = await createClientWithSites(world, 'Harbour Bakery', 'ann@example.com', world.siteId(0), world.siteId(1));
    await editSettings(world, 'general', { timezone_string: 'Europe/Berlin' });
    await runDueAt(world, clock, 'reports', '2026-11-18T09:00:01Z');
  });
  afterEach(() => world.close());

  /** Runs the schedule at this time, waits for its jobs, and returns the periods of all reports. */
  async function at(time: string): Promise<string[]> {
    for (const job of await runDueAt(world, clock, 'reports', time)) await world.finishedJob(job);
    return (await listReports(world, '&order=asc')).map((report: { start_date: string; end_date: string }) =>
      [report.start_date, report.end_date].join(' '),
    );
  }
  const weekly = { frequency: 'weekly', day: 1, time: '08:00' };

  it('when a weekly schedule is due, then one report of the last week is created and the next run is set', async () => {
    const { id } = await addReportSchedule(world, { site_id: world.siteId(0), ...weekly });
    assert.deepEqual(await at('2026-11-23T06:59:00Z'), []);
    assert.deepEqual(await at('2026-11-23T07:00:05Z'), ['2026-11-16 2026-11-22']);
    assert.deepEqual(await at('2026-11-23T07:01:05Z'), ['2026-11-16 2026-11-22']);
    const schedule = await readReportSchedule(world, id);
    assert.deepEqual([schedule.last_run, schedule.next_run], ['2026-11-23T07:00:05Z', '2026-11-30T07:00:00Z']);
    assert.equal((await listMails(world, '&type=report')).length, 1);
  });

  it('when the last day is not over in the time zone of the client, then the report is made when it is', async () => {
    await world.request('PUT', `/api/v2/clients/${client}/edit`, { body: { time_zone: 'America/Los_Angeles' } });
    const { id } = await addReportSchedule(world, { client_id: client, ...weekly });
    // Monday 8:00 in Berlin is Sunday 23:00 in Los Angeles.
    assert.deepEqual(await at('2026-11-23T07:00:05Z'), []);
    assert.equal((await readReportSchedule(world, id)).next_run, '2026-11-23T08:00:00Z');
    const { body } = await world.request('POST', `/api/v2/report-schedules/${id}/run`, { body: {} });
    assert.deepEqual([body.data.start_date, body.data.end_date], ['2026-11-09', '2026-11-15']);
    // A schedule with a queued report is not due again.
    await world.finishedJob(body.data.job_id as string);
    assert.deepEqual(await at('2026-11-23T08:00:05Z'), ['2026-11-09 2026-11-15', '2026-11-16 2026-11-22']);
    assert.equal((await readReportSchedule(world, id)).next_run, '2026-11-30T07:00:00Z');
  });

  it('when runs were missed, then one report of the last missed period is created', async () => {
    await addReportSchedule(world, { client_id: client, ...weekly });
    assert.deepEqual(await at('2026-12-09T12:00:05Z'), ['2026-11-30 2026-12-06']);
    assert.deepEqual(await at('2026-12-09T12:01:05Z'), ['2026-11-30 2026-12-06']);
    assert.deepEqual(await at('2026-12-14T07:00:05Z'), ['2026-11-30 2026-12-06', '2026-12-07 2026-12-13']);
  });

  it('when the time zone changes, then the schedule is due at the same local time', async () => {
    const { id } = await addReportSchedule(world, { client_id: client, ...weekly });
    await editSettings(world, 'general', { timezone_string: 'America/New_York' });
    assert.deepEqual(await at('2026-11-19T10:00:05Z'), []);
    assert.equal((await readReportSchedule(world, id)).next_run, '2026-11-23T13:00:00Z');
  });

  it('when the time zone changes after the local time of today in the new zone, then the report is still made today', async () => {
    await editSettings(world, 'general', { timezone_string: 'America/New_York' });
    const { id } = await addReportSchedule(world, { client_id: client, ...weekly });
    // It is 7:00 in New York and 13:00 in Berlin.
    assert.deepEqual(await at('2026-11-23T12:00:05Z'), []);
    await editSettings(world, 'general', { timezone_string: 'Europe/Berlin' });
    assert.deepEqual(await at('2026-11-23T12:01:05Z'), []);
    assert.equal((await readReportSchedule(world, id)).next_run, '2026-11-23T13:00:00Z');
    assert.deepEqual(await at('2026-11-23T13:00:05Z'), ['2026-11-16 2026-11-22']);
    assert.equal((await readReportSchedule(world, id)).next_run, '2026-11-30T07:00:00Z');
  });

  it('when the time zone changes while a report waits for the end of its period, then it is made', async () => {
    await world.request('PUT', `/api/v2/clients/${client}/edit`, { body: { time_zone: 'America/Los_Angeles' } });
    await addReportSchedule(world, { client_id: client, ...weekly });
    assert.deepEqual(await at('2026-11-23T07:00:05Z'), []);
    await editSettings(world, 'general', { timezone_string: 'Asia/Tokyo' });
    assert.deepEqual(await at('2026-11-23T07:01:05Z'), []);
    assert.deepEqual(await at('2026-11-23T08:00:05Z'), ['2026-11-16 2026-11-22']);
  });

  it('when the time zone changes while more reports are due than one run makes, then all are made', async () => {
    const { id } = await addReportSchedule(world, { client_id: client, ...weekly });
    await addReportSchedule(world, { site_id: world.siteId(0), ...weekly });
    const { knex } = world.container.database;
    const [{ id: _id, ...row }] = await knex('report_schedules').where({ site_id: world.siteId(0) });
    const rows = Array.from({ length: 199 }, (_, at) => ({ ...row, name: `${at}`, name_key: `${at}` }));
    await knex('report_schedules').insert(rows);
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/suspend`);
    // The schedules of the suspended site come first and make no report.
    const dueAt = Date.parse('2026-11-23T07:00:30Z');
    await knex('report_schedules').where({ id }).update({ next_run_at: dueAt });
    await editSettings(world, 'general', { timezone_string: 'Asia/Tokyo' });
    assert.deepEqual(await at('2026-11-23T07:01:05Z'), []);
    assert.deepEqual(await at('2026-11-23T07:02:05Z'), ['2026-11-16 2026-11-22']);
  });

  it('when its site or client is suspended, then the schedule pauses and missed runs are not made up', async () => {
    const { id } = await addReportSchedule(world, { site_id: world.siteId(0), ...weekly });
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/suspend`);
    assert.equal((await readReportSchedule(world, id)).next_run, null);
    assert.deepEqual(await at('2026-11-23T07:00:05Z'), []);
    const run = await world.request('POST', `/api/v2/report-schedules/${id}/run`, { expect: 409 });
    assert.equal(run.body.code, 'svc_site_suspended');
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/unsuspend`);
    assert.deepEqual(await at('2026-11-23T07:01:05Z'), []);
    assert.deepEqual(await at('2026-11-30T07:00:05Z'), ['2026-11-23 2026-11-29']);
  });

  it('when a schedule is inactive or the module is off, then no report is created', async () => {
    const { id } = await addReportSchedule(world, { site_id: world.siteId(0), ...weekly, active: false });
    await addReportSchedule(world, { client_id: client, ...weekly });
    await withoutModule(world, 'pro-reports', async () => {
      await runDueAt(world, clock, 'reports', '2026-11-23T07:00:05Z');
      assert.equal(await world.container.database.knex('kept_reports').first('id'), undefined);
    });
    assert.deepEqual(await at('2026-11-23T07:01:05Z'), ['2026-11-16 2026-11-22']);
    await editReportSchedule(world, id, { active: true });
    assert.equal((await readReportSchedule(world, id)).next_run, '2026-11-30T07:00:00Z');
  });

  it('when a report takes long, then further reports are still queued when they are due', async () => {
    await addReportSchedule(world, { site_id: world.siteId(0), ...weekly });
    await addReportSchedule(world, { site_id: world.siteId(1), ...weekly, time: '08:01' });
    assert.deepEqual(await at('2026-11-23T07:00:05Z'), ['2026-11-16 2026-11-22']);
    await world.container.database.knex('jobs').update({ state: 'processing', completed_at: null });
    await runDueAt(world, clock, 'reports', '2026-11-23T07:01:05Z');
    assert.equal((await listReports(world)).length, 2);
    await runDueAt(world, clock, 'reports', '2026-11-23T07:02:05Z');
    assert.equal((await listReports(world)).length, 2);
    const { last_run: last, last_job_id: job } = await readSchedule(world, 'reports');
    assert.deepEqual([last, job], ['2026-11-23T07:02:05Z', null]);
  });

  it('when a failed report is being made again, then its schedule cannot be run', async () => {
    const empty = await createClientWithSites(world, 'Nothing yet', 'new@example.com');
    const { id } = await addReportSchedule(world, { client_id: empty });
    const run = (expect: number) => world.request('POST', `/api/v2/report-schedules/${id}/run`, { expect });
    const { body } = await run(200);
    await world.finishedJob(body.data.job_id as string);
    const retried = await world.request('POST', `/api/v2/jobs/${body.data.job_id}/retry-failed`);
    const job = retried.body.data.job_id as string;
    await world.finishedJob(job);
    const { knex } = world.container.database;
    const [ended] = await knex('jobs').where({ id: job });
    await knex('jobs').where({ id: job }).update({ state: 'processing', completed_at: null });
    await knex('job_items')
      .where({ job_id: job })
      .update({ state: 'running', lease_until: clock.time + 60_000, completed_at: null });
    const refused = await run(409);
    assert.deepEqual([refused.body.code, refused.body.data.job_id], ['svc_schedule_running', job]);
    await knex('job_items').where({ job_id: job }).update({ state: 'failed', completed_at: ended.completed_at });
    await knex('jobs').where({ id: job }).update(ended);
    await run(200);
  });

  it('when a job ends without storing why its report failed, then the next run stores the error of the job', async () => {
    const empty = await createClientWithSites(world, 'Nothing yet', 'new@example.com');
    const { id } = await addReportSchedule(world, { client_id: empty });
    const { body } = await world.request('POST', `/api/v2/report-schedules/${id}/run`);
    await world.finishedJob(body.data.job_id as string);
    const { knex } = world.container.database;
    const readAgain = async (time: string) => {
      // The database was unavailable when the job wanted to store the error.
      await knex('kept_reports').update({ state: 'queued', error_code: null, error_message: null });
      await at(time);
      const { status, error } = await readReport(world, body.data.id as number);
      return [status, error];
    };
    assert.deepEqual(await readAgain('2026-11-18T09:01:01Z'), [
      'failed',
      { code: 'svc_no_website_found', message: 'The client has no site for a report.' },
    ]);
    await knex('jobs').where({ id: body.data.job_id }).delete();
    assert.deepEqual(await readAgain('2026-11-18T09:02:01Z'), [
      'failed',
      { code: 'svc_cancelled', message: 'The job of the report was cancelled.' },
    ]);
  });

  it('when a client has no site, then its report fails with svc_no_website_found and can be retried', async () => {
    const empty = await createClientWithSites(world, 'Nothing yet', 'new@example.com');
    const { id } = await addReportSchedule(world, { client_id: empty });
    const { body } = await world.request('POST', `/api/v2/report-schedules/${id}/run`);
    const job = await world.finishedJob(body.data.job_id as string);
    assert.equal(job.data.status, 'failed');
    const failed = await readReport(world, body.data.id as number);
    assert.deepEqual([failed.status, failed.error.code], ['failed', 'svc_no_website_found']);
    await world.request('PUT', `/api/v2/sites/${world.siteId(1)}/edit`, { body: { client_id: empty } });
    const again = await world.request('POST', `/api/v2/jobs/${body.data.job_id}/retry-failed`);
    await world.finishedJob(again.body.data.job_id as string);
    const made = await readReport(world, body.data.id as number);
    assert.deepEqual([made.status, made.error], ['made', null]);
  });
});
