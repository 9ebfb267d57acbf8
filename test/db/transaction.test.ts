import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { isDuplicate, isMissingReference, isTransient } from '../../src/db/dialect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { DatabaseUnavailableError } from '../../src/shared/errors.ts';
import { openTestDatabase, withFreshDatabase, type TestDatabase } from '../support/database.ts';

const tag = (name: string) => ({ name, name_key: name, created_at: 1, updated_at: 1 });
const transient = (code: string): Error => Object.assign(new Error('in the way'), { code });

describe('transactions', () => {
  let knex: Knex;
  withFreshDatabase(({ database }) => (knex = database.knex));
  const names = () => knex('tags').orderBy('id').pluck<string[]>('name');

  it('when the callback succeeds, then the transaction commits and returns its result', async () => {
    const answer = await inTransaction(knex, async ({ trx }) => {
      await trx('tags').insert(tag('a'));
      return 7;
    });
    assert.equal(answer, 7);
    assert.deepEqual(await names(), ['a']);
  });

  it('when the callback throws, then the transaction is rolled back', async () => {
    await assert.rejects(
      inTransaction(knex, async ({ trx }) => {
        await trx('tags').insert(tag('a'));
        throw new Error('no');
      }),
      /no/,
    );
    assert.deepEqual(await names(), []);
  });

  for (const code of ['ER_LOCK_DEADLOCK', 'ER_CHECKREAD', 'ER_LOCK_WAIT_TIMEOUT', 'SQLITE_BUSY'])
    it(`when ${code} ends a transaction, then it runs again without the effects of the first run`, async () => {
      let runs = 0;
      const effects: number[] = [];
      await inTransaction(knex, async ({ trx, afterCommit }) => {
        const run = ++runs;
        await trx('tags').insert(tag(`run ${run}`));
        afterCommit(() => effects.push(run));
        if (run < 3) throw transient(code);
      });
      assert.equal(runs, 3);
      assert.deepEqual(await names(), ['run 3']);
      assert.deepEqual(effects, [3]);
    });

  it('when a transaction meets other writers ten times, then the database counts as unavailable', async () => {
    let runs = 0;
    await assert.rejects(
      inTransaction(knex, async () => {
        runs++;
        throw transient('ER_LOCK_DEADLOCK');
      }),
      (error: unknown) => error instanceof DatabaseUnavailableError && (error.cause as Error).message === 'in the way',
    );
    assert.equal(runs, 10);
  });

  for (const [what, fields] of [
    ['a Galera node without quorum', { code: 'ER_UNKNOWN_COM_ERROR' }],
    ['a commit that Galera refuses', { code: 'ER_ERROR_DURING_COMMIT' }],
    ['a connection that the server killed', { errno: 1927 }],
    ['a server that became read-only', { code: 'ER_READ_ONLY_MODE' }],
    ['a statement that the shutdown interrupted', { code: 'ER_QUERY_INTERRUPTED' }],
  ] as const)
    it(`when a transaction meets ${what}, then the database is unavailable`, async () => {
      let runs = 0;
      const work = inTransaction(knex, async () => {
        runs++;
        throw Object.assign(new Error('gone'), fields);
      });
      await assert.rejects(work, DatabaseUnavailableError);
      assert.equal(runs, 1);
    });

  it('when another error is thrown, then the transaction is not retried', async () => {
    let runs = 0;
    await assert.rejects(
      inTransaction(knex, async () => {
        runs++;
        throw new Error('other');
      }),
      /other/,
    );
    assert.equal(runs, 1);
  });

  it('when a transaction commits, then its effects run in order, and never without a commit', async () => {
    const seen: string[] = [];
    await inTransaction(knex, async ({ trx, afterCommit }) => {
      afterCommit(() => seen.push('first'));
      afterCommit(() => seen.push('second'));
      await trx('tags').insert(tag('a'));
      assert.deepEqual(seen, []);
    });
    assert.deepEqual(seen, ['first', 'second']);
    await assert.rejects(
      inTransaction(knex, async ({ trx, afterCommit }) => {
        afterCommit(() => seen.push('never'));
        await trx('tags').insert(tag('a'));
      }),
      isDuplicate,
    );
    assert.deepEqual(seen, ['first', 'second']);
  });

  it('when an effect fails, then the transaction is not retried', async () => {
    let runs = 0;
    await assert.rejects(
      inTransaction(knex, async ({ trx, afterCommit }) => {
        await trx('tags').insert(tag(`run ${++runs}`));
        afterCommit(() => {
          throw transient('SQLITE_BUSY');
        });
      }),
    );
    assert.equal(runs, 1);
    assert.deepEqual(await names(), ['run 1']);
  });

  it('when two transactions deadlock, then both succeed in the end', async () => {
    await knex('tags').insert([tag('a'), tag('b')]);
    const requestTranslation = (first: string, second: string): Promise<void> =>
      inTransaction(knex, async ({ trx }) => {
        await trx('tags').where({ name: first }).increment('revision', 1);
        await new Promise((resolve) => setTimeout(resolve, 50));
        await trx('tags').where({ name: second }).increment('revision', 1);
      });
    await Promise.all([requestTranslation('a', 'b'), requestTranslation('b', 'a')]);
    assert.deepEqual(await knex('tags').pluck('revision'), [3, 3]);
  });
});

describe('database errors', () => {
  let store: TestDatabase;
  let knex: Knex;
  before(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
  });
  after(() => store.close());

  const failing = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => assert.fail('It went through.'),
      (error: unknown) => error,
    );

  it('when a unique or primary key exists, then the error is a duplicate', async () => {
    await knex('tags').insert({ id: 1, ...tag('a') });
    for (const row of [tag('a'), { id: 1, ...tag('b') }]) {
      const error = await failing(knex('tags').insert(row));
      assert.ok(isDuplicate(error), String(error));
      assert.ok(!isMissingReference(error) && !isTransient(error));
    }
  });

  it('when a reference does not exist, then the error is a missing reference', async () => {
    const error = await failing(knex('site_tags').insert({ tag_id: 1, site_id: 999, site_key: 'x' }));
    assert.ok(isMissingReference(error), String(error));
    assert.ok(!isDuplicate(error) && !isTransient(error));
  });

  it('when another error occurs, then it has none of these types', async () => {
    const faults = [knex('tags').insert({ ...tag('c'), name: null }), knex('nowhere').select()];
    for (const error of await Promise.all(faults.map(failing)))
      for (const asks of [isDuplicate, isMissingReference, isTransient]) assert.ok(!asks(error), String(error));
  });
});
