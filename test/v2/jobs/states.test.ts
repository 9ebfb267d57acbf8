import assert from 'node:assert/strict';
import { cancelPostponed, readNewestJob } from '../../support/jobs.ts';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, BETA, releaseUpdates, removeItemsWithUpdates, upgradeCallsOf } from '../../support/updates.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const SITES = 4;
const COUNTERS = ['succeeded', 'partial', 'failed', 'unknown', 'not_begun'] as const;

interface Item {
  site_id: number;
  state: string;
  error: { code: string } | null;
  result: { updated: unknown[]; errors: unknown[]; nothing_to_do?: true } | null;
}
type Answer = { data: Record<string, never>; items: Item[]; errors: { code: string }[] };

describe('states of job items', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: SITES, overrides: { deadlines: { lookAgainMs: [50] } } });
  });
  after(() => world.close());
  beforeEach(async () => {
    for (const site of world.fleet.sites) {
      site.defects.failingPackages.clear();
      site.fault = null;
      removeItemsWithUpdates(site);
      releaseUpdates(site, { plugins: [ALPHA, BETA] });
    }
    await syncSites(world);
    for (const site of world.fleet.sites) site.requests.length = 0;
  });

  const update = async (...indexes: number[]): Promise<Answer> => {
    const sites = { site_ids_or_domains: indexes.map((index) => world.siteId(index)), types: ['plugins'] };
    await world.ability('run-updates-v1', sites);
    return readNewestJob(world, 'update');
  };
  const countsOf = ({ data }: Answer) => COUNTERS.map((counter) => data[counter]);
  const retry = async ({ data }: Answer): Promise<Answer> => {
    const { body } = await world.request('POST', `/api/v2/jobs/${data['job_id']}/retry-failed`);
    return world.finishedJob(body.data.job_id);
  };
  /** Makes the updates of a site reach it, without an answer and without a way to read its state. */
  const cutOff = (index: number) => {
    const site = world.site(index);
    site.faultQueue.push({ kind: 'delay', ms: 0, function: 'stats' });
    site.fault = { kind: 'refuse', function: 'stats' };
    for (let call = 0; call < 2; call++)
      site.faultQueue.push({ kind: 'cut', bytes: 0, function: 'upgradeplugintheme' });
  };

  it('when every package fails on every site, then the items and the job are failed', async () => {
    for (const site of world.fleet.sites) for (const slug of [ALPHA, BETA]) site.defects.failingPackages.add(slug);
    const job = await update(0, 1, 2, 3);
    assert.deepEqual([job.data['status'], job.data['processed'], ...countsOf(job)], ['failed', 4, 0, 0, 4, 0, 0]);
    assert.deepEqual(
      job.items.map(({ state, error, result }) => [state, error?.code, result?.errors.length]),
      Array.from({ length: SITES }, () => ['failed', 'svc_update_failed', 2]),
    );
    assert.equal(job.errors.length, SITES);
    const status = await world.ability('get-batch-job-status-v1', { job_id: job.data['job_id'] });
    assert.deepEqual([status.status, status.failed, status.errors.length], ['failed', SITES, SITES]);
    for (const site of world.fleet.sites) site.defects.failingPackages.clear();
    const again = await retry(job);
    assert.deepEqual([again.data['status'], ...countsOf(again)], ['completed', SITES, 0, 0, 0, 0]);
  });

  it('when one of two updates fails, then the item is partial and a retry sends only the other', async () => {
    world.site(0).defects.failingPackages.add(BETA);
    const job = await update(0, 1);
    assert.deepEqual([job.data['status'], ...countsOf(job)], ['completed', 1, 1, 0, 0, 0]);
    const [item] = job.items;
    assert.deepEqual(
      [item?.state, item?.error?.code, item?.result?.updated.length],
      ['partial', 'svc_update_failed', 1],
    );
    const { body } = await world.request('GET', `/api/v2/jobs/${job.data['job_id']}?state=partial`);
    assert.equal(body.total, 1);
    world.site(0).defects.failingPackages.clear();
    for (const site of world.fleet.sites) site.requests.length = 0;
    const again = await retry(job);
    assert.deepEqual([again.data['total'], ...countsOf(again)], [1, 1, 0, 0, 0, 0]);
    assert.deepEqual(upgradeCallsOf(world.site(0)), [`upgradeplugintheme plugin ${BETA}`]);
    assert.deepEqual(upgradeCallsOf(world.site(1)), []);
  });

  it('when the outcome is unknown, then the item is, and a retry looks before it sends', async () => {
    cutOff(0);
    const job = await update(0);
    assert.deepEqual([job.data['status'], ...countsOf(job)], ['failed', 0, 0, 0, 1, 0]);
    assert.deepEqual([job.items[0]?.state, job.items[0]?.error?.code], ['unknown', 'svc_outcome_unknown']);
    const site = world.site(0);
    site.fault = null;
    site.requests.length = 0;
    const again = await retry(job);
    assert.deepEqual([again.data['status'], ...countsOf(again)], ['completed', 1, 0, 0, 0, 0]);
    // What the first job has installed is in the change log, and is no result of the second.
    assert.equal(again.items[0]?.result?.updated.length, 1);
    const { changes } = await world.ability('get-site-changes-v1', { site_id_or_domain: world.siteId(0) });
    const updates = (changes as { type: string }[]).filter(({ type }) => type === 'plugin.updated');
    assert.ok(updates.length >= 2, JSON.stringify(changes));
    assert.deepEqual(upgradeCallsOf(site), [`upgradeplugintheme plugin ${BETA}`], 'the first job installed the other');
  });

  it('when nothing is left to update, then the item succeeds and says so', async () => {
    const first = await update(0, 1);
    const { knex } = world.container.database;
    await knex('job_items').where({ job_id: first.data['job_id'] }).update({ state: 'failed' });
    const again = await retry(first);
    assert.deepEqual([again.data['status'], ...countsOf(again)], ['completed', 2, 0, 0, 0, 0]);
    assert.deepEqual(
      again.items.map(({ state, result }) => [state, result?.nothing_to_do]),
      [
        ['succeeded', true],
        ['succeeded', true],
      ],
    );
    assert.deepEqual(first.items[0]?.result?.nothing_to_do, undefined);
  });

  it('when a job is cancelled, then what was not started is not begun, and a retry begins it', async () => {
    for (const site of world.fleet.sites) site.latencyMs = 300;
    const rings = { type: 'plugins', rings: ['25%'] };
    const { job_id } = (await world.request('POST', '/api/v2/updates/update', { body: rings })).body;
    await until(() => world.fleet.sites.some(({ requests }) => requests.length > 0), 'the first ring to begin');
    await world.request('DELETE', `/api/v2/jobs/${job_id}`);
    for (const site of world.fleet.sites) site.latencyMs = 0;
    const job: Answer = await world.finishedJob(job_id);
    assert.deepEqual([job.data['status'], job.data['processed'], ...countsOf(job)], ['cancelled', 4, 1, 0, 0, 0, 3]);
    assert.deepEqual(
      job.items.filter(({ state }) => state === 'not_begun').map(({ error }) => error?.code),
      ['svc_cancelled', 'svc_cancelled', 'svc_cancelled'],
    );
    const again = await retry(job);
    assert.deepEqual([again.data['total'], ...countsOf(again)], [3, 3, 0, 0, 0, 0]);
  });

  it('when a job is cancelled while an outcome is open, then the site is still checked, and the item has its outcome', async () => {
    const hour = 3_600_000;
    const slow = await startWorld({
      sites: 1,
      overrides: { deadlines: { lookAgainMs: [hour] } },
      env: { SITEFLEET_INLINE_DEADLINE: '1' },
    });
    try {
      const site = slow.site(0);
      removeItemsWithUpdates(site);
      releaseUpdates(site, { plugins: [ALPHA] });
      await syncSites(slow);
      site.faultQueue.push({ kind: 'delay', ms: 0, function: 'stats' });
      site.fault = { kind: 'refuse', function: 'stats' };
      site.faultQueue.push({ kind: 'goes-on', doneMs: 10, function: 'upgradeplugintheme' });
      await slow.ability('run-updates-v1', { site_ids_or_domains: slow.siteIds, types: ['plugins'] });
      const ended: Answer = await cancelPostponed(slow, 'update', async (id) => {
        site.fault = null;
        const retry = await slow.request('POST', `/api/v2/jobs/${id}/retry-failed`, { expect: 409 });
        assert.equal(retry.body.message, 'The job is still running. It is cancelled: wait for its end.');
      });
      assert.deepEqual([ended.data['status'], ...countsOf(ended)], ['cancelled', 1, 0, 0, 0, 0]);
      assert.equal(upgradeCallsOf(site).length, 1);
    } finally {
      await slow.close();
    }
  });
});
