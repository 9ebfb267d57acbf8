import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SiteLimit } from '../../../src/shared/site-scope.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const SITES = 5;
const RECORDS = 3;
const RUNS = 25;

/** Indexes of clients, tags and sites. */
type Lists = SiteLimit;

interface Membership {
  /** Index of a client, or null. */
  client: number | null;
  tags: number[];
}

interface Case {
  members: Membership[];
  costs: Lists[];
  /** The limits of the user and of the key. */
  limits: [Lists | null, Lists | null];
}

const indexes = (count: number) => fc.uniqueArray(fc.nat(count - 1), { maxLength: 2 });
const lists: fc.Arbitrary<Lists> = fc.record({
  clients: indexes(RECORDS),
  tags: indexes(RECORDS),
  sites: indexes(SITES),
});
/** A cost has at least one target. */
const targets = lists.filter((of) => of.clients.length + of.tags.length + of.sites.length > 0);
const cases: fc.Arbitrary<Case> = fc.record({
  members: fc.array(fc.record({ client: fc.option(fc.nat(RECORDS - 1)), tags: indexes(RECORDS) }), {
    minLength: SITES,
    maxLength: SITES,
  }),
  costs: fc.array(targets, { minLength: RECORDS, maxLength: RECORDS }),
  limits: fc.oneof(fc.tuple(lists, lists), fc.tuple(lists, fc.constant(null)), fc.tuple(fc.constant(null), lists)),
});

// Records differ by list.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

interface Job {
  data: { job_id: string; status: string };
  items: { site_id: number; state: string }[];
  errors: { identifier: number }[];
}

