import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { openDatabase, type Database } from '../../../src/db/database.ts';
import { readRevision } from '../../../src/db/revisions.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { ChangeCountRepository } from '../../../src/domains/changes/change-count-repository.ts';
import { ChangeMarkRepository } from '../../../src/domains/changes/change-mark-repository.ts';
import { ChangeReadModel, type FleetChangeFilter } from '../../../src/domains/changes/index.ts';
import { ChangeRepository, type NewChangeRow } from '../../../src/domains/changes/change-repository.ts';
import { ChangeTotals } from '../../../src/domains/changes/change-totals-read-model.ts';
import { changesPart } from '../../../src/domains/changes/part.ts';
import type { BaseServices } from '../../../src/platform/base-services.ts';
import { DAY, HOUR } from '../../../src/shared/clock.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { openTestDatabase, recordLongReads, recordStatements, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/until.ts';

const FIRST_PAGE = { page: 1, perPage: 1 };

describe('kept totals of changes', () => {
  let store: TestDatabase;
  let second: Database;
  let knex: Knex;
  let models: [ChangeReadModel, ChangeReadModel];

  beforeEach(async () => {
    store = await openTestDatabase();
    second = openDatabase(store.target);
    knex = store.database.knex;
    models = [new ChangeReadModel(knex), new ChangeReadModel(second.knex)];
  });
  afterEach(async () => {
    for (const model of models) await model.stop();
    await second.close();
    await store.close();
  });

  const row = (at: number, over: Partial<NewChangeRow> = {}): NewChangeRow => ({
    ...{ site_id: null, source: 'dashboard', external_id: null, type: 'tag.added', description: '', actor: 'ann', at },
    ...{ object_name: null, object_key: null, old_values: null, new_values: null, ...over },
  });
  const append = (...rows: NewChangeRow[]): Promise<void> =>
    inTransaction(knex, ({ trx }) => new ChangeRepository(trx).insert(rows));
  const advance = (): Promise<void> => inTransaction(knex, ({ trx }) => new ChangeMarkRepository(trx).advance());
  const expire = (before: number, db = knex): Promise<void> =>
    inTransaction(db, ({ trx }) => new ChangeMarkRepository(trx).expireBefore(before));
  const rollUp = async (before: number, limit: number, db = knex): Promise<number> =>
    (await inTransaction(db, ({ trx }) => new ChangeCountRepository(trx).rollUp(before, limit))).deleted;
  const total = async (model: ChangeReadModel, filter: FleetChangeFilter = {}): Promise<number> =>
    (await model.ofFleet(ALL_SITES, filter, FIRST_PAGE, 'desc')).total;
  const totals = (filter?: FleetChangeFilter): Promise<number[]> =>
    Promise.all(models.map((model) => total(model, filter)));

  it('when retention deletes the changes of an hour in steps, then totals are true and stay kept', async () => {
    const hours = [0, 0, 0, 1, 1, 2, 3, 5];
    await append(...hours.map((hour) => row(hour * HOUR, { actor: hour === 0 ? 'ben' : 'ann' })));
    await advance();
    assert.deepEqual(await totals(), [8, 8]);
    await expire(HOUR / 2);
    assert.deepEqual(await totals(), [8, 8]);
    assert.deepEqual(await totals({ actor: 'ben' }), [3, 3]);
    const revision = await readRevision(knex, 'changes');
    for (const left of [2, 1, 0]) {
      assert.equal(await rollUp(HOUR / 2, 1), 1);
      const statements = await recordStatements(knex, () => total(models[0]));
      assert.equal(statements.filter((sql) => sql.includes('count(*)')).length, 1);
      assert.deepEqual(await totals(), [5 + left, 5 + left]);
      assert.deepEqual(await totals({ actor: 'ben' }), [left, left]);
    }
    assert.equal(await readRevision(knex, 'changes'), revision);
    await expire(HOUR / 2);
    await expire(HOUR);
    assert.equal(await readRevision(knex, 'changes'), revision);
    await expire(HOUR + 1);
    assert.equal(await readRevision(knex, 'changes'), revision + 1);
    assert.deepEqual(await totals(), [5, 5]);
  });

  it('when retention runs for changes of many steps, then the revision changes once', async () => {
    const now = 100 * DAY + HOUR / 2;
    const base = { database: store.database, clock: { now: () => now } } as BaseServices;
    const [retention] = changesPart(base, () => 10).retentions ?? [];
    await append(...Array.from({ length: 1_100 }, () => row(DAY)), row(95 * DAY));
    await advance();
    const revision = await readRevision(knex, 'changes');
    assert.deepEqual([await retention?.prune(), await retention?.prune(), await retention?.prune()], [500, 500, 100]);
    assert.equal(await readRevision(knex, 'changes'), revision + 1);
    assert.deepEqual(await totals(), [1, 1]);
  });

  it('when changes are deleted whose time no mark has passed, then totals are counted again', async () => {
    await append(...[0, 1, 2, 3].map((hour) => row(hour * HOUR)));
    await advance();
    await expire(HOUR);
    assert.deepEqual(await totals(), [4, 4]);
    assert.equal(await rollUp(2 * HOUR, 5), 2);
    assert.deepEqual(await totals(), [2, 2]);
    const [newest] = await knex('changes').orderBy('id', 'desc').pluck<number[]>('id');
    await inTransaction(knex, ({ trx }) => new ChangeRepository(trx).delete([newest as number]));
    assert.deepEqual(await totals(), [1, 1]);
  });

  it('when changes of any time are logged while retention runs, then every total is the number of rows', async () => {
    const databases = [knex, second.knex];
    // A linear congruential generator, so that each run has the same steps.
    let state = 7;
    const below = (limit: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const filters: FleetChangeFilter[] = [{}, { actor: 'ben' }, { since: 6 * HOUR }, { contexts: ['tag'] }];
    for (let step = 1; step <= 80; step++) {
      const db = databases[below(2)] as Knex;
      const before = (step / 10) * HOUR;
      const work = [
        () => append(row(below(12) * (HOUR / 2)), row((step / 10 + below(5)) * HOUR, { actor: 'ben' })),
        advance,
        () => expire(before, db),
        () => rollUp(before, 2, db),
        () => rollUp(before, 2, db),
      ];
      await work[below(work.length)]?.();
      const rows = await knex('changes').select<{ at: number; actor: string }[]>('at', 'actor');
      const expected = [rows.length, rows.filter(({ actor }) => actor === 'ben').length];
      expected.push(rows.filter(({ at }) => Number(at) >= 6 * HOUR).length, rows.length);
      for (const [index, filter] of filters.entries())
        assert.deepEqual(await totals(filter), [expected[index], expected[index]], `step ${step}, filter ${index}`);
    }
  });

  it('when a total is counted for the first time, then it is a long read, and the next count is not', async () => {
    await append(...Array.from({ length: 20 }, () => row(HOUR)));
    await advance();
    for (const [filter, isLongPage] of [
      [{}, false],
      [{ type: 'tag.added' }, false],
      [{ contexts: ['tag'] }, true],
      [{ actions: ['added'] }, true],
      [{ actor: 'ann', type: 'tag.added' }, true],
    ] as [FleetChangeFilter, boolean][]) {
      const first = await recordLongReads(knex, () => total(models[0], filter));
      assert.equal(first.long.length, isLongPage ? 2 : 1);
      const next = await recordLongReads(knex, () => total(models[0], filter));
      assert.equal(next.long.length, isLongPage ? 1 : 0);
    }
    const deep = () => models[0].ofFleet(ALL_SITES, {}, { page: 12, perPage: 100 }, 'desc');
    assert.equal((await recordLongReads(knex, deep)).long.length, 1);
  });

  it('when the revision changes, then a total that was used is counted again before it is used', async () => {
    const model = new ChangeReadModel(knex, new ChangeTotals(knex, 1, 1));
    await append(...Array.from({ length: 20 }, () => row(HOUR)));
    await advance();
    assert.equal(await total(model), 20);
    const ids = await knex('changes').orderBy('id').limit(5).pluck<number[]>('id');
    const isCounted = (sql: string): boolean => /count\(\*\) from .changes.\) as/.test(sql);
    const background: string[] = [];
    const note = ({ sql }: { sql: string }): void => void (isCounted(sql) && background.push(sql));
    knex.on('query', note);
    await inTransaction(knex, ({ trx }) => new ChangeRepository(trx).delete(ids));
    await eventually(() => background.length > 0, 'another count');
    await eventually(async () => {
      const statements = await recordStatements(knex, () => total(model));
      return !statements.some(isCounted);
    }, 'a kept total');
    knex.off('query', note);
    assert.equal(await total(model), 15);
    await model.stop();
  });
});
