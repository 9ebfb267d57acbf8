import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { CostService, CostShareReadModel, type CostRecord, type CostTarget } from '../../../src/domains/costs/index.ts';
import { NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../../src/shared/site-scope.ts';
import { countEachCall } from '../../support/database.ts';
import { sitesInScope, withLimitedFleet, type LimitedFleet } from '../../support/limited-fleet.ts';

const EVERY = { page: 1, perPage: 100 };
const clock = { now: () => Date.UTC(2026, 10, 21, 12) };
const context = { today: () => '2026-11-21', currencyDecimals: () => 2 };

describe('costs of a limited caller', () => {
  let knex: Knex;
  let costs: CostService;
  let shares: CostShareReadModel;
  let fleet: LimitedFleet;

  withLimitedFleet(async (opened) => {
    ({ knex, fleet } = opened);
    costs = new CostService({ knex, clock, ...context, changeLog: new ChangeLog(clock) });
    shares = new CostShareReadModel(knex, context);
    const ids = { site: fleet.sites.map(({ id }) => id), client: fleet.clients, tag: fleet.tags };
    const targets = (kind: CostTarget['kind'], ...places: number[]): CostTarget[] =>
      places.map((n) => ({ kind, id: ids[kind][n] as number }));
    const stored: [string, CostTarget[], 'single_site' | 'multi_site'][] = [
      ['hosting', [...targets('client', 0, 1, 3), ...targets('tag', 2, 3)], 'multi_site'],
      ['Theme', targets('site', 0, 3, 5), 'multi_site'],
      ['backup', [...targets('tag', 0), ...targets('site', 1)], 'single_site'],
      ['Domain', targets('site', 6), 'single_site'],
      ['idle', [...targets('client', 3), ...targets('tag', 3)], 'single_site'],
    ];
    for (const [name, of, licenseType] of stored)
      await costs.create(ALL_SITES, { name, price: 10.01, targets: of, licenseType }, 'tester');
  });

  /** Filters the unlimited list. */
  async function expected(scope: SiteScope): Promise<CostRecord[]> {
    const { items } = await costs.list(ALL_SITES, {}, EVERY);
    if (!isLimited(scope)) return items;
    const sites = sitesInScope(fleet, scope);
    const isSeen = ({ kind, id }: CostTarget): boolean =>
      sites.some((site) =>
        kind === 'tag' ? site.tagIds.includes(id) : id === site[kind === 'site' ? 'id' : 'clientId'],
      );
    return items
      .map((cost) => ({ ...cost, targets: cost.targets.filter(isSeen) }))
      .filter(({ targets }) => targets.length > 0);
  }
  const eachScope = async (check: (scope: SiteScope, seen: CostRecord[], name: string) => Promise<void>) => {
    for (const [name, scope] of Object.entries(fleet.scopes)) await check(scope, await expected(scope), name);
  };

  it('when costs are listed, then a limited caller gets those of its sites, with the targets of its limit', async () => {
    const totals: number[] = [];
    await eachScope(async (scope, seen, name) => {
      const { items, total } = await costs.list(scope, {}, EVERY);
      assert.deepEqual([items, total], [seen, seen.length], name);
      for (let page = 1; page <= seen.length + 1; page++) {
        const one = await costs.list(scope, {}, { page, perPage: 1 });
        assert.deepEqual([one.items, one.total], [seen.slice(page - 1, page), seen.length], name);
      }
      const found = await costs.list(scope, { search: 'i' }, EVERY);
      const wanted = seen.filter((cost) => cost.name.includes('i'));
      assert.deepEqual([found.items, found.total], [wanted, wanted.length], name);
      totals.push(total);
    });
    assert.deepEqual(totals, [5, 3, 4, 3, 2, 3, 3, 0]);
  });

  it('when no target of a cost is in the limit, then the cost does not exist', async () => {
    const { items } = await costs.list(ALL_SITES, {}, EVERY);
    const missing = await costs.get(ALL_SITES, 999).catch((error: unknown) => error);
    assert.ok(missing instanceof NotFoundError);
    await eachScope(async (scope, seen, name) => {
      for (const { id } of items) {
        const cost = seen.find((each) => each.id === id);
        if (cost) assert.deepEqual(await costs.get(scope, id), cost, name);
        else await assert.rejects(costs.get(scope, id), missing, name);
      }
    });
  });

  it('when the sites and clients of a cost are listed, then only those of the limit are', async () => {
    const { items } = await costs.list(ALL_SITES, {}, EVERY);
    await eachScope(async (scope, _seen, name) => {
      const visible = sitesInScope(fleet, scope);
      for (const { id } of items) {
        const sharing = (await shares.sitesOf(ALL_SITES, id, EVERY)).items;
        const sites = visible.filter((site) => sharing.includes(site.id)).map((site) => site.id);
        const wantedSites = sharing.filter((site) => sites.includes(site));
        const owners = visible.filter((site) => sites.includes(site.id)).map(({ clientId }) => clientId);
        const wantedClients = (await shares.clientsOf(ALL_SITES, id, EVERY)).items.filter(
          (client) => owners.includes(client) || !isLimited(scope),
        );
        for (const [read, wanted] of [
          [shares.sitesOf.bind(shares), wantedSites],
          [shares.clientsOf.bind(shares), wantedClients],
        ] as const) {
          const page = await read(scope, id, EVERY);
          assert.deepEqual([page.items, page.total], [wanted, wanted.length], name);
          const second = await read(scope, id, { page: 2, perPage: 1 });
          assert.deepEqual([second.items, second.total], [wanted.slice(1, 2), wanted.length], name);
        }
      }
    });
  });

  it('when the costs of a client are read, then they are those of its sites in the limit, with their totals', async () => {
    await eachScope(async (scope, _seen, name) => {
      const visible = sitesInScope(fleet, scope).map(({ id }) => id);
      for (const client of fleet.clients) {
        const unlimited = await shares.ofClient(ALL_SITES, client);
        const wanted = unlimited.costs.filter(({ siteId }) => visible.includes(siteId));
        const monthlyUnits = wanted.reduce((sum, { amountUnits }) => sum + BigInt(amountUnits), 0n);
        const answer = { costs: wanted, monthlyUnits, yearlyUnits: 12n * monthlyUnits };
        assert.deepEqual(await shares.ofClient(scope, client), answer, name);
      }
    });
  });

  it('when a caller may see a site, then the costs of the site are all in the limit', async () => {
    await eachScope(async (scope, seen, name) => {
      for (const { id } of sitesInScope(fleet, scope))
        for (const cost of (await shares.ofSite(id)).costs) {
          assert.ok(
            seen.some((each) => each.id === cost.id),
            name,
          );
          assert.ok((await shares.sitesOf(scope, cost.id, EVERY)).items.includes(id), name);
        }
    });
  });

  it('when a caller is limited, then the reads need no more SQL statements', async () => {
    const counts = (scope: SiteScope) =>
      countEachCall(knex, [
        () => costs.list(scope, {}, EVERY),
        () => costs.get(scope, 1),
        () => shares.ofClient(scope, fleet.clients[0] as number),
        () => shares.clientsOf(scope, 1, EVERY),
      ]);
    assert.deepEqual(await counts(fleet.scopes['one client'] as SiteScope), await counts(ALL_SITES));
  });
});
