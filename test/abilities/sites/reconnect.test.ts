import assert from 'node:assert/strict';
import { newUser } from '../../../src/sandbox/state/generate-content.ts';
import { syncSites } from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const SECOND = { admin_username: 'second', admin_password: 'second+pass%20"1"' };

/** A password can reconnect a site in any state of the child. The record keeps its tags, notes and change log. */
describe('reconnect with a password', () => {
  let world: World;
  let id: number;
  let tag: number;

  before(async () => {
    world = await startWorld({ sites: 2 });
    id = world.siteId(0);
    tag = await createTag(world, 'kept', id);
    await world.ability('update-site-v1', { site_id_or_domain: id, notes: 'Kept.' });
  });
  after(() => world.close());

  beforeEach(async () => {
    const site = world.site(0);
    site.fault = null;
    site.faultQueue.length = 0;
    const { state } = site;
    state.users = state.users.filter(({ login }) => login !== 'second');
    if (!state.users.some(({ login }) => login === site.admin))
      state.users.push(newUser({ ...person, id: 1, login: site.admin, password: site.adminPassword }));
    state.users.push(newUser({ ...person, id: 90, login: 'second', password: SECOND.admin_password }));
    site.loseKey();
    await reconnect({ admin_username: site.admin, admin_password: site.adminPassword });
  });

  const person = { email: 'p@x.test', role: 'administrator', registered: 1 };
  const reconnect = (input: object = {}, options: CallOptions = {}) =>
    world.ability('reconnect-site-v1', { site_id_or_domain: id, ...input }, options);
  const detail = () => world.ability('get-site-v1', { site_id_or_domain: id });
  const syncs = async (): Promise<boolean> => (await syncSites(world, id)).total_synced === 1;
  /** Asserts that the record, its tag and its change log are kept. */
  const assertKept = async (): Promise<void> => {
    assert.equal((await detail()).notes, 'Kept.');
    assert.equal((await world.ability('get-tag-sites-v1', { tag_id: tag })).total, 1);
    assert.ok((await world.ability('get-site-changes-v1', { site_id_or_domain: id, type: 'site.added' })).total > 0);
  };

  it('when another administrator is given, then the site is connected as this administrator', async () => {
    const site = world.site(0);
    assert.deepEqual(await reconnect(SECOND), {
      reconnected: true,
      site_id: id,
      site_url: site.url,
      status: 'connected',
    });
    assert.equal(site.state.connection.connectedAdmin, 'second');
    assert.equal((await detail()).admin_username, 'second');
    site.state.users = site.state.users.filter(({ login }) => login !== site.admin);
    assert.ok(await syncs());
    assert.equal((await reconnect()).status, 'connected', 'by the token of the new administrator');
    await assertKept();
  });

  it('when the administrator is the same, then the site has a new key and is not disconnected first', async () => {
    const site = world.site(0);
    const key = site.state.connection.publicKey;
    const released = site.countOf('disconnect');
    await reconnect({ admin_password: site.adminPassword });
    assert.notEqual(site.state.connection.publicKey, key);
    assert.equal(site.countOf('disconnect'), released);
    assert.equal((await reconnect({ admin_password: 'wrong' }, { expect: 502 })).data.reason, 'bad_password');
    assert.ok(await syncs());
  });

  it('when another administrator is rejected, then the connection is unchanged', async () => {
    const wrong = await reconnect({ ...SECOND, admin_password: 'wrong' }, { expect: 502 });
    assert.equal(wrong.data.reason, 'bad_password');
    assert.equal((await detail()).status, 'connected');
    assert.equal((await detail()).admin_username, world.site(0).admin);
    assert.ok(await syncs());
    await assertKept();
  });

  it('when the user is no administrator or the password is missing, then the site is not disconnected', async () => {
    const site = world.site(0);
    const released = site.countOf('disconnect');
    const unknown = await reconnect({ admin_username: 'nobody', admin_password: 'x' }, { expect: 502 });
    assert.equal(unknown.data.reason, 'unknown_user');
    const editor = await reconnect({ admin_username: 'editor1', admin_password: 'editor1-pass' }, { expect: 502 });
    assert.equal(editor.data.reason, 'not_admin');
    const bare = await reconnect({ admin_username: 'second' }, { expect: 502 });
    assert.equal(bare.data.reason, 'already_connected');
    assert.equal(site.countOf('disconnect'), released);
    assert.ok(await syncs());
  });

  it('when a restored child has neither key nor token, then the password reconnects the site', async () => {
    const site = world.site(0);
    site.replaceKey('an older key', site.state.connection.server);
    for (const user of site.state.users) user.tokens = [];
    assert.equal((await reconnect({}, { expect: 502 })).data.reason, 'reconnect_refused');
    await reconnect({ admin_password: site.adminPassword });
    assert.ok(await syncs());
    await assertKept();
  });

  it('when the administrator was deleted, then another administrator can reconnect with the same key', async () => {
    const site = world.site(0);
    site.state.users = site.state.users.filter(({ login }) => login !== site.admin);
    assert.equal(await syncs(), false);
    await reconnect(SECOND);
    assert.ok(await syncs());
    await assertKept();
  });

  it('when the child belongs to another dashboard, then it is not disconnected, and the record is kept', async () => {
    world.site(0).replaceKey('a key', 'https://other.example/wp-admin/');
    const released = world.site(0).countOf('disconnect');
    assert.equal((await reconnect(SECOND, { expect: 502 })).data.reason, 'already_connected');
    assert.equal(world.site(0).countOf('disconnect'), released);
    await assertKept();
  });

  it('when the child was deactivated, then the site can be reconnected once it is active', async () => {
    const site = world.site(0);
    site.performWpAdminAction({ do: 'deactivate-child' });
    assert.equal((await reconnect(SECOND, { expect: 502 })).data.reason, 'plugin_missing');
    site.performWpAdminAction({ do: 'activate-child' });
    assert.ok(await syncs(), 'off and on by hand keeps the connection');
    await reconnect(SECOND);
    assert.equal((await detail()).admin_username, 'second');
  });

  it('when the response to the registration is lost, then the reconnect succeeds, at once or later', async () => {
    const site = world.site(0);
    site.faultQueue.push(
      { kind: 'delay', ms: 0, function: 'register' },
      { kind: 'fatal', when: 'after', times: 2, function: 'register' },
    );
    await reconnect(SECOND);
    assert.equal((await detail()).admin_username, 'second');
    assert.ok(await syncs());
    await reconnect({ admin_username: site.admin, admin_password: site.adminPassword });
    site.faultQueue.push(
      { kind: 'delay', ms: 0, function: 'register' },
      { kind: 'fatal', when: 'after', times: 2, function: 'register' },
      { kind: 'delay', ms: 0, function: 'get_all_plugins' },
      { kind: 'refuse', times: 2, function: 'get_all_plugins' },
    );
    await reconnect(SECOND, { expect: 502 });
    assert.equal((await detail()).admin_username, site.admin, 'not proven yet');
    site.state.users = site.state.users.filter(({ login }) => login !== site.admin);
    assert.equal((await reconnect()).status, 'connected');
    assert.equal((await detail()).admin_username, 'second');
    assert.ok(await syncs());
  });

  it('when a reconnect was interrupted, then a resumed one finishes it', async () => {
    const site = world.site(0);
    // The process was killed after the disconnect: the child has no key, and the stored token reconnects it.
    site.loseKey();
    const { sites } = world.container.services.sites;
    const options = { adminUsername: 'second', adminPassword: SECOND.admin_password, resumed: true };
    assert.equal((await sites.reconnect(id, 'admin', options)).status, 'connected');
    assert.equal((await detail()).admin_username, 'second');
    // The process was killed before any request: the key works, but for another administrator.
    await reconnect({ admin_username: site.admin, admin_password: site.adminPassword });
    await sites.reconnect(id, 'admin', options);
    assert.equal(site.state.connection.connectedAdmin, 'second');
  });

  it('when a job over several sites has the password, then the database and the logs do not show it', async () => {
    const { knex } = world.container.database;
    const input = { site_ids_or_domains: [id, world.siteId(1)], ...SECOND };
    const { reconnected, errors } = await world.ability('reconnect-sites-v1', input);
    assert.deepEqual(
      reconnected.map((site: { id: number }) => site.id),
      [id],
    );
    assert.deepEqual(
      errors.map(({ site_id, code }: { site_id: number; code: string }) => [site_id, code]),
      [[world.siteId(1), 'svc_site_refused']],
    );
    assert.equal((await detail()).admin_username, 'second');
    const kept = JSON.stringify(await knex('jobs').where({ kind: 'reconnect' }).select());
    assert.ok(kept.includes('credentials') && !kept.includes('second+pass'), kept);
    assert.equal(
      world.logLines.some((line) => line.includes('second+pass')),
      false,
    );
  });

  it('when v2 routes and batches have a password, then they reconnect the site', async () => {
    const site = world.site(0);
    const path = `/api/v2/sites/${id}/reconnect`;
    assert.equal((await world.request('POST', path, { body: SECOND })).body.data.status, 'connected');
    assert.equal(site.state.connection.connectedAdmin, 'second');
    const first = { admin_username: site.admin, admin_password: site.adminPassword };
    const batch = { sites: { reconnect: [{ id, ...first }, world.siteId(1), { id, admin_username: 1 }, { id: 'x' }] } };
    const { sites } = (await world.request('POST', '/api/v2/batch', { body: batch })).body;
    const codes = sites.reconnect.map((each: { success?: number; error?: { code: string } }) => each.error?.code ?? 1);
    assert.deepEqual(codes, [1, 1, 'rest_invalid_param', 'rest_invalid_param']);
    assert.equal(site.state.connection.connectedAdmin, site.admin);
    const all = await world.request('POST', '/api/v2/sites/reconnect', { body: { include: [id], ...SECOND } });
    assert.deepEqual(all.body.data, { [id]: 'success' });
    assert.equal(site.state.connection.connectedAdmin, 'second');
  });

  it('when a field is empty, then the error names the field', async () => {
    for (const field of ['admin_username', 'admin_password'])
      assert.equal((await reconnect({ [field]: '' }, { expect: 400 })).data.errors[0].path, `input.${field}`);
  });
});

