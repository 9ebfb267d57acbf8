import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { readRevision, type RevisionSubject } from '../../src/db/revisions.ts';
import { SharedTransactions, type SharedTransactionsOptions } from '../../src/db/shared-transactions.ts';
import { withFreshDatabase } from '../support/database.ts';

/** The items of these tests are the works themselves. */
type Work = (trx: Knex.Transaction) => Promise<RevisionSubject[]>;

describe('shared transactions', () => {
  let knex: Knex;
  let shared: SharedTransactions<Work>;
  let sizeOf: (work: Work) => number;
  const sharedWith = (options?: SharedTransactionsOptions): SharedTransactions<Work> =>
    new SharedTransactions<Work>(
      knex,
      {
        work: async (trx, works) => {
          const subjects: RevisionSubject[] = [];
          for (const work of works) subjects.push(...(await work(trx)));
          return subjects;
        },
        sizeOf,
      },
      options,
    );
  withFreshDatabase(({ database }) => {
    knex = database.knex;
    sizeOf = () => 1;
    shared = sharedWith();
  });

  const add = (trx: Knex.Transaction, name: string) =>
    trx('tags').insert({ name, name_key: name, created_at: 1, updated_at: 1 });
  const names = () => knex('tags').orderBy('name').pluck<string[]>('name');

  it('when much work waits, then a few transactions store it, and each increments a revision once', async () => {
    const before = await readRevision(knex, 'tags');
    const transactions = new Set<Knex.Transaction>();
    const some = Array.from({ length: 40 }, (_, index) => `tag ${String(index).padStart(2, '0')}`);
    await Promise.all(
      some.map((name) =>
        shared.run(async (trx) => {
          transactions.add(trx);
          await add(trx, name);
          return ['tags'];
        }),
      ),
    );
    assert.deepEqual(await names(), some);
    // 16 at most share one, so that 40 need at least 3.
    assert.ok(transactions.size >= 3 && transactions.size < 20, String(transactions.size));
    assert.equal((await readRevision(knex, 'tags')) - before, transactions.size);
  });

  it('when items are large, then fewer share a transaction, and the largest has its own', async () => {
    const sizes = [9, 8, 40, 6, 6, 4, 1];
    sizeOf = (work) => Number(work.name.slice('size '.length));
    const sized = sharedWith({ expected: () => 0 });
    const transactions = new Map<Knex.Transaction, number[]>();
    const workOf = (size: number): Work => {
      const run: Work = async (trx) => {
        transactions.set(trx, [...(transactions.get(trx) ?? []), size]);
        return [];
      };
      return Object.defineProperty(run, 'name', { value: `size ${size}` });
    };
    await Promise.all(sizes.map((size) => sized.run(workOf(size))));
    // MariaDB has two writers, so the transactions begin in any order.
    assert.deepEqual([...transactions.values()].map(String).sort(), ['1', '40', '6,6,4', '8', '9']);
  });

  it('when one of them fails, then only this one is rejected, and it leaves nothing behind', async () => {
    const before = await readRevision(knex, 'tags');
    const work = (name: string) =>
      shared.run(async (trx) => {
        await add(trx, name);
        if (name === 'b') throw new Error('The work failed.');
        return ['tags'];
      });
    const results = await Promise.allSettled(['a', 'b', 'c'].map(work));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await names(), ['a', 'c']);
    // MariaDB has two writers, so the others may share a transaction or not.
    const increments = (await readRevision(knex, 'tags')) - before;
    assert.ok(increments === 1 || increments === 2, String(increments));
  });

  it('when more work is expected, then one transaction waits for it', async () => {
    let expected = 2;
    const gathering = sharedWith({ expected: () => expected, gatherMs: 60_000 });
    const transactions = new Set<Knex.Transaction>();
    const run = (name: string) =>
      gathering.run(async (trx) => {
        transactions.add(trx);
        await add(trx, name);
        return [];
      });
    const stored = [run('a')];
    for (expected = 1; stored.length < 3; expected = 0) {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      stored.push(run(`b ${stored.length}`));
    }
    await Promise.all(stored);
    assert.deepEqual([await names(), transactions.size], [['a', 'b 1', 'b 2'], 1]);
  });

  it('when expected work does not come, then the rest is stored without it', async () => {
    const gathering = sharedWith({ expected: () => 1, gatherMs: 1 });
    await gathering.run(async (trx) => {
      await add(trx, 'a');
      return [];
    });
    assert.deepEqual(await names(), ['a']);
  });

  it('when the database is not available, then each is rejected without another attempt', async () => {
    const attempts: string[] = [];
    const work = (name: string) =>
      shared.run(async (trx) => {
        attempts.push(name);
        await add(trx, name);
        if (name === 'b') throw Object.assign(new Error('The disk failed.'), { code: 'SQLITE_IOERR' });
        return [];
      });
    const results = await Promise.allSettled(['a', 'b'].map(work));
    // With a second writer, each work has a transaction of its own, and either can be the first.
    assert.deepEqual(attempts.toSorted(), ['a', 'b']);
    assert.equal(results[1]?.status, 'rejected');
    assert.deepEqual(await names(), results[0]?.status === 'fulfilled' ? ['a'] : []);
  });

  it('when the conflict of one of them lasts, then only this one is rejected', async () => {
    const work = (name: string) =>
      shared.run(async (trx) => {
        await add(trx, name);
        if (name === 'b') throw Object.assign(new Error('Deadlock found.'), { code: 'ER_LOCK_DEADLOCK', errno: 1213 });
        return [];
      });
    const results = await Promise.allSettled(['a', 'b', 'c'].map(work));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await names(), ['a', 'c']);
  });

  it('when no transaction can begin, then everything that waits is rejected', async () => {
    await knex.destroy();
    const work = () => shared.run(() => Promise.reject(new Error('The work ran.')));
    const results = await Promise.allSettled([work(), work(), work()]);
    for (const result of results) {
      assert.equal(result.status, 'rejected');
      assert.doesNotMatch(String(result.reason), /The work ran/);
    }
    knex.initialize();
  });

  it('when the transaction is repeated after a conflict, then each work is stored once', async () => {
    let attempts = 0;
    const conflict = () => Object.assign(new Error('Deadlock found.'), { code: 'ER_LOCK_DEADLOCK', errno: 1213 });
    await Promise.all([
      shared.run(async (trx) => {
        await add(trx, 'a');
        return [];
      }),
      shared.run(async (trx) => {
        await add(trx, 'b');
        attempts += 1;
        if (attempts === 1) throw conflict();
        return [];
      }),
    ]);
    assert.deepEqual([await names(), attempts], [['a', 'b'], 2]);
  });
});
