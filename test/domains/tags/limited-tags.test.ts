import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { bumpRevision } from '../../../src/db/revisions.ts';
import type { TagService, TagDetail } from '../../../src/domains/tags/index.ts';
import { NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../../src/shared/site-scope.ts';
import { countEachCall } from '../../support/database.ts';
import { sitesInScope, withLimitedFleet, type LimitedFleet } from '../../support/limited-fleet.ts';

const EVERY = { page: 1, perPage: 100 };

describe('tags of a limited caller', () => {
  let knex: Knex;
  let tags: TagService;
  let fleet: LimitedFleet;

  withLimitedFleet((stored) => ({ knex, tags, fleet } = stored));

  /** Filters the unlimited list. */
  async function expected(scope: SiteScope): Promise<TagDetail[]> {
    const visible = new Set(sitesInScope(fleet, scope).map(({ id }) => id));
    const { items } = await tags.listDetailed(ALL_SITES, {}, EVERY);
    return items
      .map((tag) => ({ ...tag, siteIds: tag.siteIds.filter((id) => visible.has(id)) }))
      .map((tag) => ({ ...tag, sitesCount: tag.siteIds.length }))
      .filter(({ sitesCount }) => sitesCount > 0 || !isLimited(scope));
  }
  const eachScope = async (check: (scope: SiteScope, seen: TagDetail[], name: string) => Promise<void>) => {
    for (const [name, scope] of Object.entries(fleet.scopes)) await check(scope, await expected(scope), name);
  };

  it('when tags are listed, then a limited caller gets those of its sites, with the sites and counts of its limit', async () => {
    const totals: number[] = [];
    await eachScope(async (scope, seen, name) => {
      const { items, total } = await tags.listDetailed(scope, {}, EVERY);
      assert.deepEqual(items, seen, name);
      assert.equal(total, seen.length, name);
      const brief = seen.map(({ siteIds: _, ...tag }) => tag);
      assert.deepEqual((await tags.list(scope, {}, EVERY)).items, brief, name);
      totals.push(total);
    });
    assert.deepEqual(totals, [4, 2, 3, 1, 1, 2, 2, 0]);
  });

  it('when pages of one tag are read, then they add up to the list, and every page has the total of the limit', async () => {
    await eachScope(async (scope, seen, name) => {
      for (let page = 1; page <= seen.length + 1; page++) {
        const { items, total } = await tags.listDetailed(scope, {}, { page, perPage: 1 });
        assert.deepEqual([items, total], [seen.slice(page - 1, page), seen.length], `${name}, page ${page}`);
      }
    });
  });

  it('when tags are filtered, then the total counts only the tags of the limit that match', async () => {
    const filters = [
      { search: 'S', matches: (tag: TagDetail) => /s/i.test(tag.name) },
      { include: fleet.tags.slice(1), matches: (tag: TagDetail) => fleet.tags.indexOf(tag.id) > 0 },
      { exclude: fleet.tags.slice(0, 1), matches: (tag: TagDetail) => fleet.tags.indexOf(tag.id) > 0 },
    ];
    await eachScope(async (scope, seen, name) => {
      for (const { matches, ...filter } of filters) {
        const { items, total } = await tags.listDetailed(scope, filter, EVERY);
        const wanted = seen.filter(matches);
        assert.deepEqual([items, total], [wanted, wanted.length], `${name}, ${JSON.stringify(filter)}`);
      }
    });
  });

  it('when no site of a tag is in the limit, then the tag does not exist, by ID and by name', async () => {
    const { items } = await tags.listDetailed(ALL_SITES, {}, EVERY);
    const missing = await tags.get(ALL_SITES, 999).catch((error: unknown) => error);
    assert.ok(missing instanceof NotFoundError);
    await eachScope(async (scope, seen, label) => {
      for (const { id, name } of items) {
        const tag = seen.find((each) => each.id === id);
        const reads = [
          [() => tags.get(scope, id), tag],
          [() => tags.name(scope, id), name],
          [() => tags.idOf(scope, name.toUpperCase()), id],
          [() => tags.idsOf(scope, [String(id), name]), [id, id]],
        ] as const;
        for (const [read, answer] of reads)
          if (tag) assert.deepEqual(await read(), answer, label);
          else await assert.rejects(read, missing, label);
      }
    });
  });

  it('when the tags of sites change, then the total of a limited caller changes', async () => {
    const scope = fleet.scopes['one client'] as SiteScope;
    assert.equal((await tags.list(scope, {}, EVERY)).total, 2);
    await knex('site_tags').where({ tag_id: fleet.tags[1] }).delete();
    await bumpRevision(knex, 'sites');
    assert.equal((await tags.list(scope, {}, EVERY)).total, 1);
    assert.equal((await tags.list(ALL_SITES, {}, EVERY)).total, 4);
  });

  it('when a caller is limited, then the reads need no more SQL statements', async () => {
    const counts = (scope: SiteScope) =>
      countEachCall(knex, [
        () => tags.listDetailed(scope, {}, EVERY),
        () => tags.get(scope, fleet.tags[0] as number),
        () => tags.idOf(scope, 'shop'),
      ]);
    const unlimited = await counts(ALL_SITES);
    for (const name of ['one client', 'one tag', 'one site'])
      assert.deepEqual(await counts(fleet.scopes[name] as SiteScope), unlimited, name);
  });
});