describe('delete-site-v1 for a connected site', () => {
  let world: World;
  before(async () => (world = await startWorld({ sites: 3 })));
  after(() => world.close());

  it('when deactivate_child is false, then the child plugin stays active; by default it is deactivated', async () => {
    const off = { site_id_or_domain: world.siteId(0), confirm: true };
    assert.equal((await world.ability('delete-site-v1', off)).child_notified, true);
    assert.equal(world.site(0).state.childActive, false);
    const kept = { site_id_or_domain: world.siteId(1), confirm: true, deactivate_child: false };
    assert.equal((await world.ability('delete-site-v1', kept)).child_notified, true);
    const { childActive, connection } = world.site(1).state;
    assert.deepEqual([childActive, connection.publicKey], [true, null]);
    await world.connect(1);
    const path = `/api/v2/sites/${world.siteId(2)}/remove`;
    await world.request('DELETE', `${path}?deactivate_child=perhaps`, { expect: 400 });
    const { body } = await world.request('DELETE', `${path}?deactivate_child=false`);
    assert.deepEqual([body.child_notified, world.site(2).state.childActive], [true, true]);
    await world.connect(2);
    await world.request('DELETE', `/api/v2/sites/${world.siteId(2)}/remove`);
    assert.equal(world.site(2).state.childActive, false);
  });
});
