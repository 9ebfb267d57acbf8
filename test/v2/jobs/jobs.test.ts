import assert from 'node:assert/strict';
import { deref } from '../../../src/contract/index.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { newestJob, readNewestJob } from '../../support/jobs.ts';
import { refusedFields } from '../../support/refusals.ts';
import { clearFaults, syncSites } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('v2 jobs', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3 });
    for (let count = 0; count < 3; count++) await syncSites(world);
    await world.ability('check-sites-v1', { site_ids_or_domains: [world.siteId(0)] });
  });
  after(() => world.close());

  it('when jobs are listed, then the newest come first, with paging in body and headers', async () => {
    const { body, headers } = await world.request('GET', '/api/v2/jobs?per_page=2&page=2');
    assert.deepEqual(
      [body.success, body.total, body.page, body.per_page, body.pages, body.data.length],
      [1, 4, 2, 2, 2, 2],
    );
    assert.equal(headers['x-wp-total'], '4');
    assert.equal(headers['x-wp-totalpages'], '2');
    assert.equal(
      headers['link'],
      ['first', 'prev']
        .map((rel) => `<${world.url}/api/v2/jobs?orderby=created_at&order=desc&page=1&per_page=2>; rel="${rel}"`)
        .join(', '),
    );
    const { body: all } = await world.request('GET', '/api/v2/jobs');
    const times = all.data.map((job: { created_at: string }) => job.created_at);
    assert.deepEqual(times, [...times].sort().reverse());
  });

  it('when a job kind exists in the queue, then both contracts list it', () => {
    const kinds = world.container.queue.kinds.map(({ name }) => name).sort();
    for (const [surface, name] of [
      ['v2', 'Job'],
      ['abilities', 'GetBatchJobStatusOutput'],
    ] as const) {
      const contract = readContract(surface);
      const { properties } = (contract.components['schemas']?.[name] ?? assert.fail()) as {
        properties: { type: object };
      };
      const { 'x-extensible-enum': types } = deref(contract, properties.type) as { 'x-extensible-enum': string[] };
      assert.deepEqual([...types].sort(), kinds, 'List all job kinds in JobType of openapi/shared/jobs.yaml.');
    }
    const { JobTypeFilter } = readContract('v2').components.schemas ?? {};
    const { enum: filtered } = JobTypeFilter as { enum: string[] };
    assert.deepEqual([...filtered].sort(), kinds, 'List all job kinds in JobTypeFilter of openapi/shared/jobs.yaml.');
  });

  it('when a job kind aborts its running items on cancel, then the description of JobType lists it', () => {
    const aborting = world.container.queue.kinds.filter(({ whenCancelled }) => whenCancelled === 'abort');
    const { JobType } = readContract('v2').components.schemas ?? {};
    const { description } = JobType as { description: string };
    const [, list] = /but those of the types (.*?) are aborted/s.exec(description) ?? assert.fail(description);
    const listed = [...String(list).matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const advice = 'List the kinds with `whenCancelled: abort`, and no others, in openapi/shared/jobs.yaml.';
    assert.deepEqual(listed.sort(), aborting.map(({ name }) => name).sort(), advice);
  });

  it('when a result was stored by an earlier release, then it is returned unchanged', async () => {
    const { knex } = world.container.database;
    const results = {
      check: {
        site_id: 7,
        site_url: 'https://a.test/',
        checked: true,
        reachable: true,
        response_time_ms: 184,
        http_status: 200,
      },
      update: {
        updated: [
          {
            site_id: 7,
            site_url: 'https://a.test/',
            site_name: 'A',
            type: 'plugin',
            slug: 'x/x.php',
            name: 'X',
            old_version: '1',
            new_version: '2',
          },
        ],
        errors: [{ identifier: 'y/y.php', code: 'svc_update_failed', message: 'It failed.', site_id: 7 }],
      },
    };
    const now = world.container.clock.now();
    for (const [kind, result] of [
      ['check', results.check],
      ['update', results.update],
      ['verify', results.update],
    ] as const) {
      const counters = { total: 1, processed: 1, succeeded: 1, failed: 0 };
      const times = { created_at: now, started_at: now, completed_at: now };
      const job = { id: `${kind}_old`, kind, state: 'completed', requested_by: 'admin', input: '{}' };
      const item = { job_id: job.id, position: 0, site_id: 7, identifier: 'a.test', attempt: 1, state: 'succeeded' };
      await knex('jobs').insert({ ...job, ...counters, ...times });
      await knex('job_items').insert({ ...item, result: JSON.stringify(result), completed_at: now });
      const { items } = (await world.request('GET', `/api/v2/jobs/${job.id}`)).body;
      assert.deepEqual(items[0].result, result);
      await knex('jobs').where({ id: job.id }).delete();
    }
  });

  it('when a type or status is given, then the list is filtered by it', async () => {
    const { body: checks } = await world.request('GET', '/api/v2/jobs?type=check');
    assert.deepEqual(
      checks.data.map((job: { type: string }) => job.type),
      ['check'],
    );
    assert.equal((await world.request('GET', '/api/v2/jobs?status=failed')).body.total, 0);
    assert.equal((await world.request('GET', '/api/v2/jobs?status=completed&type=sync')).body.total, 3);
  });

  it('when items have nothing but errors, then they and the job are failed, and each item has its errors', async () => {
    const slug = 'broken/broken.php';
    for (const index of [0, 1]) {
      const site = world.site(index);
      site.performWpAdminAction({ do: 'install-plugin', folder: 'broken' });
      site.performWpAdminAction({ do: 'release-plugin', plugin: slug, version: '9.9' });
      site.defects.failingPackages.add(slug);
    }
    const ids = [world.siteId(0), world.siteId(1)];
    for (const id of ids) await world.container.services.sites.sites.sync(id);
    const update = async (sites: number[]) => {
      const answer = await world.ability('run-updates-v1', { site_ids_or_domains: sites, specific_items: [slug] });
      return { answer, job: await readNewestJob(world, 'update') };
    };
    const one = await update(ids.slice(0, 1));
    assert.deepEqual([one.answer.errors.length, one.answer.errors[0].slug], [1, slug]);
    const { status, succeeded, failed } = one.job.data;
    assert.deepEqual([status, succeeded, failed], ['failed', 0, 1]);
    const [item] = one.job.items;
    assert.deepEqual([item.state, item.error.code, item.result.errors[0].slug], ['failed', 'svc_update_failed', slug]);
    const asked = await world.ability('get-batch-job-status-v1', { job_id: one.job.data.job_id });
    assert.deepEqual([asked.status, asked.errors[0].code], ['failed', 'svc_update_failed']);
    const retried = (await world.request('POST', `/api/v2/jobs/${one.job.data.job_id}/retry-failed`)).body;
    assert.equal(retried.message, '1 item is retried.');
    const again = retried.data;
    assert.equal((await world.finishedJob(again.job_id)).data.status, 'failed');
    const both = await update(ids);
    assert.equal(both.answer.errors.length, 2);
    assert.deepEqual([both.job.data.status, both.job.data.failed], ['failed', 2]);
  });

  it('when one job is read, then its items are paged', async () => {
    const path = `/api/v2/jobs/${(await newestJob(world, 'sync')).job_id}`;
    const { body } = await world.request('GET', `${path}?per_page=2&page=2`);
    assert.deepEqual([body.total, body.pages, body.items.length], [3, 2, 1]);
    assert.equal(body.items[0].site_id, world.siteId(2));
    const { body: failed } = await world.request('GET', `${path}?state=failed`);
    assert.deepEqual([failed.total, failed.items], [0, []]);
  });

  it('when any page is read, then it has all errors of the job, and _fields limits the fields', async () => {
    world.site(1).fault = { kind: 'challenge' };
    await syncSites(world);
    world.site(1).fault = null;
    const { body: list } = await world.request('GET', '/api/v2/jobs?per_page=1&_fields=job_id,failed');
    assert.deepEqual([Object.keys(list.data[0]), list.data[0].failed], [['job_id', 'failed'], 1]);
    const path = `/api/v2/jobs/${list.data[0].job_id}`;
    for (const query of ['', '?per_page=1&page=3', '?state=succeeded']) {
      const { errors } = (await world.request('GET', path + query)).body;
      assert.deepEqual(
        errors.map(({ site_id, code }: { site_id: number; code: string }) => [site_id, code]),
        [[world.siteId(1), 'svc_site_refused']],
      );
    }
    assert.deepEqual((await world.request('GET', `${path}?_fields=status`)).body.data, { status: 'completed' });
  });

  it('when per_page is above 500, then 500 is used', async () => {
    assert.equal((await world.request('GET', '/api/v2/jobs?per_page=9999')).body.per_page, 500);
  });

  it('when the ID is unknown, then the error is 404; a finished job cannot be cancelled', async () => {
    for (const method of ['GET', 'DELETE'])
      assert.equal(
        (await world.request(method, '/api/v2/jobs/sync_none', { expect: 404 })).body.code,
        'svc_job_not_found',
      );
    const { body } = await world.request('GET', '/api/v2/jobs');
    const refused = await world.request('DELETE', `/api/v2/jobs/${body.data[0].job_id}`, { expect: 409 });
    assert.equal(refused.body.code, 'svc_job_finished');
    assert.equal(
      (await world.ability('get-batch-job-status-v1', { job_id: 'sync_none' }, { expect: 404 })).code,
      'svc_job_not_found',
    );
  });

  it('when a parameter is invalid or the permission is missing, then the request is rejected', async () => {
    for (const [query, path] of [
      ['status=nonsense', 'query.status'],
      ['page=0', 'query.page'],
      ['per_page=x', 'query.per_page'],
      ['nope=1', 'query.nope'],
    ] as const)
      assert.equal((await refusedFields(world, 'GET', `/api/v2/jobs?${query}`))[0], path);
    assert.equal(
      (await world.request('DELETE', '/api/v2/jobs/x', { as: 'reader', expect: 403 })).body.code,
      'svc_permission_denied',
    );
    assert.equal(
      (await world.request('GET', '/api/v2/jobs', { as: 'writer', expect: 403 })).body.code,
      'svc_permission_denied',
    );
    await world.request('GET', '/api/v2/jobs', { as: 'nobody', expect: 401 });
  });

  it('when a job with more failed items than a statement reads is retried, then all are queued in their order', async () => {
    const { knex } = world.container.database;
    const [id, count, at] = ['sync_of_many', 1_101, Date.now()];
    const times = { created_at: at, started_at: at, completed_at: at };
    const counts = { total: count, processed: count, succeeded: 1, failed: count - 1 };
    await knex('jobs').insert({
      id,
      kind: 'sync',
      state: 'failed',
      requested_by: 'a',
      input: '{}',
      ...counts,
      ...times,
    });
    const items = Array.from({ length: count }, (_, position) => ({
      ...{ job_id: id, position, identifier: `item ${position}`, attempt: 1, completed_at: at },
      ...{ site_id: world.siteId(0), state: position === 600 ? 'succeeded' : 'failed' },
    }));
    await knex.batchInsert('job_items', items, 100);
    const { data } = (await world.request('POST', `/api/v2/jobs/${id}/retry-failed`)).body;
    await world.request('DELETE', `/api/v2/jobs/${data.job_id}`);
    const queued = await knex('job_items').where({ job_id: data.job_id }).orderBy('position').pluck('identifier');
    assert.deepEqual(
      queued,
      items.filter(({ state }) => state === 'failed').map(({ identifier }) => identifier),
    );
    await world.finishedJob(data.job_id);
  });

  it('when a job is retried, then the caller needs the permission of the call that started it', async () => {
    world.site(0).fault = { kind: 'challenge' };
    await syncSites(world);
    world.site(0).fault = null;
    const path = `/api/v2/jobs/${(await newestJob(world)).job_id}/retry-failed`;
    const base = '/api/v2/rest-api';
    const post = async (to: string, body: object) => (await world.request('POST', base + to, { body })).body.data;
    await post('/roles/add', { name: 'retrier', permissions: ['jobs:write'] });
    const user = await post('/users/add', { name: 'Retrier', role: 'retrier' });
    const { token } = await post('/add-key', { user: user.id, scope: 'write' });
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'retried-with-more-rights' };
    const asRetrier = { as: 'nobody' as const, headers };
    const { body } = await world.request('POST', path, { ...asRetrier, expect: 403 });
    assert.equal(body.data.permission, 'sites:sync');
    const edit = { body: { permissions: ['jobs:write', 'sites:sync'] } };
    await world.request('PUT', `${base}/roles/retrier/edit`, edit);
    await world.request('POST', path, asRetrier);
    const permissionsOf = (kind: string) => world.container.queue.retryPermissionsOf(kind, {});
    assert.deepEqual(permissionsOf('install-package'), ['packages:install']);
    assert.deepEqual(permissionsOf('rollback-package'), ['updates:run']);
  });

  it('when a job is retried, then a new job runs the failed items', async () => {
    for (const index of [0, 1]) world.site(index).fault = { kind: 'challenge' };
    await syncSites(world);
    for (const index of [0, 1]) world.site(index).fault = null;
    const path = `/api/v2/jobs/${(await newestJob(world)).job_id}/retry-failed`;
    const { body } = await world.request('POST', path);
    assert.equal(body.data.total, 2);
    const again = await world.finishedJob(body.data.job_id);
    assert.deepEqual([again.data.type, again.data.status, again.data.succeeded], ['sync', 'completed', 2]);
    assert.deepEqual(
      again.items.map((item: { site_id: number }) => item.site_id),
      world.siteIds.slice(0, 2),
    );
    const nothing = await world.request('POST', `/api/v2/jobs/${body.data.job_id}/retry-failed`, { expect: 409 });
    assert.equal(nothing.body.code, 'svc_nothing_to_retry');
    await world.request('POST', '/api/v2/jobs/sync_none/retry-failed', { expect: 404 });
    await world.request('POST', path, { as: 'viewer', expect: 403 });
    world.site(0).latencyMs = 600;
    const running = syncSites(world);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { job_id } = await newestJob(world);
    const early = await world.request('POST', `/api/v2/jobs/${job_id}/retry-failed`, { expect: 409 });
    assert.equal(early.body.code, 'svc_job_not_finished');
    assert.equal(early.body.message, 'The job is still running. Wait for its end or cancel it.');
    await running;
    world.site(0).latencyMs = 0;
  });

  it('when every site fails, then the job is failed', async () => {
    for (const site of world.fleet.sites) site.fault = { kind: 'refuse' };
    await syncSites(world);
    const { data, items } = await readNewestJob(world);
    assert.deepEqual([data.status, data.failed], ['failed', 3]);
    assert.equal(items[0].error.code, 'svc_site_unreachable');
    const status = await world.ability('get-batch-job-status-v1', { job_id: data.job_id });
    assert.equal(status.errors.length, 3);
    clearFaults(world);
  });
});
