import assert from 'node:assert/strict';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, MINUTE } from '../../../src/shared/clock.ts';
import { requestsWithin } from '../../support/limited-keys.ts';
import { pluginZip, sha256, storePackage, TestDirectory } from '../../support/packages.ts';
import { ManualClock } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('addresses of packages', () => {
  let world: World;
  let folder: string;
  const clock = new ManualClock('2026-11-28T10:00:00Z');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packages-'));
    world = await startWorld({ sites: 2, env: { SITEFLEET_PACKAGES_DIR: folder }, overrides: { clock } });
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const issue = (packageId: number | null) =>
    world.container.services.packages.delivery.issue(world.siteId(0), packageId);

  it('when an address is fetched, then it works twice and not a third time', async () => {
    const id = await storePackage(world);
    const { url } = await issue(id);
    assert.match(url, new RegExp(`^${world.url}/packages/[\\w-]{43}$`));
    const zip = await pluginZip('stored', '1.0');
    for (let head = 0; head < 3; head++) assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
    for (let time = 0; time < 2; time++) {
      const answer = await fetch(url);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/zip']);
      assert.equal(answer.headers.get('cache-control'), 'private, no-store');
      assert.equal(sha256(Buffer.from(await answer.arrayBuffer())), sha256(zip));
    }
    assert.equal((await fetch(url)).status, 404);
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 404);
  });

  it('when a request has the method HEAD, then it gets the size, and the file is not read', async () => {
    const id = await storePackage(world);
    const { url } = await issue(id);
    const { size, sha256: hash } = await world.container.database.knex('packages').where({ id }).first();
    const place = join(folder, hash.slice(0, 2));
    await rename(place, `${place}-moved`);
    const { status, headers } = await fetch(url, { method: 'HEAD' });
    await rename(`${place}-moved`, place);
    assert.deepEqual([status, headers.get('content-length')], [200, String(size)]);
  });

  it('when many fetch an address at once, then two get the zip', async () => {
    const { url } = await issue(await storePackage(world));
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(url)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 2);
  });

  it('when five minutes have passed, then an address does not work', async () => {
    const { url } = await issue(await storePackage(world));
    clock.time += 5 * MINUTE - 1;
    assert.equal((await fetch(url)).status, 200);
    clock.time += 1;
    assert.equal((await fetch(url)).status, 404);
    const { delivery } = world.container.services.packages;
    assert.equal(await delivery.prune(100), 0);
    clock.time += DAY + 1;
    assert.ok((await delivery.prune(100)) > 0);
  });

  it('when a token is unknown or malformed, then the response is 404', async () => {
    for (const token of ['x', 'x'.repeat(43), '..%2f..%2fsecret.key', `${'x'.repeat(42)}%00`])
      assert.equal((await fetch(`${world.url}/packages/${token}`)).status, 404);
  });

  it('when an address is fetched, then no log and no table has its token', async () => {
    const { url, token } = await issue(await storePackage(world));
    await fetch(url);
    const line = world.logLines.find((each) => each.includes('/packages/[redacted]'));
    assert.ok(line);
    assert.ok(!world.logLines.join('').includes(token));
    const rows = await world.container.database.knex('package_deliveries').select('*');
    assert.ok(!JSON.stringify(rows).includes(token));
  });

  const check = (index: number, expect = 200) =>
    world.request('POST', `/api/v2/sites/${world.siteId(index)}/packages/check`, { expect });

  it('when a site fetches the address of a check, then it can fetch, and nothing is installed', async () => {
    const before = JSON.stringify([...world.site(0).state.plugins]);
    const { body } = await check(0);
    assert.deepEqual(body.data, { can_fetch: true, fetches: 1, child_message: null });
    assert.equal(JSON.stringify([...world.site(0).state.plugins]), before);
    const [sent] = world.site(0).requests.filter((each) => each.function === 'installplugintheme');
    assert.deepEqual([sent?.fields['overwrite'], sent?.fields['activatePlugin']], [undefined, undefined]);
  });

  it('when a site is not reached, then the check fails', async () => {
    await world.closeAddress(world.siteId(1));
    assert.equal((await check(1, 503)).body.code, 'svc_site_unreachable');
  });

  it('when a site breaks the connection off before it fetches, then the check fails', async () => {
    world.site(0).fault = { kind: 'refuse' };
    assert.equal((await check(0, 503)).body.code, 'svc_site_unreachable');
    world.site(0).fault = null;
  });

  it('when a caller is limited to another site, then it cannot check this one', async () => {
    const request = await requestsWithin(world, { sites: [world.siteId(1)] });
    await request('POST', `/sites/${world.siteId(0)}/packages/check`, null, 404);
    const own = await requestsWithin(world, { sites: [world.siteId(0)] });
    assert.equal((await own('POST', `/sites/${world.siteId(0)}/packages/check`)).body.data.can_fetch, true);
  });
});

describe('addresses of packages that sites cannot reach', () => {
  it('when the public URL leads elsewhere, then the check says so without the token', async () => {
    const elsewhere = await TestDirectory.start();
    const world = await startWorld({ sites: 1, env: { SITEFLEET_PUBLIC_URL: elsewhere.url } });
    try {
      const { body } = await world.request('POST', `/api/v2/sites/${world.siteId(0)}/packages/check`);
      assert.deepEqual([body.data.can_fetch, body.data.fetches], [false, 0]);
      assert.match(elsewhere.requests[0] ?? '', /^\/packages\/[\w-]{43}$/);
    } finally {
      await world.close();
      elsewhere.close();
    }
  });

  it('when a site repeats the address in its error, then the response does not contain it', async () => {
    const elsewhere = await TestDirectory.start();
    const world = await startWorld({ sites: 1, env: { SITEFLEET_PUBLIC_URL: elsewhere.url } });
    try {
      const site = world.site(0);
      const asked = (): string => String(site.requests.findLast((each) => each.function !== 'stats')?.fields['url']);
      const errors = [
        (url: string) => ({ error: `Download of ${url} failed.`, error_code: 'download_failed' }),
        (url: string) => ({ error: `No ${url.slice(0, -22)} ${url.slice(-22)}`, error_code: 'download_failed' }),
        (url: string) => ({ error: `No ${Buffer.from(url).toString('base64')}`, error_code: 'download_failed' }),
        (url: string) => ({ error: 'Not Found', error_code: url.split('/').at(-1)?.replace(/\W/g, '') }),
      ];
      for (const error of errors) {
        site.faultQueue.push({
          kind: 'raw',
          status: 200,
          get body() {
            return `<mainwp>${Buffer.from(JSON.stringify(error(asked()))).toString('base64')}</mainwp>`;
          },
          function: 'installplugintheme',
        });
        const { body } = await world.request('POST', `/api/v2/sites/${world.siteId(0)}/packages/check`);
        const token = asked().split('/').at(-1)?.replace(/"$/, '') ?? '';
        assert.match(token, /^[\w-]{43}$/);
        assert.equal(body.data.can_fetch, false);
        for (const part of [token.slice(0, 20), token.slice(-20)]) {
          assert.ok(!JSON.stringify(body).includes(part), JSON.stringify(body));
          assert.ok(!world.logLines.join('').includes(part));
        }
      }
    } finally {
      await world.close();
      elsewhere.close();
    }
  });
});
