import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildLink } from '../../../src/connector/child-site.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { SiteLeases } from '../../../src/domains/sites/index.ts';
import {
  UpdateItems,
  updateJob,
  type UpdateJobInput,
  type UpdateJobResult,
} from '../../../src/domains/updates/index.ts';
import { Queue } from '../../../src/queue/index.ts';
import { OutcomeUnknownError } from '../../../src/shared/child-call-errors.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { createGate } from '../../queue/support.ts';
import { until } from '../../support/until.ts';
import { UpdateBench } from './support.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

const ALL: UpdateJobInput = { types: [], slugs: [], complain: 'never' };

describe('site leases', () => {
  let bench: UpdateBench;
  before(async () => {
    bench = await UpdateBench.open();
  });
  after(() => bench.testDatabase.close());
  beforeEach(() => bench.reset(['a', 'b', 'c']));

  const knex = () => bench.testDatabase.database.knex;
  const leasesOf = (options: { leaseMs?: number; purpose?: 'register' } = {}) =>
    new SiteLeases({ knex: knex(), clock: bench.clock, purpose: 'update', pollMs: 10, ...options });
  const rows = () => knex()('site_leases').pluck<number[]>('site_id');
  const leave = (siteId: number) =>
    knex()('site_leases').insert({
      site_id: siteId,
      purpose: 'update',
      holder: 'dead',
      leased_until: bench.clock.now() + 30_000,
    });

  it('when two processes have jobs for a site, then one waits and has no updates left to send', async () => {
    let [inside, most] = [0, 0];
    const upgrade = bench.child.upgradePlugins.bind(bench.child);
    bench.child.upgradePlugins = async (link, slugs) => {
      most = Math.max(most, ++inside);
      await sleep(20);
      inside--;
      return upgrade(link, slugs);
    };
    const logger = createLogger('error', { write: (line: string) => assert.fail(line) });
    const failures = { record: () => Promise.resolve(), recordError: () => Promise.resolve() };
    const processes = [0, 1].map(() => {
      const queue = new Queue({ knex: knex(), clock: bench.clock, logger, pollMs: 20 });
      const { updater } = bench.process();
      const kind = updateJob(new UpdateItems({ updater, retries: { next: () => null }, failures }));
      queue.register(kind);
      return { queue, kind };
    });
    const queues = processes.map(({ queue }) => queue);
    const job = {
      requestedBy: unlimitedRequester('me'),
      input: ALL,
      items: [{ siteId: bench.site.id, identifier: 'x' }],
    };
    const begun = processes.map(({ queue, kind }) => inTransaction(knex(), (scope) => queue.begin(scope, kind, job)));
    const jobIds = await Promise.all(begun);
    for (const [index, queue] of queues.entries()) assert.ok(await queue.waitFor(jobIds[index] ?? '', 10_000));
    await Promise.all(queues.map((queue) => queue.stop(0)));
    assert.equal(most, 1);
    assert.deepEqual(bench.child.calls, ['stats', 'update a', 'update b', 'update c', 'stats']);
    const results = await knex()('job_items').whereIn('job_id', jobIds).pluck<string[]>('result');
    const updated = results.map((result) => (JSON.parse(result) as UpdateJobResult).updated.length);
    assert.deepEqual(updated.sort(), [0, 3]);
    assert.deepEqual(await rows(), []);
  });

  it('when another site or purpose is leased, then there is no wait', async () => {
    const door = createGate();
    const held = leasesOf().runExclusive(1, () => door.pass());
    await until(() => door.waiting() === 1, 'the lease to be taken');
    assert.equal(await leasesOf().runExclusive(2, () => Promise.resolve('done')), 'done');
    assert.equal(await leasesOf({ purpose: 'register' }).runExclusive(1, () => Promise.resolve('done')), 'done');
    assert.deepEqual(await rows(), [1]);
    door.open();
    await held;
    assert.deepEqual(await rows(), []);
  });

  it('when the work fails, then the lease is released', async () => {
    await assert.rejects(
      leasesOf().runExclusive(1, () => Promise.reject(new Error('failed'))),
      /failed/,
    );
    assert.deepEqual(await rows(), []);
  });

  it('when the process that held the lease has died, then the lease expires', async () => {
    await leave(bench.site.id);
    const run = bench.updater.run(bench.site.id, ALL, 'me');
    await sleep(50);
    assert.deepEqual(bench.child.calls, []);
    bench.clock.time += 30_001;
    assert.equal((await run).updated.length, 3);
  });

  it('when no other process uses the database, then leases of earlier processes are released', async () => {
    await leave(bench.site.id);
    const { leases, updater } = bench.process();
    await leases.expireStale();
    assert.equal((await updater.run(bench.site.id, ALL, 'me')).updated.length, 3);
  });

  it('when another process has taken the lease, then no further update is sent and nothing is stored', async () => {
    const upgrade = bench.child.upgradePlugins.bind(bench.child);
    bench.child.upgradePlugins = async (link, slugs) => {
      await (link as ChildLink).confirmLease?.();
      const answer = await upgrade(link, slugs);
      await knex()('site_leases').update({ holder: 'other' });
      return answer;
    };
    await assert.rejects(
      bench.updater.run(bench.site.id, ALL, 'me'),
      (error) => error instanceof OutcomeUnknownError && error.code === 'svc_outcome_unknown',
    );
    assert.deepEqual(bench.child.calls, ['stats', 'update a']);
    assert.deepEqual(await bench.changes(), []);
    assert.deepEqual(await rows(), [bench.site.id], 'the lease of the other process stays');
    await knex()('site_leases').delete();
  });

  it('when the run before ended without its lease, then it claims nothing that somebody else has installed', async () => {
    await leave(bench.site.id);
    bench.child.versions.set('a', '2.0');
    bench.clock.time += 30_001;
    const { updated } = await bench.updater.run(bench.site.id, ALL, 'me');
    assert.deepEqual(bench.child.calls, ['stats', 'update b', 'update c', 'stats']);
    assert.deepEqual(
      updated.map(({ slug }) => slug),
      ['b', 'c'],
    );
    assert.equal((await bench.changes()).length, 2);
  });

  it('when the work takes long, then the lease is extended', async () => {
    const door = createGate();
    let begun = false;
    const held = leasesOf({ leaseMs: 60 }).runExclusive(1, () => door.pass());
    await until(() => door.waiting() === 1, 'the lease to be taken');
    const next = leasesOf({ leaseMs: 60 }).runExclusive(1, () => Promise.resolve((begun = true)));
    // Together several leases; each step waits for the holder, who may be slow on a busy machine.
    for (let step = 0; step < 10; step++) {
      const kept = (bench.clock.time += 30) + 60;
      await until(async () => (await knex()('site_leases').pluck<number[]>('leased_until'))[0] === kept, 'the renewal');
    }
    assert.equal(begun, false);
    door.open();
    await held;
    assert.equal(await next, true);
  });
});
