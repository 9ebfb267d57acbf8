import assert from 'node:assert/strict';
import { cancelPostponed, newestJob, repeatItems } from '../../support/jobs.ts';
import { requestsWithin } from '../../support/limited-keys.ts';
import { ALPHA_FILE, pluginZip, putAlpha, sha256, TestDirectory, type Alpha } from '../../support/packages.ts';
import { addRole } from '../../support/roles.ts';
import { eventually, until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const INSTALL = 'installplugintheme';
const ALPHA = { type: 'plugin', slug: 'rig-alpha' };

describe('rollbacks', () => {
  let world: World;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['0.9', '1.0', '1.1', '1.2', '2.0']) await directory.release('plugin', 'rig-alpha', version);
    const overrides = { deadlines: { lookAgainMs: [2_000] } };
    world = await startWorld({ sites: 30, connect: 0, overrides, env: { SITEFLEET_DIRECTORY_URL: directory.url } });
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  const fresh = (alpha?: Alpha) => world.freshSite((site) => putAlpha(site, alpha));
  const rollBack = async (id: number, more: object = {}, expect = 200) =>
    (await world.request('POST', `/api/v2/sites/${id}/packages/rollback`, { body: { ...ALPHA, ...more }, expect }))
      .body;
  async function bearerOf(role: string): Promise<Record<string, string>> {
    const post = async (path: string, body: object) =>
      (await world.request('POST', `/api/v2/rest-api/${path}`, { body })).body.data;
    const user = await post('users/add', { name: role, role });
    return { authorization: `Bearer ${(await post('add-key', { user: user.id, scope: 'read_write' })).token}` };
  }
  const update = async (id: number) =>
    (await world.request('POST', `/api/v2/updates/${id}/update/plugins`, { body: { slug: [ALPHA_FILE] } })).body;
  const pinsOf = async (id: number) =>
    (await world.request('GET', `/api/v2/pins?include=${id}`)).body.data as {
      version: string;
      note: string;
      auto_update: string;
    }[];
  const updatesOf = async (id: number): Promise<string[]> =>
    (await world.ability('get-site-updates-v1', { site_id_or_domain: id })).updates
      .map(({ slug }: { slug: string }) => slug)
      .filter((slug: string) => slug === ALPHA_FILE);

  it('when an update is rolled back, then the site has the version before, and the update is left out', async () => {
    const { id, site } = await fresh();
    assert.equal((await update(id)).data[0].new_version, '1.2');
    const { data, errors, sites_pinned } = await rollBack(id);
    assert.deepEqual([errors, sites_pinned], [[], null]);
    const expected = { site_id: id, slug: ALPHA_FILE, old_version: '1.2', new_version: '1.0', active: true };
    assert.deepEqual({ ...data[0], ...expected, rolled_back: 'files', pin: '<1.2' }, data[0]);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.update, '1.2');
    assert.deepEqual(await updatesOf(id), []);
    const [pin] = await pinsOf(id);
    assert.deepEqual([pin?.version, pin?.note, pin?.auto_update], ['<1.2', 'Rolled back from 1.2.', 'off']);
  });

  it('when its job is cancelled before its outcome is known, then it is checked, and the update is left out', async () => {
    const { id, site } = await fresh();
    await update(id);
    site.faultQueue.push({ kind: 'goes-on', function: INSTALL, doneMs: 1, giveUpMs: 300 });
    const rolling = rollBack(id);
    await until(() => site.countOf(INSTALL) === 1, 'the rollback to be sent');
    site.fault = { kind: 'refuse' };
    const { data } = await cancelPostponed(world, 'rollback-package', () => (site.fault = null));
    assert.deepEqual([data.status, data.succeeded], ['cancelled', 1]);
    assert.equal((await rolling).data[0].pin, '<1.2');
    const [pin] = await pinsOf(id);
    assert.deepEqual([pin?.version, pin?.auto_update], ['<1.2', 'off']);
  });

  it('when the rollback is itself rolled back, then there is no earlier version', async () => {
    const { id, site } = await fresh();
    await update(id);
    await rollBack(id);
    const sent = site.countOf(INSTALL);
    const { data, errors } = await rollBack(id);
    assert.deepEqual([data, errors[0].code], [[], 'svc_no_earlier_version']);
    assert.equal(site.countOf(INSTALL), sent);
  });

  it('when the version is given, then the site gets it, and a newer one is refused', async () => {
    const { id, site } = await fresh({ version: '1.2' });
    assert.equal((await rollBack(id)).errors[0].code, 'svc_no_earlier_version');
    assert.equal((await rollBack(id, { version: '1.3' })).errors[0].code, 'svc_no_earlier_version');
    assert.equal((await rollBack(id, { version: '1.1', skip: 'none' })).data[0].pin, null);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.1');
    assert.deepEqual(await pinsOf(id), []);
    const { errors } = await rollBack(id, { version: '1.0.5' });
    assert.equal(errors[0].code, 'svc_package_not_found');
  });

  for (const [job, permission, path] of [
    ['an installation', 'packages:install', 'install'],
    ['a rollback', 'updates:run', 'rollback'],
  ] as const)
    it(`when ${job} is retried, then the caller needs ${permission}`, async () => {
      const { id } = await fresh({ version: '1.2', file: 'rig-alpha/main.php' });
      const order = { body: { ...ALPHA, version: '1.1' } };
      const { errors } = (await world.request('POST', `/api/v2/sites/${id}/packages/${path}`, order)).body;
      assert.equal(errors[0].reason, 'other_item');
      const retry = `/api/v2/jobs/${(await newestJob(world)).job_id}/retry-failed`;
      const post = async (to: string, body: object) =>
        (await world.request('POST', `/api/v2/rest-api${to}`, { body })).body.data;
      await post('/roles/add', { name: `retrier-${path}`, permissions: ['jobs:write'] });
      const user = await post('/users/add', { name: `Retrier ${path}`, role: `retrier-${path}` });
      const { token } = await post('/add-key', { user: user.id, scope: 'write' });
      const asRetrier = { as: 'nobody' as const, headers: { authorization: `Bearer ${token}` } };
      const { body } = await world.request('POST', retry, { ...asRetrier, expect: 403 });
      assert.equal(body.data.permission, permission);
    });

  it('when a major version is crossed, then confirm is needed', async () => {
    const { id, site } = await fresh({ version: '2.0' });
    const { errors } = await rollBack(id, { version: '1.2' });
    assert.equal(errors[0].code, 'svc_confirmation_required');
    assert.equal(site.countOf(INSTALL), 0);
    assert.equal((await rollBack(id, { version: '1.2', confirm: true })).data[0].new_version, '1.2');
    assert.equal((await rollBack(id, { version: '0.9' })).errors[0].code, 'svc_confirmation_required');
  });

  it('when the site has updated itself since its sync, then the version that it has now is compared', async () => {
    const { id, site } = await fresh();
    await update(id);
    const becomes = (version: string): void => {
      (site.state.plugins.get(ALPHA_FILE) ?? assert.fail()).version = version;
      site.touch();
    };
    for (const [version, more, code] of [
      ['2.0', {}, 'svc_no_earlier_version'],
      ['2.0', { version: '1.0' }, 'svc_confirmation_required'],
      ['1.3', { version: '1.1' }, null],
      ['0.9', { version: '1.0', confirm: true }, 'svc_no_earlier_version'],
    ] as const) {
      becomes('1.2');
      await world.request('POST', `/api/v2/sites/${id}/sync`);
      becomes(version);
      const sent = site.countOf(INSTALL);
      const { errors } = await rollBack(id, { skip: 'none', ...more });
      assert.equal(errors[0]?.code ?? null, code, version);
      assert.equal(site.countOf(INSTALL), code === null ? sent + 1 : sent);
      const [stored] = (await world.request('GET', `/api/v2/sites/${id}/plugins`)).body.data.filter(
        ({ slug }: { slug: string }) => slug === ALPHA_FILE,
      );
      assert.equal(stored.version, code === null ? '1.1' : version, 'The refusal stores the version of the site.');
    }
    assert.deepEqual(await pinsOf(id), []);
  });

  it('when the files of the plugin are gone, then the rollback brings them back, and the reported version is skipped', async () => {
    const { id, site } = await fresh();
    const other = await fresh({ version: '1.2' });
    await update(id);
    site.state.plugins.delete(ALPHA_FILE);
    site.touch();
    const { data, sites_pinned } = await rollBack(id, { skip: 'fleet' });
    assert.deepEqual([data[0].old_version, data[0].new_version, data[0].pin], [null, '1.0', '<1.2']);
    assert.ok(sites_pinned >= 2);
    for (const each of [id, other.id]) assert.deepEqual((await pinsOf(each))[0]?.version, '<1.2');
    assert.deepEqual(await updatesOf(id), []);
  });

  it('when a pin leaves the version out already, then it is kept', async () => {
    const { id } = await fresh({ version: '1.2' });
    const pin = { type: 'plugin', slug: ALPHA_FILE, version: '1.1', websites: [id] };
    await world.request('POST', '/api/v2/pins', { body: pin });
    assert.equal((await rollBack(id, { version: '1.1' })).data[0].pin, '1.1');
    assert.equal((await pinsOf(id))[0]?.version, '1.1');
  });

  it('when the fleet skips the version, then the other sites with the plugin are pinned', async () => {
    const [one, other, without] = [
      await fresh({ version: '1.2' }),
      await fresh(),
      await world.freshSite(() => undefined),
    ];
    const { sites_pinned: pinned } = await rollBack(one.id, { version: '1.0', skip: 'fleet' });
    assert.ok(pinned >= 2);
    assert.deepEqual([(await pinsOf(other.id))[0]?.version, await pinsOf(without.id)], ['<1.2', []]);
    assert.equal(other.site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
    assert.deepEqual(await updatesOf(other.id), []);
  });

  it('when a caller may update but not pin, then it rolls back, and the fleet does not skip the version', async () => {
    const [one, other] = [await fresh(), await fresh()];
    await update(one.id);
    const headers = await bearerOf(await addRole(world, ['sites:read', 'updates:run'], 'updater'));
    const path = `/api/v2/sites/${one.id}/packages/rollback`;
    const send = (skip: string, expect: number) =>
      world.request('POST', path, { as: 'nobody', headers, body: { ...ALPHA, version: '1.0', skip }, expect });
    const { code, data } = (await send('fleet', 403)).body;
    assert.deepEqual([code, data.permission], ['svc_permission_denied', 'updates:write']);
    assert.equal(one.site.state.plugins.get(ALPHA_FILE)?.version, '1.2');
    assert.equal((await send('site', 200)).body.data[0].pin, '<1.2');
    assert.deepEqual(await pinsOf(other.id), []);
  });

  it('when the fleet skips the version, then pins that leave it out already are kept, and others are not', async () => {
    const [one, strict, exact, open] = [await fresh({ version: '1.2' }), await fresh(), await fresh(), await fresh()];
    for (const [{ id }, version] of [[strict, '<1.1'] as const, [exact, '1.0'] as const, [open, '1.x'] as const])
      await world.request('POST', '/api/v2/pins', {
        body: { type: 'plugin', slug: ALPHA_FILE, version, note: 'Ours.', websites: [id] },
      });
    await rollBack(one.id, { version: '1.0', skip: 'fleet' });
    const pins = await Promise.all([strict, exact, open].map(async ({ id }) => (await pinsOf(id))[0]));
    assert.deepEqual(
      pins.map((pin) => pin?.version),
      ['<1.1', '1.0', '<1.2'],
    );
    assert.deepEqual([pins[0]?.note, pins[1]?.note], ['Ours.', 'Ours.']);
  });

  it('when sites are rolled back, then each gets the version that it had before', async () => {
    const [one, other] = [await fresh({ version: '1.0' }), await fresh({ version: '1.1' })];
    await update(one.id);
    await update(other.id);
    const bare = await world.freshSite(() => undefined);
    const body = { ...ALPHA, websites: [one.id, other.id, bare.id] };
    const { data, errors } = (await world.request('POST', '/api/v2/packages/rollback', { body })).body;
    const versions = data.map(({ site_id, new_version }: { site_id: number; new_version: string }) => [
      site_id,
      new_version,
    ]);
    assert.deepEqual(
      new Map(versions),
      new Map([
        [one.id, '1.0'],
        [other.id, '1.1'],
      ]),
    );
    assert.deepEqual([errors.length, errors[0].code], [1, 'svc_no_earlier_version']);
    const [job] = (await world.request('GET', '/api/v2/jobs?type=rollback-package')).body.data;
    const { items } = (await world.request('GET', `/api/v2/jobs/${job.job_id}`)).body;
    const done = items.find(({ state }: { state: string }) => state === 'succeeded');
    assert.equal(done.result.rolled_back.rolled_back, 'files');
  });

  it('when the zip does not prove itself, then the site keeps its version and has no pin', async () => {
    await directory.release('plugin', 'rig-alpha', '1.0.9', await pluginZip('rig-alpha', '1.0.8'));
    const { id, site } = await fresh({ version: '1.2' });
    const { errors } = await rollBack(id, { version: '1.0.9' });
    assert.deepEqual([errors[0].code, errors[0].reason], ['svc_package_refused', 'other_version']);
    assert.deepEqual([site.countOf(INSTALL), await pinsOf(id)], [0, []]);
  });

  it('when a caller is limited, then it rolls back its sites, with packages of the directory', async () => {
    const [own, other] = [await fresh({ version: '1.2' }), await fresh({ version: '1.2' })];
    const zip = await pluginZip('rig-alpha', '1.1.1');
    directory.answers.set('/premium.zip', zip);
    const added = { ...ALPHA, version: '1.1.1', url: `${directory.url}/premium.zip`, sha256: sha256(zip) };
    await world.request('POST', '/api/v2/packages/add', { body: added });
    const request = await requestsWithin(world, { sites: [own.id] });
    const path = (id: number) => `/sites/${id}/packages/rollback`;
    await request('POST', path(other.id), { ...ALPHA, version: '1.0' }, 404);
    const premium = (await request('POST', path(own.id), { ...ALPHA, version: '1.1.1' })).body;
    assert.equal(premium.errors[0].code, 'svc_package_not_found');
    const { body } = await request('POST', path(own.id), { ...ALPHA, version: '1.0', skip: 'fleet' });
    assert.deepEqual([body.data[0].new_version, body.sites_pinned], ['1.0', 1]);
    assert.deepEqual(await pinsOf(other.id), []);
    const viewer = { as: 'viewer', body: ALPHA, expect: 403 } as const;
    await world.request('POST', `/api/v2${path(own.id)}`, viewer);
  });
});

