import assert from 'node:assert/strict';
import type { AccessService } from '../../../src/domains/access/index.ts';
import { KeyRepository } from '../../../src/domains/access/key-repository.ts';
import { DAY, MINUTE } from '../../../src/shared/clock.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { PERMISSION_NAMES } from '../../../src/shared/permissions.ts';
import { accessTo, createAlice, createKey, refusesField } from '../../support/access.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

const START = Date.UTC(2026, 10, 21);

describe('access', () => {
  let store: TestDatabase;
  let clock: { time: number; now(): number };
  let access: AccessService;
  let elsewhere: AccessService;
  let statements: string[];

  const selects = () => statements.filter((sql) => sql.startsWith('select')).length;
  beforeEach(async () => {
    store = await openTestDatabase();
    clock = { time: START, now: () => clock.time };
    access = accessTo(store, clock);
    elsewhere = accessTo(store, clock);
    statements = [];
    store.database.knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  });
  afterEach(async () => {
    await access.waitForWrites();
    await elsewhere.waitForWrites();
    await store.close();
  });

  describe('application passwords', () => {
    it('when a password is created, then it has 24 letters and digits and is different each time', async () => {
      const { user, password } = await createAlice(access);
      assert.match(password, /^[A-Za-z0-9]{24}$/);
      assert.notEqual((await access.addPassword(user.id, '', 'tester')).password, password);
    });

    it('when a password has blanks or the user name has another case, then the login succeeds', async () => {
      const { user, password } = await createAlice(access);
      const spaced = password.replace(/(.{4})/g, '$1 ');
      const caller = await access.byPassword('aLICE', spaced);
      assert.deepEqual(
        { ...caller, credential: '' },
        {
          userId: user.id,
          name: 'Alice',
          role: 'administrator',
          scope: 'read_write',
          permissions: new Set(PERMISSION_NAMES),
          sites: ALL_SITES,
          keyId: null,
          credential: '',
        },
      );
      assert.match(caller?.credential ?? '', /^password:\d+$/);
    });

    it('when the user name or the case of the password is wrong, or the password is empty or revoked, then the login fails', async () => {
      const { user, password } = await createAlice(access);
      await access.createUser({ name: 'bob', role: 'viewer' }, 'tester');
      assert.equal(await access.byPassword('bob', password), null);
      assert.equal(await access.byPassword('Alice', password.toLowerCase()), null);
      assert.equal(await access.byPassword('Alice', '  '), null);
      assert.ok(await access.byPassword('Alice', password));
      assert.equal(await access.revokePasswords(user.id, 'tester'), 1);
      assert.equal(await access.byPassword('Alice', password), null);
    });

    it('when a new password replaces the others, then the old password fails and the new one works', async () => {
      const { user, password } = await createAlice(access);
      const next = await access.addPassword(user.id, 'new', 'tester', { revokeOthers: true });
      assert.equal(await access.byPassword('Alice', password), null);
      assert.ok(await access.byPassword('Alice', next.password));
    });

    it('when the user is disabled, then passwords fail at once in the same process', async () => {
      const { user, password } = await createAlice(access);
      await access.createUser({ name: 'second', role: 'administrator' }, 'tester');
      assert.ok(await access.byPassword('Alice', password));
      await access.setEnabled(user.id, false, 'tester');
      assert.equal(await access.byPassword('Alice', password), null);
      await access.setEnabled(user.id, true, 'tester');
      assert.ok(await access.byPassword('Alice', password));
    });
  });

  describe('API keys', () => {
    it('when a key is created, then it has 256 random bits and only a hint of it is stored', async () => {
      const { user } = await createAlice(access);
      const { key, secret } = await createKey(access, user.id);
      assert.match(secret, /^sf_[A-Za-z0-9_-]{43}$/);
      assert.equal(key.hint, secret.slice(-7));
      const rows = JSON.stringify(await store.database.knex('api_keys').select('*'));
      assert.ok(!rows.includes(secret) && !rows.includes(secret.slice(3, 20)));
    });

    it('when a valid key is sent, then the caller has the scope of the key', async () => {
      const { user } = await createAlice(access);
      const { key, secret } = await createKey(access, user.id);
      assert.deepEqual(await access.byKey(secret), {
        userId: user.id,
        name: 'Alice',
        role: 'administrator',
        scope: 'read',
        permissions: new Set(PERMISSION_NAMES.filter((name) => name.endsWith(':read') && name !== 'audit:read')),
        sites: ALL_SITES,
        keyId: key.id,
        credential: `key:${key.id}`,
      });
      assert.equal(await access.byKey(`${secret}x`), null);
      assert.equal(await access.byKey(''), null);
    });

    it('when a key is disabled or deleted or its user is disabled, then the key is rejected', async () => {
      const { user } = await createAlice(access);
      await access.createUser({ name: 'second', role: 'administrator' }, 'tester');
      const one = await createKey(access, user.id);
      const two = await createKey(access, user.id);
      assert.ok((await access.byKey(one.secret)) && (await access.byKey(two.secret)));
      await access.keys.edit(one.key.id, { enabled: false }, 'tester', { force: true });
      assert.equal(await access.byKey(one.secret), null);
      await access.setEnabled(user.id, false, 'tester');
      assert.equal(await access.byKey(two.secret), null);
      await access.setEnabled(user.id, true, 'tester');
      await access.keys.delete(two.key.id, 'tester', { force: true });
      assert.equal(await access.byKey(two.secret), null);
    });

    it('when the expiry time is reached, then the key fails to the millisecond, even if its check is cached', async () => {
      const { user } = await createAlice(access);
      const { secret } = await createKey(access, user.id, START + 1000);
      clock.time = START + 999;
      assert.ok(await access.byKey(secret));
      clock.time = START + 1000;
      assert.equal(await access.byKey(secret), null);
      await assert.rejects(createKey(access, user.id, START + 1000), refusesField('expiresAt'));
    });

    it('when keys are listed, then a page contains user names and needs two SQL statements', async () => {
      const { user } = await createAlice(access);
      for (let n = 0; n < 5; n++) await createKey(access, user.id);
      statements.length = 0;
      const page = await access.keys.list({ page: 2, perPage: 2 });
      assert.equal(statements.length, 2);
      assert.equal(page.total, 5);
      assert.equal(page.items.length, 2);
      assert.equal(page.items[0]?.userName, 'Alice');
      assert.deepEqual(
        (await access.keys.list({ page: 3, perPage: 2 })).items.map(({ id }) => id > (page.items[1]?.id ?? Infinity)),
        [true],
      );
    });

    it('when some fields of a key are edited, then the other fields stay and null clears the expiry', async () => {
      const { user } = await createAlice(access);
      const { key } = await createKey(access, user.id, START + DAY);
      const edited = await access.keys.edit(key.id, { scope: 'read_write', expiresAt: null }, 'tester');
      assert.deepEqual(edited, { ...key, scope: 'read_write', expiresAt: null });
      assert.deepEqual(await access.keys.get(key.id), edited);
      await assert.rejects(access.keys.edit(key.id + 1, { enabled: false }, 'tester', { force: true }), {
        code: 'svc_api_key_not_found',
      });
    });

    it('when the last working key would be deleted or disabled, then force is required', async () => {
      const { user } = await createAlice(access);
      const last = await createKey(access, user.id);
      const expired = await createKey(access, user.id, START + 1);
      clock.time += 2;
      await access.keys.delete(expired.key.id, 'tester');
      await assert.rejects(access.keys.delete(last.key.id, 'tester'), { code: 'svc_last_api_key' });
      await assert.rejects(access.keys.edit(last.key.id, { enabled: false }, 'tester'), { code: 'svc_last_api_key' });
      assert.ok(await access.byKey(last.secret));
      await access.keys.delete(last.key.id, 'tester', { force: true });
      await assert.rejects(access.keys.get(last.key.id), { code: 'svc_api_key_not_found' });
    });
  });

  describe('cached credential checks', () => {
    it('when a check is less than five seconds old, then no SQL query is sent', async () => {
      const { user } = await createAlice(access);
      const { secret } = await createKey(access, user.id);
      await access.byKey(secret);
      statements.length = 0;
      clock.time += 4999;
      await access.byKey(secret);
      assert.equal(selects(), 0);
      clock.time += 1;
      await access.byKey(secret);
      assert.equal(selects(), 1);
    });

    it('when a caller is checked again, then it is allowed without an SQL query for less than five seconds', async () => {
      const { user } = await createAlice(access);
      const { key, secret } = await createKey(access, user.id);
      const caller = (await access.byKey(secret)) ?? assert.fail();
      statements.length = 0;
      clock.time += 4999;
      assert.equal(access.isStillAllowed(caller), true);
      assert.equal(selects(), 0);
      clock.time += 1;
      assert.equal(access.isStillAllowed(caller), false);
      const again = (await access.byKey(secret)) ?? assert.fail();
      assert.equal(access.isStillAllowed(again), true);
      await access.keys.edit(key.id, { enabled: false }, 'tester', { force: true });
      assert.equal(access.isStillAllowed(again), false, 'at once in this process');
    });

    it('when the key of a checked caller expires, then the caller is no longer allowed', async () => {
      const { user } = await createAlice(access);
      const { secret } = await createKey(access, user.id, START + 1_000);
      const caller = (await access.byKey(secret)) ?? assert.fail();
      clock.time = START + 999;
      assert.equal(access.isStillAllowed(caller), true);
      clock.time = START + 1_000;
      assert.equal(access.isStillAllowed(caller), false);
    });

    it('when many checks of one key run at the same time, then one SQL query is sent', async () => {
      const { user } = await createAlice(access);
      const { secret } = await createKey(access, user.id);
      statements.length = 0;
      const callers = await Promise.all(Array.from({ length: 20 }, () => access.byKey(secret)));
      assert.ok(callers.every((caller) => caller !== null));
      assert.equal(selects(), 1);
    });

    it('when another process disables a key, then the cached check ends within five seconds', async () => {
      const { user } = await createAlice(access);
      const { key, secret } = await createKey(access, user.id);
      assert.ok(await elsewhere.byKey(secret));
      await access.keys.edit(key.id, { enabled: false }, 'tester', { force: true });
      clock.time += 5000;
      assert.equal(await elsewhere.byKey(secret), null);
    });

    it('when a credential is rejected, then the rejection is not cached', async () => {
      const { user } = await createAlice(access);
      const { key, secret } = await createKey(access, user.id);
      await access.keys.edit(key.id, { enabled: false }, 'tester', { force: true });
      assert.equal(await elsewhere.byKey(secret), null);
      await access.keys.edit(key.id, { enabled: true }, 'tester');
      assert.ok(await elsewhere.byKey(secret));
    });
  });

  it('when a credential is used, then the time of use is stored once a minute', async () => {
    const { user } = await createAlice(access);
    const { key, secret } = await createKey(access, user.id);
    statements.length = 0;
    const usedAfter = async (ms: number) => {
      clock.time += ms;
      await access.byKey(secret);
      await access.waitForWrites();
      return (await access.keys.get(key.id)).lastUsedAt;
    };
    assert.equal(await usedAfter(0), START);
    assert.equal(await usedAfter(10_000), START);
    assert.equal(statements.filter((sql) => sql.startsWith('update')).length, 1);
    assert.equal(await usedAfter(MINUTE - 10_000), START + MINUTE);
  });

  it('when another process has just stored a time of use, then that time is kept', async () => {
    const { user } = await createAlice(access);
    const { key, secret } = await createKey(access, user.id);
    assert.ok(await access.byKey(secret));
    await access.waitForWrites();
    await new KeyRepository(store.database.knex).stamp(key.id, START + 500, START + 500 - MINUTE);
    assert.equal((await access.keys.get(key.id)).lastUsedAt, START);
  });
});
