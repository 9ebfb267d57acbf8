import assert from 'node:assert/strict';
import { operationsOf } from '../../src/contract/index.ts';
import { ADDRESS_ROWS, MAINWP_MOUNT_PATHS } from '../../src/surfaces/compat/table/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the translation of requests and responses.

/** Returns every path of the mount: those of the contracts and those of the table. */
function addresses(): [method: string, path: string][] {
  const routes = operationsOf(readContract('v2')).map(
    ({ path, verb }) => [verb.toUpperCase(), MAINWP_MOUNT_PATHS.v2 + path] as const,
  );
  const abilities = operationsOf(readContract('abilities')).map(({ path, verb }) => {
    const below = path.startsWith('/svc/') ? `/abilities/mainwp/${path.slice(5)}` : path === '/' ? '/abilities' : path;
    return [verb.toUpperCase(), MAINWP_MOUNT_PATHS.abilities + below] as const;
  });
  const table = ADDRESS_ROWS.map(({ surface, theirs }) => ['GET', MAINWP_MOUNT_PATHS[surface] + theirs] as const);
  return [...routes, ...abilities, ...table].map(([method, path]) => [method, path.replace(/\{\w+\}/g, '1')]);
}

describe('compatibility mount', () => {
  let on: World;
  let off: World;
  before(async () => {
    [on, off] = await Promise.all([startWorld(), startWorld({ env: { SITEFLEET_COMPAT: 'off' } })]);
  });
  after(() => Promise.all([on.close(), off.close()]));

  it('when the mount is off, then every path of it is 404 for everybody', async () => {
    for (const [method, path] of addresses()) {
      const { body } = await off.request(method, path, { expect: 404 });
      assert.equal(body.code, 'rest_no_route', `${method} ${path}`);
    }
    for (const base of [...Object.values(MAINWP_MOUNT_PATHS), `${MAINWP_MOUNT_PATHS.v2}/sites`])
      await off.request('GET', base, { as: 'nobody', expect: 404 });
  });

  it('when the mount is on, then every path requires a credential and plain paths still work', async () => {
    for (const [method, path] of addresses()) {
      const { body } = await on.request(method, path, { as: 'nobody', expect: 401 });
      assert.match(body.code, /^(rest_forbidden|mainwp_permission_denied|mainwp_rest_authentication_error)$/);
    }
    await on.request('GET', '/api/v2/sites/count');
    for (const path of ['/wp-json', '/wp-json/mainwp/v1/sites', '/wp-json/mainwp/v2x', '/wp-json/wp/v2/posts'])
      await on.request('GET', path, { expect: 404 });
  });
});
