import assert from 'node:assert/strict';
import { editSettings } from '../../support/settings.ts';
import { runTool } from '../../support/tools.ts';
import { startWorld, type World } from '../../support/world.ts';

// Runs on SQLite only: the test is about the calls to sites.

describe('signature settings', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ sites: 1 });
  });
  afterEach(() => world.close());

  const sync = () => world.ability('sync-sites-v1', { site_ids_or_domains: [world.siteId(0)] });
  const lastFields = () => world.site(0).requests.at(-1)?.fields ?? {};
  const statusOf = async (): Promise<string> =>
    (await world.request('GET', `/api/v2/sites/${world.siteId(0)}`)).body.data.status;

  it('when a digest is set, then the next call is signed with it and names it', async () => {
    const numbers = { sha224: '6', sha256: '7', sha384: '8', sha512: '9' } as const;
    for (const digest of ['sha512', 'sha384', 'sha224', 'sha256'] as const) {
      await editSettings(world, 'advanced', { svc_connect_signature_algo: digest });
      assert.equal((await sync()).total_synced, 1, digest);
      assert.deepEqual([lastFields()['sign_algo'], lastFields()['verifylib']], [numbers[digest], undefined]);
    }
  });

  it('when the child verifies with the library, then calls are signed for it with any digest', async () => {
    await editSettings(world, 'advanced', { svc_verify_connection_method: 2, svc_connect_signature_algo: 'sha512' });
    assert.equal((await sync()).total_synced, 1);
    assert.deepEqual([lastFields()['sign_algo'], lastFields()['verifylib']], [undefined, '1']);
    assert.equal((await runTool(world, 'renew-connections')).failed, 0);
    assert.equal((await sync()).total_synced, 1);
  });

  it('when a site rejects the digest, then the error has this reason, and the site stays connected', async () => {
    for (const language of ['English', 'another']) {
      world.site(0).translated = language === 'another';
      await sync();
      await editSettings(world, 'advanced', { svc_connect_signature_algo: 'sha1' });
      const [error] = (await sync()).errors;
      assert.equal(error.code, 'svc_site_refused');
      assert.match(error.message, /accepts our key but not the signature algorithm/);
      assert.equal(await statusOf(), 'connected');
      await editSettings(world, 'advanced', { svc_connect_signature_algo: null });
      assert.equal((await sync()).total_synced, 1);
    }
  });

  it('when a site loses the key, then the error says so and does not blame the digest', async () => {
    await editSettings(world, 'advanced', { svc_connect_signature_algo: 'sha512' });
    world.site(0).loseKey();
    const [error] = (await sync()).errors;
    assert.equal(error.code, 'svc_site_refused');
    assert.match(error.message, /not connected/);
    assert.equal(await statusOf(), 'disconnected');
  });

  it('when an operation fails with another digest, then the error is that of the operation', async () => {
    await editSettings(world, 'advanced', { svc_connect_signature_algo: 'sha512' });
    world.site(0).fault = { kind: 'forged', answer: { error: 'Cannot destroy sessions' }, function: 'settings_tools' };
    const { errors } = await runTool(world, 'destroy-sessions');
    assert.equal(errors[0]?.code, 'svc_site_bad_answer');
  });

  it('when a value is invalid, then the request is rejected', async () => {
    for (const body of [
      { svc_connect_signature_algo: 'md5' },
      { svc_verify_connection_method: 3 },
      { svc_force_use_ipv4: 2 },
    ])
      await world.request('PUT', '/api/v2/settings/advanced/edit', { body, expect: 400 });
  });
});