describe('v2 lists of a limited caller', () => {
  let world: World;
  let clients: number[];
  let tags: number[];
  let costs: number[];
  let jobs: string[];
  let user: number;
  let key: number;
  let me: CallOptions;

  before(async () => {
    world = await startWorld({ sites: SITES });
    [clients, tags, costs, jobs] = [[], [], [], []];
    for (let n = 0; n < RECORDS; n++) {
      const client = { name: `Client ${n}`, site_order: [...world.siteIds].reverse() };
      clients.push((await world.request('POST', '/api/v2/clients/add', { body: client })).body.data.id);
      tags.push(await createTag(world, `tag ${n}`));
      const cost = { name: `Cost ${n}`, price: 10, product_type: 'hosting', payment_method: 'paypal' };
      const body = { ...cost, last_renewal: '2026-11-01', sites: [world.siteId(0)] };
      costs.push((await world.request('POST', '/api/v2/costs/add', { body })).body.data.id);
    }
    await world.closeAddress(world.siteId(SITES - 1));
    for (const of of [[0, 1, 2, 3, 4], [1, 4], [4], [2, 3]]) {
      await world.request('POST', '/api/v2/sites/sync', { body: { include: of.map((n) => world.siteId(n)) } });
      const [newest] = (await world.request('GET', '/api/v2/jobs?type=sync')).body.data;
      jobs.push(newest.job_id);
    }
    const access = '/api/v2/rest-api';
    const someone = { name: 'limited', role: 'administrator' };
    user = (await world.request('POST', `${access}/users/add`, { body: someone })).body.data.id;
    const body = { user: 'limited', scope: 'read_write', description: 'limited' };
    const { id, token } = (await world.request('POST', `${access}/add-key`, { body })).body.data;
    key = id;
    me = { as: 'nobody', headers: { authorization: `Bearer ${token}` } };
  });
  after(() => world.close());

  const idsOf = (of: Lists) => ({
    clients: of.clients.map((n) => clients[n] ?? assert.fail()),
    tags: of.tags.map((n) => tags[n] ?? assert.fail()),
    sites: of.sites.map((n) => world.siteId(n)),
  });

  async function arrange({ members, costs: ofCosts, limits: [ofUser, ofKey] }: Case): Promise<void> {
    const put = (path: string, body: object) => world.request('PUT', `/api/v2/${path}`, { body });
    for (const [n, { client, tags: tagged }] of members.entries()) {
      const { clients: owners, tags: groupids } = idsOf({ clients: [client ?? []].flat(), tags: tagged, sites: [] });
      await put(`sites/${world.siteId(n)}/edit`, { client_id: owners[0] ?? null, groupids });
    }
    for (const [n, of] of ofCosts.entries()) {
      const { tags: groups, ...others } = idsOf(of);
      await put(`costs/${costs[n]}/edit`, { ...others, groups });
    }
    await put(`rest-api/users/${user}/edit`, { limit: ofUser && idsOf(ofUser) });
    await put(`rest-api/edit-key/${key}`, { limit: ofKey && idsOf(ofKey) });
  }

  const read = async (path: string, as: CallOptions = {}) => (await world.request('GET', `/api/v2/${path}`, as)).body;

  /** Filters the lists that an unlimited caller reads. Computes without the service which sites the caller sees. */
  async function expected({ members, limits }: Case) {
    const isIn = (n: number, { clients: owners, tags: tagged, sites }: Lists): boolean => {
      const { client, tags: own } = members[n] ?? assert.fail();
      return (
        sites.includes(n) || (client !== null && owners.includes(client)) || own.some((tag) => tagged.includes(tag))
      );
    };
    const seen = members.flatMap((_, n) => (limits.every((limit) => limit === null || isIn(n, limit)) ? [n] : []));
    const sees = (site: number): boolean => seen.includes(world.siteIds.indexOf(site));
    const seesClient = (id: number): boolean => seen.some((n) => members[n]?.client === clients.indexOf(id));
    const seesTag = (id: number, among = seen): boolean =>
      among.some((n) => members[n]?.tags.includes(tags.indexOf(id)));
    const valuesSeen = ({ client_id: client, tags: names, ...others }: Json): Json => {
      const named = (names?.split(', ') ?? []).filter((name: string) => seesTag(tags[Number(name.slice(4))] ?? 0));
      return {
        ...others,
        ...(client !== undefined && seesClient(Number(client)) && { client_id: client }),
        ...(named.length > 0 && { tags: named.join(', ') }),
      };
    };
    const filtered: Record<string, (rows: Json[]) => Json[]> = {
      'sites?per_page=500': (rows) => rows.filter(({ id }) => sees(id)),
      'clients?per_page=500&full_data=true': (rows) =>
        rows
          .map((client) => {
            const selected_sites = client.selected_sites.filter(sees);
            const of = selected_sites.map((id: number) => world.siteIds.indexOf(id));
            return {
              ...client,
              ...{ selected_sites, sites_count: of.length },
              tags: client.tags.filter(({ id }: { id: number }) => seesTag(id, of)),
              site_order: client.site_order.filter((id: number) => selected_sites.includes(id)),
            };
          })
          .filter((client) => client.sites_count > 0),
      'tags?per_page=500&full_data=true': (rows) =>
        rows
          .map((tag) => {
            const sites_ids = tag.sites_ids.filter(sees);
            return { ...tag, sites_ids, sites_count: sites_ids.length, count_sites: sites_ids.length };
          })
          .filter((tag) => tag.sites_count > 0),
      'costs?per_page=500': (rows) =>
        rows
          .map((cost) => ({
            ...cost,
            sites: cost.sites.filter(sees),
            clients: cost.clients.filter(seesClient),
            groups: cost.groups.filter((id: number) => seesTag(id)),
          }))
          .filter((cost) => cost.sites.length + cost.clients.length + cost.groups.length > 0),
      'changes?per_page=500': (rows) =>
        rows
          .filter(({ site }) => site !== null && sees(site.id))
          .map((change) => ({ ...change, before: valuesSeen(change.before), after: valuesSeen(change.after) })),
    };
    const wanted: Record<string, Json[]> = {};
    for (const [path, filter] of Object.entries(filtered)) {
      const { data, pages } = await read(path);
      assert.ok(pages <= 1, path);
      wanted[path] = filter(data);
    }
    const parts = new Map<string, Job>();
    for (const id of jobs) {
      const whole = (await read(`jobs/${id}`)) as Job;
      const items = whole.items.filter((item) => sees(item.site_id));
      if (items.length === 0) continue;
      const count = (state: string): number => items.filter((item) => item.state === state).length;
      const [succeeded, failed] = [count('succeeded'), count('failed')];
      const data = {
        ...whole.data,
        ...{ total: items.length, processed: items.length, succeeded, failed },
        status: succeeded === 0 ? 'failed' : 'completed',
      };
      parts.set(id, { data, items, errors: whole.errors.filter(({ identifier }) => sees(identifier)) });
    }
    return { wanted, parts };
  }

  it('when limits and the fleet are any, then a limited caller sees the lists of an unlimited one, filtered', async () => {
    const seen = { some: 0, none: 0 };
    await fc.assert(
      fc.asyncProperty(cases, async (each) => {
        await arrange(each);
        const { wanted, parts } = await expected(each);
        for (const [path, rows] of Object.entries(wanted)) {
          const { data, total } = await read(path, me);
          assert.deepEqual(data, rows, path);
          assert.equal(total, rows.length, path);
        }
        for (const id of jobs) {
          const part = parts.get(id);
          if (part === undefined) await world.request('GET', `/api/v2/jobs/${id}`, { ...me, expect: 404 });
          else {
            const { data, items, errors, total } = await read(`jobs/${id}`, me);
            assert.deepEqual({ data, items, errors }, part);
            assert.equal(total, part.items.length);
          }
        }
        const listed = await read('jobs?type=sync', me);
        const all = await read('jobs?type=sync');
        const ids = (all.data as { job_id: string }[]).map(({ job_id: id }) => id);
        assert.deepEqual(
          listed.data,
          ids.flatMap((id) => parts.get(id)?.data ?? []),
        );
        assert.equal(listed.total, parts.size);
        seen[(wanted['sites?per_page=500'] ?? []).length > 0 ? 'some' : 'none']++;
      }),
      { numRuns: RUNS },
    );
    assert.ok(seen.some > 3, JSON.stringify(seen));
  });
});
