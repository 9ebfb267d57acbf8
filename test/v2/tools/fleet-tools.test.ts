import assert from 'node:assert/strict';
import { LeaseLostError, type Lease } from '../../../src/db/lease.ts';
import { FLEET_TOOLS, runTool, startTool, toolStatus } from '../../support/tools.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('v2 tools for all sites', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ sites: 4 });
  });
  afterEach(() => world.close());

  const suspend = (index: number) => world.request('POST', `/api/v2/sites/${world.siteId(index)}/suspend`);
  const disconnect = (index: number) => world.request('POST', `/api/v2/sites/${world.siteId(index)}/disconnect`);
  const statusOf = async (index: number): Promise<string> =>
    (await world.request('GET', `/api/v2/sites/${world.siteId(index)}`)).body.data.status;
  const canBeSynced = async (index: number): Promise<boolean> =>
    (await world.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(index)] })).total_synced === 1;
  const keyOf = (index: number) => world.site(index).state.connection.publicKey;

  it('when a run is followed, then its status has the progress, and it is a job too', async () => {
    for (const tool of FLEET_TOOLS) {
      const { id, ...status } = await runTool(world, tool);
      const { started_at, completed_at, ...rest } = status;
      assert.deepEqual(rest, {
        success: 1,
        status: 'completed',
        total: 4,
        processed: 4,
        failed: 0,
        progress: 100,
        errors: [],
      });
      assert.ok(started_at !== null && completed_at !== null);
      const { body } = await world.request('GET', `/api/v2/jobs/${id}`);
      assert.deepEqual([body.data.type, body.data.succeeded], [tool, 4]);
      assert.deepEqual(body.items[0].result, { id: world.siteId(0), url: world.site(0).url });
    }
  });

  it('when a run is active, then another start returns its ID', async () => {
    for (const site of world.fleet.sites) site.latencyMs = 300;
    const id = await startTool(world, 'renew-connections');
    assert.equal(await startTool(world, 'renew-connections'), id);
    await world.finishedJob(id);
    assert.notEqual(await startTool(world, 'renew-connections'), id);
  });

  it('when twenty callers start a tool at the same time, then one run starts and each gets its ID', async () => {
    for (const tool of FLEET_TOOLS) {
      for (const site of world.fleet.sites) site.latencyMs = 300;
      const ids = await Promise.all(Array.from({ length: 20 }, () => startTool(world, tool)));
      assert.equal(new Set(ids).size, 1, tool);
      await world.finishedJob(ids[0] as string);
      const runs = await world.container.database.knex('jobs').where({ kind: tool }).pluck('id');
      assert.deepEqual(runs, [ids[0]]);
    }
  });

  it('when no site has a matching status, then the start is rejected', async () => {
    for (let index = 0; index < 4; index++) await disconnect(index);
    for (const tool of FLEET_TOOLS) {
      const { body } = await world.request('POST', `/api/v2/settings/tools/${tool}`, { expect: 404 });
      assert.equal(body.code, 'svc_no_website_found');
    }
  });

  it('when an ID is unknown or belongs to another tool, then the error is 404', async () => {
    const id = await startTool(world, 'destroy-sessions');
    for (const path of [`renew-connections-status/${id}`, 'destroy-sessions-status/nope']) {
      const { body } = await world.request('GET', `/api/v2/settings/tools/${path}`, { expect: 404 });
      assert.equal(body.code, 'svc_job_not_found');
    }
  });

  it('when the caller is no administrator, then starts are rejected, but a reader can read the status', async () => {
    for (const tool of FLEET_TOOLS)
      for (const as of ['viewer', 'reader', 'writer'] as const)
        await world.request('POST', `/api/v2/settings/tools/${tool}`, { as, expect: 403 });
    const id = await startTool(world, 'destroy-sessions');
    await world.request('GET', `/api/v2/settings/tools/destroy-sessions-status/${id}`, { as: 'reader' });
  });

  it('when the job is cancelled, then the run is failed', async () => {
    for (const site of world.fleet.sites) site.latencyMs = 500;
    const id = await startTool(world, 'destroy-sessions');
    await world.request('DELETE', `/api/v2/jobs/${id}`);
    assert.equal((await toolStatus(world, 'destroy-sessions', id)).status, 'failed');
  });

  it('when every site fails, then the run is failed and has the errors', async () => {
    for (const site of world.fleet.sites) site.fault = { kind: 'refuse' };
    const { status, failed, progress, errors } = await runTool(world, 'destroy-sessions');
    assert.deepEqual([status, failed, progress, errors.length], ['failed', 4, 100, 4]);
    assert.deepEqual([...new Set(errors.map(({ code }) => code))], ['svc_outcome_unknown']);
  });

  describe('destroy-sessions', () => {
    it('when the tool runs, then administrators are logged out of connected sites, and syncs still work', async () => {
      await suspend(3);
      const epochs = () => world.fleet.sites.map(({ state }) => state.users.map(({ sessionEpoch }) => sessionEpoch));
      const before = epochs();
      const { total } = await runTool(world, 'destroy-sessions');
      assert.equal(total, 3);
      const ended = epochs().map((site, index) => site.filter((epoch, user) => epoch > (before[index]?.[user] ?? 0)));
      assert.deepEqual(
        ended.map(({ length }) => length),
        [1, 1, 1, 0],
      );
      assert.ok(await canBeSynced(0));
      const { body } = await world.request('GET', `/api/v2/sites/${world.siteId(0)}/non-svc-changes?source=dashboard`);
      assert.equal(body.data[0].type, 'site.sessions_ended');
    });

    it('when a site rejects the call, then its item has an error and the other sites succeed', async () => {
      world.site(1).fault = {
        kind: 'forged',
        answer: { error: 'Cannot destroy sessions' },
        function: 'settings_tools',
      };
      world.site(2).fault = { kind: 'challenge', function: 'settings_tools' };
      const { status, failed, errors } = await runTool(world, 'destroy-sessions');
      assert.deepEqual([status, failed], ['completed', 2]);
      assert.deepEqual(
        errors.map(({ site_id, code }) => [site_id, code]),
        [
          [world.siteId(1), 'svc_site_bad_answer'],
          [world.siteId(2), 'svc_site_refused'],
        ],
      );
    });
  });

  describe('renew-connections', () => {
    it('when the tool runs, then each connected site has a new key and stays connected', async () => {
      await suspend(2);
      await disconnect(3);
      const before = world.fleet.sites.map((_, index) => keyOf(index));
      const { total, failed } = await runTool(world, 'renew-connections');
      assert.deepEqual([total, failed], [2, 0]);
      const changed = before.map((key, index) => keyOf(index) !== key);
      assert.deepEqual(changed, [true, true, false, false]);
      for (const site of world.fleet.sites) assert.equal(site.countOf('disconnect'), 0);
      for (const index of [0, 1]) assert.ok(await canBeSynced(index));
      assert.deepEqual(await Promise.all([0, 1, 2, 3].map(statusOf)), [
        'connected',
        'connected',
        'suspended',
        'disconnected',
      ]);
    });

    it('when a site rejects the call or is down, then its old key still works', async () => {
      world.site(0).fault = { kind: 'raw', status: 403, body: 'no', function: 'register' };
      world.site(1).fault = { kind: 'refuse' };
      const before = [keyOf(0), keyOf(1)];
      const { failed, errors } = await runTool(world, 'renew-connections');
      assert.deepEqual([failed, errors.map(({ site_id }) => site_id)], [2, [world.siteId(0), world.siteId(1)]]);
      assert.deepEqual([keyOf(0), keyOf(1)], before);
      world.site(0).fault = world.site(1).fault = null;
      for (const index of [0, 1]) assert.ok(await canBeSynced(index));
    });

    it('when the response of a site is lost, then the new key is detected', async () => {
      const before = keyOf(0);
      world.site(0).faultQueue.push({ kind: 'fatal', when: 'after', function: 'register' });
      const { failed } = await runTool(world, 'renew-connections');
      assert.equal(failed, 0);
      assert.notEqual(keyOf(0), before);
      assert.ok(await canBeSynced(0));
    });

    it('when PHP stores the key after a gateway timeout, then the next call detects the key', async () => {
      const before = keyOf(0);
      // The second request goes to the front page of the site.
      world.site(0).faultQueue.push({ kind: 'goes-on', doneMs: 2_000, function: 'register', times: 2 });
      const { failed, errors } = await runTool(world, 'renew-connections');
      assert.deepEqual([failed, errors[0]?.code], [1, 'svc_site_refused']);
      await until(() => Promise.resolve(keyOf(0) !== before), 'the site to take the key');
      assert.ok(await canBeSynced(0));
      assert.equal(await statusOf(0), 'connected');
    });

    it('when an earlier attempt may still run, then the next one registers the same key', async () => {
      world.site(0).faultQueue.push({ kind: 'goes-on', doneMs: 2500, function: 'register', times: 2 });
      const { id } = await runTool(world, 'renew-connections');
      const { body } = await world.request('POST', `/api/v2/jobs/${id}/retry-failed`);
      assert.equal((await world.finishedJob(body.data.job_id)).data.succeeded, 1);
      const key = keyOf(0);
      await until(() => Promise.resolve(world.site(0).requests.every(({ finishedAt }) => finishedAt)), 'the late one');
      assert.equal(keyOf(0), key);
      assert.ok(await canBeSynced(0));
    });

    it('when failed items are retried, then only sites without a new key get one', async () => {
      world.site(1).fault = { kind: 'refuse' };
      const { id } = await runTool(world, 'renew-connections');
      world.site(1).fault = null;
      const [first, second] = [keyOf(0), keyOf(1)];
      const { body } = await world.request('POST', `/api/v2/jobs/${id}/retry-failed`);
      await world.finishedJob(body.data.job_id);
      assert.equal(keyOf(0), first);
      assert.notEqual(keyOf(1), second);
    });

    it('when a job is interrupted after a site stored the key, then the site is not registered again', async () => {
      const id = await startTool(world, 'renew-connections');
      await world.finishedJob(id);
      const key = keyOf(0);
      const { knex } = world.container.database;
      const running = { state: 'running', lease_owner: 'w-dead', lease_until: 1, result: null, completed_at: null };
      await knex('jobs').where({ id }).update({ state: 'processing', processed: 3, succeeded: 3, completed_at: null });
      await knex('job_items').where({ job_id: id, position: 0 }).update(running);
      await until(async () => (await toolStatus(world, 'renew-connections', id)).processed === 4, 'its end');
      assert.equal(keyOf(0), key);
    });
  });

  describe('disconnect-all-sites', () => {
    it('when the tool runs, then no child has a key, and sites can be reconnected without a password', async () => {
      await suspend(1);
      await disconnect(2);
      const { total, failed } = await runTool(world, 'disconnect-all-sites');
      assert.deepEqual([total, failed], [3, 0]);
      assert.deepEqual(
        [0, 1, 3].map((index) => keyOf(index)),
        [null, null, null],
      );
      assert.notEqual(keyOf(2), null);
      for (let index = 0; index < 4; index++) assert.equal(await statusOf(index), 'disconnected');
      await world.request('POST', `/api/v2/sites/${world.siteId(0)}/reconnect`);
      assert.ok(await canBeSynced(0));
    });

    it('when a site cannot be called, then it is disconnected with an error, and a retry calls it again', async () => {
      world.site(0).fault = { kind: 'challenge' };
      const { id, failed, errors } = await runTool(world, 'disconnect-all-sites');
      assert.deepEqual([failed, errors[0]?.code], [1, 'svc_site_refused']);
      assert.equal(await statusOf(0), 'disconnected');
      assert.notEqual(keyOf(0), null);
      world.site(0).fault = null;
      const { body } = await world.request('POST', `/api/v2/jobs/${id}/retry-failed`);
      assert.equal((await world.finishedJob(body.data.job_id)).data.succeeded, 1);
      assert.equal(keyOf(0), null);
    });

    it('when another process has taken the job over, then the site keeps its new state', async () => {
      const lost: Lease = {
        confirm: () => Promise.resolve(() => true),
        lock: () => Promise.reject(new LeaseLostError()),
      };
      const { sites } = world.container.services.sites;
      await assert.rejects(sites.release(world.siteId(0), 'test', { lease: lost }), LeaseLostError);
      assert.equal(await statusOf(0), 'connected');
    });

    it('when the response of a site is lost or the site has no key, then the item succeeds', async () => {
      world.site(0).faultQueue.push({ kind: 'fatal', when: 'after', function: 'disconnect' });
      world.site(1).loseKey();
      assert.equal((await runTool(world, 'disconnect-all-sites')).failed, 0);
      assert.equal(keyOf(0), null);
    });
  });
});
