import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DAY } from '../../../src/shared/clock.ts';
import { ManualClock } from '../../support/schedules.ts';
import { requestsWithin } from '../../support/limited-keys.ts';
import {
  checksumsOf,
  makeZip,
  pluginEntries,
  pluginFile,
  pluginZip,
  sha256,
  TestDirectory,
  type ZipEntry,
} from '../../support/packages.ts';
import { startWorld, type World } from '../../support/world.ts';

const FETCH = '/api/v2/packages/fetch';
const ALPHA = { type: 'plugin', slug: 'rig-alpha' };

describe('packages', () => {
  let world: World;
  let directory: TestDirectory;
  let folder: string;
  const clock = new ManualClock('2026-11-28T10:00:00Z');

  before(async () => {
    directory = await TestDirectory.start();
    folder = await mkdtemp(join(tmpdir(), 'packages-'));
    world = await startWorld({
      sites: 1,
      env: {
        SITEFLEET_DIRECTORY_URL: directory.url,
        SITEFLEET_PACKAGES_DIR: folder,
        SITEFLEET_PACKAGES_MEGABYTES: '100',
      },
      overrides: { clock },
    });
  });
  after(async () => {
    await world.close();
    directory.close();
    await rm(folder, { recursive: true });
  });

  const fetchPackage = async (version: string, expect = 200) =>
    (await world.request('POST', FETCH, { body: { ...ALPHA, version }, expect })).body;

  const add = async (zip: Buffer, fields: object, expect = 200) => {
    directory.answers.set('/elsewhere.zip', zip);
    const body = { ...ALPHA, url: `${directory.url}/elsewhere.zip`, sha256: sha256(zip), ...fields };
    return (await world.request('POST', '/api/v2/packages/add', { body, expect })).body;
  };

  it('when a version is fetched twice, then it is downloaded once', async () => {
    const entries = pluginEntries('rig-alpha', '1.0', { header: ' * Requires at least: 6.0\n * Requires PHP: 7.4\n' });
    const zip = await directory.release('plugin', 'rig-alpha', '1.0', await makeZip(entries));
    directory.answers.set('/plugin-checksums/rig-alpha/1.0.json', checksumsOf(entries));
    const { data } = await fetchPackage('1.0');
    const expected = {
      ...{ type: 'plugin', slug: 'rig-alpha', version: '1.0', name: 'Rig Alpha', main_file: 'rig-alpha.php' },
      ...{ sha256: sha256(zip), source: 'directory', url: `${directory.url}/plugin/rig-alpha.1.0.zip` },
      ...{ source_sha256: sha256(zip), verified_by: 'checksums', size: zip.length, file_count: 3 },
      ...{ requires_wordpress: '6.0', requires_php: '7.4' },
    };
    assert.deepEqual({ ...data, ...expected }, data);
    assert.equal((await fetchPackage('1.0')).data.id, data.id);
    assert.equal(directory.requests.filter((path) => path === '/plugin/rig-alpha.1.0.zip').length, 1);
    assert.deepEqual((await world.request('GET', `/api/v2/packages/${data.id}`)).body.data, data);
    const { body: list } = await world.request('GET', '/api/v2/packages?slug=rig-alpha&type=plugin');
    assert.deepEqual([list.total, list.data], [1, [data]]);
    assert.equal((await world.request('GET', '/api/v2/packages?source=address')).body.total, 0);
    const { body: log } = await world.request('GET', '/api/v2/changes?contexts=package&actions=added&scope=service');
    assert.deepEqual([log.data[0].key, log.data[0].after], ['rig-alpha', { version: '1.0' }]);
  });

  it('when two calls fetch a version at once, then both get the same package', async () => {
    await directory.release('plugin', 'rig-alpha', '1.1');
    const [one, other] = await Promise.all([fetchPackage('1.1'), fetchPackage('1.1')]);
    assert.equal(one.data.id, other.data.id);
    assert.equal(one.data.verified_by, null);
    assert.equal(directory.requests.filter((path) => path === '/plugin/rig-alpha.1.1.zip').length, 1);
  });

  it('when the directory cannot deliver, then the error says so', async () => {
    assert.equal((await fetchPackage('9.9', 404)).code, 'svc_package_not_found');
    directory.answers.set('/plugin/rig-alpha.9.8.zip', 503);
    const failed = await fetchPackage('9.8', 502);
    assert.deepEqual([failed.code, failed.data.http_status], ['svc_package_source_failed', 503]);
    await directory.release('plugin', 'rig-alpha', '9.7');
    directory.answers.set('/plugin-checksums/rig-alpha/9.7.json', 500);
    assert.equal((await fetchPackage('9.7', 502)).code, 'svc_package_source_failed');
    directory.answers.set('/plugin-checksums/rig-alpha/9.7.json', '[]');
    assert.equal((await fetchPackage('9.7', 502)).code, 'svc_package_source_failed');
  });

  const entry = (path: string, text = 'x', mode?: number): ZipEntry => ({ path, text, ...(mode && { mode }) });
  const two = pluginEntries('rig-alpha', '2.0');
  const REFUSED: [name: string, reason: string, entries: readonly ZipEntry[]][] = [
    ['no plugin', 'no_item', [entry('rig-alpha/rig-alpha.php', '<?php // none')]],
    ['no file', 'no_item', []],
    ['two folders', 'several_folders', [...two, entry('other/file.php')]],
    ['an empty folder beside the plugin', 'several_folders', [...two, entry('other/')]],
    ['a file beside the folder', 'no_folder', [...two, entry('file.php')]],
    ['another plugin', 'other_item', pluginEntries('rig-beta', '2.0')],
    ['another plugin in a similar folder', 'other_item', pluginEntries('rig-alpha-beta', '2.0')],
    ['another version', 'other_version', pluginEntries('rig-alpha', '2.0.1')],
    ['a symbolic link', 'link', [...two, entry('rig-alpha/link', '/etc/passwd', 0o120777)]],
    ['a file twice', 'unsafe_path', [...two, entry('rig-alpha/README.txt')]],
    ['a name with a control character', 'unsafe_path', [...two, entry('rig-alpha/a\u0001b')]],
  ];
  for (const [name, reason, entries] of REFUSED)
    it(`when a zip has ${name}, then it is refused as ${reason}`, async () => {
      await directory.release('plugin', 'rig-alpha', '2.0', await makeZip(entries));
      const { code, data } = await fetchPackage('2.0', 409);
      assert.deepEqual([code, data.reason], ['svc_package_refused', reason]);
      assert.equal((await add(await makeZip(entries), { version: '2.0' }, 409)).data.reason, reason);
      assert.equal((await world.request('GET', '/api/v2/packages?slug=rig-alpha')).body.total, 2);
    });

  it('when one byte of a release was changed, then it is refused', async () => {
    const good = pluginEntries('rig-alpha', '2.1');
    directory.answers.set('/plugin-checksums/rig-alpha/2.1.json', checksumsOf(good));
    const changed = good.map((each) => (each.path.endsWith('part.php') ? { ...each, text: '<?php // pert\n' } : each));
    for (const entries of [changed, good.slice(0, 1), [...good, entry('rig-alpha/more.php')]]) {
      await directory.release('plugin', 'rig-alpha', '2.1', await makeZip(entries));
      assert.equal((await fetchPackage('2.1', 409)).data.reason, 'checksum_mismatch');
    }
    const readme = good.map((each) => (each.path.endsWith('readme.txt') ? { ...each, text: 'new' } : each));
    await directory.release('plugin', 'rig-alpha', '2.1', await makeZip(readme));
    assert.equal((await fetchPackage('2.1')).data.verified_by, 'checksums');
  });

  it('when bytes of a zip are damaged, then it is refused', async () => {
    const zip = await makeZip([entry('rig-alpha/rig-alpha.php', pluginFile('2.2')), entry('rig-alpha/b', 'bbb')]);
    const content = zip.indexOf(Buffer.from('rig-alpha/b')) + 'rig-alpha/b'.length;
    const damaged = Buffer.from(zip);
    damaged.writeUInt8((damaged.readUInt8(content + 1) ^ 1) & 0xff, content + 1);
    for (const bytes of [damaged, zip.subarray(0, zip.length - 30), Buffer.from('<html>not a zip')]) {
      await directory.release('plugin', 'rig-alpha', '2.2', bytes);
      assert.equal((await fetchPackage('2.2', 409)).data.reason, 'damaged');
    }
    const above = Buffer.from(zip);
    for (let at = above.indexOf('rig-alpha/b'); at >= 0; at = above.indexOf('rig-alpha/b'))
      above.write('../../../xy', at);
    await directory.release('plugin', 'rig-alpha', '2.2', above);
    assert.equal((await fetchPackage('2.2', 409)).data.reason, 'unsafe_path');
  });

  it('when a zip unpacks to more than the limit, then it is refused', async () => {
    const bomb = await makeZip([...pluginEntries('rig-alpha', '2.3'), entry('rig-alpha/bomb')]);
    // Size after unpacking in the entry of the last file in the list of files, 24 bytes from its start.
    const listed = bomb.lastIndexOf(Buffer.from('PK\u0001\u0002'));
    for (const [claimed, reason] of [
      [300 * 1024 * 1024, 'too_large'],
      [2, 'damaged'],
    ] as const) {
      bomb.writeUInt32LE(claimed, listed + 24);
      await directory.release('plugin', 'rig-alpha', '2.3', bomb);
      assert.equal((await fetchPackage('2.3', 409)).data.reason, reason);
    }
    const end = bomb.lastIndexOf(Buffer.from('PK\u0005\u0006'));
    bomb.writeUInt16LE(20_001, end + 10);
    await directory.release('plugin', 'rig-alpha', '2.3', bomb);
    assert.equal((await fetchPackage('2.3', 409)).data.reason, 'too_many_files');
  });

  it('when a zip comes from an address, then it needs the hash that was sent', async () => {
    const zip = await pluginZip('rig-alpha', '3.0');
    const refused = await add(zip, { version: '3.0', sha256: sha256('other') }, 409);
    assert.equal(refused.data.reason, 'hash_mismatch');
    const { data } = await add(zip, { version: '3.0' });
    assert.deepEqual([data.source, data.verified_by], ['address', 'hash']);
    assert.equal((await add(zip, { version: '3.0' })).data.id, data.id);
    const other = await pluginZip('rig-alpha', '3.0', { name: 'Other' });
    assert.equal((await add(other, { version: '3.0' }, 409)).code, 'svc_already_exists');
    const closed = await add(zip, { version: '3.1', url: 'http://10.0.0.1/a.zip' }, 400);
    assert.equal(closed.code, 'svc_address_refused');
    await add(zip, { version: '3.1', sha256: 'ABC' }, 400);
  });

  it('when the folder has the name of a branch, then the zip is packed again', async () => {
    const zip = await pluginZip('rig-alpha', '3.2', { folder: 'rig-alpha-main' });
    const { data } = await add(zip, { version: '3.2' });
    assert.equal(data.source_sha256, sha256(zip));
    assert.notEqual(data.sha256, sha256(zip));
    assert.deepEqual([data.file_count, data.main_file], [3, 'rig-alpha.php']);
    const [stored] = await Promise.all([world.container.services.packages.packages.get(data.id)]);
    const { packages } = world.container.services.packages;
    const read = async (): Promise<Buffer> => buffer((await packages.open(stored)).content());
    const packed = await read();
    assert.equal(sha256(packed), data.sha256);
    assert.ok(packed.includes('rig-alpha/inc/part.php') && !packed.includes('rig-alpha-main'));
    const file = join(folder, data.sha256.slice(0, 2), `${data.sha256}.zip`);
    await writeFile(file, 'damaged');
    assert.deepEqual(await read(), packed);
  });

  it('when a theme is fetched, then its style sheet is its main file', async () => {
    await directory.release('theme', 'rig-theme', '1.0');
    const body = { type: 'theme', slug: 'rig-theme', version: '1.0' };
    const { data } = (await world.request('POST', FETCH, { body })).body;
    assert.deepEqual([data.main_file, data.verified_by], ['style.css', null]);
    await world.request('POST', FETCH, { body: { ...body, slug: '../rig-theme' }, expect: 400 });
    await world.request('POST', FETCH, { body: { ...body, version: '..' }, expect: 400 });
  });

  it('when a package is deleted, then its zip is deleted', async () => {
    await directory.release('plugin', 'rig-alpha', '4.0');
    const { data } = await fetchPackage('4.0');
    const files = (): Promise<string[]> => readdir(join(folder, data.sha256.slice(0, 2)));
    assert.ok((await files()).includes(`${data.sha256}.zip`));
    const path = `/api/v2/packages/${data.id}`;
    await world.request('DELETE', `${path}/remove`, { as: 'viewer', expect: 403 });
    await world.request('DELETE', `${path}/remove`);
    assert.ok(!(await files()).includes(`${data.sha256}.zip`));
    assert.equal((await world.request('GET', path, { expect: 404 })).body.code, 'svc_package_not_found');
    await world.request('DELETE', `${path}/remove`, { expect: 404 });
  });

  it('when a caller is limited to some sites, then the vault is closed to it', async () => {
    const request = await requestsWithin(world, { sites: [world.siteId(0)] });
    await request('GET', '/packages', null, 403);
    await request('POST', '/packages/fetch', { ...ALPHA, version: '1.0' }, 403);
  });

  it('when a package of the directory is unused for 90 days, then it is deleted', async () => {
    const { packages } = world.container.services.packages;
    const total = async () => (await world.request('GET', '/api/v2/packages?source=directory')).body.total as number;
    const count = await total();
    assert.equal(await packages.pruneUnused(), 0);
    clock.time += 91 * DAY;
    assert.equal(await packages.pruneUnused(), count);
    assert.equal(await total(), 0);
    assert.ok((await world.request('GET', '/api/v2/packages?source=address')).body.total > 0);
  });
});
