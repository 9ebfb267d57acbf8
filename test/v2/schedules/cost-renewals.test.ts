import assert from 'node:assert/strict';
import { inTransaction } from '../../../src/db/transaction.ts';
import type { JobKind } from '../../../src/queue/index.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';
import { repeatItems } from '../../support/jobs.ts';
import { editEmails, sendAlertMails } from '../../support/mail.ts';
import { editSettings, ManualClock, readSchedule, runSchedule, runDueAt } from '../../support/schedules.ts';
import { seedSite } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('the schedule cost-renewals', () => {
  let world: World;
  let clock: ManualClock;
  let site: number;
  beforeEach(async () => {
    clock = new ManualClock('2027-01-20T08:00:00Z');
    world = await startWorld({ overrides: { clock } });
    site = (await seedSite(world)).id;
  });
  afterEach(() => world.close());

  const add = async (fields: object): Promise<number> =>
    (
      await world.request('POST', '/api/v2/costs/add', {
        body: { name: 'Hosting', price: 10, sites: [site], ...fields },
      })
    ).body.data.id;
  const datesOf = async (id: number) => {
    const { last_renewal, next_due } = (await world.request('GET', `/api/v2/costs/${id}`)).body.data;
    return [last_renewal, next_due];
  };
  const alertsOf = async (): Promise<number[]> => {
    const facts = await world.container.database.knex('alerts').orderBy('id').pluck<string[]>('facts');
    return facts.map((text) => (JSON.parse(text) as { costId: number }).costId);
  };
  const logged = () =>
    world.container.database
      .knex('changes')
      .where({ type: 'cost.renewed' })
      .orderBy('id')
      .pluck<string[]>('description');

  it('when a cost is due, then its last renewal moves on and the change log has an entry', async () => {
    const hosting = await add({ last_renewal: '2026-12-31' });
    const domain = await add({ name: 'Domain', last_renewal: '2026-12-31', renewal_type: 'yearly' });
    await runDueAt(world, clock, 'cost-renewals', '2027-01-20T08:00:00Z');
    assert.deepEqual(await runDueAt(world, clock, 'cost-renewals', '2027-01-21T00:20:00Z'), [], 'nothing is due yet');
    const [jobId = ''] = await runDueAt(world, clock, 'cost-renewals', '2027-01-31T00:20:00Z');
    const { data, items } = await world.finishedJob(jobId);
    assert.deepEqual([data.type, data.requested_by], ['renew-cost', 'schedule:cost-renewals']);
    assert.deepEqual(
      items.map(({ result }: { result: object }) => result),
      [{ cost: { id: hosting, name: 'Hosting', last_renewal: '2027-01-31', next_due: '2027-02-28' } }],
    );
    assert.deepEqual(await datesOf(hosting), ['2027-01-31', '2027-02-28']);
    assert.deepEqual(await datesOf(domain), ['2026-12-31', '2027-12-31']);
    const entries = ['The cost Hosting fell due on 2027-01-31. The next due date is 2027-02-28.'];
    assert.deepEqual(await logged(), entries);
    await repeatItems(world, jobId);
    assert.deepEqual(await logged(), entries, 'a repeated item renews nothing');
  });

  it('when a month has no 31st, then the renewal returns to the 31st in the next month that has one', async () => {
    const id = await add({ last_renewal: '2026-12-31' });
    for (const [today, last, next] of [
      ['2027-02-28', '2027-02-28', '2027-03-31'],
      ['2027-03-31', '2027-03-31', '2027-04-30'],
    ] as const) {
      clock.set(`${today}T12:00:00Z`);
      await runSchedule(world, 'cost-renewals');
      assert.deepEqual(await datesOf(id), [last, next]);
      await world.request('PUT', `/api/v2/costs/${id}/edit`, { body: { note: `Seen on ${today}.` } });
    }
    await world.request('PUT', `/api/v2/costs/${id}/edit`, { body: { last_renewal: '2027-04-15' } });
    assert.deepEqual(await datesOf(id), ['2027-04-15', '2027-05-15']);
  });

  it('when several renewals were missed, then only the last is logged', async () => {
    const id = await add({ last_renewal: '2026-08-10' });
    await runSchedule(world, 'cost-renewals');
    assert.deepEqual(await datesOf(id), ['2027-01-10', '2027-02-10']);
    const { body } = await world.request('POST', '/api/v2/schedules/cost-renewals/run');
    assert.equal(body.data, null);
    assert.equal((await logged()).length, 1);
  });

  it('when a cost is on hold, lifetime, disabled or without a renewal date, then it is not renewed', async () => {
    await add({ last_renewal: '2026-08-10', cost_status: 'onhold' });
    await add({ last_renewal: '2026-08-10', type: 'lifetime' });
    await add({ last_renewal: '2026-08-10', renewal_type: 'disabled' });
    await add({});
    const { body } = await world.request('POST', '/api/v2/schedules/cost-renewals/run');
    assert.equal(body.data, null);
  });

  it('when the last target of a cost is deleted, then it rests until it has one again', async () => {
    const { id: client } = (await world.request('POST', '/api/v2/clients/add', { body: { name: 'Ann' } })).body.data;
    const [resting, shared] = [
      await add({ last_renewal: '2026-12-31', sites: [], clients: [client] }),
      await add({ name: 'Shared', last_renewal: '2026-12-31', clients: [client] }),
    ];
    await world.request('DELETE', `/api/v2/clients/${client}/remove`);
    clock.set('2027-01-31T12:00:00Z');
    await runSchedule(world, 'cost-renewals');
    assert.deepEqual(await datesOf(resting), ['2026-12-31', '2027-02-28']);
    assert.deepEqual(await datesOf(shared), ['2027-01-31', '2027-02-28']);
    assert.deepEqual(await alertsOf(), [shared]);
    await world.request('PUT', `/api/v2/costs/${resting}/edit`, { body: { sites: [site] } });
    await runSchedule(world, 'cost-renewals');
    assert.deepEqual(await datesOf(resting), ['2027-01-31', '2027-02-28']);
    assert.deepEqual(await alertsOf(), [shared, resting]);
  });

  it('when a cost loses its last target after its renewal was queued, then it is not renewed', async () => {
    const { container } = world;
    const id = await add({ last_renewal: '2026-12-31' });
    clock.set('2027-01-31T12:00:00Z');
    await container.database.knex('cost_targets').where({ cost_id: id }).delete();
    const kind = container.queue.kinds.find(({ name }) => name === 'renew-cost') as JobKind<object, unknown, 'other'>;
    const job = { input: {}, items: [{ identifier: id }], requestedBy: unlimitedRequester('test') };
    const jobId = await inTransaction(container.knex, (scope) => container.queue.enqueue(scope, kind, job));
    await world.finishedJob(jobId);
    assert.deepEqual(await datesOf(id), ['2026-12-31', '2027-02-28']);
  });

  it('when the module cost-tracker is off, then the schedule is inactive and cannot be run', async () => {
    await add({ last_renewal: '2026-08-10' });
    await world.request('PUT', '/api/v2/modules/cost-tracker', { body: { active: false } });
    const { active, next_run } = await readSchedule(world, 'cost-renewals');
    assert.deepEqual([active, next_run], [false, null]);
    const path = '/api/v2/schedules/cost-renewals/run';
    assert.equal((await world.request('POST', path, { expect: 404 })).body.code, 'svc_module_not_available');
    await runDueAt(world, clock, 'cost-renewals', '2027-01-20T08:00:00Z');
    assert.deepEqual(await runDueAt(world, clock, 'cost-renewals', '2027-01-22T08:00:00Z'), []);
  });
});

