import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { ChangeReadModel, type FleetChangeFilter } from '../../../src/domains/changes/index.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { recordStatements, withFreshDatabase } from '../../support/database.ts';
import { seedScopedSites, type ScopedSites } from '../../support/site-scopes.ts';

const ALL = { page: 1, perPage: 100 };

describe('changes within a scope', () => {
  let knex: Knex;
  let read: ChangeReadModel;
  let seeded: ScopedSites;
  withFreshDatabase(({ database }) => (knex = database.knex));

  beforeEach(async () => {
    read = new ChangeReadModel(knex);
    seeded = await seedScopedSites(knex);
    const rows = [...seeded.sites, null, ...seeded.sites].map((siteId, index) => ({
      site_id: siteId,
      source: 'dashboard',
      external_id: null,
      type: index % 2 === 0 ? 'site.synced' : 'site.updated',
      description: `Change ${index}`,
      actor: 'ann',
      at: 1_000 + index,
    }));
    await knex('changes').insert(rows);
  });

  it('when a scope is limited, then the list has the changes of its sites, and none of the service', async () => {
    const filters: FleetChangeFilter[] = [
      {},
      { type: 'site.synced' },
      { about: 'service' },
      { clientId: seeded.clients[0] ?? 0 },
      { siteId: seeded.sites[2] ?? 0, since: 1_003 },
    ];
    for (const { name, scope, sees } of seeded.scopes)
      for (const filter of filters) {
        const every = await read.ofFleet(ALL_SITES, filter, ALL, 'desc');
        const expected = every.items.filter(({ siteId }) => sees(siteId));
        const found = await read.ofFleet(scope, filter, ALL, 'desc');
        assert.deepEqual(found.items, expected, name);
        assert.equal(found.total, expected.length, name);
        const second = await read.ofFleet(scope, filter, { page: 2, perPage: 1 }, 'desc');
        assert.deepEqual([second.items, second.total], [expected.slice(1, 2), expected.length], name);
      }
  });

  it('when a site is outside the scope, then it has no changes', async () => {
    for (const { name, scope, sees } of seeded.scopes)
      for (const site of seeded.sites) {
        const { items, total } = await read.ofSite(scope, site, {}, ALL);
        assert.deepEqual([items.length, total], sees(site) ? [2, 2] : [0, 0], name);
      }
  });

  it('when a scope is limited, then the list needs no more statements', async () => {
    for (const { name, scope } of seeded.scopes) {
      const sent = await recordStatements(knex, () => read.ofFleet(scope, {}, ALL, 'desc'));
      assert.equal(sent.length, 2, name);
    }
  });
});
