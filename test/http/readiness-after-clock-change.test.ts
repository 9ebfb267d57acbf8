import assert from 'node:assert/strict';
import { HOUR, SECOND } from '../../src/shared/clock.ts';
import { ManualClock } from '../support/schedules.ts';
import { startWorld, type World } from '../support/world.ts';

describe('/readyz after the clock went back', () => {
  let world: World;
  const clock = new ManualClock('2026-11-22T08:00:00Z');
  before(async () => {
    world = await startWorld({ sites: 0, overrides: { clock, tickMs: null } });
  });
  after(() => world.close());

  const status = async (): Promise<number> => (await world.agent('nobody').get('/readyz')).status;

  /** Without its table, the check of the database fails. */
  const rename = async (from: string, to: string): Promise<void> =>
    world.container.database.knex.schema.renameTable(from, to);

  it('when the database fails or recovers afterwards, then the response is not an earlier one', async () => {
    assert.equal(await status(), 200);
    clock.time -= HOUR;
    await rename('self_checks', 'hidden_checks');
    assert.equal(await status(), 503);
    await rename('hidden_checks', 'self_checks');
    clock.time -= HOUR;
    assert.equal(await status(), 200);
  });

  it('when less than a second has passed, then the last result is reused', async () => {
    assert.equal(await status(), 200);
    await rename('self_checks', 'hidden_checks');
    assert.equal(await status(), 200);
    clock.time += SECOND;
    assert.equal(await status(), 503);
    await rename('hidden_checks', 'self_checks');
  });
});
