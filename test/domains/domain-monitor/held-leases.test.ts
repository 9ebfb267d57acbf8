import assert from 'node:assert/strict';
import { MINUTE } from '../../../src/shared/clock.ts';
import { FakeRegistries, readProfile, seedDomain, useRegistries } from '../../support/domain-monitor.ts';
import { ManualClock } from '../../support/schedules.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { comRecord } from './rdap-samples.ts';

const NAME = 'held.com';

describe('lookups of a process that was killed', () => {
  let world: World;
  let registries: FakeRegistries;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    registries = await FakeRegistries.start();
    registries.rdap[NAME] = { record: comRecord(NAME) };
    world = await startWorld({ overrides: { clock, deadlines: { lookupMs: 500 } } });
    await useRegistries(world, registries);
  });
  afterEach(async () => {
    await world.close();
    await registries.close();
  });

  const lease = (row: object) =>
    world.container.knex('domains').insert({ name: NAME, condition_code: 'unknown', ...row });
  const check = (id: number, query = '') => world.request('POST', `/api/v2/domain-monitor/${id}${query}`);

  it('when a lookup holds its lease, then a call waits for it and says that it has not ended', async () => {
    const id = await seedDomain(world, NAME);
    await lease({ lease_until: clock.now() + 2 * MINUTE });
    for (const query of ['', '?force=true']) {
      const { message, data } = (await check(id, query)).body;
      assert.deepEqual(
        [message, data.status],
        ['Another lookup of the domain has not ended yet, so the stored data is returned.', 'unknown'],
      );
    }
    assert.deepEqual(registries.rdapRequests, []);
  });

  it('when a lookup holds its lease, then a job item is postponed until the lease ends', async () => {
    const id = await seedDomain(world, NAME);
    await lease({ lease_until: clock.now() + 2 * MINUTE });
    const { body } = await world.request('POST', '/api/v2/schedules/domain-checks/run');
    const jobId = body.data.job_id as string;
    const item = async () => (await world.request('GET', `/api/v2/jobs/${jobId}`)).body.items[1];
    const isPutOff = async () => (await item()).started_at !== null && (await item()).state === 'waiting';
    await until(isPutOff, 'the item to be put off');
    clock.time += 2 * MINUTE;
    const { items } = await world.finishedJob(jobId);
    assert.equal(items[1].result.domain.source, 'rdap');
    assert.equal((await readProfile(world, id)).status, 'active');
  });
});
