import assert from 'node:assert/strict';
import type { AccessService, PresetCredentials } from '../../../src/domains/access/index.ts';
import { accessTo } from '../../support/access.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

const NO_PRESET: PresetCredentials = { adminUser: 'admin', adminPassword: null, apiKey: null };
const PASSWORD = 'preset-password-of-24-chars';
const KEY = 'preset-key-of-more-than-24-chars';

describe('first credentials', () => {
  let store: TestDatabase;
  let access: AccessService;
  const counted = async (table: string) => Number((await store.database.knex(table).count({ n: 'id' }).first())?.['n']);

  beforeEach(async () => {
    store = await openTestDatabase();
    access = accessTo(store);
  });
  afterEach(async () => {
    await access.waitForWrites();
    await store.close();
  });

  it('when no user exists, then the first credentials are created once and returned once', async () => {
    const made = await access.ensureFirstCredentials(NO_PRESET);
    assert.ok(made?.password && made.apiKey);
    assert.equal(made.user, 'admin');
    assert.equal((await access.byPassword('admin', made.password))?.role, 'administrator');
    assert.equal((await access.byKey(made.apiKey))?.scope, 'read_write');
    assert.equal(await access.ensureFirstCredentials(NO_PRESET), null);
    assert.deepEqual(
      [await counted('users'), await counted('application_passwords'), await counted('api_keys')],
      [1, 1, 1],
    );
  });

  it('when many processes start at the same time, then one of them creates the credentials', async () => {
    // Opens the connections first, so that the calls really run at the same time.
    await Promise.all(Array.from({ length: 10 }, () => store.database.knex.raw('select 1')));
    const made = await Promise.all(Array.from({ length: 5 }, () => accessTo(store).ensureFirstCredentials(NO_PRESET)));
    assert.equal(made.filter((one) => one !== null).length, 1);
    assert.deepEqual(
      [await counted('users'), await counted('application_passwords'), await counted('api_keys')],
      [1, 1, 1],
    );
  });

  it('when a user exists, then no credentials are created', async () => {
    await access.createUser({ name: 'someone', role: 'administrator' }, 'tester');
    assert.equal(await access.ensureFirstCredentials(NO_PRESET), null);
    assert.equal(await counted('users'), 1);
  });

  it('when some credentials are preset, then only the others are returned', async () => {
    const made = await access.ensureFirstCredentials({ ...NO_PRESET, adminUser: 'chief', apiKey: KEY });
    assert.equal(made?.user, 'chief');
    assert.equal(made.apiKey, null);
    assert.ok(await access.byPassword('chief', made.password ?? ''));
    assert.ok(await access.byKey(KEY));
  });

  it('when all credentials are preset, then they stay the same at each start', async () => {
    const preset = { adminUser: 'admin', adminPassword: PASSWORD, apiKey: KEY };
    assert.equal(await access.ensureFirstCredentials(preset), null);
    const changes = await counted('changes');
    assert.equal(await accessTo(store).ensureFirstCredentials(preset), null);
    assert.ok(await access.byPassword('admin', PASSWORD));
    assert.equal((await access.byKey(KEY))?.scope, 'read_write');
    assert.deepEqual([await counted('application_passwords'), await counted('api_keys')], [1, 1]);
    assert.equal(await counted('changes'), changes);
  });

  it('when a preset changes, then its credential changes and the other credentials stay', async () => {
    const made = await access.ensureFirstCredentials(NO_PRESET);
    await access.ensureFirstCredentials({ adminUser: 'admin', adminPassword: PASSWORD, apiKey: KEY });
    await access.ensureFirstCredentials({ adminUser: 'admin', adminPassword: `${PASSWORD}2`, apiKey: `${KEY}2` });
    assert.equal(await access.byPassword('admin', PASSWORD), null);
    assert.equal(await access.byKey(KEY), null);
    assert.ok(await access.byPassword('admin', `${PASSWORD}2`));
    assert.ok(await access.byKey(`${KEY}2`));
    assert.ok(await access.byPassword('admin', made?.password ?? ''));
    assert.ok(await access.byKey(made?.apiKey ?? ''));
  });

  it('when the preset name of the administrator changes, then the administrator is renamed', async () => {
    await access.ensureFirstCredentials({ adminUser: 'admin', adminPassword: PASSWORD, apiKey: KEY });
    await access.ensureFirstCredentials({ adminUser: 'chief', adminPassword: PASSWORD, apiKey: KEY });
    assert.equal(await access.byPassword('admin', PASSWORD), null);
    assert.equal((await access.byPassword('chief', PASSWORD))?.role, 'administrator');
    assert.equal((await access.byKey(KEY))?.name, 'chief');
  });

  it('when an operator has disabled a preset key, then the key stays disabled after a restart', async () => {
    const preset = { adminUser: 'admin', adminPassword: null, apiKey: KEY };
    await access.ensureFirstCredentials(preset);
    const [key] = (await access.keys.list({ page: 1, perPage: 1 })).items;
    await access.keys.edit(key?.id ?? 0, { enabled: false }, 'tester', { force: true });
    await access.ensureFirstCredentials(preset);
    assert.equal(await access.byKey(KEY), null);
  });

  it('when credentials were generated before, then they can become presets', async () => {
    const made = await access.ensureFirstCredentials(NO_PRESET);
    const preset = { adminUser: 'admin', adminPassword: made?.password ?? null, apiKey: made?.apiKey ?? null };
    await access.ensureFirstCredentials(preset);
    assert.ok(await access.byPassword('admin', made?.password ?? ''));
    assert.deepEqual([await counted('application_passwords'), await counted('api_keys')], [1, 1]);
    await access.ensureFirstCredentials({ ...preset, apiKey: KEY });
    assert.equal(await access.byKey(made?.apiKey ?? ''), null);
  });

  it('when a label is reserved for presets, then a password or key with that label is rejected', async () => {
    const { id } = await access.createUser({ name: 'someone', role: 'administrator' }, 'tester');
    const reserved = { code: 'invalid_input' };
    await assert.rejects(access.addPassword(id, 'preset', 'tester'), reserved);
    await assert.rejects(
      access.keys.create({ userId: id, label: ' preset ', scope: 'read', expiresAt: null }, 'tester'),
      reserved,
    );
  });
});
