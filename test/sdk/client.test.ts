import assert from 'node:assert/strict';
import type { Sitefleet, SitefleetError } from '../../src/sdk/index.ts';
import { createSdkClient } from '../support/sdk.ts';
import { createTag } from '../support/tags.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the client.

describe('client SDK', () => {
  let world: World;
  let fleet: Sitefleet;
  before(async () => {
    world = await startWorld({ sites: 3 });
    fleet = await createSdkClient(world);
  });
  after(() => world.close());

  it('when abilities are called with GET or POST, then input and output are typed', async () => {
    const { total } = await fleet.ability('count-sites-v1');
    assert.equal(total, 3);
    const site = await fleet.ability('get-site-v1', { site_id_or_domain: world.siteId(0) });
    assert.equal(site.url, world.site(0).url);
    const synced = await fleet.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(1)] });
    assert.ok('total_synced' in synced && synced.total_synced === 1 && !synced.queued);
  });

  it('when a list has several pages, then items iterates over all', async () => {
    const ids: number[] = [];
    for await (const site of fleet.items('list-sites-v1', { per_page: 2 })) ids.push(site.id);
    assert.deepEqual(ids, world.siteIds);
    const urls: string[] = [];
    for await (const { url } of fleet.items('sites_list', { query: { per_page: 2, page: 2 } })) urls.push(url);
    assert.deepEqual(urls, [world.site(2).url]);
    const names: string[] = [];
    for await (const { name } of fleet.items('abilities_list', { query: { per_page: 30 } })) names.push(name);
    assert.ok(names.length > 60);
    assert.equal(new Set(names).size, names.length);
  });

  it('when pages are iterated, then each page has its items and the total', async () => {
    const sizes: number[] = [];
    for await (const { items, total } of fleet.pages('list-sites-v1', { per_page: 2 })) {
      assert.equal(total, 3);
      sizes.push(items.length);
    }
    assert.deepEqual(sizes, [2, 1]);
  });

  it('when an item of a list in a query contains a comma, then it stays one item', async () => {
    const tags = ['a, b', 'c'];
    for (const [index, name] of tags.entries()) await createTag(world, name, world.siteId(index));
    for (const groups of [['a, b'], tags]) {
      const { total } = await fleet.route('perf_audit_list', { query: { groups } });
      assert.equal(total, groups.length);
    }
  });

  it('when items are keyed by URL, then items yields pairs of key and value', async () => {
    const found: [string, unknown][] = [];
    for await (const pair of fleet.items('ssl_monitor_info_list')) found.push(pair);
    for (const [url, status] of found) assert.ok(url.startsWith('http') && Array.isArray(status));
  });

  it('when routes are called, then waitForJob waits for their jobs', async () => {
    const { data } = await fleet.route('jobs_list', { query: { per_page: 1 } });
    const states: string[] = [];
    const job = await fleet.waitForJob(data[0] ?? assert.fail(), {
      everyMs: 5,
      onProgress: ({ status, processed, total }) => states.push(`${status} ${processed}/${total}`),
    });
    assert.equal(job.data.status, 'completed');
    assert.deepEqual(states, ['completed 1/1']);
    assert.equal(job.items.length, 1);
  });

  it('when a file is given, then it is sent as form data', async () => {
    const text = `sdk,sdk@example.com,,,,,,,${world.site(0).url},`;
    for (const csv_file of [text.replaceAll('sdk', 'text'), new Blob([text], { type: 'text/csv' })]) {
      const { success_users: made } = await fleet.route('users_import', { body: { csv_file, has_header: false } });
      assert.deepEqual(Object.keys(made[0]?.created_sites ?? {}), [String(world.siteId(0))]);
    }
  });

  it('when a file is requested, then a Response is returned', async () => {
    const response = await fleet.file('time_tracker_tasks_export');
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(await response.text(), /^id,/);
  });

  it('when the service returns an error, then the SDK throws it with code and request ID', async () => {
    await assert.rejects(fleet.ability('get-site-v1', { site_id_or_domain: 999_999 }), (error: SitefleetError) => {
      assert.equal(error.code, 'svc_site_not_found');
      assert.equal(error.status, 404);
      assert.match(error.requestId ?? '', /^[\w-]{8,}$/);
      return true;
    });
  });

  it('when the input of a read is long, then it is sent in a body', async () => {
    const tag_ids = Array.from({ length: 1000 }, (_, index) => index + 100);
    assert.equal((await fleet.ability('count-sites-v1', { tag_ids })).total, 0);
  });

  it('when a record was changed in between, then an edit with the old ETag fails', async () => {
    const path = { id_or_domain: world.siteId(0) };
    const { etag, data } = await fleet.answer('sites_get', { path });
    assert.ok(etag !== null);
    assert.equal(data.data.id, world.siteId(0));
    const known = await fleet.answer('sites_get', { path }, { ifNoneMatch: etag });
    assert.deepEqual([known.status, known.data], [304, undefined]);
    await fleet.route('sites_edit', { path, body: { notes: 'first' } }, { ifMatch: etag });
    await assert.rejects(fleet.route('sites_edit', { path, body: { notes: 'second' } }, { ifMatch: etag }), {
      code: 'svc_precondition_failed',
    });
  });

  it('when a change is sent twice with one idempotency key, then it runs once', async () => {
    const call = { body: { name: 'once' } };
    const first = await fleet.answer('tags_add', call, { idempotencyKey: 'tag-once' });
    const second = await fleet.answer('tags_add', call, { idempotencyKey: 'tag-once' });
    assert.deepEqual([first.isReplayed, second.isReplayed], [false, true]);
    assert.equal(first.data.data.id, second.data.data.id);
  });
});
