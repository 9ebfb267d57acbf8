import assert from 'node:assert/strict';
import type { Fault } from '../../../src/sandbox/faults.ts';
import {
  freshGuardedSite,
  INSTALL,
  putTheme,
  RIG_THEME,
  startGuardedWorld,
  themeVersionOf,
  versionOf,
} from '../../support/guarded-sites.ts';
import { allowGuards } from '../../support/guard-files.ts';
import { ALPHA_FILE } from '../../support/packages.ts';
import type { World } from '../../support/world.ts';

describe('guarded updates that lose the files of an item', () => {
  let world: World;
  let close: () => Promise<void>;

  before(async () => {
    ({ world, close } = await startGuardedWorld(12, { allowHttpGuards: true, lookAgainMs: [1_500] }));
  });
  after(() => close());

  const run = async (id: number, guard: string) => {
    const { body } = await world.request('POST', '/api/v2/updates/update', { body: { include: [id], guard } });
    assert.deepEqual(body.data, []);
    return body.errors;
  };

  const ENDS: [string, Fault][] = [
    ['ends with a fatal error', { kind: 'fatal', when: 'after', function: INSTALL }],
    ['breaks off', { kind: 'cut', function: INSTALL }],
  ];
  for (const guard of ['plain', 'careful', 'parachute'])
    for (const [end, fault] of ENDS)
      it(`when the call ${end} and the plugin is missing, then ${guard} puts the old version back`, async () => {
        const { id, site } = await freshGuardedSite(world, {
          furnish: ({ defects }) => defects.losesFiles.add(ALPHA_FILE),
        });
        await allowGuards(world, ...(guard === 'parachute' ? [id] : []));
        site.faultQueue.push(fault);
        const [{ code, message, rollback }] = await run(id, guard);
        assert.deepEqual([code, rollback.result, rollback.left], ['svc_rolled_back', 'done', ['database']]);
        assert.deepEqual([rollback.probe, rollback.broken_seconds], [null, 0]);
        // The version may be good, so it is not left out.
        assert.deepEqual([rollback.cause, rollback.pin], ['Its files were missing after the update', null]);
        assert.match(message, /^Version 1\.2 of the plugin Rig Alpha was not installed: Its files were missing/);
        assert.deepEqual([versionOf(site), site.state.plugins.get(ALPHA_FILE)?.active], ['1.0', true]);
        assert.equal(site.state.guardFiles.size, 0);
      });

  it('when a theme is missing, then the old version is put back', async () => {
    const { id, site } = await freshGuardedSite(world, {
      version: '1.2',
      furnish: (made) => {
        putTheme(made);
        made.defects.losesFiles.add(RIG_THEME);
      },
    });
    const [{ code, rollback }] = await run(id, 'plain');
    assert.deepEqual([code, rollback.result, themeVersionOf(site)], ['svc_rolled_back', 'done', '1.0']);
  });
});