describe('rollbacks that take longer than their call waits', () => {
  let world: World;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const env = { SITEFLEET_DIRECTORY_URL: directory.url, SITEFLEET_INLINE_DEADLINE: '1' };
    world = await startWorld({ sites: 6, connect: 0, env });
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  const pinsOf = async (id: number): Promise<string[]> =>
    (await world.request('GET', `/api/v2/pins?include=${id}`)).body.data.map(
      ({ version }: { version: string }) => version,
    );

  it('when the fleet skips the version, then the other sites are pinned after the call has ended', async () => {
    const [one, other] = [
      await world.freshSite((site) => putAlpha(site, { version: '1.2' })),
      await world.freshSite((site) => putAlpha(site)),
    ];
    one.site.faultQueue.push({ kind: 'late', ms: 3_000, function: 'installplugintheme' });
    const body = { ...ALPHA, version: '1.0', skip: 'fleet' };
    const path = `/api/v2/sites/${one.id}/packages/rollback`;
    const { errors, sites_pinned: pinned } = (await world.request('POST', path, { body })).body;
    assert.deepEqual([errors[0].code, pinned, await pinsOf(other.id)], ['svc_still_running', null, []]);
    await world.finishedJob(errors[0].job_id);
    await eventually(async () => (await pinsOf(other.id)).length > 0, 'the pin of the other site');
    assert.deepEqual([await pinsOf(one.id), await pinsOf(other.id)], [['<1.2'], ['<1.2']]);
  });

  it('when such a rollback is retried, then the caller needs the permission to pin as well', async () => {
    const { id } = await world.freshSite((site) => putAlpha(site, { version: '1.0' }));
    const order = { body: { ...ALPHA, version: '1.2', skip: 'fleet' } };
    const { body: refused } = await world.request('POST', `/api/v2/sites/${id}/packages/rollback`, order);
    assert.deepEqual([refused.errors[0].code, refused.sites_pinned], ['svc_no_earlier_version', 0]);
    const role = await addRole(world, ['sites:read', 'jobs:write', 'updates:run'], 'retrier');
    const post = async (to: string, body: object) =>
      (await world.request('POST', `/api/v2/rest-api/${to}`, { body })).body.data;
    const user = await post('users/add', { name: role, role });
    const { token } = await post('add-key', { user: user.id, scope: 'read_write' });
    const asRetrier = { as: 'nobody' as const, headers: { authorization: `Bearer ${token}` }, expect: 403 };
    const retry = `/api/v2/jobs/${(await newestJob(world)).job_id}/retry-failed`;
    assert.equal((await world.request('POST', retry, asRetrier)).body.data.permission, 'updates:write');
    await world.request('POST', retry);
  });
});

