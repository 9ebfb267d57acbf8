import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { migrateDown, migrateUp } from '../../src/db/migrations/index.ts';
import { Sealing } from '../../src/db/sealing.ts';
import { accessTo } from '../support/access.ts';
import { withFreshDatabase, type TestDatabase } from '../support/database.ts';

const MIGRATION = '20261128T0110_limit_api_keys';
const SEALING = new Sealing(Buffer.alloc(32, 7));
const DAY = 86_400_000;

describe('migration of API keys', () => {
  let store: TestDatabase;
  let knex: Knex;
  withFreshDatabase((opened) => {
    store = opened;
    knex = store.database.knex;
  });

  const back = async (): Promise<void> => {
    while ((await migrateDown(knex))[0] !== MIGRATION);
  };
  /** Rows as the release before stored them. */
  const insertEarlierRows = async (): Promise<void> => {
    await knex('users').insert({
      id: 1,
      name: 'Alice',
      name_key: 'alice',
      role: 'administrator',
      enabled: 1,
      created_at: 1,
    });
    await knex('users').insert({ id: 2, name: 'Bob', name_key: 'bob', role: 'viewer', enabled: 1, created_at: 1 });
    const hash = SEALING.hash('PasswordOfAlice');
    await knex('application_passwords').insert({ id: 1, user_id: 1, label: 'laptop', hash, created_at: 1 });
    for (const [id, user_id, scope, enabled, expires_at] of [
      [1, 1, 'read_write', 1, null],
      [2, 1, 'read', 1, Date.now() + DAY],
      [3, 2, 'read_write', 1, null],
      [4, 1, 'write', 0, null],
      [5, 1, 'write', 1, Date.now() - DAY],
    ] as const)
      await knex('api_keys').insert({
        ...{ id, user_id, label: `key ${id}`, hash: SEALING.hash(`token-${id}`), hint: `token-${id}` },
        ...{ scope, enabled, expires_at, created_at: 1, last_used_at: 2 },
      });
  };

  it('when keys of the release before exist, then they work as before, without limits', async () => {
    await back();
    await insertEarlierRows();
    await migrateUp(knex);
    const access = accessTo(store);
    const callers = await Promise.all([1, 2, 3, 4, 5].map((id) => access.byKey(`token-${id}`)));
    assert.deepEqual(
      callers.map((caller) => caller && [caller.name, caller.role, caller.scope, caller.credential]),
      [
        ['Alice', 'administrator', 'read_write', 'key:1'],
        ['Alice', 'administrator', 'read', 'key:2'],
        ['Bob', 'viewer', 'read_write', 'key:3'],
        null,
        null,
      ],
    );
    assert.equal((await access.byPassword('alice', 'PasswordOfAlice'))?.credential, 'password:1');
    for (const caller of callers)
      if (caller) {
        assert.equal(access.allowsAddress(caller, '203.0.113.9'), true);
        assert.equal(access.callsPerMinute(caller), null);
      }
    const { items } = await access.keys.list({ page: 1, perPage: 10 });
    for (const key of items)
      assert.deepEqual([key.allowedAddresses, key.rateLimit, key.previousExpiresAt], [null, null, null]);
    const { secret } = await access.keys.rotate(1, 60, 'tester');
    assert.ok((await access.byKey('token-1')) && (await access.byKey(secret)));
    await access.waitForWrites();
  });

  it('when the migration is reverted, then the keys stay, with the tokens that are valid then', async () => {
    await back();
    await insertEarlierRows();
    const before = await knex('api_keys').orderBy('id').select();
    await migrateUp(knex);
    await knex('api_keys').where({ id: 1 }).update({ allowed_addresses: '["192.0.2.1"]', rate_limit: 5 });
    await knex('key_usage').insert({ key_id: 1, day: 1, operation: 'tags_list', calls: 1, errors: 0 });
    await back();
    const after = await knex('api_keys').orderBy('id').select();
    assert.deepEqual(
      after.map((row) => ({ ...row })),
      before.map((row) => ({ ...row })),
    );
    await migrateUp(knex);
  });
});
