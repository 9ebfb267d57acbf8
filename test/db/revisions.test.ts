import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { bumpRevision, RevisionCache, readRevision, REVISION_SUBJECTS } from '../../src/db/revisions.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { openTestDatabase, recordStatements, type TestDatabase } from '../support/database.ts';

describe('revision cache', () => {
  let store: TestDatabase;
  let knex: Knex;
  let totals: RevisionCache;
  let computed: string[];
  beforeEach(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
    totals = new RevisionCache(knex, 'sites');
    computed = [];
  });
  afterEach(() => store.close());

  const bump = (...subjects: Parameters<typeof bumpRevision>[1][]) =>
    inTransaction(knex, ({ trx }) => bumpRevision(trx, ...subjects));
  const get = (filter: string, total = 1): Promise<number> =>
    totals.get(filter, async () => {
      computed.push(filter);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return total;
    });

  it('when nothing was written, then every subject has a revision', async () => {
    for (const subject of REVISION_SUBJECTS) assert.ok((await readRevision(knex, subject)) >= 1, subject);
  });

  it('when the same filter is requested again, then the value is computed once', async () => {
    assert.deepEqual([await get('a', 1), await get('b', 2), await get('a', 9), await get('b', 9)], [1, 2, 1, 2]);
    assert.deepEqual(computed, ['a', 'b']);
  });

  it('when several callers request a value, then one computes it and the others wait', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => get('a', index)));
    assert.deepEqual(new Set(answers).size, 1);
    assert.deepEqual(computed, ['a']);
  });

  it('when any process bumps the subject, then the value is computed again', async () => {
    await get('a', 1);
    await bump('sites');
    assert.equal(await get('a', 2), 2);
    await inTransaction(knex, async ({ trx }) => {
      await trx('revisions').where({ name: 'sites' }).increment('value', 1);
    });
    assert.equal(await get('a', 3), 3);
    assert.deepEqual(computed, ['a', 'a', 'a']);
  });

  it('when other subjects are bumped, then the cached value stays', async () => {
    await get('a', 1);
    await bump('clients', 'tags');
    assert.equal(await get('a', 2), 1);
  });

  it('when the transaction of a bump is rolled back, then the cached value stays', async () => {
    await get('a', 1);
    await assert.rejects(
      inTransaction(knex, async ({ trx }) => {
        await bumpRevision(trx, 'sites');
        throw new Error('undone');
      }),
    );
    assert.equal(await get('a', 2), 1);
  });

  it('when a write bumps several subjects, then each revision is incremented by one', async () => {
    const before = await Promise.all(REVISION_SUBJECTS.map((subject) => readRevision(knex, subject)));
    await bump('sites', 'clients');
    const after = await Promise.all(REVISION_SUBJECTS.map((subject) => readRevision(knex, subject)));
    assert.deepEqual(
      REVISION_SUBJECTS.filter((_, index) => after[index] !== before[index]),
      ['sites', 'clients'],
    );
    assert.equal((after[0] ?? 0) - (before[0] ?? 0), 1);
  });

  it('when the computation fails, then no value is cached', async () => {
    const failed = () => totals.get('a', () => Promise.reject(new Error('no count')));
    const both = await Promise.allSettled([failed(), failed()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await get('a', 5), 5);
    assert.equal(await get('a', 6), 5);
  });

  it('when a value is cached, then one SQL statement reads the revision and nothing else', async () => {
    await get('a');
    assert.equal((await recordStatements(knex, () => get('a'))).length, 1);
  });

  it('when callers arrive before the revision is read, then they share the read', async () => {
    await get('a');
    const looks = await recordStatements(knex, () => Promise.all(Array.from({ length: 20 }, () => get('a'))));
    assert.equal(looks.length, 2, 'the first has one of its own, the others come while it is under way');
  });

  it('when there are more filters than the cache holds, then only the oldest is removed', async () => {
    totals = new RevisionCache(knex, 'sites', { most: 20 });
    for (let index = 0; index <= 20; index++) await totals.get(`filter ${index}`, async () => index);
    assert.equal(await totals.get('filter 1', async () => -1), 1);
    assert.equal(await totals.get('filter 20', async () => -1), 20);
    assert.equal(await get('filter 0', 77), 77);
  });

  it('when results have weights, then their sum is limited', async () => {
    totals = new RevisionCache(knex, 'sites', { most: 20, weigh: (total) => total });
    for (const weight of [8, 12]) await get(`filter ${weight}`, weight);
    assert.deepEqual([await get('filter 8', -1), await get('filter 12', -1)], [8, 12]);
    await get('filter 3', 3);
    assert.deepEqual([await get('filter 12', -1), await get('filter 3', -1)], [12, 3]);
    assert.deepEqual(computed, ['filter 8', 'filter 12', 'filter 3']);
    await get('filter 21', 21);
    assert.deepEqual([totals.has('filter 12'), totals.has('filter 21')], [false, false]);
  });

  it('when a computation fails, then its weight is free again', async () => {
    totals = new RevisionCache(knex, 'sites', { most: 2 });
    await get('a', 1);
    for (const name of ['b', 'c', 'd'])
      await assert.rejects(totals.get(name, () => Promise.reject(new Error(`no ${name}`))));
    await get('e', 5);
    assert.equal(await get('a', -1), 1);
  });
});
