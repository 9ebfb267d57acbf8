import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { TagDetail, TagService } from '../../../src/domains/tags/index.ts';
import { NotFoundError, PreconditionFailedError } from '../../../src/shared/errors.ts';
import { ALL_SITES, isLimited, scopeWithin, type SiteScope } from '../../../src/shared/site-scope.ts';
import { countEachCall } from '../../support/database.ts';
import { sitesInScope, viewerWithin, withLimitedFleet, type LimitedFleet } from '../../support/limited-fleet.ts';
import { outsideBy, whileAnotherWrites } from '../../support/limited-writes.ts';

describe('writes of tags by a limited caller', () => {
  let knex: Knex;
  let tags: TagService;
  let fleet: LimitedFleet;

  withLimitedFleet((stored) => ({ knex, tags, fleet } = stored));

  const tagId = (index: number): number => fleet.tags[index] ?? assert.fail();
  const siteId = (index: number): number => fleet.sites[index]?.id ?? assert.fail();
  const scopeOf = (name: string): SiteScope => fleet.scopes[name] ?? assert.fail(name);
  const stored = async (): Promise<unknown[]> => [
    await knex('tags').orderBy('id'),
    await knex('site_tags').orderBy(['tag_id', 'site_id']),
    await knex('changes').count({ n: '*' }),
  ];
  const writes = (scope: SiteScope, id: number): Record<string, () => Promise<unknown>> => ({
    name: () => tags.update(scope, id, { name: `renamed ${id}` }, 'tester'),
    color: () => tags.update(scope, id, { color: '#123456' }, 'tester'),
    preview: () => tags.previewDelete(viewerWithin(scope), id),
    deletion: () => tags.delete(scope, id, 'tester'),
  });

  it('when a tag has sites outside, then a change of it is refused with their number, and without visible ones it does not exist', async () => {
    const missing = await tags.delete(ALL_SITES, 999, 'tester').catch((error: unknown) => error);
    assert.ok(missing instanceof NotFoundError);
    const refused = new Set<number>();
    for (const [name, scope] of Object.entries(fleet.scopes).filter(([, each]) => isLimited(each)))
      for (const id of fleet.tags) {
        const tagged = fleet.sites.filter(({ tagIds }) => tagIds.includes(id)).length;
        const seen = sitesInScope(fleet, scope).filter(({ tagIds }) => tagIds.includes(id)).length;
        if (seen > 0 && seen === tagged) continue;
        const before = await stored();
        for (const [what, write] of Object.entries(writes(scope, id))) {
          const label = `${name}: ${what} of ${id}`;
          if (seen === 0) await assert.rejects(write, missing, label);
          else await assert.rejects(write, outsideBy(tagged - seen), label);
        }
        assert.deepEqual(await stored(), before, name);
        if (seen > 0) refused.add(tagged - seen);
      }
    assert.deepEqual([...refused].sort(), [1, 2, 3]);
  });

  it('when a limited caller sees all sites of a tag, then it changes and deletes the tag', async () => {
    const scope = scopeOf('one tag');
    const answer = await tags.update(scope, tagId(0), { name: 'stores', color: '#123456' }, 'tester');
    assert.deepEqual([answer.name, answer.color, answer.sitesCount], ['stores', '#123456', 4]);
    assert.equal((await tags.delete(scope, tagId(0), 'tester')).sitesCount, 4);
    assert.equal(
      await knex('tags')
        .where({ id: tagId(0) })
        .first(),
      undefined,
    );
  });

  it('when a limited caller sends the values that a tag has, then it gets the tag of its limit, and nothing changes', async () => {
    const scope = scopeOf('one client');
    const before = await stored();
    const answer = await tags.update(scope, tagId(0), { name: 'shop', color: null }, 'tester');
    assert.deepEqual([answer.sitesCount, answer.siteIds], [2, [siteId(0), siteId(2)]]);
    assert.deepEqual(await stored(), before);
  });

  it('when a limited caller sends a precondition, then it gets the tag as the caller reads it', async () => {
    const scope = scopeOf('one client');
    const seen: TagDetail[] = [];
    const stale = (tag: TagDetail): void => {
      seen.push(tag);
      throw new PreconditionFailedError('svc_precondition_failed', 'stale');
    };
    const wanted = await tags.get(scope, tagId(0));
    await assert.rejects(tags.update(scope, tagId(0), { name: 'x' }, 'tester', stale), PreconditionFailedError);
    await assert.rejects(tags.delete(scope, tagId(0), 'tester', stale), PreconditionFailedError);
    assert.deepEqual(seen, [wanted, wanted]);
  });

  it('when a site outside gets the tag during a write, then the write is refused', async () => {
    const scope = scopeWithin([{ clients: [], tags: [], sites: [siteId(5), siteId(6)] }]);
    for (const what of ['name', 'deletion']) {
      const tagged = { site_id: siteId(1), tag_id: tagId(2), site_key: 'fleet-8.example' };
      const write = writes(scope, tagId(2))[what] ?? assert.fail();
      await assert.rejects(
        whileAnotherWrites(knex, (trx) => trx('site_tags').insert(tagged), write),
        outsideBy(1),
      );
      await knex('site_tags')
        .where({ site_id: siteId(1), tag_id: tagId(2) })
        .delete();
    }
    assert.equal((await tags.get(scope, tagId(2))).name, 'Staging');
  });

  it('when a caller is limited, then a write needs one more SQL statement', async () => {
    const count = (scope: SiteScope, id: number) => countEachCall(knex, Object.values(writes(scope, id)));
    const unlimited = await count(ALL_SITES, tagId(1));
    const limited = await count(scopeOf('one tag'), tagId(0));
    assert.deepEqual(
      limited.map((sent, index) => sent - (unlimited[index] ?? 0)),
      [1, 1, 1, 1],
    );
  });
});
