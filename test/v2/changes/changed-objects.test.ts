import assert from 'node:assert/strict';
import { ALPHA, addPendingUpdates } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

interface Change {
  type: string;
  name: string | null;
  key: string | null;
  before: Record<string, string>;
  after: Record<string, string>;
}

describe('v2 change log of objects on a site', () => {
  let world: World;
  let id: number;
  beforeEach(async () => {
    world = await startWorld({ sites: 1, connect: 0 });
    id = (await world.freshSite(addPendingUpdates)).id;
  });
  afterEach(() => world.close());

  /** Returns the newest change of a type, without the type. */
  async function lastOf(type: string): Promise<Omit<Change, 'type'>> {
    const path = `/api/v2/sites/${id}/non-svc-changes?source=dashboard&per_page=100`;
    const { body } = await world.request<{ data: Change[] }>('GET', path);
    const found = body.data.find((change) => change.type === type);
    assert.ok(found, `no ${type}`);
    const { name, key, before, after } = found;
    return { name, key, before, after };
  }

  it('when plugins are updated, deactivated and deleted, then the change log has their versions', async () => {
    const { definition, version } = world.site(0).state.plugins.get(ALPHA) ?? {};
    await world.request('POST', `/api/v2/updates/${id}/update/plugins`, { body: { slug: [ALPHA] } });
    const updated = world.site(0).state.plugins.get(ALPHA)?.version;
    assert.notEqual(updated, version);
    const thing = { name: definition?.name, key: ALPHA };
    const newer = { version: updated };
    assert.deepEqual(await lastOf('plugin.updated'), { ...thing, before: { version }, after: newer });
    await world.request('POST', `/api/v2/sites/${id}/plugins/activate`, { body: { slug: ALPHA } });
    await world.request('POST', `/api/v2/sites/${id}/plugins/deactivate`, { body: { slug: ALPHA } });
    assert.deepEqual(await lastOf('plugin.deactivated'), { ...thing, before: newer, after: newer });
    await world.request('DELETE', `/api/v2/sites/${id}/plugins/delete?slug=${encodeURIComponent(ALPHA)}`);
    assert.deepEqual(await lastOf('plugin.deleted'), { ...thing, before: newer, after: {} });
  });

  it('when a post is created, edited and trashed, then the change log has its title and status', async () => {
    const root = `/api/v2/posts/${id}`;
    const made = { post_title: 'Hello', post_content: 'text', post_status: 'publish', post_name: 'hello' };
    const { body } = await world.request('POST', `${root}/create`, { body: made });
    const key = String(body.data.post_id);
    const created = { title: 'Hello', status: 'publish' };
    assert.deepEqual(await lastOf('post.created'), { name: 'Hello', key, before: {}, after: created });
    const title = 'Hello <b>again</b>';
    await world.request('PATCH', `${root}/${key}/edit`, { body: { post_title: title, post_content: 'another' } });
    const edited = { name: title, key, before: { title: 'Hello' }, after: { title } };
    assert.deepEqual(await lastOf('post.updated'), edited);
    await world.request('PUT', `${root}/${key}/update-status`, { body: { status: 'trash' } });
    const trashed = { name: title, key, before: { status: 'publish' }, after: { status: 'trash' } };
    assert.deepEqual(await lastOf('post.trashed'), trashed);
  });

  it('when a user gets another role and is deleted, then the log has the roles and no private data', async () => {
    const user = [...world.site(0).state.users.values()].find(({ role }) => role === 'author');
    assert.ok(user);
    const path = `/api/v2/users/${id}/${user.id}`;
    await world.request('PATCH', `${path}/edit`, { body: { role: 'editor', email: 'new@example.com' } });
    const thing = { name: user.displayName, key: String(user.id) };
    assert.deepEqual(await lastOf('user.updated'), { ...thing, before: { role: 'author' }, after: { role: 'editor' } });
    await world.request('DELETE', `${path}/delete`);
    const { before, after } = await lastOf('user.deleted');
    assert.deepEqual([before['role'], after], ['editor', {}]);
  });
});
