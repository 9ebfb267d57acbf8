import assert from 'node:assert/strict';
import { readNewestJob } from '../../support/jobs.ts';
import { restoreSites } from '../../support/sites.ts';
import { startWorldWithoutUpdates } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

const BATCH = ['sync-sites-v1', 'reconnect-sites-v1', 'disconnect-sites-v1', 'suspend-sites-v1'] as const;

describe('calls over several sites', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 6 });
  });
  after(() => world.close());
  beforeEach(async () => {
    await restoreSites(world);
  });

  const codes = (errors: { identifier: unknown; code: string }[]): [unknown, string][] =>
    errors.map(({ identifier, code }) => [identifier, code]);

  it('when the list is empty, then sync-sites-v1 syncs all but suspended and disconnected sites', async () => {
    await world.ability('suspend-site-v1', { site_id_or_domain: world.siteId(0) });
    await world.ability('disconnect-site-v1', { site_id_or_domain: world.siteId(1) });
    const { queued, synced, errors, total_synced, total_errors } = await world.ability('sync-sites-v1');
    assert.deepEqual([queued, total_synced, total_errors, errors], [false, 4, 0, []]);
    assert.deepEqual(
      synced.map(({ id }: { id: number }) => id),
      world.siteIds.slice(2),
    );
  });

  it('when sites are suspended, disconnected, down or unknown, then sync-sites-v1 has an error for each', async () => {
    await world.ability('suspend-site-v1', { site_id_or_domain: world.siteId(0) });
    await world.ability('disconnect-site-v1', { site_id_or_domain: world.siteId(1) });
    world.site(2).fault = { kind: 'refuse' };
    const { host } = new URL(world.site(3).url);
    const answer = await world.ability('sync-sites-v1', {
      site_ids_or_domains: [
        world.siteId(0),
        String(world.siteId(1)),
        world.siteId(2),
        host,
        'unknown.example',
        world.siteId(3),
      ],
    });
    assert.deepEqual(
      answer.synced.map(({ id }: { id: number }) => id),
      [world.siteId(3)],
    );
    assert.deepEqual(
      codes(answer.errors).sort(),
      [
        ['unknown.example', 'svc_site_not_found'],
        [world.siteId(0), 'svc_site_suspended'],
        [String(world.siteId(1)), 'svc_site_disconnected'],
        [world.siteId(2), 'svc_site_unreachable'],
      ].sort(),
    );
    assert.equal(answer.total_errors, 4);
  });

  it('when sites are excluded, then sync-sites-v1 leaves them out without an error', async () => {
    const answer = await world.ability('sync-sites-v1', { exclude_ids: world.siteIds.slice(1) });
    assert.deepEqual([answer.synced.map(({ id }: { id: number }) => id), answer.total_errors], [[world.siteId(0)], 0]);
  });

  it('when a plugin changes on the site, then a sync stores the change', async () => {
    const site = world.site(0);
    const id = world.siteId(0);
    const [slug] = [...site.state.plugins.keys()].filter((each) => each === 'hello.php');
    assert.ok(slug);
    const active = async (): Promise<boolean> =>
      (await world.ability('get-site-plugins-v1', { site_id_or_domain: id })).plugins.find(
        (plugin: { slug: string }) => plugin.slug === slug,
      ).active;
    const before = await active();
    const plugin = site.state.plugins.get(slug);
    assert.ok(plugin);
    plugin.active = !before;
    site.touch();
    assert.equal(await active(), before);
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.equal(await active(), !before);
  });

  it('when a site sends a bad response, rejects the call or is outdated, then it has one error', async () => {
    world.site(0).fault = { kind: 'invalid-json' };
    world.site(1).fault = { kind: 'challenge' };
    world.site(2).fault = { kind: 'scalar', value: 5 };
    world.site(3).setChildVersion('3.9');
    const { errors, total_synced } = await world.ability('sync-sites-v1');
    assert.equal(total_synced, 2);
    assert.deepEqual(codes(errors), [
      [world.siteId(0), 'svc_site_bad_answer'],
      [world.siteId(1), 'svc_site_refused'],
      [world.siteId(2), 'svc_site_bad_answer'],
      [world.siteId(3), 'svc_child_outdated'],
    ]);
    world.site(3).setChildVersion('6.1');
  });

  it('when the list is empty, then reconnect-sites-v1 reconnects exactly the disconnected sites', async () => {
    await world.ability('disconnect-sites-v1', { site_ids_or_domains: world.siteIds.slice(0, 2) });
    const registered = world.fleet.sites.map((site) => site.countOf('register'));
    const answer = await world.ability('reconnect-sites-v1', {});
    assert.deepEqual(answer, {
      reconnected: [0, 1].map((index) => ({ id: world.siteId(index), url: world.site(index).url })),
      errors: [],
      total_reconnected: 2,
      total_errors: 0,
    });
    assert.deepEqual(
      world.fleet.sites.map((site, index) => site.countOf('register') - (registered[index] ?? 0)),
      [1, 1, 0, 0, 0, 0],
    );
  });

  it('when a site is suspended, then reconnect-sites-v1 has it in the errors', async () => {
    await world.ability('suspend-site-v1', { site_id_or_domain: world.siteId(0) });
    const { errors } = await world.ability('reconnect-sites-v1', { site_ids_or_domains: [world.siteId(0)] });
    assert.deepEqual(codes(errors), [[world.siteId(0), 'svc_site_suspended']]);
  });

  it('when a site is given twice, then disconnect-sites-v1 and suspend-sites-v1 change it once', async () => {
    for (const [name, flag] of [
      ['disconnect-sites-v1', 'disconnected'],
      ['suspend-sites-v1', 'suspended'],
    ] as const) {
      const answer = await world.ability(name, {
        site_ids_or_domains: [world.siteId(0), world.site(0).url, 'no.example'],
      });
      assert.deepEqual(answer[flag], [{ id: world.siteId(0), url: world.site(0).url }]);
      assert.deepEqual([answer[`total_${flag}`], answer.total_errors], [1, 1]);
      assert.equal((await world.ability('get-site-v1', { site_id_or_domain: world.siteId(0) })).status, flag);
    }
  });

  it('when the list is empty, then disconnect-sites-v1 and suspend-sites-v1 reject the call', async () => {
    for (const name of ['disconnect-sites-v1', 'suspend-sites-v1'])
      for (const input of [{ site_ids_or_domains: [] }, {}, undefined])
        assert.equal((await world.ability(name, input, { expect: 400 })).code, 'ability_invalid_input');
    assert.equal((await world.ability('count-sites-v1', { status: 'connected' })).total, 6);
  });

  it('when the input is invalid or the right is missing, then the call is rejected', async () => {
    for (const name of BATCH) {
      const bad = await world.ability(name, { site_ids_or_domains: [true], nope: 1 }, { expect: 400 });
      assert.deepEqual(bad.data.errors.map(({ path }: { path: string }) => path).sort(), [
        'input.nope',
        'input.site_ids_or_domains.0',
      ]);
      await world.ability(name, { site_ids_or_domains: [1] }, { as: 'viewer', expect: 403 });
    }
  });

  it('when a call is finished, then its job has a result for each site', async () => {
    await world.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(0), world.siteId(1)] });
    const job = await readNewestJob(world);
    assert.deepEqual([job.data.type, job.data.status, job.data.total, job.data.succeeded], ['sync', 'completed', 2, 2]);
    assert.deepEqual(
      job.items.map((item: { site_id: number; state: string; result: { id: number } }) => [
        item.site_id,
        item.state,
        item.result.id,
      ]),
      [0, 1].map((index) => [world.siteId(index), 'succeeded', world.siteId(index)]),
    );
    const status = await world.ability('get-batch-job-status-v1', { job_id: job.data.job_id });
    assert.deepEqual([status.status, status.progress, status.errors], ['completed', 100, []]);
  });
});

