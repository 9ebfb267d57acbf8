import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE, makeZip, pluginEntries, pluginZip, putAlpha, TestDirectory } from '../support/packages.ts';
import { callSigned, connectedState, sendSigned, type Form } from './support/dashboard.ts';

/** Expected values are those of real sites with MainWP Child 6.1 and 4.6. */
describe('packages that simulated sites download', () => {
  let fleet: Fleet;
  let directory: TestDirectory;
  let next = 0;

  before(async () => {
    directory = await TestDirectory.start();
    directory.answers.set('/rig-alpha-1.0.zip', await pluginZip('rig-alpha', '1.0'));
    directory.answers.set('/rig-alpha-1.2.zip', await pluginZip('rig-alpha', '1.2'));
    fleet = await startFleet({ sites: 12, primedKeys: () => connectedState() });
  });
  after(async () => {
    await fleet.close();
    directory.close();
  });

  const fresh = (version = '1.0'): SimulatedSite => {
    const site = fleet.sites[next++] ?? assert.fail();
    putAlpha(site, { version });
    return site;
  };
  const fieldsOf = (url: string, more: Form = {}): Form => ({
    ...{ type: 'plugin', url: JSON.stringify(url), overwrite: 1 },
    ...more,
  });
  const install = (site: SimulatedSite, name: string, more: Form = {}): Promise<Form> =>
    callSigned(site, 'installplugintheme', fieldsOf(`${directory.url}/${name}`, more));
  const folders = (site: SimulatedSite): string[] =>
    [...site.state.plugins.keys()].filter((file) => file.includes('alpha')).sort();
  const versionOn = (site: SimulatedSite): string | undefined => site.state.plugins.get(ALPHA_FILE)?.version;

  it('when a version is installed, up or down, then the response and the state equal the recorded ones', async () => {
    const site = fresh();
    for (const version of ['1.2', '1.0']) {
      assert.deepEqual(await install(site, `rig-alpha-${version}.zip`), {
        installation: 'SUCCESS',
        destination_name: 'rig-alpha',
        install_results: { [`rig-alpha-${version}.zip`]: true },
        other_data: { install_items: [{ name: 'Rig Alpha', version, slug: ALPHA_FILE }] },
      });
      assert.deepEqual([versionOn(site), site.state.plugins.get(ALPHA_FILE)?.active], [version, true]);
    }
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.update, '1.2', 'The newer version is offered again.');
  });

  it('when the zip has no plugin, then the response is SUCCESS and the plugin is gone until it is installed again', async () => {
    const site = fresh();
    directory.answers.set('/none.zip', await makeZip([{ path: 'rig-alpha/inc/a.txt', text: 'a' }]));
    const { installation, other_data } = await install(site, 'none.zip');
    assert.deepEqual([installation, other_data], ['SUCCESS', { install_items: [] }]);
    assert.deepEqual(folders(site), []);
    await install(site, 'rig-alpha-1.0.zip');
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.active, true);
  });

  it('when the folder differs, then there is a second copy, and without one folder a stray one', async () => {
    const site = fresh();
    directory.answers.set('/other.zip', await pluginZip('rig-alpha', '1.2', { folder: 'rig-alpha-main' }));
    assert.equal((await install(site, 'other.zip'))['destination_name'], 'rig-alpha-main');
    assert.deepEqual(folders(site), ['rig-alpha-main/rig-alpha.php', ALPHA_FILE]);
    assert.equal(versionOn(site), '1.0');
    for (const path of ['more/a.php', 'more/']) {
      const two = [...pluginEntries('rig-alpha', '1.2'), { path, text: 'a' }];
      directory.answers.set('/two.zip', await makeZip(two));
      const answer = await install(site, 'two.zip');
      assert.match(String(answer['destination_name']), /^two-\w+$/);
      assert.deepEqual([answer['other_data'], versionOn(site)], [{ install_items: [] }, '1.0']);
    }
  });

  it('when a download fails over http, then PHP dies and nothing changes', async () => {
    const site = fresh();
    directory.answers.set('/garbage.zip', 'no zip');
    for (const name of ['missing.zip', 'garbage.zip']) {
      const { status, json } = await sendSigned(site, 'installplugintheme', fieldsOf(`${directory.url}/${name}`));
      assert.deepEqual([status, json], [500, undefined]);
    }
    site.setChildVersion('4.6');
    const old = await sendSigned(site, 'installplugintheme', fieldsOf(`${directory.url}/missing.zip`));
    assert.deepEqual([old.status, old.json], [200, undefined]);
    assert.equal(versionOn(site), '1.0');
  });

  it('when a download is cut off, then nothing changes', async () => {
    const site = fresh();
    const zip = await pluginZip('rig-alpha', '1.2');
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': zip.length }).write(zip.subarray(0, zip.length / 2), () => {
        response.destroy();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rig-alpha-1.2.zip`;
    const { status } = await sendSigned(site, 'installplugintheme', fieldsOf(url));
    server.close();
    assert.deepEqual([status, versionOn(site)], [500, '1.0']);
  });

  it('when an https address has no trusted certificate, then it is tried twice and the error has a code', async () => {
    const site = fresh();
    const port = new URL(directory.url).port;
    const answer = await callSigned(
      site,
      'installplugintheme',
      fieldsOf(`https://127.0.0.1:${port}/rig-alpha-1.2.zip`),
    );
    assert.equal(answer['error_code'], 'download_failed');
    assert.equal(versionOn(site), '1.0');
  });

  it('when overwrite is missing, then an installed folder is not replaced', async () => {
    const site = fresh();
    const without = fieldsOf(`${directory.url}/rig-alpha-1.2.zip`);
    delete without['overwrite'];
    assert.equal((await sendSigned(site, 'installplugintheme', without)).status, 500);
    assert.equal(versionOn(site), '1.0');
  });
});
