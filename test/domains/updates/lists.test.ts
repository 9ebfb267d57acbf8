import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import assert from 'node:assert/strict';
import { bumpRevision } from '../../../src/db/revisions.ts';
import { IgnoredUpdatesReadModel, UpdateReadModel, type UpdateListFilter } from '../../../src/domains/updates/index.ts';
import { openTestDatabase, recordStatements, type TestDatabase } from '../../support/database.ts';

const ITEMS = [
  ['core', 'wordpress'],
  ['plugin', 'a/a.php'],
  ['plugin', 'b/b.php'],
  ['theme', 'a'],
  ['translation', 'a'],
] as const;

async function fill({ database }: TestDatabase, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += 50) {
    const numbers = Array.from({ length: Math.min(50, to - start) }, (_, at) => start + at + 1);
    const key = (id: number): string => `s${String(1_000_000 - id)}.example`;
    await database.knex('sites').insert(
      numbers.map((id) => ({
        id,
        url: `https://${key(id)}/`,
        url_key: key(id),
        name: `Site ${id}`,
        name_key: `site ${id}`,
        status: (['connected', 'suspended', 'disconnected'] as const)[id % 3],
        created_at: 1,
        updated_at: 1,
      })),
    );
    const rows = numbers.flatMap((id) => ITEMS.map(([type, slug]) => ({ id, type, slug })));
    await database.knex('site_updates').insert(
      rows.map(({ id, type, slug }) => ({
        site_id: id,
        type,
        slug,
        name: slug,
        current_version: '1',
        new_version: '2',
        site_key: key(id),
        ignored: Number(slug === 'b/b.php' && id % 2 === 0),
      })),
    );
    await database.knex('ignored_updates').insert(
      numbers
        .filter((id) => id % 2 === 0)
        .map((id) => ({
          site_id: id,
          type: 'plugin',
          slug: 'b/b.php',
          name: 'b',
          site_key: key(id),
          created_at: 1,
        })),
    );
  }
  await database.knex('revisions').increment('value', 1);
}

describe('update lists across sites', () => {
  let opened: TestDatabase;
  before(async () => {
    opened = await openTestDatabase();
  });
  after(() => opened.close());

  const FILTERS: UpdateListFilter[] = [
    { scope: ALL_SITES, types: [] },
    { scope: ALL_SITES, types: ['core'] },
    { scope: ALL_SITES, types: ['translation', 'core'] },
    { scope: ALL_SITES, types: ['plugin'], siteIds: [3, 4, 5] },
  ];

  it('when there are 1,000 sites instead of 10, then each page needs no more SQL statements', async () => {
    let updates = new UpdateReadModel(opened.database.knex);
    const ignored = new IgnoredUpdatesReadModel(opened.database.knex);
    const costs: number[][] = [];
    for (const [from, to] of [
      [0, 10],
      [10, 1000],
    ] as const) {
      await fill(opened, from, to);
      updates = new UpdateReadModel(opened.database.knex);
      const cost: number[] = [];
      for (const filter of FILTERS) {
        const request = { page: 1, perPage: 5 };
        cost.push((await recordStatements(opened.database.knex, () => updates.page(filter, request))).length);
        cost.push((await recordStatements(opened.database.knex, () => updates.page(filter, request))).length);
      }
      cost.push(
        (
          await recordStatements(opened.database.knex, () =>
            ignored.page({ scope: ALL_SITES, types: [] }, { page: 1, perPage: 5 }),
          )
        ).length,
      );
      cost.push(
        (
          await recordStatements(opened.database.knex, () =>
            updates.affected({ scope: ALL_SITES, types: [], slugs: [], withIgnored: false }),
          )
        ).length,
      );
      costs.push(cost);
    }
    assert.deepEqual(costs[1], costs[0]);
    // The page with its revisions, and the count once, later the revisions; for named sites the count, the keys and the
    // rows, each time.
    assert.deepEqual(costs[0], [2, 1, 1, 1, 1, 1, 3, 3, 4, 1]);

    const rows = await opened.database
      .knex('site_updates')
      .where({ ignored: 0 })
      .select<{ site_id: number; type: string; slug: string; site_key: string }[]>(
        'site_id',
        'type',
        'slug',
        'site_key',
      );
    const nameOf = ({ key, type, slug }: { key: string; type: string; slug: string }) => `${key} ${type} ${slug}`;
    const all = rows.map(({ site_key, ...row }) => ({ ...row, key: site_key }));
    for (const filter of FILTERS) {
      const expected = all
        .filter(({ type }) => filter.types.length === 0 || filter.types.includes(type as 'core'))
        .filter(({ site_id }) => filter.siteIds?.includes(site_id) ?? true)
        .map(nameOf)
        .sort();
      const last = Math.ceil(expected.length / 200);
      for (const page of [1, 2, last, last + 1]) {
        const answer = await updates.page(filter, { page, perPage: 200 });
        assert.equal(answer.total, expected.length);
        assert.deepEqual(
          answer.items.map((item) => nameOf({ ...item, key: new URL(item.siteUrl).host })),
          expected.slice((page - 1) * 200, page * 200),
        );
      }
    }
    assert.equal((await ignored.page({ scope: ALL_SITES, types: ['plugin'] }, { page: 2, perPage: 7 })).total, 500);
    assert.equal((await ignored.page({ scope: ALL_SITES, types: ['core'] }, { page: 1, perPage: 7 })).total, 0);
  });

  it('when an update of a connected site matches the filter, then the site is found', async () => {
    const updates = new UpdateReadModel(opened.database.knex);
    const affected = async (filter: Partial<Parameters<UpdateReadModel['affected']>[0]>) =>
      (
        await updates.affected({
          scope: ALL_SITES,
          types: [],
          slugs: [],
          withIgnored: false,
          siteIds: [3, 4, 5, 6, 9],
          ...filter,
        })
      ).map(({ id }) => id);
    assert.deepEqual(await affected({}), [9, 6, 3]);
    assert.deepEqual(await affected({ slugs: ['b/b.php'] }), [9, 3]);
    assert.deepEqual(await affected({ slugs: ['b/b.php'], withIgnored: true }), [9, 6, 3]);
    assert.deepEqual(await affected({ types: ['theme'], slugs: ['b/b.php'] }), []);
  });

  it('when a site or an update changes, then the next page has the change', async () => {
    const { knex } = opened.database;
    const updates = new UpdateReadModel(knex);
    const first = async () => (await updates.page({ scope: ALL_SITES, types: [] }, { page: 1, perPage: 1 })).items[0];
    const before = await first();
    assert.ok(before);
    await knex('sites').where({ id: before.siteId }).update({ name: 'Renamed' });
    assert.equal((await first())?.siteName, before.siteName, 'a change without a revision is not read');
    await knex.transaction((trx) => bumpRevision(trx, 'sites'));
    assert.equal((await first())?.siteName, 'Renamed');
    await knex('site_updates')
      .where({ site_id: before.siteId, type: before.type, slug: before.slug })
      .update({ new_version: '99.0' });
    await knex.transaction((trx) => bumpRevision(trx, 'updates'));
    assert.equal((await first())?.newVersion, '99.0');
  });
});
