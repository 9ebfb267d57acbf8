import assert from 'node:assert/strict';
import type { AccessService } from '../../../src/domains/access/index.ts';
import { HOUR, SECOND } from '../../../src/shared/clock.ts';
import { accessTo, createAlice, createKey, refusesField } from '../../support/access.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';

const START = Date.UTC(2026, 10, 21);

describe('rotation of API keys', () => {
  let store: TestDatabase;
  let time: number;
  let access: AccessService;
  let elsewhere: AccessService;
  let id: number;
  let first: string;
  withFreshDatabase((opened) => {
    store = opened;
    time = START;
    const clock = { now: () => time };
    access = accessTo(store, clock);
    elsewhere = accessTo(store, clock);
  });
  beforeEach(async () => {
    const { user } = await createAlice(access);
    const made = await createKey(access, user.id);
    [id, first] = [made.key.id, made.secret];
  });
  afterEach(async () => {
    await access.waitForWrites();
    await elsewhere.waitForWrites();
  });

  const credentialOf = async (of: AccessService, token: string) => (await of.byKey(token))?.credential ?? null;
  const rotate = (overlap: number) => access.keys.rotate(id, overlap, 'tester');

  it('when a key is rotated, then both tokens belong to the key until the overlap ends, to the millisecond', async () => {
    assert.equal(await credentialOf(access, first), `key:${id}`);
    const { key, secret } = await rotate(3600);
    assert.notEqual(secret, first);
    assert.deepEqual([key.id, key.hint, key.previousExpiresAt], [id, secret.slice(-7), START + HOUR]);
    time = START + HOUR - 1;
    for (const of of [access, elsewhere])
      for (const token of [first, secret]) assert.equal(await credentialOf(of, token), `key:${id}`);
    time = START + HOUR;
    for (const of of [access, elsewhere]) {
      assert.equal(await credentialOf(of, first), null);
      assert.equal(await credentialOf(of, secret), `key:${id}`);
    }
  });

  it('when the overlap is 0, then the previous token fails at once, and in other processes within five seconds', async () => {
    for (const of of [access, elsewhere]) assert.ok(await credentialOf(of, first));
    const { key, secret } = await rotate(0);
    assert.equal(key.previousExpiresAt, null);
    assert.equal(await credentialOf(access, first), null);
    assert.ok(await credentialOf(elsewhere, secret));
    time += 5 * SECOND;
    assert.equal(await credentialOf(elsewhere, first), null);
  });

  it('when a key is rotated again during an overlap, then the oldest token fails and the second one works', async () => {
    const second = (await rotate(3600)).secret;
    time += 60 * SECOND;
    const { key, secret: third } = await rotate(7200);
    assert.equal(key.previousExpiresAt, START + 60 * SECOND + 2 * HOUR);
    assert.deepEqual(await Promise.all([first, second, third].map((token) => credentialOf(access, token))), [
      null,
      `key:${id}`,
      `key:${id}`,
    ]);
  });

  it('when the key expires or is disabled during an overlap, then the previous token fails too', async () => {
    await access.keys.edit(id, { expiresAt: START + HOUR }, 'tester');
    await rotate(7200);
    assert.ok(await credentialOf(access, first));
    await access.keys.edit(id, { enabled: false }, 'tester', { force: true });
    assert.equal(await credentialOf(access, first), null);
    await access.keys.edit(id, { enabled: true }, 'tester');
    time = START + HOUR;
    assert.equal(await credentialOf(access, first), null);
  });

  it('when the environment sets the previous token of a key, then it becomes the preset key alone', async () => {
    await rotate(3600);
    await access.ensureFirstCredentials({ adminUser: 'Alice', adminPassword: null, apiKey: first });
    const preset = await credentialOf(access, first);
    assert.ok(preset !== null && preset !== `key:${id}`);
    const presetId = Number(preset.slice('key:'.length));
    await assert.rejects(access.keys.rotate(presetId, 0, 'tester'), { code: 'svc_preset_api_key' });
    await access.keys.edit(presetId, { enabled: false }, 'tester');
    assert.equal(await credentialOf(access, first), null);
  });

  it('when the overlap is out of range, then the field is refused', async () => {
    for (const overlap of [-1, 604_801, 1.5])
      await assert.rejects(async () => rotate(overlap), refusesField('overlapSeconds'));
    await rotate(604_800);
  });

  it('when a key is rotated, then only hashes and a hint of the token are stored and logged', async () => {
    const { secret } = await rotate(3600);
    const rows = [await store.database.knex('api_keys').select('*'), await store.database.knex('changes').select('*')];
    for (const token of [first, secret]) assert.ok(!JSON.stringify(rows).includes(token.slice(3, 20)));
    const [last] = await store.database.knex('changes').orderBy('id', 'desc').limit(1).select('type', 'actor');
    assert.deepEqual({ ...last }, { type: 'api_key.rotated', actor: 'tester' });
  });
});
