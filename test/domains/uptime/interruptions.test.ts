import assert from 'node:assert/strict';
import { MonitorCheckRecorder, type MonitorCheckReport } from '../../../src/domains/uptime/monitor-check-recorder.ts';
import type { CheckAttempt } from '../../../src/domains/uptime/check-attempt.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import type { Alerts } from '../../../src/domains/mail/index.ts';
import { alertsOf, runDueChecks, makeChecksDue, monitorAllSites } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

const lost: CheckAttempt = {
  finding: 'connect',
  status: 0,
  address: '127.0.0.9',
  totalMs: 3,
  dnsMs: 0,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
};

describe('interrupted checks', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ sites: 1, overrides: { tickMs: null, deadlines: { confirmAfterMs: 10 } } });
    await monitorAllSites(world);
  });
  afterEach(() => world.close());

  const lease = (until: number) => world.container.knex('monitors').update({ lease_until: until, next_check_at: 0 });
  const beats = async (): Promise<number> =>
    (await world.request('GET', `/api/v2/monitors/${world.siteId(0)}/heartbeat`)).body.total;
  const report = (leaseUntil: number): MonitorCheckReport => {
    const at = world.container.clock.now();
    return { siteId: world.siteId(0), at, attempts: [lost, lost], intervalMinutes: 5, leaseUntil };
  };
  const recorder = (): MonitorCheckRecorder => {
    const { knex, clock } = world.container;
    return new MonitorCheckRecorder({
      knex,
      clock,
      isUpdating: () => Promise.resolve(false),
      alerts: world.container.services.mail.alerts,
    });
  };

  it('when a process leases a monitor, then no other process checks it until the lease expires', async () => {
    const { clock } = world.container;
    await lease(clock.now() + 60_000);
    await runDueChecks(world);
    assert.equal(await beats(), 0);
    await lease(clock.now() - 1);
    await runDueChecks(world);
    assert.equal(await beats(), 1);
  });

  it('when the process dies, then the retry of its item checks the leased monitor without a wait', async () => {
    const { queue, knex, clock, services } = world.container;
    const leased = clock.now() + 60_000;
    await lease(leased);
    const jobId = await inTransaction(knex, async (scope) => {
      const job = { input: {}, items: [{ identifier: 1 }], requestedBy: unlimitedRequester('test') };
      const id = await queue.enqueue(scope, services.uptime.checkMonitors, job);
      const [item] = await scope.trx('job_items').where({ job_id: id }).pluck<number[]>('id');
      await scope.trx('monitors').update({ leased_by: item });
      return id;
    });
    await world.finishedJob(jobId);
    assert.equal(await beats(), 1);
    // A late result of the dead process is not recorded.
    assert.equal(await recorder().record(report(leased)), null);
  });

  it('when a result arrives after the lease expired, then it is not recorded', async () => {
    const leased = world.container.clock.now() + 60_000;
    await lease(leased);
    assert.equal(await recorder().record(report(leased - 1)), null);
    assert.deepEqual([await beats(), (await alertsOf(world, 'uptime')).length], [0, 0]);
  });

  it('when two processes record the same check, then there is one heartbeat, one incident and one alert', async () => {
    const leased = world.container.clock.now() + 60_000;
    await lease(leased);
    const recorded = await Promise.all([recorder().record(report(leased)), recorder().record(report(leased))]);
    assert.equal(recorded.filter(Boolean).length, 1);
    assert.deepEqual([await beats(), (await alertsOf(world, 'uptime')).length], [1, 1]);
  });

  it('when the alert cannot be stored, then the check is not stored either and is repeated', async () => {
    const leased = world.container.clock.now() + 60_000;
    await lease(leased);
    const { knex, clock } = world.container;
    const raise = () => Promise.reject(new Error('the process is gone'));
    const dying = new MonitorCheckRecorder({
      knex,
      clock,
      isUpdating: () => Promise.resolve(false),
      alerts: { raise } as unknown as Alerts,
    });
    await assert.rejects(dying.record(report(leased)));
    assert.deepEqual([await beats(), await knex('incidents').select()], [0, []]);
    world.site(0).fault = { kind: 'refuse' };
    await lease(clock.now() - 1);
    await runDueChecks(world);
    assert.deepEqual([await beats(), (await alertsOf(world, 'uptime')).length], [1, 1]);
  });

  it('when the schedule is run by request, then its job checks due monitors and has a result', async () => {
    await makeChecksDue(world);
    const { body } = await world.request('POST', '/api/v2/schedules/uptime-checks/run');
    const job = await world.finishedJob(body.job_id ?? body.data.job_id);
    assert.deepEqual(job.items[0].result.monitors, { begun: 1, checked: 1, up: 1, pending: 0, down: 0 });
  });
});
