import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { CostShareReadModel, CostService, type CostTarget, type NewCost } from '../../../src/domains/costs/index.ts';
import { ClientService } from '../../../src/domains/clients/index.ts';
import { SiteRepository } from '../../../src/domains/sites/site-repository.ts';
import { TagService } from '../../../src/domains/tags/index.ts';
import { toDate } from '../../../src/shared/clock.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { openTestDatabase, recordStatements, type TestDatabase } from '../../support/database.ts';
import { storeSite } from '../../support/sites.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const clock = { now: () => NOW };
const context = { today: () => toDate(NOW), currencyDecimals: () => decimals };
let decimals = 2;
/** Price units of a cent. */
const CENT = 10_000;

const site = (id: number): CostTarget => ({ kind: 'site', id });
const client = (id: number): CostTarget => ({ kind: 'client', id });
const tag = (id: number): CostTarget => ({ kind: 'tag', id });

interface CostInput {
  cents: number;
  licenseType: 'single_site' | 'multi_site';
  renewalType: 'weekly' | 'monthly' | 'quarterly' | 'yearly' | 'disabled';
  active: boolean;
  targets: { kind: 'site' | 'client' | 'tag'; n: number }[];
}

describe('costs', () => {
  let store: TestDatabase;
  let knex: Knex;
  let costs: CostService;
  let read: CostShareReadModel;
  /** Six sites: the first three belong to client 0, the fourth to client 1. Tag 0 is on 1, 2, 3, tag 1 on 4, 5. */
  let sites: number[];
  let clients: number[];
  let tags: number[];
  const CLIENT_OF = [0, 0, 0, 1, null, null];
  const TAGS_OF = [[], [0], [0], [0], [1], [1]];

  const create = (targets: CostTarget[], over: Partial<NewCost> = {}): Promise<number> =>
    costs.create(ALL_SITES, { name: 'Hosting', price: 10, targets, ...over }, 'tester');
  const amounts = (): Promise<number[][]> =>
    Promise.all(sites.map(async (id) => (await read.ofSite(id)).costs.map(({ amountUnits }) => amountUnits / CENT)));
  const at = (ids: number[], index: number): number => {
    const id = ids[index];
    assert.ok(id !== undefined);
    return id;
  };

  beforeEach(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
    decimals = 2;
    const parts = { knex, clock, ...context, changeLog: new ChangeLog(clock), deletionCounts: () => [] };
    costs = new CostService(parts);
    read = new CostShareReadModel(knex, context);
    clients = [];
    tags = [];
    sites = [];
    for (const name of ['A', 'B'])
      clients.push(
        (
          await new ClientService({
            ...parts,
            templates: { requireKnown: () => Promise.resolve() },
            onClientDeleted: () => [],
            onClientMailChanged: () => [],
          }).create({ name }, 'tester')
        ).id,
      );
    for (const name of ['x', 'y']) tags.push((await new TagService(parts).create({ name }, 'tester')).id);
    for (let n = 0; n < 6; n++) {
      const owner = CLIENT_OF[n];
      const clientId = owner == null ? null : at(clients, owner);
      const tagIds = (TAGS_OF[n] ?? []).map((each) => at(tags, each));
      // The order of addresses is the reverse of the order of IDs, so the two cannot be confused.
      sites.push(await storeSite(knex, `site-${9 - n}.example`, { clientId, tagIds }));
    }
    await knex('changes').delete();
  });
  afterEach(() => store.close());

  it('when a cost is paid per site, then each site has the full price', async () => {
    await create([site(at(sites, 0)), site(at(sites, 4))]);
    assert.deepEqual(await amounts(), [[1000], [], [], [], [1000], []]);
  });

  it('when a cost is paid once, then the price is divided and the remainder goes to the lowest site IDs', async () => {
    await create([site(at(sites, 5)), site(at(sites, 0)), site(at(sites, 2))], { licenseType: 'multi_site' });
    assert.deepEqual(await amounts(), [[334], [], [333], [], [], [333]]);
  });

  it('when the currency changes, then prices stay and are divided in its own minor units', async () => {
    const named = [0, 1, 2].map((n) => site(at(sites, n)));
    await create(named, { price: 10.01, licenseType: 'multi_site' });
    await create([site(at(sites, 0))], { price: 1.2345, renewalType: 'yearly' });
    const shown = async (currencyDecimals: number) => {
      decimals = currencyDecimals;
      const { costs: [first, second] = [], monthlyUnits, yearlyUnits } = await read.ofSite(at(sites, 0));
      const others = await Promise.all(
        [1, 2].map(async (n) => (await read.ofSite(at(sites, n))).costs[0]?.amountUnits),
      );
      return [[first?.amountUnits, ...others], second?.amountUnits, monthlyUnits, yearlyUnits];
    };
    // 10.01 is 334, 334 and 333 cents, or 4, 3 and 3 yen with a hundredth left, or 3337, 3337 and 3336 fils.
    // A year is 12 times the first share and 1.2345, and a month a twelfth of it in minor units.
    assert.deepEqual(await shown(2), [[3_340_000, 3_340_000, 3_330_000], 1_234_500, 3_440_000n, 41_314_500n]);
    assert.deepEqual(await shown(0), [[4_010_000, 3_000_000, 3_000_000], 1_234_500, 4_000_000n, 49_354_500n]);
    assert.deepEqual(await shown(3), [[3_337_000, 3_337_000, 3_336_000], 1_234_500, 3_440_000n, 41_278_500n]);
    assert.deepEqual(
      await knex('costs')
        .orderBy('id')
        .pluck('price_units')
        .then((all) => all.map(Number)),
      [10_010_000, 1_234_500],
    );
  });

  it('when the target is a client or a tag, then the cost applies to its sites', async () => {
    await create([client(at(clients, 0))], { licenseType: 'multi_site' });
    await create([tag(at(tags, 1))], { price: 7.5 });
    assert.deepEqual(await amounts(), [[334], [333], [333], [], [750], [750]]);
  });

  it('when a cost reaches a site through several targets, then the site is counted once', async () => {
    await create([client(at(clients, 0)), tag(at(tags, 0)), site(at(sites, 1)), site(at(sites, 1))], {
      licenseType: 'multi_site',
    });
    assert.deepEqual(await amounts(), [[250], [250], [250], [250], [], []]);
  });

  it('when a site is deleted, then its costs are divided over the remaining sites', async () => {
    await create([site(at(sites, 4)), site(at(sites, 5))], { licenseType: 'multi_site' });
    await new SiteRepository(knex, NOW).delete(at(sites, 4));
    assert.deepEqual(await amounts(), [[], [], [], [], [], [1000]]);
  });

  it('when a cost is not active, then it is not counted', async () => {
    for (const status of ['onhold', 'canceled', 'expired', 'pending_cancelation'] as const)
      await create([site(at(sites, 0))], { status });
    assert.deepEqual(await read.ofSite(at(sites, 0)), { costs: [], monthlyUnits: 0n, yearlyUnits: 0n });
  });

  it('when the costs of a site are read, then they have name, frequency, next due date and totals', async () => {
    const target = [site(at(sites, 0))];
    const hosting = await create(target, { price: 29.9, lastRenewal: '2026-11-01' });
    const theme = await create(target, {
      name: 'Theme',
      price: 118.8,
      renewalType: 'yearly',
      lastRenewal: '2026-03-15',
    });
    const logo = await create(target, { name: 'Logo', price: 500, type: 'lifetime', lastRenewal: '2026-01-01' });
    assert.deepEqual(await read.ofSite(at(sites, 0)), {
      costs: [
        { id: hosting, name: 'Hosting', amountUnits: 2990 * CENT, frequency: 'monthly', nextDue: '2026-12-01' },
        { id: theme, name: 'Theme', amountUnits: 11_880 * CENT, frequency: 'yearly', nextDue: '2027-03-15' },
        { id: logo, name: 'Logo', amountUnits: 50_000 * CENT, frequency: 'lifetime', nextDue: null },
      ],
      monthlyUnits: 39_800_000n,
      yearlyUnits: 477_600_000n,
    });
  });

  it('when totals are computed, then they equal an independent sum and the sum of the sites', async () => {
    const YEAR = { weekly: 52n, monthly: 12n, quarterly: 4n, yearly: 1n, disabled: 0n };
    const targetOf = fc.oneof(
      fc.record({ kind: fc.constant('site' as const), n: fc.nat(5) }),
      fc.record({ kind: fc.constant('client' as const), n: fc.nat(1) }),
      fc.record({ kind: fc.constant('tag' as const), n: fc.nat(1) }),
    );
    const costOf: fc.Arbitrary<CostInput> = fc.record({
      cents: fc.nat(1_000_000),
      licenseType: fc.constantFrom('single_site' as const, 'multi_site' as const),
      renewalType: fc.constantFrom('weekly', 'monthly', 'quarterly', 'yearly', 'disabled' as const),
      active: fc.boolean(),
      targets: fc.array(targetOf, { minLength: 1, maxLength: 4 }),
    });
    const ids = { site: sites, client: clients, tag: tags };
    const reaches = (n: number, { kind, n: target }: { kind: string; n: number }): boolean =>
      kind === 'site'
        ? n === target
        : kind === 'client'
          ? CLIENT_OF[n] === target
          : (TAGS_OF[n] as number[]).includes(target);

    const example = async (given: CostInput[]): Promise<void> => {
      await knex('costs').delete();
      const yearly = Array.from({ length: 6 }, () => 0n);
      const shown = Array.from({ length: 6 }, () => 0);
      let ofClient = 0n;
      for (const { cents, licenseType, renewalType, active, targets } of given) {
        await create(
          targets.map(({ kind, n }) => ({ kind, id: at(ids[kind], n) })),
          { price: cents / 100, licenseType, renewalType, status: active ? 'active' : 'onhold' },
        );
        if (!active) continue;
        const bearers = [0, 1, 2, 3, 4, 5].filter((n) => targets.some((target) => reaches(n, target)));
        bearers.forEach((n, place) => {
          const share = licenseType === 'single_site' ? cents : Math.ceil((cents - place) / bearers.length);
          yearly[n] = (yearly[n] ?? 0n) + BigInt(share) * YEAR[renewalType];
          shown[n] = (shown[n] ?? 0) + 1;
        });
        // Total of client 0, which only counts costs whose sites all belong to the client.
        if (bearers.length > 0 && bearers.every((n) => CLIENT_OF[n] === 0))
          ofClient += BigInt(cents) * YEAR[renewalType] * (licenseType === 'single_site' ? BigInt(bearers.length) : 1n);
        else
          bearers.forEach((n, place) => {
            const share = licenseType === 'single_site' ? cents : Math.ceil((cents - place) / bearers.length);
            if (CLIENT_OF[n] === 0) ofClient += BigInt(share) * YEAR[renewalType];
          });
      }
      const found = await Promise.all(sites.map((id) => read.ofSite(id)));
      found.forEach(({ costs: list, monthlyUnits, yearlyUnits }, n) => {
        const year = yearly[n] ?? 0n;
        assert.equal(list.length, shown[n]);
        assert.equal(yearlyUnits, year * BigInt(CENT));
        // Rounds half a cent up: (2y + 12) / 24 in integers.
        assert.equal(monthlyUnits, ((2n * year + 12n) / 24n) * BigInt(CENT));
      });
      const sum = found.slice(0, 3).reduce((total, { yearlyUnits }) => total + yearlyUnits, 0n);
      assert.equal(sum, ofClient * BigInt(CENT));
    };
    await fc.assert(fc.asyncProperty(fc.array(costOf, { maxLength: 5 }), example), { numRuns: 25 });
  });

  it('when there are 200 sites and costs instead of 10, then the reads need two more SQL statements per 5,000 shares', async () => {
    const statements = async (work: () => Promise<unknown>): Promise<number> =>
      (await recordStatements(knex, work)).length;
    const grow = async (from: number, to: number): Promise<void> => {
      for (let start = from; start < to; start += 100) {
        const keys = Array.from({ length: Math.min(100, to - start) }, (_, n) => `many-${start + n}.example`);
        const row = {
          name: 'many',
          name_key: 'many',
          status: 'connected',
          client_id: clients[1],
          created_at: 1,
          updated_at: 1,
        };
        await knex('sites').insert(keys.map((key) => ({ url: `https://${key}/`, url_key: key, ...row })));
        for (let n = 0; n < keys.length; n++)
          await create([client(at(clients, 1))], { licenseType: 'multi_site', price: 20_000 });
      }
    };
    const seen: number[] = [];
    for (const [from, to] of [
      [0, 9],
      [9, 199],
    ] as const) {
      await grow(from, to);
      seen.push(
        await statements(async () => {
          const { costs: list } = await read.ofSite(at(sites, 3));
          assert.equal(list.length, to);
          assert.equal(list[0]?.amountUnits, (2_000_000 * CENT) / (to + 1));
        }),
      );
    }
    // One statement finds the costs. 25 costs of 200 sites have 5,000 shares, so 199 costs are read in eight parts.
    assert.deepEqual(seen, [1 + 2, 1 + 2 * 8]);
  });
});
