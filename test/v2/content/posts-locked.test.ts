import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { withContentWorld } from '../../support/content.ts';
import { ManualClock } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

// Runs on SQLite only: the test is about the calls to a site.

const EDITOR = 2;
const ADMIN = 1;

describe('v2 post locks', () => {
  let world: World;
  let site: SimulatedSite;
  let root: string;
  const clock = new ManualClock('2026-11-22T08:00:00Z');
  withContentWorld({ clock }, (started) => ({ world, site, root } = started));

  const create = async (): Promise<number> => {
    const body = { post_title: 'A title', post_content: 'text', post_status: 'draft', post_name: 'a' };
    return (await world.request('POST', `${root}/create`, { body })).body.data.post_id;
  };
  const storedLock = (id: number): string | undefined => site.state.posts.get(id)?.meta['_edit_lock']?.[0];
  /** Locks a post for a user. `age` is the number of seconds since the user opened the post. */
  const lock = (id: number, user: number, age: number): string => {
    const mark = `${Math.floor(site.now() / 1000) - age}:${user}`;
    const post = site.state.posts.get(id);
    assert.ok(post);
    post.meta['_edit_lock'] = [mark];
    return mark;
  };
  const edit = (id: number, expect: number, body: object = { post_title: 'by us' }) =>
    world.request('PUT', `${root}/${id}/edit`, { body, expect });
  const titleOn = (id: number): string | undefined => site.state.posts.get(id)?.title;

  it('when a post is read, then the response shows the lock and no lock is taken', async () => {
    const id = await create();
    assert.equal(storedLock(id), '');
    const free = (await world.request('GET', `${root}/${id}`)).body.data;
    assert.deepEqual([free.edit_lock, '_edit_lock' in free.post_custom, storedLock(id)], [null, false, '']);
    const mark = lock(id, EDITOR, 5);
    const held = (await world.request('GET', `${root}/${id}`)).body.data;
    assert.equal(held.edit_lock.user_id, EDITOR);
    assert.equal(Date.parse(held.edit_lock.since) / 1000, Number(mark.split(':')[0]));
    assert.equal(storedLock(id), mark);
    const old = lock(id, EDITOR, 400);
    assert.equal((await world.request('GET', `${root}/${id}`)).body.data.edit_lock, null);
    assert.equal(storedLock(id), old);
  });

  it('when another user edits the post within 150 seconds, then post and lock are not changed', async () => {
    const id = await create();
    for (const age of [0, 5, 140]) {
      const mark = lock(id, EDITOR, age);
      site.requests.length = 0;
      for (const body of [{ post_title: 'x' }, { post_featured_image: 'https://images.example/a.jpg' }]) {
        const { body: answer } = await edit(id, 409, body);
        assert.equal(answer.code, 'svc_post_locked');
        assert.match(answer.data.child_message, /Ed Itor is currently editing/);
        assert.equal(answer.data.retry_after_seconds, 150);
      }
      assert.deepEqual([titleOn(id), storedLock(id)], ['A title', mark]);
      assert.equal(site.countOf('post_action'), 0);
    }
    lock(id, EDITOR, 155);
    assert.equal((await edit(id, 200)).body.data.post_title, 'by us');
  });

  it('when another user edits the post, then it cannot be published, trashed or deleted', async () => {
    const id = await create();
    const mark = lock(id, EDITOR, 5);
    for (const status of ['publish', 'trash', 'delete']) {
      const path = `${root}/${id}/update-status`;
      const { body } = await world.request('PUT', path, { body: { status }, expect: 409 });
      assert.equal(body.code, 'svc_post_locked');
    }
    const { body } = await world.request('DELETE', `${root}/${id}/delete`, { expect: 409 });
    assert.equal(body.code, 'svc_post_locked');
    assert.deepEqual([site.state.posts.get(id)?.status, storedLock(id)], ['draft', mark]);
  });

  it('when the connected administrator has the lock, then the edit is rejected', async () => {
    const id = await create();
    const mark = lock(id, ADMIN, 20);
    const { data, code } = (await edit(id, 409)).body;
    assert.equal(code, 'svc_post_locked');
    assert.deepEqual([data.editor_id, data.editor_name], [ADMIN, 'admin']);
    assert.deepEqual([data.lock_age_seconds, data.retry_after_seconds], [20, 130]);
    assert.deepEqual([titleOn(id), storedLock(id)], ['A title', mark]);
    lock(id, ADMIN, 151);
    await edit(id, 200);
  });

  it('when another user takes the lock during an edit, then the edit is rejected and the lock is kept', async () => {
    const id = await create();
    const mark = lock(id, EDITOR, 5);
    // The child reports no editor, but a user opens the post a moment later.
    site.fault = { kind: 'forged', function: 'newpost', answer: { error: 'Empty post id' } };
    const { data } = (await edit(id, 409)).body;
    assert.deepEqual([data.editor_id, data.editor_name], [EDITOR, 'Ed Itor']);
    assert.deepEqual([titleOn(id), storedLock(id)], ['A title', mark]);
  });

  it('when an edit is done, then the lock has its old value', async () => {
    const id = await create();
    for (const body of [{ post_title: 'one' }, { post_featured_image: 'https://images.example/b.jpg' }]) {
      const old = lock(id, EDITOR, 1_000);
      await edit(id, 200, body);
      assert.equal(storedLock(id), old);
    }
    const before = lock(id, EDITOR, 1_000);
    await edit(id, 409, { is_sticky: 0 }).catch(() => undefined);
    assert.equal(storedLock(id), before);
  });

  it('when edits and reads run at once, then they run in sequence and none fails on a lock', async () => {
    const id = await create();
    const edits = ['a', 'b', 'c'].map((post_title) => edit(id, 200, { post_title }));
    const reads = [1, 2, 3].map(() => world.request('GET', `${root}/${id}`));
    await Promise.all([...edits, ...reads]);
    assert.equal(storedLock(id), '');
  });

  it('when a whole post is written, then its author stays, even if the login has a space', async () => {
    const id = await create();
    const [, editor] = site.state.users;
    assert.ok(editor);
    const { login } = editor;
    editor.login = 'Ed Itor';
    const post = site.state.posts.get(id);
    assert.ok(post);
    post.authorId = EDITOR;
    await edit(id, 200, { post_featured_image: 'https://images.example/c.jpg' });
    assert.equal(site.state.posts.get(id)?.authorId, EDITOR);
    editor.login = login;
  });
});

describe('v2 posts with two services', () => {
  it('when another service holds the lock, then the edit is rejected until the lock is free', async () => {
    const world = await startWorld({ sites: 1 });
    const site = world.site(0);
    const root = `/api/v2/posts/${world.siteId(0)}`;
    const [post] = [...site.state.posts.values()].filter(({ type }) => type === 'post');
    assert.ok(post);
    // The other service has locked the post for its own edit, as the same administrator.
    post.meta['_edit_lock'] = [`${Math.floor(site.now() / 1000)}:${ADMIN}`];
    const { title } = post;
    const body = { post_title: 'both' };
    const answer = await world.request('PUT', `${root}/${post.id}/edit`, { body, expect: 409 });
    assert.deepEqual([answer.body.code, post.title], ['svc_post_locked', title]);
    post.meta['_edit_lock'] = [''];
    await world.request('PUT', `${root}/${post.id}/edit`, { body });
    assert.equal(post.title, 'both');
    await world.close();
  });
});