describe('a retry of a rollback whose outcome is unknown', () => {
  const INSTALL = 'installplugintheme';
  let world: World;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.1', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const env = { SITEFLEET_DIRECTORY_URL: directory.url };
    world = await startWorld({ sites: 15, connect: 0, env, overrides: { deadlines: { lookAgainMs: [50] } } });
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  type FreshSite = Pick<Awaited<ReturnType<World['freshSite']>>, 'id' | 'site'>;
  const post = async (id: number, path: string, body: object = {}) =>
    (await world.request('POST', `/api/v2/sites/${id}/packages/${path}`, { body: { ...ALPHA, ...body } })).body;
  const sync = (id: number) => world.request('POST', `/api/v2/sites/${id}/sync`);

  /** Rolls back. The site installs the version, and is unreadable until the job has ended. Returns its ID. */
  async function unread({ id, site }: FreshSite, body: object = {}): Promise<string> {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    site.faultQueue.push({ kind: 'delay', ms: { until: released }, function: INSTALL });
    const sent = site.countOf(INSTALL) + 1;
    const done = post(id, 'rollback', body);
    await until(() => site.countOf(INSTALL) === sent, 'the installation');
    site.fault = { kind: 'refuse', function: 'stats' };
    release();
    assert.equal((await done).errors[0].code, 'svc_outcome_unknown');
    site.fault = null;
    return (await newestJob(world, 'rollback-package')).job_id;
  }

  /** Installs 1.1 and 1.2, and rolls back to 1.1 with an unknown outcome. */
  async function rollBackUnread() {
    const { id, site } = await world.freshSite((each) => putAlpha(each));
    for (const version of ['1.1', '1.2']) assert.deepEqual((await post(id, 'install', { version })).errors, []);
    const jobId = await unread({ id, site });
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.1');
    return { id, site, jobId, sent: site.countOf(INSTALL) };
  }

  async function retry(jobId?: string) {
    const id = jobId ?? (await newestJob(world, 'rollback-package')).job_id;
    const { data } = (await world.request('POST', `/api/v2/jobs/${id}/retry-failed`)).body;
    return (await world.finishedJob(data.job_id)).items[0];
  }

  /** Returns the logged installations and switches with the versions before and after them, oldest first. */
  async function logged(id: number): Promise<string[]> {
    const actions = 'actions=installed&actions=activated&actions=deactivated';
    const path = `/api/v2/changes?site_id=${id}&contexts=plugin&${actions}&source=dashboard`;
    const { data } = (await world.request('GET', path)).body;
    return data
      .map(({ action, before, after }: { action: string; before: { version: string }; after: { version: string } }) =>
        [action, before.version, after.version].join(' '),
      )
      .toReversed();
  }
  const INSTALLED = ['installed 1.0 1.1', 'installed 1.1 1.2'];

  for (const [moment, syncs] of [
    ['after a sync', true],
    ['before a sync', false],
  ] as const)
    it(`when it has taken effect and is retried ${moment}, then nothing is sent, and the version is skipped`, async () => {
      const { id, site, sent } = await rollBackUnread();
      if (syncs) await sync(id);
      const { state, result } = await retry();
      const { old_version, new_version, pin } = result.rolled_back;
      assert.deepEqual([state, old_version, new_version, pin], ['succeeded', '1.2', '1.1', '<1.2']);
      assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.1');
      assert.equal(site.countOf(INSTALL), sent);
      assert.deepEqual(await logged(id), [...INSTALLED, 'installed 1.2 1.1']);
    });

  it('when it has not taken effect, then the same version is sent again', async () => {
    const { id, site, sent } = await rollBackUnread();
    putAlpha(site, { version: '1.2' });
    await sync(id);
    const { state, result } = await retry();
    assert.deepEqual([state, result.rolled_back.new_version, result.rolled_back.pin], ['succeeded', '1.1', '<1.2']);
    assert.equal(site.countOf(INSTALL), sent + 1);
  });

  it('when the site has got a newer major version since, then the retry needs a confirmation', async () => {
    const { id, site, sent } = await rollBackUnread();
    putAlpha(site, { version: '2.0' });
    const { state, result } = await retry();
    assert.deepEqual([state, result.errors[0].code], ['failed', 'svc_confirmation_required']);
    assert.equal(site.countOf(INSTALL), sent);
    assert.deepEqual(await logged(id), INSTALLED);
  });

  it('when the site has updated and switched the plugin itself since, then only the retry is logged', async () => {
    const { id, site } = await rollBackUnread();
    putAlpha(site, { version: '1.3', active: false });
    const { result } = await retry();
    assert.deepEqual([result.rolled_back.old_version, result.rolled_back.new_version], ['1.3', '1.1']);
    assert.deepEqual(await logged(id), [...INSTALLED, 'installed 1.3 1.1']);
  });

  it('when it has taken effect, and the plugin was switched off since, then the switch is not logged', async () => {
    const { id, site } = await rollBackUnread();
    putAlpha(site, { version: '1.1', active: false });
    assert.equal((await retry()).state, 'succeeded');
    assert.deepEqual(await logged(id), [...INSTALLED, 'installed 1.2 1.1']);
  });

  it('when the version was installed again since, then the retry is logged as well', async () => {
    const { id } = await rollBackUnread();
    assert.deepEqual((await post(id, 'install', { version: '1.2' })).errors, []);
    assert.equal((await retry()).state, 'succeeded');
    assert.deepEqual(await logged(id), [...INSTALLED, 'installed 1.1 1.2', 'installed 1.2 1.1']);
  });

  it('when a retry could not read the site, then it has sent nothing, and the next retry continues', async () => {
    const { site, sent } = await rollBackUnread();
    site.fault = { kind: 'refuse', function: 'stats' };
    assert.equal((await retry()).state, 'failed');
    site.fault = null;
    const { state, result } = await retry();
    assert.deepEqual([state, result.rolled_back.new_version, result.rolled_back.pin], ['succeeded', '1.1', '<1.2']);
    assert.equal(site.countOf(INSTALL), sent);
  });

  it('when it is retried twice, then it is not rolled back twice', async () => {
    const { id, site, jobId, sent } = await rollBackUnread();
    putAlpha(site, { version: '1.2' });
    for (const _ of [1, 2]) {
      await sync(id);
      assert.equal((await retry(jobId)).result.rolled_back.new_version, '1.1');
    }
    assert.equal(site.countOf(INSTALL), sent + 1);
    assert.deepEqual(await logged(id), [...INSTALLED, 'installed 1.2 1.1']);
  });

  it('when its package was deleted, then the retry asks for the version', async () => {
    const { site, sent } = await rollBackUnread();
    const { data } = (await world.request('GET', '/api/v2/packages?slug=rig-alpha')).body;
    const { id } = data.find(({ version }: { version: string }) => version === '1.1');
    await world.request('DELETE', `/api/v2/packages/${id}/remove`);
    const { state, result } = await retry();
    assert.deepEqual([state, result.errors[0].code], ['failed', 'svc_no_earlier_version']);
    assert.match(result.errors[0].message, /send version\./);
    assert.equal(site.countOf(INSTALL), sent);
  });

  it('when another rollback of the item is unknown too, then the retry continues its own', async () => {
    const { id, site, jobId } = await rollBackUnread();
    putAlpha(site, { version: '1.2' });
    await sync(id);
    await unread({ id, site }, { version: '1.0' });
    putAlpha(site, { version: '1.2' });
    await sync(id);
    const { result } = await retry(jobId);
    assert.deepEqual([result.rolled_back.old_version, result.rolled_back.new_version], ['1.2', '1.1']);
  });

  it('when a new rollback was interrupted before it sent anything, then it does not continue the earlier one', async () => {
    const { id, site, sent } = await rollBackUnread();
    await sync(id);
    site.fault = { kind: 'refuse', function: 'stats' };
    await post(id, 'rollback');
    site.fault = null;
    await repeatItems(world, (await newestJob(world, 'rollback-package')).job_id);
    assert.deepEqual([site.state.plugins.get(ALPHA_FILE)?.version, site.countOf(INSTALL)], ['1.0', sent + 1]);
  });

  it('when the process died during its call, and the site has a newer major version, then it is refused', async () => {
    const { site, jobId, sent } = await rollBackUnread();
    await world.container.database.knex('package_installs').update({ unclear_since: null });
    putAlpha(site, { version: '2.0' });
    const [result] = await repeatItems(world, jobId);
    assert.match(JSON.stringify(result), /svc_confirmation_required/);
    assert.equal(site.countOf(INSTALL), sent);
  });
});
