import assert from 'node:assert/strict';
import type { AccessService } from '../../../src/domains/access/index.ts';
import { ConflictError } from '../../../src/shared/errors.ts';
import { accessTo, createAlice, createKey, refusesField } from '../../support/access.ts';
import { loggedChanges } from '../../support/changes.ts';
import { insertSites } from '../../support/sites.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

describe('users', () => {
  let store: TestDatabase;
  let access: AccessService;
  let elsewhere: AccessService;

  beforeEach(async () => {
    store = await openTestDatabase();
    access = accessTo(store);
    elsewhere = accessTo(store);
  });
  afterEach(async () => {
    await elsewhere.waitForWrites();
    await store.close();
  });

  it('when users are listed, then they are ordered by name, and a lookup ignores case', async () => {
    await access.createUser({ name: 'zoe', role: 'viewer' }, 'tester');
    const { user } = await createAlice(access);
    assert.deepEqual(
      (await access.listUsers()).map(({ name }) => name),
      ['Alice', 'zoe'],
    );
    assert.deepEqual(await access.findUser('ALICE'), user);
    assert.equal(await access.findUser('nobody'), null);
  });

  it('when a name is invalid or is taken in another case, then the user is rejected', async () => {
    await createAlice(access);
    await assert.rejects(
      access.createUser({ name: 'aLiCe', role: 'viewer' }, 'tester'),
      (error) => error instanceof ConflictError && error.code === 'svc_already_exists',
    );
    for (const name of ['', 'a:b', 'line\nbreak', '-x', 'x'.repeat(61), 'System'])
      await assert.rejects(access.createUser({ name, role: 'viewer' }, 'tester'), refusesField('name'), name);
  });

  it('when the last enabled administrator would be demoted, disabled or deleted, then the change is rejected', async () => {
    const { user } = await createAlice(access);
    const other = await access.createUser({ name: 'other', role: 'administrator' }, 'tester');
    await access.setEnabled(other.id, false, 'tester');
    await assert.rejects(access.setRole(user.id, 'viewer', 'tester'), refusesField('role'));
    await assert.rejects(access.setEnabled(user.id, false, 'tester'), refusesField('enabled'));
    await assert.rejects(access.deleteUser(user.id, 'tester'), refusesField('user'));
    await access.setEnabled(other.id, true, 'tester');
    await access.setRole(user.id, 'viewer', 'tester');
    assert.equal((await access.findUser('alice'))?.role, 'viewer');
  });

  it('when two administrators are removed at the same time, then one stays', async () => {
    const { user } = await createAlice(access);
    const other = await access.createUser({ name: 'other', role: 'administrator' }, 'tester');
    const results = await Promise.allSettled([
      access.setRole(user.id, 'viewer', 'tester'),
      elsewhere.deleteUser(other.id, 'tester'),
    ]);
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
    const left = (await access.listUsers()).filter(({ role, enabled }) => role === 'administrator' && enabled);
    assert.equal(left.length, 1);
  });

  it('when a user is deleted, then the passwords and keys of the user are deleted', async () => {
    const { user, password } = await createAlice(access);
    await access.createUser({ name: 'other', role: 'administrator' }, 'tester');
    const { secret } = await createKey(access, user.id);
    await access.deleteUser(user.id, 'tester');
    assert.equal(await elsewhere.byPassword('Alice', password), null);
    assert.equal(await elsewhere.byKey(secret), null);
    assert.equal((await access.keys.list({ page: 1, perPage: 20 })).total, 0);
    await assert.rejects(access.addPassword(user.id, '', 'tester'), { code: 'svc_user_not_found' });
  });

  it('when a limit is in another order than it is stored, then it is returned as stored and is no change', async () => {
    const { knex } = store.database;
    await insertSites(knex, 2);
    const [one = 0, other = 0] = await knex('sites').orderBy('id').pluck<number[]>('id');
    const limited = { clients: [], tags: [], sites: [other, one, other] };
    const user = await access.createUser({ name: 'carl', role: 'client', siteLimit: limited }, 'tester');
    assert.deepEqual(user.siteLimit, { clients: [], tags: [], sites: [one, other] });
    assert.deepEqual(user, await access.findUser('carl'));
    const { key } = await access.keys.create(
      { userId: user.id, label: '', scope: 'read', expiresAt: null, siteLimit: limited },
      'tester',
    );
    await access.editUser(user.id, { siteLimit: limited }, 'tester');
    await access.keys.edit(key.id, { siteLimit: limited }, 'tester');
    const types = await knex('changes').orderBy('id').pluck<string[]>('type');
    assert.deepEqual(types, ['user.created', 'api_key.created']);
  });

  it('when two edits expect the same state of a user, then one of them is refused', async () => {
    const { user } = await createAlice(access);
    const stale = new Error('The user has changed.');
    const edit = (by: AccessService, enabled: boolean, role: string) =>
      by.editUser(user.id, { enabled, role }, 'tester', {
        precondition: (stored) => {
          if (stored.role !== 'administrator') throw stale;
        },
      });
    await access.createUser({ name: 'other', role: 'administrator' }, 'tester');
    for (let round = 0; round < 5; round += 1) {
      await access.setRole(user.id, 'administrator', 'tester');
      const results = await Promise.allSettled([edit(access, true, 'viewer'), edit(elsewhere, true, 'editor')]);
      assert.deepEqual(
        results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
        [stale],
      );
    }
  });

  it('when a user or key changes, then the change log has the actor and no secret, and an edit without a change is not logged', async () => {
    const { user, password } = await createAlice(access);
    const { key, secret } = await createKey(access, user.id);
    await access.keys.edit(key.id, { enabled: true, scope: 'read' }, 'tester');
    await access.setRole(user.id, 'administrator', 'tester');
    await access.keys.edit(key.id, { scope: 'write' }, 'tester');
    await access.keys.delete(key.id, 'tester', { force: true });
    const written = await loggedChanges(store.database.knex, 'type', 'description', 'actor', 'site_id');
    assert.deepEqual(
      written.map(({ type }) => type),
      ['user.created', 'user.password_added', 'api_key.created', 'api_key.edited', 'api_key.deleted'],
    );
    assert.ok(written.every(({ actor, site_id }) => actor === 'tester' && site_id === null));
    assert.ok(!JSON.stringify(written).includes(password) && !JSON.stringify(written).includes(secret));
  });
});
