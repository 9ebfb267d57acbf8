import assert from 'node:assert/strict';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';
import { findSentUpdates, findUpdatesSentTwice, releasePluginUpdates } from '../../scripts/support/sent-updates.ts';
import { eventually } from '../support/until.ts';

/** Calls to more than 200 sites are jobs that all processes share. */
const SITES = 205;

(sharedServer() ? describe : describe.skip)('two processes with one MariaDB, of which one is not reliable', () => {
  let services: ServiceFleet;
  afterEach(() => services.close());

  /** Each update of a job reached its site once, and each installed one has one entry in the change log. */
  async function assertNothingTwice(jobId: string, by: number): Promise<void> {
    const { data, items } = await services.finishedJob(by, jobId);
    assert.deepEqual([data.status, data.processed], ['completed', SITES]);
    assert.deepEqual(findUpdatesSentTwice(services.fleet), []);
    const installed = items.flatMap((item: { result: { updated: unknown[] } | null }) => item.result?.updated ?? []);
    const logged = await services.knex('changes').where({ type: 'plugin.updated' }).pluck<string[]>('description');
    assert.equal(logged.length, installed.length);
    assert.ok(installed.length > 2 * SITES, `${installed.length} updates were installed`);
  }

  /** Releases updates on all sites and starts the job that installs them. */
  async function startUpdates(): Promise<string> {
    releasePluginUpdates(services.fleet, '9.1.0');
    const run = async (ability: string, input: object): Promise<string> =>
      (await services.request(0, 'POST', `/abilities/v1/svc/${ability}/run`, { input })).job_id;
    await services.finishedJob(0, await run('sync-sites-v1', {}));
    return run('run-updates-v1', { types: ['plugins'] });
  }

  it('when a process is stopped for longer than the lease, then it repeats nothing after it continues', async () => {
    services = await ServiceFleet.start({ sites: SITES, latencyMs: 40 });
    const jobId = await startUpdates();
    await eventually(() => findSentUpdates(services.fleet).length > SITES / 4, 'the updates to begin');
    const stalled = services.services[0];
    assert.ok(stalled);
    process.kill(stalled.pid, 'SIGSTOP');
    await services.finishedJob(1, jobId).finally(() => process.kill(stalled.pid, 'SIGCONT'));
    await eventually(async () => {
      const text = await (await fetch(`${stalled.url}/metrics`)).text();
      return /^sitefleet_queue_running 0$/m.test(text) && /^sitefleet_queue_ready 0$/m.test(text);
    }, 'the process that was stopped to end its work');
    await assertNothingTwice(jobId, 0);
  });

  for (const [name, offset] of [
    ['ahead', 90_000],
    ['behind', -90_000],
  ] as const)
    it(`when the clock of a process is 90 seconds ${name}, then no update is sent twice and no item is taken over`, async () => {
      services = await ServiceFleet.start({ sites: SITES, latencyMs: 40, clockOffsets: [0, offset] });
      const jobId = await startUpdates();
      await assertNothingTwice(jobId, 0);
      const attempts = await services.knex('job_items').where({ job_id: jobId }).pluck<number[]>('attempt');
      assert.deepEqual([...new Set(attempts)], [1], 'no process took over items of a healthy one');
    });
});
