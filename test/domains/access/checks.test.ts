import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import assert from 'node:assert/strict';
import { Sealing } from '../../../src/db/sealing.ts';
import type { AccessReadModel, Credential } from '../../../src/domains/access/access-read-model.ts';
import { CredentialAuthenticator } from '../../../src/domains/access/credential-authenticator.ts';
import type { KeyRepository } from '../../../src/domains/access/key-repository.ts';
import type { PasswordRepository } from '../../../src/domains/access/password-repository.ts';

const credential = (): Credential => ({
  id: 1,
  userId: 1,
  name: 'alice',
  nameKey: 'alice',
  role: 'viewer',
  rolePermissions: [],
  scope: 'read',
  expiresAt: null,
  lastUsedAt: null,
  allowedAddresses: null,
  rateLimit: null,
  sites: ALL_SITES,
});

describe('cache of credential checks', () => {
  let asked: string[];
  let answer: () => Promise<Credential | null>;
  let stamp: () => Promise<void>;
  let checks: CredentialAuthenticator;
  let time: number;

  beforeEach(() => {
    asked = [];
    answer = async () => credential();
    stamp = async () => undefined;
    const readModel = { keyByHash: (hash: string) => (asked.push(hash), answer()) } as unknown as AccessReadModel;
    const keys = { stamp: () => stamp() } as unknown as KeyRepository;
    time = 10_000;
    const clock = { now: () => time };
    const sealing = new Sealing(Buffer.alloc(32, 7));
    checks = new CredentialAuthenticator(sealing, clock, readModel, {} as PasswordRepository, keys);
  });

  it('when the cache is cleared during a lookup, then the result of the lookup is not cached', async () => {
    let release = (_found: Credential | null): void => undefined;
    answer = () => new Promise((resolve) => (release = resolve));
    const before = checks.byKey('sf_one');
    checks.clearCache();
    release(credential());
    assert.ok(await before);
    answer = async () => null;
    assert.equal(await checks.byKey('sf_one'), null);
    assert.equal(asked.length, 2);
  });

  it('when more credentials are checked than the cache holds, then the oldest ones are removed', async () => {
    const many = CredentialAuthenticator.MAX_CACHED + 1;
    for (let n = 0; n < many; n++) await checks.byKey(`sf_${n}`);
    asked.length = 0;
    await checks.byKey(`sf_${many - 1}`);
    assert.equal(asked.length, 0);
    await checks.byKey('sf_0');
    assert.equal(asked.length, 1);
  });

  it('when the clock is set back, then a cached credential is looked up again', async () => {
    assert.ok(await checks.byKey('sf_one'));
    answer = async () => null;
    assert.ok(await checks.byKey('sf_one'), 'for five seconds');
    time -= 3_600_000;
    assert.equal(await checks.byKey('sf_one'), null);
  });

  it('when a lookup fails, then the next check runs a new lookup', async () => {
    answer = () => Promise.reject(new Error('database away'));
    await assert.rejects(checks.byKey('sf_one'), /database away/);
    answer = async () => credential();
    assert.ok(await checks.byKey('sf_one'));
  });

  it('when storing the time of use fails, then the check neither waits nor fails', async () => {
    let fail = (): void => undefined;
    stamp = () => new Promise((_resolve, reject) => (fail = () => reject(new Error('locked'))));
    assert.ok(await checks.byKey('sf_one'));
    fail();
    await checks.waitForWrites();
  });
});
