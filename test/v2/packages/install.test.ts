import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { requestsWithin } from '../../support/limited-keys.ts';
import {
  ALPHA_FILE,
  makeZip,
  pluginEntries,
  pluginZip,
  putAlpha,
  sha256,
  TestDirectory,
  type Alpha,
} from '../../support/packages.ts';
import { eventually } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const FILE = ALPHA_FILE;
const ORDER = { type: 'plugin', slug: 'rig-alpha' };

describe('installing a version', () => {
  let world: World;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.1', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    world = await startWorld({
      sites: 24,
      connect: 0,
      env: { SITEFLEET_DIRECTORY_URL: directory.url },
    });
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  const fresh = (alpha?: Alpha) => world.freshSite((site) => putAlpha(site, alpha));
  const install = async (id: number, version: string, more: object = {}, expect = 200) =>
    (
      await world.request('POST', `/api/v2/sites/${id}/packages/install`, {
        body: { ...ORDER, version, ...more },
        expect,
      })
    ).body;
  const installedOn = (site: SimulatedSite) => site.state.plugins.get(FILE);
  const calls = (site: SimulatedSite): number => site.countOf('installplugintheme');
  const changesOf = async (id: number) =>
    (await world.request('GET', `/api/v2/changes?site_id=${id}&source=dashboard&per_page=3`)).body.data as {
      type: string;
      before: object;
      after: object;
    }[];

  for (const [from, to] of [
    ['1.0', '1.2'],
    ['1.2', '1.0'],
  ] as const)
    it(`when ${to} is installed over ${from}, then the site and the lists have it`, async () => {
      const { id, site } = await fresh({ version: from });
      const { data, errors } = await install(id, to);
      const expected = { site_id: id, type: 'plugin', slug: FILE, name: 'Rig Alpha', active: true, changed: true };
      assert.deepEqual(errors, []);
      assert.deepEqual({ ...data[0], ...expected, old_version: from, new_version: to }, data[0]);
      assert.deepEqual([installedOn(site)?.version, installedOn(site)?.active], [to, true]);
      const { body } = await world.request('GET', `/api/v2/sites/${id}/plugins?per_page=100`);
      const listed = body.data.find(({ slug }: { slug: string }) => slug === FILE);
      assert.deepEqual([listed.version, listed.update_version], [to, to === '1.2' ? null : '1.2']);
      const [change] = await changesOf(id);
      assert.deepEqual(
        [change?.type, change?.before, change?.after],
        ['plugin.installed', { version: from }, { version: to }],
      );
      assert.equal(calls(site), 1);
    });

  it('when the plugin is inactive, then it stays inactive unless it is to be activated', async () => {
    const { id, site } = await fresh({ active: false });
    assert.equal((await install(id, '1.1')).data[0].active, false);
    assert.equal(installedOn(site)?.active, false);
    assert.deepEqual((await install(id, '1.1')).data[0].changed, false);
    assert.equal(calls(site), 1);
    assert.equal((await install(id, '1.1', { activate: true })).data[0].active, true);
    assert.equal(installedOn(site)?.active, true);
    assert.equal((await changesOf(id))[0]?.type, 'plugin.activated');
  });

  it('when the package is deleted while the site is read, then the item says so and the site is not changed', async () => {
    const { id, site } = await fresh({ version: '1.0' });
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const before = site.countOf('stats');
    site.fault = { kind: 'delay', ms: { until } };
    const installed = install(id, '1.2');
    await eventually(async () => site.countOf('stats') > before, 'the site to be read');
    const { data } = (await world.request('GET', '/api/v2/packages?slug=rig-alpha&per_page=100')).body;
    const stored = data.find(({ version }: { version: string }) => version === '1.2');
    await world.request('DELETE', `/api/v2/packages/${stored.id}/remove`);
    release();
    const { errors } = await installed;
    site.fault = null;
    assert.deepEqual(
      errors.map(({ code }: { code: string }) => code),
      ['svc_package_not_found'],
    );
    assert.equal(calls(site), 0);
  });

  it('when the site does not have the plugin, then it gets it', async () => {
    const { id, site } = await world.freshSite(() => undefined);
    const { data } = await install(id, '1.1', { activate: true });
    assert.deepEqual([data[0].old_version, data[0].new_version, data[0].active], [null, '1.1', true]);
    assert.equal(installedOn(site)?.version, '1.1');
  });

  it('when the plugin dies on activation, then it is installed and the error says that it is inactive', async () => {
    const { id, site } = await fresh({ active: false });
    site.defects.fatalOnActivation.add(FILE);
    const { data, errors } = await install(id, '1.2', { activate: true });
    assert.deepEqual([data[0].new_version, data[0].active], ['1.2', false]);
    assert.equal(errors[0].code, 'svc_activation_failed');
  });

  it('when a theme is installed, then its version follows, and activate is refused', async () => {
    await directory.release('theme', 'astra', '9.9');
    const { id, site } = await world.freshSite(() => undefined);
    const body = { type: 'theme', slug: 'astra', version: '9.9' };
    const path = `/api/v2/sites/${id}/packages/install`;
    const done = (await world.request('POST', path, { body })).body;
    assert.deepEqual([done.data[0].slug, done.data[0].new_version], ['astra', '9.9']);
    assert.equal(site.state.themes.get('astra')?.version, '9.9');
    const { code } = (await world.request('POST', path, { body: { ...body, activate: true }, expect: 400 })).body;
    assert.equal(code, 'rest_invalid_param');
  });

  it('when the zip does not fit the site, then the site is not called', async () => {
    const header = (line: string) => ({ header: ` * ${line}\n` });
    await directory.release(
      'plugin',
      'rig-alpha',
      '3.0',
      await pluginZip('rig-alpha', '3.0', header('Requires PHP: 99')),
    );
    const wp = await pluginZip('rig-alpha', '3.1', header('Requires at least: 99'));
    await directory.release('plugin', 'rig-alpha', '3.1', wp);
    const { id, site } = await fresh();
    const sent = site.requests.length;
    for (const [version, reason] of [
      ['3.0', 'php_too_old'],
      ['3.1', 'wordpress_too_old'],
    ] as const) {
      const { data, errors } = await install(id, version);
      assert.deepEqual([data, errors[0].code, errors[0].reason], [[], 'svc_package_refused', reason]);
    }
    const other = await fresh({ file: 'rig-alpha/main.php' });
    assert.equal((await install(other.id, '1.1')).errors[0].reason, 'other_item');
    assert.equal(site.requests.length, sent);
    assert.equal(calls(other.site), 0);
  });

  it('when a zip is refused, then no site is called and no job is made', async () => {
    const { id, site } = await fresh();
    const sent = site.requests.length;
    const jobs = async () => (await world.request('GET', '/api/v2/jobs?type=install-package')).body.total as number;
    const before = await jobs();
    const two = [...pluginEntries('rig-alpha', '4.0'), { path: 'more/a.php', text: 'x' }];
    for (const entries of [two, pluginEntries('rig-gamma', '4.0'), [{ path: 'rig-alpha/a.txt', text: 'x' }]]) {
      await directory.release('plugin', 'rig-alpha', '4.0', await makeZip(entries));
      assert.equal((await install(id, '4.0', {}, 409)).code, 'svc_package_refused');
    }
    assert.equal((await install(id, '4.1', {}, 404)).code, 'svc_package_not_found');
    assert.deepEqual([site.requests.length, await jobs()], [sent, before]);
  });

  it('when the child plugin is to be replaced, then it is refused', async () => {
    await directory.release('plugin', 'mainwp-child', '1.0');
    const { id, site } = await fresh();
    const { errors } = await install(id, '1.0', { slug: 'mainwp-child' });
    assert.deepEqual([errors[0].reason, calls(site)], ['protected', 0]);
  });

  it('when the child claims success and the site shows another version, then the item has failed', async () => {
    const { id, site } = await fresh();
    site.defects.falseSuccesses.add(FILE);
    const { data, errors } = await install(id, '1.2');
    assert.deepEqual([data, errors[0].code], [[], 'svc_install_failed']);
    assert.equal((await changesOf(id))[0]?.type, 'site.added');
  });

  it('when the connection breaks and the site has the version, then it is installed', async () => {
    const { id, site } = await fresh();
    site.faultQueue.push({ kind: 'cut', function: 'installplugintheme' });
    assert.equal((await install(id, '1.2')).data[0].new_version, '1.2');
    assert.equal(calls(site), 1);
  });

  it('when PHP goes on after the gateway gave up, then the site is checked again and nothing is sent twice', async () => {
    const { id, site } = await fresh();
    site.faultQueue.push({ kind: 'goes-on', doneMs: 20, function: 'installplugintheme' });
    const { data, errors } = await install(id, '1.2');
    assert.deepEqual([errors, data[0]?.new_version], [[], '1.2']);
    assert.equal(calls(site), 1);
    const installs = (await changesOf(id)).filter(({ type }) => type === 'plugin.installed');
    assert.equal(installs.length, 1);
  });

  it('when a gateway gives up before the site has fetched, then the installation has failed for sure', async () => {
    const { id, site } = await fresh();
    site.faultQueue.push({ kind: 'raw', status: 504, body: '', function: 'installplugintheme' });
    const { errors } = await install(id, '1.2');
    assert.deepEqual([errors[0].code, errors[0].reason], ['svc_install_failed', 'not_fetched']);
    assert.equal(calls(site), 1);
    assert.equal((await install(id, '1.2')).data[0].new_version, '1.2');
  });

  it('when sites are selected, then each has a result, and a fault is one item', async () => {
    const [one, two] = [await fresh(), await fresh()];
    await world.closeAddress(two.id);
    const body = { ...ORDER, version: '1.2', websites: [one.id, two.id, 'nowhere.example'] };
    const { data, errors } = (await world.request('POST', '/api/v2/packages/install', { body })).body;
    assert.deepEqual(
      data.map(({ site_id }: { site_id: number }) => site_id),
      [one.id],
    );
    const codes = errors.map(({ code }: { code: string }) => code).sort();
    assert.deepEqual(codes, ['svc_site_not_found', 'svc_site_unreachable']);
    const [job] = (await world.request('GET', '/api/v2/jobs?type=install-package')).body.data;
    const { items } = (await world.request('GET', `/api/v2/jobs/${job.job_id}`)).body;
    assert.equal(items[0].result.installed.new_version, '1.2');
    const none = { ...ORDER, version: '1.2' };
    await world.request('POST', '/api/v2/packages/install', { body: none, expect: 400 });
  });

  it('when every site lies outside the limit of a caller, then nothing is fetched into the vault', async () => {
    const [own, other] = [await fresh(), await fresh()];
    await directory.release('plugin', 'rig-unfetched', '1.0');
    const request = await requestsWithin(world, { sites: [own.id] });
    const body = { type: 'plugin', slug: 'rig-unfetched', version: '1.0', websites: [other.id] };
    const answer = (await request('POST', '/packages/install', body)).body;
    assert.deepEqual([answer.data, answer.errors[0].code], [[], 'svc_site_not_found']);
    const { body: vault } = await world.request('GET', '/api/v2/packages?per_page=100');
    assert.ok(!vault.data.some(({ slug }: { slug: string }) => slug === 'rig-unfetched'));
  });

  it('when a caller is limited, then it installs on its sites, and only packages of the directory', async () => {
    const [own, other] = [await fresh(), await fresh()];
    const request = await requestsWithin(world, { sites: [own.id] });
    const path = (id: number) => `/sites/${id}/packages/install`;
    const done = await request('POST', path(own.id), { ...ORDER, version: '1.2' });
    assert.equal(done.body.data[0].new_version, '1.2');
    await request('POST', path(other.id), { ...ORDER, version: '1.2' }, 404);
    const both = { ...ORDER, version: '1.1', websites: [own.id, other.id] };
    const { body } = await request('POST', '/packages/install', both);
    assert.deepEqual([body.data.length, body.errors[0].code], [1, 'svc_site_not_found']);
    const zip = await pluginZip('premium', '1.0');
    directory.answers.set('/premium.zip', zip);
    const added = { type: 'plugin', slug: 'premium', version: '1.0', url: `${directory.url}/premium.zip` };
    await world.request('POST', '/api/v2/packages/add', { body: { ...added, sha256: sha256(zip) } });
    const refused = async (slug: string) =>
      (await request('POST', path(own.id), { type: 'plugin', slug, version: '1.0' }, 404)).body;
    assert.deepEqual(await refused('premium'), await refused('no-such-plugin'));
    assert.equal((await install(own.id, '1.0', { slug: 'premium' })).data[0].new_version, '1.0');
    await world.request('POST', `/api/v2${path(own.id)}`, {
      as: 'viewer',
      body: { ...ORDER, version: '1.0' },
      expect: 403,
    });
  });
});

