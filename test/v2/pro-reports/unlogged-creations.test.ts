import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { MINUTE, SECOND } from '../../../src/shared/clock.ts';
import { setComments } from '../../support/comments.ts';
import { installPluginsInMixedStates } from '../../support/inventory.ts';
import { readReport } from '../../support/pro-reports.ts';
import { ManualClock } from '../../support/schedules.ts';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const DAYS = { start_date: '2026-11-22', end_date: '2026-11-22' };

describe('creations that the log of a site does not have', () => {
  const clock = new ManualClock('2026-11-22T08:00:00Z');
  let world: World;
  let id: number;
  let site: SimulatedSite;

  before(async () => {
    // Each clock read takes a second: a sync reads only entries that are later than the last sync.
    const now = (): number => (clock.time += SECOND);
    world = await startWorld({ sites: 10, connect: 0, fleet: { now }, overrides: { clock } });
  });
  after(() => world.close());
  beforeEach(async () => {
    ({ id, site } = await world.freshSite(installPluginsInMixedStates));
    await syncSites(world, id);
  });

  /** Returns `action title author` of each item, and the counts that are not 0. */
  const told = async (segment: string) => {
    const { items, counts } = await readReport(world, id, segment, DAYS);
    return {
      items: items.map(({ action, title, author }) => [action, title, author].join(' ').trim()).sort(),
      counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    };
  };

  it('when nothing is created, then no old comment, post or page counts', async () => {
    setComments(site, { 1: { status: 'approve' } });
    await syncSites(world, id);
    for (const segment of ['posts', 'pages']) assert.deepEqual((await told(segment)).counts, {}, segment);
  });

  it('when a visitor comments, then the comment counts once, and its approval is counted beside it', async () => {
    const [post] = [...site.state.posts.values()].filter(({ type }) => type === 'post');
    site.performWpAdminAction({ do: 'comment', postId: post?.id ?? 0, content: 'Buy now' });
    for (const _time of [1, 2]) await syncSites(world, id);
    assert.deepEqual(await told('comments'), { items: [`created ${post?.title} Guest`], counts: { created: 1 } });
    const comment = Math.max(...site.state.comments.keys());
    await world.request('PUT', `/api/v2/comments/${id}/${comment}/action`, { body: { action: 'approve' } });
    await syncSites(world, id);
    assert.deepEqual((await told('comments')).counts, { created: 1, approved: 1 });
  });

  it('when programs insert posts and pages, then each counts once, with the title', async () => {
    site.performWpAdminAction({ do: 'insert-post', title: 'By an app' });
    site.performWpAdminAction({ do: 'insert-post', title: 'By a script', silent: true });
    site.performWpAdminAction({ do: 'insert-post', title: 'A draft', status: 'draft', silent: true });
    site.performWpAdminAction({ do: 'insert-post', title: 'A private one', status: 'private' });
    site.performWpAdminAction({ do: 'insert-post', title: 'A page', type: 'page' });
    for (const _time of [1, 2]) await syncSites(world, id);
    assert.deepEqual(await told('posts'), {
      items: ['created A draft', 'created A private one admin', 'created By a script', 'created By an app admin'],
      counts: { created: 4 },
    });
    assert.deepEqual(await told('pages'), { items: ['created A page'], counts: { created: 1 } });
    const { body } = await world.request(
      'GET',
      `/api/v2/sites/${id}/non-svc-changes?contexts=post,page&source=wpadmin`,
    );
    assert.equal(body.total, 5);
  });

  it('when posts are created in wp-admin and with Sitefleet, then each counts once', async () => {
    site.performWpAdminAction({ do: 'publish-post', title: 'In wp-admin', by: 'admin' });
    const body = { post_title: 'Ours', post_name: 'ours', post_content: 'Text', post_status: 'publish' };
    await world.request('POST', `/api/v2/posts/${id}/create`, { body });
    for (const _time of [1, 2]) await syncSites(world, id);
    assert.deepEqual((await told('posts')).counts, { created: 2 });
  });

  it('when an old post is listed for the first time, then it was created since the last sync at the earliest', async () => {
    clock.time += 60 * MINUTE;
    const before = clock.time;
    site.performWpAdminAction({
      do: 'insert-post',
      title: 'Dated back',
      date: Date.UTC(2020, 0, 1) / 1000,
      silent: true,
    });
    await syncSites(world, id);
    const { items } = await readReport(world, id, 'posts', DAYS);
    assert.equal(items.length, 1);
    assert.ok(Date.parse(String(items[0]?.['date'])) > before - 75 * MINUTE);
  });

  it('when the logs are switched off, then the lists are neither requested nor counted', async () => {
    const edit = (on: 0 | 1) =>
      world.request('PUT', '/api/v2/settings/advanced/edit', { body: { sync_data: { child_site_actions_data: on } } });
    await edit(0);
    site.performWpAdminAction({ do: 'insert-post', title: 'Not counted' });
    await syncSites(world, id);
    await edit(1);
    assert.deepEqual((await told('posts')).counts, {});
  });
});
