import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { freshGuardedSite, INSTALL, startGuardedWorld, versionOf } from '../../support/guarded-sites.ts';
import { ALPHA_FILE, putAlpha, type TestDirectory } from '../../support/packages.ts';
import type { World } from '../../support/world.ts';

const BETA_FILE = 'rig-beta/rig-beta.php';

describe('guarded updates that another process takes over', () => {
  let world: World;
  let directory: TestDirectory;
  let close: () => Promise<void>;

  before(async () => {
    ({ world, directory, close } = await startGuardedWorld(4));
    for (const version of ['1.0', '1.2']) await directory.release('plugin', 'rig-beta', version);
  });
  after(() => close());

  /** Makes the lease of the running item expire in another process, so that the item is claimed again. */
  const takeOver = async (): Promise<void> => {
    const { knex } = world.container.database;
    await knex('job_items').where({ state: 'running' }).update({ lease_owner: 'another', lease_until: 0 });
  };
  /** Calls `meets` for each request. Delays the response of a request for which `meets` returns a promise. */
  const watchRequests = ({ faults }: SimulatedSite, meets: (name: string) => Promise<void> | null): void => {
    const take = faults.take.bind(faults);
    faults.take = (name, path) => {
      const until = meets(name);
      return until ? { kind: 'delay', ms: { until } } : take(name, path);
    };
  };
  const run = async (id: number) => {
    const body = { include: [id], guard: 'plain' };
    const { data, errors } = (await world.request('POST', '/api/v2/updates/update', { body })).body;
    return { updated: data, errors };
  };

  it('when a process has lost its lease during the checks, then the next one checks the site again', async () => {
    const { id, site } = await freshGuardedSite(world);
    let isTaken = false;
    watchRequests(site, (name) => {
      const isCheck = name === 'GET' && site.countOf(INSTALL) === 1;
      if (isCheck && !isTaken) {
        isTaken = true;
        return takeOver();
      }
      // The first reading of the next process.
      if (isTaken && name === 'stats') site.defects.breakingPage.set(ALPHA_FILE, 500);
      return null;
    });
    const { updated, errors } = await run(id);
    assert.deepEqual([updated, errors[0].code, versionOf(site)], [[], 'svc_rolled_back', '1.0']);
  });

  it('when the next process cannot read the site, then updates that were not begun are not sent and not put back', async () => {
    const { id, site } = await freshGuardedSite(world, {
      furnish: (made) => {
        putAlpha(made, { file: BETA_FILE });
        made.defects.breaking.add(ALPHA_FILE);
      },
    });
    let isTaken = false;
    watchRequests(site, (name) => {
      if (name !== INSTALL || isTaken) return null;
      isTaken = true;
      return takeOver();
    });
    const { updated, errors } = await run(id);
    const codes = Object.fromEntries(errors.map(({ slug, code }: { slug: string; code: string }) => [slug, code]));
    assert.deepEqual([updated, codes], [[], { [ALPHA_FILE]: 'svc_rollback_failed', [BETA_FILE]: 'svc_site_refused' }]);
    const { data: changes } = (await world.request('GET', `/api/v2/changes?site_id=${id}&contexts=plugin`)).body;
    const failed = changes.filter(({ type }: { type: string }) => type === 'plugin.rollback_failed');
    assert.equal(failed.length, 1);
    assert.equal(site.state.plugins.get(BETA_FILE)?.version, '1.0');
  });
});