describe('installing on a site that cannot reach the service', () => {
  let world: World;
  let directory: TestDirectory;
  before(async () => {
    directory = await TestDirectory.start();
    world = await startWorld({
      sites: 2,
      connect: 0,
      env: { SITEFLEET_DIRECTORY_URL: directory.url, SITEFLEET_PUBLIC_URL: 'http://127.255.0.1:40404' },
    });
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  it('when a guarded update cannot be downloaded here, then the site gets it from the directory', async () => {
    for (const version of ['1.0', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const { id, site } = await world.freshSite((each) => putAlpha(each));
    const body = { include: [id], type: ['plugin'], slug: [FILE], guard: 'plain' };
    const { data, errors } = (await world.request('POST', '/api/v2/updates/update', { body })).body;
    assert.deepEqual([errors, data[0]?.new_version], [[], '1.2']);
    assert.equal(site.countOf('installplugintheme'), 2);
    assert.equal(await world.container.services.packages.reach.known(id), false);
  });

  it('when the directory has the same bytes, then the site gets them there; otherwise it gets nothing', async () => {
    await directory.release('plugin', 'rig-alpha', '1.2');
    await directory.release('plugin', 'rig-alpha', '1.1');
    const { id, site } = await world.freshSite((each) => putAlpha(each));
    const install = async (version: string) =>
      (await world.request('POST', `/api/v2/sites/${id}/packages/install`, { body: { ...ORDER, version } })).body;
    assert.equal((await install('1.2')).data[0].new_version, '1.2');
    assert.equal(site.countOf('installplugintheme'), 2);
    assert.equal((await install('1.1')).data[0].new_version, '1.1');
    assert.equal(site.countOf('installplugintheme'), 3, 'The site is known not to reach the service.');
    const body = { ...ORDER, version: '1.0' };
    await directory.release('plugin', 'rig-alpha', '1.0');
    await world.request('POST', '/api/v2/packages/fetch', { body });
    await directory.release('plugin', 'rig-alpha', '1.0', await pluginZip('rig-alpha', '1.0', { name: 'Evil' }));
    const { data, errors } = await install('1.0');
    assert.deepEqual([data, errors[0].code, errors[0].reason], [[], 'svc_install_failed', 'not_fetched']);
    assert.equal(site.state.plugins.get(FILE)?.version, '1.1');
  });
});
