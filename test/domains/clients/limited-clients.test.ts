import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { bumpRevision } from '../../../src/db/revisions.ts';
import {
  OPTIONAL_CLIENT_FIELDS,
  type ClientDetail,
  type ClientFilter,
  type ClientService,
  type ListedClient,
} from '../../../src/domains/clients/index.ts';
import { NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../../src/shared/site-scope.ts';
import { countEachCall } from '../../support/database.ts';
import { sitesInScope, withLimitedFleet, type LimitedFleet } from '../../support/limited-fleet.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

const EVERY = { page: 1, perPage: 100 };
const listed = ({ id, name, email, status, phone, sitesCount, createdAt }: ClientDetail): ListedClient => ({
  ...{ id, name, email, status, phone, sitesCount, createdAt },
});

/** Values of each filter, and whether a client matches. A filter without values does not compile. */
type FilterCases = {
  [Field in keyof ClientFilter]-?: [value: Required<ClientFilter>[Field], matches: (client: ClientDetail) => boolean][];
};

describe('clients of a limited caller', () => {
  let knex: Knex;
  let clients: ClientService;
  let fleet: LimitedFleet;

  withLimitedFleet(async (stored) => {
    ({ knex, clients, fleet } = stored);
    const order = fleet.sites.map(({ id }) => id).reverse();
    const times = { created_at: 1, updated_at: 1 };
    await knex('client_fields').insert({ id: 1, name: 'VAT', name_key: 'vat', description: '', ...times });
    for (const [n, id] of fleet.clients.entries())
      await clients.update(ALL_SITES, id, { siteOrder: n === 1 ? '' : order.join(',') }, unlimitedRequester('tester'), {
        customFields: { VAT: `DE${n}` },
      });
  });

  const readAll = async (scope: SiteScope): Promise<ClientDetail[]> =>
    (await clients.listFull(scope, {}, EVERY, OPTIONAL_CLIENT_FIELDS)).items as ClientDetail[];

  /** Filters the unlimited list. */
  async function expected(scope: SiteScope): Promise<ClientDetail[]> {
    const all = await readAll(ALL_SITES);
    if (!isLimited(scope)) return all;
    const sites = sitesInScope(fleet, scope);
    return all.flatMap((client) => {
      const own = sites.filter(({ clientId }) => clientId === client.id);
      if (own.length === 0) return [];
      const siteIds = own.map(({ id }) => id);
      const siteOrder = client.siteOrder
        .split(',')
        .filter((id) => siteIds.includes(Number(id)))
        .join(',');
      const tags = client.tags.filter(({ id }) => own.some(({ tagIds }) => tagIds.includes(id)));
      return [{ ...client, siteIds, siteOrder, tags, sitesCount: own.length }];
    });
  }
  const eachScope = async (check: (scope: SiteScope, seen: ClientDetail[], name: string) => Promise<void>) => {
    for (const [name, scope] of Object.entries(fleet.scopes)) await check(scope, await expected(scope), name);
  };

  it('when clients are listed, then a limited caller gets those of its sites, with the sites, tags and counts of its limit', async () => {
    const totals: number[] = [];
    await eachScope(async (scope, seen, name) => {
      assert.deepEqual(await readAll(scope), seen, name);
      const bare = seen.map(({ siteIds: _, tags: __, customFields: ___, ...client }) => client);
      assert.deepEqual((await clients.listFull(scope, {}, EVERY, [])).items, bare, name);
      const { items, total } = await clients.list(scope, {}, EVERY);
      assert.deepEqual([items, total], [seen.map(listed), seen.length], name);
      assert.deepEqual(await clients.byIds(scope, fleet.clients), ofFleet(seen).map(listed), name);
      assert.deepEqual(
        (await clients.fullByIds(scope, fleet.clients)).map(({ siteOrder }) => siteOrder),
        ofFleet(seen).map(({ siteOrder }) => siteOrder),
        name,
      );
      totals.push(total);
    });
    assert.deepEqual(totals, [4, 1, 3, 1, 0, 2, 1, 0]);
  });

  const ofFleet = (seen: readonly ClientDetail[]): ClientDetail[] =>
    fleet.clients.flatMap((id) => seen.find((client) => client.id === id) ?? []);

  it('when pages of one client are read, then they add up to the list, and every page has the total of the limit', async () => {
    await eachScope(async (scope, seen, name) => {
      for (let page = 1; page <= seen.length + 1; page++) {
        const { items, total } = await clients.list(scope, {}, { page, perPage: 1 });
        const wanted = seen.slice(page - 1, page).map(listed);
        assert.deepEqual([items, total], [wanted, seen.length], `${name}, page ${page}`);
      }
    });
  });

  it('when clients are filtered and counted, then only those of the limit count', async () => {
    const first = fleet.clients[0] as number;
    const filters: FilterCases = {
      search: [['h', ({ name, email }) => /h/i.test(name + email)]],
      status: [
        ['active', () => true],
        ['suspended', () => false],
      ],
      include: [[[first], ({ id }) => id === first]],
      exclude: [[[first], ({ id }) => id !== first]],
    };
    const cases = Object.entries(filters).flatMap(([field, values]) =>
      values.map(([value, matches]) => ({ filter: { [field]: value } as ClientFilter, matches })),
    );
    await eachScope(async (scope, seen, name) => {
      for (const { filter, matches } of cases) {
        const { items, total } = await clients.list(scope, filter, EVERY);
        const wanted = seen.filter(matches).map(listed);
        assert.deepEqual([items, total], [wanted, wanted.length], `${name}, ${JSON.stringify(filter)}`);
        assert.equal(await clients.count(scope, filter), wanted.length, name);
      }
    });
  });

  it('when no site of a client is in the limit, then the client does not exist, by ID and by e-mail address', async () => {
    const all = await readAll(ALL_SITES);
    const missing = await clients.get(ALL_SITES, 999).catch((error: unknown) => error);
    assert.ok(missing instanceof NotFoundError);
    await eachScope(async (scope, seen, label) => {
      for (const { id, name, email, status } of all)
        for (const ref of [id, String(id), email]) {
          const client = seen.find((each) => each.id === id);
          const { siteIds: _, tags: __, customFields: ___, ...bare } = client ?? ({} as ClientDetail);
          const reads = [
            [() => clients.get(scope, ref), bare],
            [() => clients.detail(scope, ref), client],
            [() => clients.find(scope, ref), { id, name, email, status }],
            [() => clients.idsOf(scope, [ref]), [id]],
          ] as const;
          for (const [read, answer] of reads)
            if (client) assert.deepEqual(await read(), answer, label);
            else await assert.rejects(read, missing, label);
        }
    });
  });

  it('when the clients with a tag are listed and counted, then only the sites of the limit count', async () => {
    await eachScope(async (scope, _seen, name) => {
      const sites = sitesInScope(fleet, scope);
      for (const tag of fleet.tags) {
        const unlimited = await clients.withTag(ALL_SITES, tag, EVERY);
        const wanted = unlimited.items
          .map((client) => {
            const own = sites.filter(({ clientId, tagIds }) => clientId === client.id && tagIds.includes(tag));
            return { ...client, sitesWithTag: own.length };
          })
          .filter(({ sitesWithTag }) => sitesWithTag > 0);
        const { items, total } = await clients.withTag(scope, tag, EVERY);
        assert.deepEqual([items, total], [wanted, wanted.length], name);
        assert.equal(await clients.countWithTag(scope, tag), wanted.length, name);
        const second = await clients.withTag(scope, tag, { page: 2, perPage: 1 });
        assert.deepEqual([second.items, second.total], [wanted.slice(1, 2), wanted.length], name);
      }
    });
  });

  it('when a site gets another client, then the total of a limited caller changes', async () => {
    const scope = fleet.scopes['one site'] as SiteScope;
    assert.equal(await clients.count(scope, {}), 1);
    await knex('sites').where({ id: fleet.sites[3]?.id }).update({ client_id: null });
    await bumpRevision(knex, 'sites');
    assert.equal(await clients.count(scope, {}), 0);
    assert.equal(await clients.count(ALL_SITES, {}), 4);
  });

  it('when a caller is limited, then the reads need no more SQL statements', async () => {
    const counts = (scope: SiteScope) =>
      countEachCall(knex, [
        () => clients.list(scope, {}, EVERY),
        () => clients.listFull(scope, {}, EVERY, OPTIONAL_CLIENT_FIELDS),
        () => clients.detail(scope, fleet.clients[0] as number),
        () => clients.find(scope, fleet.clients[0] as number),
        () => clients.withTag(scope, fleet.tags[0] as number, EVERY),
      ]);
    assert.deepEqual(await counts(fleet.scopes['one client'] as SiteScope), await counts(ALL_SITES));
  });
});
