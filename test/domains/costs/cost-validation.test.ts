import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import {
  CostShareReadModel,
  CostService,
  toCurrencyAmount,
  type CostTarget,
  type NewCost,
} from '../../../src/domains/costs/index.ts';
import { InvalidError, NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { loggedChanges } from '../../support/changes.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeSite } from '../../support/sites.ts';

const clock = { now: () => Date.UTC(2026, 10, 21, 12) };
const context = { today: () => '2026-11-21', currencyDecimals: () => 2 };

const site = (id: number): CostTarget => ({ kind: 'site', id });

describe('validation of costs', () => {
  let store: TestDatabase;
  let knex: Knex;
  let costs: CostService;
  let siteIds: number[];

  const create = (targets: CostTarget[], over: Partial<NewCost> = {}): Promise<number> =>
    costs.create(ALL_SITES, { name: 'Hosting', price: 10, targets, ...over }, 'tester');

  beforeEach(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
    costs = new CostService({ knex, clock, ...context, changeLog: new ChangeLog(clock) });
    siteIds = [await storeSite(knex, 'a.example'), await storeSite(knex, 'b.example')];
  });
  afterEach(() => store.close());

  it('when a cost is deleted, then its targets are deleted and the change is logged', async () => {
    const id = await create([site(siteIds[0] as number)]);
    await create(siteIds.map(site));
    assert.equal((await costs.delete(ALL_SITES, id, 'tester')).name, 'Hosting');
    await assert.rejects(
      costs.delete(ALL_SITES, id, 'tester'),
      (error) => error instanceof NotFoundError && error.code === 'svc_cost_not_found',
    );
    assert.equal((await knex('cost_targets').where({ cost_id: id })).length, 0);
    assert.deepEqual(await loggedChanges(knex, 'site_id', 'type', 'description', 'actor'), [
      { site_id: siteIds[0], type: 'cost.added', description: 'Added the cost Hosting.', actor: 'tester' },
      { site_id: null, type: 'cost.added', description: 'Added the cost Hosting.', actor: 'tester' },
      { site_id: siteIds[0], type: 'cost.deleted', description: 'Deleted the cost Hosting.', actor: 'tester' },
    ]);
  });

  it('when one target does not exist, then the whole cost is rejected', async () => {
    const missing: [CostTarget, string][] = [
      [site(9999), 'svc_site_not_found'],
      [{ kind: 'client', id: 9999 }, 'svc_client_not_found'],
      [{ kind: 'tag', id: 9999 }, 'svc_tag_not_found'],
    ];
    for (const [target, code] of missing)
      await assert.rejects(
        create([site(siteIds[0] as number), target]),
        (error) => error instanceof NotFoundError && error.code === code,
      );
    assert.equal((await knex('costs').select('id')).length, 0);
    assert.equal((await loggedChanges(knex, 'type')).length, 0);
  });

  it('when a field is invalid, then the error names the field', async () => {
    const target = [site(siteIds[0] as number)];
    const broken: [Partial<NewCost>, string][] = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ price: -0.01 }, 'price'],
      [{ price: 0.0000001 }, 'price'],
      [{ price: Number.NaN }, 'price'],
      [{ price: 1e12 }, 'price'],
      [{ lastRenewal: '2026-02-30' }, 'lastRenewal'],
      [{ lastRenewal: '1969-12-31' }, 'lastRenewal'],
      [{ lastRenewal: '3000-01-01' }, 'lastRenewal'],
      [{ status: 'paused' as 'active' }, 'status'],
      [{ renewalType: 'daily' as 'weekly' }, 'renewalType'],
      [{ type: 'gift' as 'lifetime' }, 'type'],
      [{ licenseType: 'all' as 'multi_site' }, 'licenseType'],
      [{ color: 'red' }, 'color'],
      [{ productType: 'No Slug' }, 'productType'],
      [{ paymentMethod: '' }, 'paymentMethod'],
      [{ targets: [] }, 'targets'],
      [{ targets: [{ kind: 'group' as 'tag', id: 1 }] }, 'targets'],
    ];
    for (const [over, path] of broken)
      await assert.rejects(create(target, over), (error) => {
        assert.ok(error instanceof InvalidError, path);
        assert.deepEqual(
          error.data.errors?.map((each) => each.path),
          [path],
        );
        return true;
      });
    await create(target, { price: 0.07 });
    for (const price of [1.005, 0.000001, 999_999_999.123456, 999_999_999.99]) await create(target, { price });
    const { costs: list } = await new CostShareReadModel(knex, context).ofSite(siteIds[0] as number);
    assert.deepEqual(
      list.map(({ amountUnits }) => toCurrencyAmount(amountUnits)),
      [0.07, 1.005, 0.000001, 999_999_999.123456, 999_999_999.99],
    );
  });

  it('when a last renewal is the first or last that is allowed, then it is stored', async () => {
    for (const lastRenewal of ['1970-01-01', '2999-12-31'])
      await create([site(siteIds[0] as number)], { lastRenewal, renewalType: 'yearly' });
    const { items } = await costs.list(ALL_SITES, {}, { page: 1, perPage: 10 });
    assert.deepEqual(
      items.map(({ nextDue }) => nextDue),
      ['2027-01-01', '3000-12-31'],
    );
  });

  it('when a stored last renewal would not be allowed today, then the cost can be read and edited', async () => {
    const id = await create([site(siteIds[0] as number)]);
    for (const [lastRenewal, due] of [
      ['9999-12-31', null],
      ['0026-11-01', '2026-12-01'],
    ] as const) {
      await knex('costs').update({ last_renewal: lastRenewal });
      const [read] = (await costs.list(ALL_SITES, {}, { page: 1, perPage: 10 })).items;
      assert.deepEqual([read?.lastRenewal, read?.nextDue], [lastRenewal, due]);
      const edited = await costs.update(ALL_SITES, id, { note: `Since ${lastRenewal}` }, 'tester');
      assert.deepEqual([edited.lastRenewal, edited.note], [lastRenewal, `Since ${lastRenewal}`]);
    }
  });
});
