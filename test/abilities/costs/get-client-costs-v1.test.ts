import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CostTarget } from '../../../src/domains/costs/index.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { withoutModule } from '../../support/modules.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type Refusal } from '../../support/refusals.ts';
import { seedSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';

const NAME = 'get-client-costs-v1';

interface Entry {
  id: number;
  amount: number;
  frequency: string;
  site_id: number;
}
interface Output {
  costs: Entry[];
  total_monthly: number;
  total_yearly: number;
}

/** Current time of the service. */
const NOW = Date.parse('2026-11-21T10:00:00Z');
const CLIENT_OF = [0, 0, 0, 1, null];
const TAG_OF = [null, 0, 0, 0, 0];
const YEAR = { weekly: 52, monthly: 12, quarterly: 4, yearly: 1, disabled: 0 };

describe(NAME, () => {
  let world: World;
  let clients: number[];
  let tag: number;
  /** Three sites of the first client, one of the second, one without a client. All but the first have the tag. */
  let sites: { id: number; name: string }[];
  const call = (client: unknown = clients[0], options = {}): Promise<Output> =>
    world.ability<Output>(NAME, { client_id_or_email: client }, options);
  const siteAt = (n: number): { id: number; name: string } => sites[n] ?? assert.fail();

  before(async () => {
    const skew = NOW - Date.now();
    world = await startWorld({ overrides: { clock: { now: () => Date.now() + skew } } });
    const {
      clients: { clients: store },
      tags: { tags },
    } = world.container.services;
    clients = [];
    for (const name of ['Owner', 'Other'])
      clients.push((await store.create({ name, email: `${name}@example.com` }, 'test')).id);
    tag = (await tags.create({ name: 'shop' }, 'test')).id;
    sites = [];
    for (const [n, owner] of CLIENT_OF.entries()) {
      const tagIds = TAG_OF[n] === null ? [] : [tag];
      sites.push(await seedSite(world, { clientId: owner === null ? null : (clients[owner] ?? null), tagIds }));
    }
  });
  after(() => world.close());
  afterEach(() => world.container.database.knex('costs').delete());

  it('when the client has no costs, then the list is empty', async () => {
    const nothing = { client_id: clients[0], client_name: 'Owner', costs: [], total_monthly: 0, total_yearly: 0 };
    assert.deepEqual(await call(), nothing);
  });

  it('when costs are active, then the list has the amount of each site, and the totals', async () => {
    const { costs } = world.container.services.costs;
    const of = (kind: CostTarget['kind'], id: number): CostTarget[] => [{ kind, id }];
    const hosting = await costs.create(
      ALL_SITES,
      { name: 'Hosting', price: 29.9, targets: of('site', siteAt(0).id), lastRenewal: '2026-11-01' },
      'test',
    );
    const theme = await costs.create(
      ALL_SITES,
      { name: 'Theme', price: 0.1, renewalType: 'yearly', licenseType: 'multi_site', targets: of('tag', tag) },
      'test',
    );
    const care = await costs.create(
      ALL_SITES,
      { name: 'Care', price: 3, targets: of('client', clients[0] as number) },
      'test',
    );
    await costs.create(ALL_SITES, { name: 'Else', price: 9, targets: of('site', siteAt(4).id) }, 'test');
    await costs.create(
      ALL_SITES,
      { name: 'Old', price: 9, status: 'expired', targets: of('site', siteAt(0).id) },
      'test',
    );
    const place = (n: number): object => ({ site_id: siteAt(n).id, site_name: siteAt(n).name });
    const rest = { frequency: 'monthly', next_due: null };
    const expected = {
      client_id: clients[0],
      client_name: 'Owner',
      costs: [
        { id: hosting, name: 'Hosting', amount: 29.9, frequency: 'monthly', next_due: '2026-12-01', ...place(0) },
        // Ten cents are split over four sites as 3, 3, 2 and 2. The first two are of this client.
        ...[1, 2].map((n) => ({
          id: theme,
          name: 'Theme',
          amount: 0.03,
          frequency: 'yearly',
          next_due: null,
          ...place(n),
        })),
        ...[0, 1, 2].map((n) => ({ id: care, name: 'Care', amount: 3, ...rest, ...place(n) })),
      ],
      // 29.9 + 3 x 3 + 0.06 / 12 = 38.905, and twelve times that is 466.86.
      total_monthly: 38.91,
      total_yearly: 466.86,
    };
    for (const reference of [clients[0], 'OWNER@example.com']) assert.deepEqual(await call(reference), expected);
    assert.deepEqual(await call(clients[0], { method: 'GET' }), expected);
    const { costs: others } = await call(clients[1]);
    assert.deepEqual(
      others.map(({ id, amount, site_id }) => [id, amount, site_id]),
      [[theme, 0.02, siteAt(3).id]],
    );
  });

  it('when the module cost-tracker is off, then the call is rejected, even for an unknown client', async () => {
    await withoutModule(world, 'cost-tracker', async () => {
      for (const client of [clients[0], 999_999]) {
        const refused = (await call(client, { expect: 404 })) as unknown as Refusal;
        assert.equal(refused.code, 'svc_module_not_available');
      }
    });
    await call();
  });

  it('when there are more costs, then the list needs no more SQL statements', async () => {
    const measure = (): Promise<number> => countStatements(world, () => call());
    const create = (): Promise<number> =>
      world.container.services.costs.costs.create(
        ALL_SITES,
        { name: 'Care', price: 1, licenseType: 'multi_site', targets: [{ kind: 'client', id: clients[0] as number }] },
        'test',
      );
    await create();
    const one = await measure();
    for (let n = 0; n < 50; n++) await create();
    assert.equal(await measure(), one);
    assert.equal((await call()).costs.length, 153);
  });

  it('when costs are random, then the totals equal an independent sum in cents and the sums of the sites', async () => {
    const targetOf = fc.oneof(
      fc.record({ kind: fc.constant('site' as const), n: fc.nat(4) }),
      fc.record({ kind: fc.constant('client' as const), n: fc.nat(1) }),
      fc.record({ kind: fc.constant('tag' as const), n: fc.constant(0) }),
    );
    const costOf = fc.record({
      cents: fc.nat(1_000_000),
      multi: fc.boolean(),
      renewalType: fc.constantFrom('weekly', 'monthly', 'quarterly', 'yearly', 'disabled' as const),
      active: fc.boolean(),
      targets: fc.array(targetOf, { minLength: 1, maxLength: 3 }),
    });
    const idOf = (kind: CostTarget['kind'], n: number): number =>
      kind === 'site' ? siteAt(n).id : kind === 'client' ? (clients[n] ?? 0) : tag;
    const example = async (given: (typeof costOf extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> => {
      await world.container.database.knex('costs').delete();
      let [year, entries] = [0, 0];
      for (const { cents, multi, renewalType, active, targets } of given) {
        await world.container.services.costs.costs.create(
          ALL_SITES,
          {
            name: 'Any',
            price: cents / 100,
            licenseType: multi ? 'multi_site' : 'single_site',
            renewalType,
            status: active ? 'active' : 'onhold',
            targets: targets.map(({ kind, n }) => ({ kind, id: idOf(kind, n) })),
          },
          'test',
        );
        const reached = (n: number): boolean =>
          targets.some((target) => {
            if (target.kind === 'site') return target.n === n;
            return target.kind === 'client' ? CLIENT_OF[n] === target.n : TAG_OF[n] === 0;
          });
        const bearers = [0, 1, 2, 3, 4].filter(reached);
        bearers.forEach((n, place) => {
          if (!active || CLIENT_OF[n] !== 0) return;
          year += (multi ? Math.ceil((cents - place) / bearers.length) : cents) * YEAR[renewalType];
          entries++;
        });
      }
      const { costs, total_monthly, total_yearly } = await call();
      const { body } = await world.request('GET', `/api/v2/clients/${clients[0]}/costs`);
      assert.deepEqual(body, { success: 1, data: costs, total: entries, total_monthly, total_yearly });
      assert.equal(costs.length, entries);
      assert.equal(Math.round(total_yearly * 100), year);
      assert.equal(Math.round(total_monthly * 100), Math.floor((2 * year + 12) / 24));
      let ofSites = 0;
      for (const n of [0, 1, 2]) {
        const site = await world.ability('get-site-costs-v1', { site_id_or_domain: siteAt(n).id });
        ofSites += Math.round(site.total_yearly * 100);
        assert.deepEqual(
          site.costs.map(({ id, amount }: Entry) => [id, amount]),
          costs.filter(({ site_id }) => site_id === siteAt(n).id).map(({ id, amount }) => [id, amount]),
        );
      }
      assert.equal(ofSites, year);
    };
    await fc.assert(fc.asyncProperty(fc.array(costOf, { maxLength: 4 }), example), { numRuns: 20 });
  });
});
