import assert from 'node:assert/strict';
import { repairLastRenewals } from '../../src/db/migrations/20261203T4010_repair_last_renewals.ts';
import { ChangeLog } from '../../src/domains/changes/index.ts';
import { CostService } from '../../src/domains/costs/index.ts';
import { ALL_SITES } from '../../src/shared/site-scope.ts';
import { openTestDatabase } from '../support/database.ts';
import { storeSite } from '../support/sites.ts';

const clock = { now: () => Date.UTC(2026, 10, 21, 12) };

describe('the migration of last renewals past the year 9999', () => {
  it('when a cost was renewed to a text that is no date, then it gets its date back', async () => {
    const { database, close } = await openTestDatabase();
    try {
      const { knex } = database;
      const changeLog = new ChangeLog(clock);
      const costs = new CostService({ knex, clock, changeLog, today: () => '2026-11-21', currencyDecimals: () => 2 });
      const targets = [{ kind: 'site' as const, id: await storeSite(knex, 'a.example') }];
      const add = (name: string) =>
        costs.create(ALL_SITES, { name, price: 10, targets, lastRenewal: '2026-11-01' }, 'tester');
      const [never, renewed] = [await add('Never'), await add('Renewed')];
      await knex('costs').where({ id: never }).update({ last_renewal: '+010000-01', renewal_anchor: '9999-12-31' });
      await knex('costs').where({ id: renewed }).update({ renewal_anchor: '2026-10-01' });
      await repairLastRenewals.up(knex);
      assert.deepEqual(await knex('costs').orderBy('id').pluck('last_renewal'), ['9999-12-31', '2026-11-01']);
    } finally {
      await close();
    }
  });
});