describe('calls over more than 200 sites', () => {
  let world: World;
  before(async () => {
    world = await startWorldWithoutUpdates(203);
  });
  after(() => world.close());

  it('when there are 200 sites, then they are synced directly; 201 sites are synced by a job', async () => {
    const inline = await world.ability('sync-sites-v1', { site_ids_or_domains: world.siteIds.slice(0, 200) });
    assert.deepEqual([inline.queued, inline.total_synced, inline.total_errors], [false, 200, 0]);
    const queued = await world.ability('sync-sites-v1', {
      site_ids_or_domains: [...world.siteIds.slice(0, 201), 'no.example'],
    });
    assert.deepEqual([queued.queued, queued.sites_queued, queued.errors.length], [true, 201, 1]);
    assert.equal(queued.status_url, `${world.url}/api/v2/jobs/${queued.job_id}`);
    const job = await world.finishedJob(queued.job_id);
    assert.deepEqual([job.data.status, job.data.succeeded, job.data.failed], ['completed', 201, 0]);
    assert.equal((await world.ability('get-batch-job-status-v1', { job_id: queued.job_id })).status, 'completed');
  });

  it('when other abilities have more than 200 sites, then a job has one result per site', async () => {
    for (const name of ['suspend-sites-v1', 'disconnect-sites-v1', 'reconnect-sites-v1', 'check-sites-v1']) {
      const queued = await world.ability(name, { site_ids_or_domains: world.siteIds });
      assert.deepEqual([queued.queued, queued.sites_queued], [true, 203], name);
      const job = await world.finishedJob(queued.job_id);
      assert.deepEqual([job.data.status, job.data.processed, job.data.succeeded], ['completed', 203, 203], name);
    }
    assert.equal((await world.ability('count-sites-v1', { status: 'connected' })).total, 203);
  });

  it('when a queued job is cancelled, then the remaining sites are not synced', async () => {
    for (const site of world.fleet.sites) site.latencyMs = 400;
    const queued = await world.ability('sync-sites-v1');
    const { body } = await world.request('DELETE', `/api/v2/jobs/${queued.job_id}`);
    assert.equal(body.data.status, 'cancelled');
    const job = await world.finishedJob(queued.job_id);
    assert.equal(job.data.status, 'cancelled');
    assert.equal(job.data.processed, 203);
    assert.ok(job.items.some((item: { state: string }) => item.state === 'not_begun'));
    await world.request('DELETE', `/api/v2/jobs/${queued.job_id}`, { expect: 409 });
    for (const site of world.fleet.sites) site.latencyMs = 0;
  });
});

describe('inline deadline', () => {
  it('when the deadline passes, then unfinished sites are in the errors, and their job continues', async () => {
    const world = await startWorld({ sites: 2, env: { SITEFLEET_INLINE_DEADLINE: '1' } });
    try {
      world.site(1).latencyMs = 2500;
      const { synced, errors } = await world.ability('sync-sites-v1');
      assert.deepEqual(
        synced.map(({ id }: { id: number }) => id),
        [world.siteId(0)],
      );
      assert.equal(errors[0].code, 'svc_still_running');
      const job = await world.finishedJob(errors[0].job_id);
      assert.equal(job.data.succeeded, 2);
    } finally {
      await world.close();
    }
  });
});
