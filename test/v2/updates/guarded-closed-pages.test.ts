import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import {
  freshGuardedSite,
  INSTALL,
  putTheme,
  RIG_THEME,
  startGuardedWorld,
  versionOf,
} from '../../support/guarded-sites.ts';
import { ALPHA_FILE } from '../../support/packages.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

const VISIT = 'bulk_settings_manager';

describe('guarded updates of sites that visitors do not see', () => {
  let world: World;
  let close: () => Promise<void>;

  before(async () => {
    ({ world, close } = await startGuardedWorld(8));
  });
  after(() => close());

  const run = async (id: number, guard = 'plain') =>
    (await world.request('POST', `/api/v2/updates/${id}/update`, { body: { guard } })).body;
  const visits = ({ requests }: SimulatedSite): unknown[] =>
    requests.flatMap(({ function: name, fields }) => (name === VISIT ? [fields['url']] : []));

  for (const status of [401, 503])
    it(`when visitors get ${status}, then the administrator's view of the home page decides`, async () => {
      const { id, site } = await freshGuardedSite(world, {
        furnish: ({ defects }) => {
          defects.closedPages = status;
          defects.breakingPage.set(ALPHA_FILE, 500);
        },
      });
      const { data, errors } = await run(id);
      assert.deepEqual(data, []);
      const [{ code, rollback }] = errors;
      assert.deepEqual([code, rollback.probe], ['svc_rolled_back', 'admin_visit']);
      assert.equal(versionOf(site), '1.0');
    });

  it('when a closed site is well after the update, then the administrator has seen it before and after', async () => {
    const { id, site } = await freshGuardedSite(world, { furnish: ({ defects }) => (defects.closedPages = 503) });
    const { data, errors, health } = await run(id);
    assert.deepEqual([errors, data[0].new_version, health.state], [[], '1.2', 'well']);
    assert.ok(visits(site).length >= 2);
    assert.deepEqual([...new Set(visits(site))], ['index.php']);
  });

  for (const [page, content] of [
    ['the page of an overloaded web server', '<h1>503 Service Temporarily Unavailable</h1>'],
    ['the page of a rate limit', '<title>429 Too Many Requests</title>'],
  ] as const)
    it(`when the child plugin gets ${page} after the update, then nothing is put back`, async () => {
      const { id, site } = await freshGuardedSite(world, { furnish: ({ defects }) => (defects.closedPages = 503) });
      site.faultQueue.push({ kind: 'late', ms: 500, function: INSTALL });
      const done = run(id);
      await until(() => versionOf(site) === '1.2', 'the installation');
      site.defects.visitedPage = content;
      const { data, errors } = await done;
      assert.deepEqual([data, errors[0].code, versionOf(site)], [[], 'svc_outcome_unknown', '1.2']);
      assert.match(errors[0].message, /because not every check has a result/);
    });

  it('when the home page was broken for the administrator before, then the update is not blamed for it', async () => {
    const { id } = await freshGuardedSite(world, {
      furnish: (site) => {
        putTheme(site, { version: '1.2' });
        const theme = site.state.themes.get(RIG_THEME);
        if (theme) theme.update = null;
        site.defects.closedPages = 503;
        site.defects.breakingPage.set(RIG_THEME, 500);
      },
    });
    const { data, errors, health } = await run(id);
    assert.deepEqual([errors, data[0].new_version, health.state], [[], '1.2', 'well']);
    assert.notEqual(health.probe, 'admin_visit');
  });

  it('when the site is open, then the child plugin opens no page', async () => {
    const { id, site } = await freshGuardedSite(world);
    assert.deepEqual((await run(id)).errors, []);
    assert.deepEqual(visits(site), []);
  });

  it('when a run has no guard, then the child plugin opens no page', async () => {
    const { id, site } = await freshGuardedSite(world, { furnish: ({ defects }) => (defects.closedPages = 503) });
    await run(id, 'none');
    assert.deepEqual(visits(site), []);
  });
});