describe('mails about due costs', () => {
  let world: World;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock('2027-01-20T08:00:00Z');
    world = await startWorld({ overrides: { clock, tickMs: null } });
    const { id: site } = await seedSite(world);
    await world.request('POST', '/api/v2/costs/add', {
      body: { name: 'Hosting', price: 1234.5, sites: [site], last_renewal: '2026-12-31' },
    });
    await editSettings(world, 'cost-tracker', { currency: 'EUR', thousand_separator: '.', decimal_separator: ',' });
  });
  afterEach(() => world.close());

  const mailsOn = async (day: string) => {
    clock.set(`${day}T12:00:00Z`);
    const { body } = await world.request('POST', '/api/v2/schedules/cost-renewals/run');
    if (body.data) await world.finishedJob(body.data.job_id);
    return sendAlertMails(world);
  };

  it('when a cost is due within the notice days, then one mail is sent', async () => {
    assert.deepEqual(await mailsOn('2027-01-23'), []);
    const [mail, ...others] = await mailsOn('2027-01-24');
    assert.deepEqual(others, []);
    assert.deepEqual([mail.type, mail.subject], ['cost_tracker_noti_email', 'Falls due: Hosting']);
    assert.match(mail.text, /- Due on: January 31, 2027\n- Price: €1\.234,50\n- Renewal: monthly\n/);
    for (const day of ['2027-01-25', '2027-01-31', '2027-02-01']) assert.equal((await mailsOn(day)).length, 1, day);
    assert.equal((await mailsOn('2027-02-21')).length, 2);
  });

  it('when the notice is 0 days, then the mail is sent on the due date', async () => {
    await editSettings(world, 'cost-tracker', { renewal_notice_days: 0 });
    assert.deepEqual(await mailsOn('2027-01-30'), []);
    assert.equal((await mailsOn('2027-01-31')).length, 1);
  });

  it('when the due date passes without a run, then the mail is sent late', async () => {
    const [mail, ...others] = await mailsOn('2027-02-03');
    assert.deepEqual(others, []);
    assert.match(mail.text, /- Due on: January 31, 2027/);
  });

  it('when the time zone is ahead of UTC, then the mail is sent on the local due date', async () => {
    await editSettings(world, 'cost-tracker', { renewal_notice_days: 0 });
    await editSettings(world, 'general', { timezone_string: 'Pacific/Kiritimati' });
    assert.equal((await mailsOn('2027-01-30')).length, 1);
  });

  it('when the module cost-tracker is off, then its mail settings are hidden and cannot be edited', async () => {
    const typesOf = async () => Object.keys((await world.request('GET', '/api/v2/settings/emails')).body.data);
    assert.ok((await typesOf()).includes('cost_tracker_noti_email'));
    await world.request('PUT', '/api/v2/modules/cost-tracker', { body: { active: false } });
    assert.ok(!(await typesOf()).includes('cost_tracker_noti_email'));
    const { body } = await editEmails(world, 'cost_tracker_noti_email', { disable: 1 }, 404);
    assert.equal(body.code, 'svc_module_not_available');
  });
});
