import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { ClientDetail, ClientService } from '../../../src/domains/clients/index.ts';
import { ForbiddenError, NotFoundError, PreconditionFailedError } from '../../../src/shared/errors.ts';
import { ALL_SITES, isLimited, scopeWithin, type SiteScope } from '../../../src/shared/site-scope.ts';
import { countEachCall } from '../../support/database.ts';
import { sitesInScope, viewerWithin, withLimitedFleet, type LimitedFleet } from '../../support/limited-fleet.ts';
import { outsideBy, whileAnotherWrites } from '../../support/limited-writes.ts';
import { unlimitedRequester } from '../../../src/shared/requester.ts';

const NONE = { clients: [], tags: [], sites: [] };

const TESTER = unlimitedRequester('tester');

describe('writes of clients by a limited caller', () => {
  let knex: Knex;
  let clients: ClientService;
  let fleet: LimitedFleet;

  withLimitedFleet(async (stored) => {
    ({ knex, clients, fleet } = stored);
    const times = { created_at: 1, updated_at: 1 };
    await knex('client_fields').insert({ id: 1, name: 'VAT', name_key: 'vat', description: '', ...times });
  });

  const clientId = (index: number): number => fleet.clients[index] ?? assert.fail();
  const siteId = (index: number): number => fleet.sites[index]?.id ?? assert.fail();
  const scopeOf = (name: string): SiteScope => fleet.scopes[name] ?? assert.fail(name);
  const stored = async (): Promise<unknown[]> => [
    await knex('clients').orderBy('id'),
    await knex('sites').orderBy('id'),
    await knex('changes').count({ n: '*' }),
    await knex('client_field_values').orderBy('client_id'),
  ];
  const ownersOfSites = async (): Promise<(number | null)[]> => knex('sites').orderBy('id').pluck('client_id');
  const writes = (scope: SiteScope, id: number): Record<string, () => Promise<unknown>> => ({
    name: () => clients.update(scope, id, { name: 'Renamed' }, TESTER),
    field: () => clients.update(scope, id, {}, TESTER, { customFields: { VAT: String(id) } }),
    order: () => clients.update(scope, id, { siteOrder: '999' }, TESTER),
    'name and list': () => clients.update(scope, id, { name: 'Moved' }, TESTER, { siteIds: [] }),
    suspension: () => clients.suspend(scope, id, 'tester'),
    unsuspension: () => clients.unsuspend(scope, id, 'tester'),
    preview: () => clients.previewDelete(viewerWithin(scope), id),
    deletion: () => clients.delete(scope, id, 'tester'),
  });

  it('when a client has sites outside, then a change of it is refused with their number, and without visible ones it does not exist', async () => {
    const missing = await clients.suspend(ALL_SITES, 999, 'tester').catch((error: unknown) => error);
    assert.ok(missing instanceof NotFoundError);
    const first = scopeWithin([{ ...NONE, sites: [siteId(0)] }]);
    const limited = Object.entries(fleet.scopes).filter(([, scope]) => isLimited(scope));
    const scopes: [string, SiteScope][] = [...limited, ['the first site', first]];
    const refused: number[] = [];
    for (const [name, scope] of scopes)
      for (const id of fleet.clients) {
        const own = fleet.sites.filter((site) => site.clientId === id);
        const seen = sitesInScope(fleet, scope).filter((site) => site.clientId === id);
        if (seen.length > 0 && seen.length === own.length) continue;
        const before = await stored();
        for (const [what, write] of Object.entries(writes(scope, id))) {
          const label = `${name}: ${what} of ${id}`;
          if (seen.length === 0) await assert.rejects(write, missing, label);
          else await assert.rejects(write, outsideBy(own.length - seen.length), label);
          if (seen.length > 0) refused.push(own.length - seen.length);
        }
        assert.deepEqual(await stored(), before, name);
      }
    assert.ok(refused.length > 20 && new Set(refused).size > 1, refused.join());
  });

  it('when a limited caller sees all sites of a client, then it changes the client as an unlimited one does', async () => {
    const scope = scopeOf('one client');
    for (const [what, write] of Object.entries(writes(scope, clientId(0)))) {
      if (what === 'name and list') continue;
      const answer = (await write()) as Partial<ClientDetail>;
      if (what === 'name') assert.deepEqual([answer.name, answer.sitesCount], ['Renamed', 3]);
      if (what === 'suspension') assert.equal((answer as { sites?: number }).sites, 3);
    }
    assert.equal(
      await knex('clients')
        .where({ id: clientId(0) })
        .first(),
      undefined,
    );
    assert.deepEqual((await ownersOfSites()).slice(0, 3), [null, null, null]);
  });

  it('when a limited caller replaces the sites of a client, then those that it does not see stay', async () => {
    const scope = scopeOf('one tag');
    const hidden = await knex('sites')
      .where({ id: siteId(1) })
      .first();
    const before = await knex('changes').max<{ id: number }[]>({ id: 'id' }).first();
    const client = await clients.update(scope, clientId(0), {}, TESTER, { siteIds: [siteId(3)] });
    assert.deepEqual([client.sitesCount, client.siteIds], [1, [siteId(3)]]);
    assert.deepEqual(client, await clients.detail(scope, clientId(0)));
    const owners = [null, clientId(0), null, clientId(0), clientId(1), null, clientId(2)];
    assert.deepEqual(await ownersOfSites(), owners);
    assert.deepEqual(
      await knex('sites')
        .where({ id: siteId(1) })
        .first(),
      hidden,
    );
    const logged = await knex('changes')
      .where('id', '>', before?.id ?? 0)
      .pluck('site_id');
    assert.deepEqual(
      logged.sort((a: number | null, b: number | null) => (a ?? 0) - (b ?? 0)),
      [null, siteId(0), siteId(2), siteId(3)],
    );
  });

  it('when the list names a site outside, then the answer is that of a site that does not exist', async () => {
    const scope = scopeOf('one tag');
    const before = await stored();
    for (const id of [siteId(1), siteId(5), 999_999]) {
      const write = (siteIds: number[]) => clients.update(scope, clientId(0), {}, TESTER, { siteIds });
      await assert.rejects(write([siteId(3), id]), (error: unknown) => {
        assert.ok(error instanceof NotFoundError);
        const message = 'At least one of these site IDs does not exist.';
        assert.deepEqual([error.code, error.message, error.data], ['svc_site_not_found', message, { site_ids: [id] }]);
        return true;
      });
    }
    assert.deepEqual(await stored(), before);
  });

  it('when a client loses its last visible site, then the answer has no sites, and the client does not exist afterwards', async () => {
    const scope = scopeOf('one tag');
    const client = await clients.update(scope, clientId(0), {}, TESTER, { siteIds: [] });
    assert.deepEqual([client.id, client.sitesCount, client.siteIds, client.tags], [clientId(0), 0, [], []]);
    await assert.rejects(clients.detail(scope, clientId(0)), NotFoundError);
    assert.deepEqual((await ownersOfSites()).slice(0, 3), [null, clientId(0), null]);
  });

  it('when each limit names a client, then sites can be added to it, and nothing else changes an unseen one', async () => {
    const [idle, harbour] = [clientId(3), clientId(0)];
    const named = scopeWithin([{ ...NONE, clients: [idle], sites: [siteId(5)] }]);
    const add = (scope: SiteScope, id: number, siteIds: number[], name?: string) =>
      clients.update(scope, id, name === undefined ? {} : { name }, TESTER, { siteIds });
    for (const [id, sites, name] of [
      [idle, [siteId(5)], 'Renamed'],
      [idle, []],
      [harbour, [siteId(5)]],
    ] as const)
      await assert.rejects(add(named, id, [...sites], name), { code: 'svc_client_not_found' });
    const unnamed = scopeWithin([{ ...NONE, sites: [siteId(5)] }]);
    const narrower = scopeWithin([...named.limits, ...unnamed.limits]);
    for (const scope of [unnamed, narrower])
      await assert.rejects(add(scope, idle, [siteId(5)]), { code: 'svc_client_not_found' });
    assert.deepEqual((await add(named, idle, [siteId(5)])).siteIds, [siteId(5)]);
    assert.equal((await add(named, idle, [siteId(5)], 'Renamed')).name, 'Renamed');
  });

  it('when a limited caller sends back the order of sites that it reads, then the stored order is kept', async () => {
    const order = [2, 1, 0].map(siteId).join(',');
    await clients.update(ALL_SITES, clientId(0), { siteOrder: order }, TESTER);
    const scope = scopeOf('one tag');
    const { siteOrder, name } = await clients.detail(scope, clientId(0));
    assert.equal(siteOrder, [2, 0].map(siteId).join(','));
    const before = await stored();
    const answer = await clients.update(scope, clientId(0), { siteOrder, name }, TESTER, {
      siteIds: [siteId(0), siteId(2)],
    });
    assert.equal(answer.siteOrder, siteOrder);
    assert.deepEqual(await stored(), before);
    const other = { siteOrder: [0, 2].map(siteId).join(',') };
    await assert.rejects(clients.update(scope, clientId(0), other, TESTER), outsideBy(1));
  });

  it('when a limited caller sends a precondition, then it gets the client as the caller reads it', async () => {
    const scope = scopeOf('one tag');
    const seen: ClientDetail[] = [];
    const stale = (client: ClientDetail): void => {
      seen.push(client);
      throw new PreconditionFailedError('svc_precondition_failed', 'stale');
    };
    const wanted = await clients.detail(scope, clientId(2));
    await assert.rejects(clients.update(scope, clientId(2), { name: 'x' }, TESTER, {}, stale), PreconditionFailedError);
    await assert.rejects(clients.delete(scope, clientId(2), 'tester', stale), PreconditionFailedError);
    const partly = await clients.detail(scope, clientId(0));
    await assert.rejects(clients.update(scope, clientId(0), { name: 'x' }, TESTER, {}, stale), PreconditionFailedError);
    assert.deepEqual(seen, [wanted, wanted, partly]);
  });

  it('when a client gets a site outside during a write, then the write is refused', async () => {
    const scope = scopeOf('one tag');
    const statuses = await knex('sites').orderBy('id').pluck('status');
    for (const what of ['name', 'suspension', 'deletion']) {
      const move = (trx: Knex, owner: number | null) =>
        trx('sites')
          .where({ id: siteId(1) })
          .update({ client_id: owner });
      const write = writes(scope, clientId(2))[what] ?? assert.fail();
      await assert.rejects(
        whileAnotherWrites(knex, (trx) => move(trx, clientId(2)), write),
        outsideBy(1),
        what,
      );
      await move(knex, clientId(0));
    }
    assert.deepEqual(await knex('sites').orderBy('id').pluck('status'), statuses);
  });

  it('when a site leaves the limit during a write, then it is not added', async () => {
    const scope = scopeOf('one tag');
    const leave = (trx: Knex) =>
      trx('sites')
        .where({ id: siteId(3) })
        .update({ name: 'left' })
        .then(() =>
          trx('site_tags')
            .where({ site_id: siteId(3) })
            .delete(),
        );
    const write = () => clients.update(scope, clientId(2), {}, TESTER, { siteIds: [siteId(6), siteId(3)] });
    await assert.rejects(whileAnotherWrites(knex, leave, write), { code: 'svc_site_not_found' });
    assert.equal((await ownersOfSites())[3], clientId(1));
  });

  it('when a caller is limited, then a write needs two more SQL statements, and one more for new sites', async () => {
    const count = (scope: SiteScope) =>
      countEachCall(knex, [
        () => clients.update(scope, clientId(0), { name: `Name ${scope.key.length}` }, TESTER),
        () => clients.update(scope, clientId(0), {}, TESTER, { siteIds: [0, 1, 2].map(siteId) }),
        () => clients.suspend(scope, clientId(0), 'tester'),
        () => clients.unsuspend(scope, clientId(0), 'tester'),
      ]);
    const unlimited = await count(ALL_SITES);
    const limited = await count(scopeOf('one client'));
    assert.deepEqual(
      limited.map((sent, index) => sent - (unlimited[index] ?? 0)),
      [2, 3, 2, 2],
    );
  });

  it('when a refusal is about sites outside, then it tells only their number', async () => {
    const error = await clients.suspend(scopeOf('one tag'), clientId(0), 'tester').catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ForbiddenError);
    assert.deepEqual(
      [error.message, error.data],
      ['The client has sites that are outside your limits.', { sites_outside: 1 }],
    );
  });
});
