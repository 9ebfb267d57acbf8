import assert from 'node:assert/strict';
import { inputOf, AbilityBench, abilities, type Ability } from '../faults/ability-bench.ts';
import { operationsOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { HOSTILE_FAULTS } from './hostile-site.ts';

// Runs on SQLite only: the requests test validation and the calls to sites.

const PART = 45;

/** Abilities that read and need at most a site as input. */
const READS: Pick<Ability, 'name'>[] = operationsOf(readContract('abilities')).flatMap(({ item, verb, id }) =>
  verb === 'post' && item['x-ability']?.readonly && /^get-(site-|abandoned)|^list-sites/.test(id) ? [{ name: id }] : [],
);

describe('a site with hostile responses', () => {
  let rig: AbilityBench;
  before(async () => {
    rig = await AbilityBench.start({
      sites: 1 + Math.ceil(HOSTILE_FAULTS.length / PART),
      overrides: { deadlines: { connectMs: 5_000, readMs: 5_000, updateMs: 5_000 } },
    });
  });
  after(() => rig.close());

  const called = abilities.filter(({ kind }) => kind === 'call' || kind === 'batch' || kind === 'check');
  let synced = 0;

  // Split into parts, so that the test timeout can tell a hang from a busy machine.
  for (let start = 0; start < HOSTILE_FAULTS.length; start += PART)
    it(`when the site sends the hostile responses from number ${start} on, then the service follows its contract`, async () => {
      const index = await rig.freshSite();
      const site = rig.world.site(index);
      const id = rig.world.siteId(index);
      for (const [offset, answer] of HOSTILE_FAULTS.slice(start, start + PART).entries()) {
        const turn = start + offset;
        site.fault = answer;
        const { body } = await rig.run({ name: 'sync-sites-v1' }, { site_ids_or_domains: [id] });
        synced += body.total_synced;
        const ability = called[turn % called.length] as Ability;
        await rig.run(ability, inputOf(ability, site, id));
        for (const read of READS.slice(turn % 2)) {
          const input = read.name.startsWith('list') ? {} : { site_id_or_domain: id };
          assert.equal((await rig.run(read, input)).status, 200);
        }
        // The site may be disconnected, or may look so.
        site.fault = null;
        const { body: state } = await rig.run({ name: 'get-site-v1' }, { site_id_or_domain: id });
        if (state.status !== 'connected') await rig.run({ name: 'reconnect-site-v1' }, { site_id_or_domain: id });
      }
      assert.deepEqual(
        rig.world.logLines.filter((line) => /"level":"(error|fatal)"/.test(line)),
        [],
      );
    });

  it('when all responses were sent, then many were accepted as a sync', () =>
    assert.ok(synced > 50, `only ${synced} of the answers were taken for a report`));

  it('when all responses were sent, then no prototype is polluted', () => {
    assert.equal(({} as { admin?: unknown }).admin, undefined);
    assert.deepEqual(Object.keys(Object.prototype), []);
  });

  it('when all responses were sent, then other sites still sync', async () => {
    const index = await rig.freshSite();
    const { body } = await rig.run({ name: 'sync-sites-v1' }, { site_ids_or_domains: [rig.world.siteId(index)] });
    assert.equal(body.total_synced, 1);
  });
});
