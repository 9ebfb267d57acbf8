import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeMailServer } from '../support/mail.ts';
import { sharedServer, withMailedFleet, type ServiceFleet } from '../support/service-fleet.ts';
import { eventually } from '../support/until.ts';

const SITES = 4;
const SCHEDULES = 12;

const recipientOf = (index: number): string => `client${index}@example.com`;

interface MadeReport {
  id: number;
  schedule_id: number;
  status: string;
  html_size: number;
  mails: { id: number; state: string }[];
}

/** On MariaDB a second process continues. On SQLite the killed process is restarted. */
describe('a service that is killed while it creates reports', function () {
  this.timeout(240_000);
  let mails: FakeMailServer;
  let services: ServiceFleet;
  withMailedFleet({ sites: SITES }, (started) => ({ services, mails } = started));

  const survivor = sharedServer() ? 1 : 0;
  const made = async (): Promise<MadeReport[]> =>
    (await services.request(survivor, 'GET', '/api/v2/reports?per_page=100&order=asc')).data;

  /** Makes all schedules due through the database if it is shared, otherwise runs them by request. */
  async function begin(ids: readonly number[]): Promise<void> {
    if (!sharedServer()) {
      for (const id of ids) await services.request(0, 'POST', `/api/v2/report-schedules/${id}/run`);
      return;
    }
    await services.knex('report_schedules').update({ next_run_at: 1 });
    await services.knex('schedules').where({ name: 'reports' }).update({ next_run_at: 1 });
  }

  it('when the process dies during the run, then each report is stored once and mailed once', async () => {
    const sites: { id: number }[] = (await services.request(0, 'GET', '/api/v2/sites/basic?per_page=100')).data;
    const ids: number[] = [];
    for (let index = 0; index < SCHEDULES; index++) {
      const { data } = await services.request(0, 'POST', '/api/v2/report-schedules/add', {
        name: `Report ${index}`,
        site_id: sites[index % SITES]?.id,
        frequency: 'weekly',
        format: 'html',
        recipients: [recipientOf(index)],
        hold_first_report: false,
      });
      ids.push(data.id as number);
    }
    await begin(ids);
    await sleep(Math.random() * 1500);
    await services.kill(0);
    // The mail server may have these mails, so they are not resent. Their number varies.
    const cutOff = (await services.knex('mails').where({ state: 'sending', phase: 'content' }).pluck('id')).map(Number);
    if (!sharedServer()) await services.restart(0);
    await eventually(
      async () => {
        const reports = await made();
        return reports.length === SCHEDULES && reports.every(({ status }) => status === 'made');
      },
      'all reports to be made',
      120_000,
    );
    await eventually(
      async () => (await made()).every(({ mails }) => mails.every(({ state }) => /^(sent|failed)$/.test(state))),
      'all mails to be sent',
      120_000,
    );
    const reports = await made();
    assert.deepEqual(
      reports.map(({ schedule_id: id }) => id).sort((one, other) => one - other),
      ids,
    );
    for (const { mails, html_size: size } of reports) assert.ok(mails.length === 1 && size > 0);
    const arrived = mails.received.map(({ to }) => to[0]);
    assert.equal(new Set(arrived).size, arrived.length, 'each mail arrives once');
    for (const { schedule_id: schedule, mails } of reports)
      for (const { id, state } of mails)
        if (state === 'sent') assert.ok(arrived.includes(recipientOf(ids.indexOf(schedule))), `mail ${id} arrived`);
        else assert.ok(cutOff.includes(Number(id)), `mail ${id} was cut off in the hands of the mail server`);
    const faults = await services.knex('mails').where({ state: 'failed' }).distinct().pluck('error_code');
    assert.ok(
      faults.every((code) => code === 'outcome_unknown'),
      String(faults),
    );
    if (!sharedServer()) await services.kill(0).then(() => services.restart(0));
    else await services.restart(0);
    assert.equal((await made()).length, SCHEDULES);
  });
});
