import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { openDatabase, type Database } from '../../../src/db/database.ts';
import { bumpRevision } from '../../../src/db/revisions.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { ChangeCountRepository } from '../../../src/domains/changes/change-count-repository.ts';
import { ChangeMarkRepository } from '../../../src/domains/changes/change-mark-repository.ts';
import {
  ChangeRepository,
  insertUnknownChanges,
  type NewChangeRow,
} from '../../../src/domains/changes/change-repository.ts';
import { ChangeReadModel, type FleetChangeFilter } from '../../../src/domains/changes/index.ts';
import { ChangeTotals } from '../../../src/domains/changes/change-totals-read-model.ts';
import { ListedCreationRepository } from '../../../src/domains/changes/listed-creation-repository.ts';
import { SiteRepository } from '../../../src/domains/sites/site-repository.ts';
import { ALL_SITES, scopeWithin } from '../../../src/shared/site-scope.ts';
import { openTestDatabase, recordStatements, type TestDatabase } from '../../support/database.ts';
import { randomNumbers } from '../../support/random-numbers.ts';
import { storeSite } from '../../support/sites.ts';
import { eventually } from '../../support/until.ts';

const TYPES = ['plugin.updated', 'post.updated', 'tag.added'];
const ACTORS = ['ann', 'ben'];
const SOURCES = ['dashboard', 'child_lists', 'child_changes'] as const;
const FIRST_PAGE = { page: 1, perPage: 1 };

describe('totals of changes', () => {
  let store: TestDatabase;
  let second: Database;
  let knexes: [Knex, Knex];
  let models: [ChangeReadModel, ChangeReadModel];

  beforeEach(async () => {
    store = await openTestDatabase();
    second = openDatabase(store.target);
    knexes = [store.database.knex, second.knex];
    models = [new ChangeReadModel(knexes[0]), new ChangeReadModel(knexes[1])];
  });
  afterEach(async () => {
    for (const model of models) await model.stop();
    await second.close();
    await store.close();
  });

  const row = (siteId: number | null, over: Partial<NewChangeRow> = {}): NewChangeRow => ({
    ...{ site_id: siteId, source: 'dashboard', external_id: null, type: 'tag.added', description: '', actor: 'ann' },
    ...{ at: 1, object_name: null, object_key: null, old_values: null, new_values: null, ...over },
  });
  const append = (knex: Knex, ...rows: NewChangeRow[]): Promise<void> =>
    inTransaction(knex, ({ trx }) => new ChangeRepository(trx).insert(rows));
  const advance = (knex: Knex): Promise<void> =>
    inTransaction(knex, ({ trx }) => new ChangeMarkRepository(trx).advance());
  const total = async (model: ChangeReadModel, filter: FleetChangeFilter = {}, scope = ALL_SITES): Promise<number> =>
    (await model.ofFleet(scope, filter, FIRST_PAGE, 'desc')).total;
  const totals = (): Promise<number[]> => Promise.all(models.map((model) => total(model)));

  it('when two processes append, prune and delete in any order, then every total is the number of rows', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { below, of } = randomNumbers(seed);
      const [knex] = knexes;
      const sites: number[] = [];
      const addSite = async (): Promise<void> =>
        void sites.push(await storeSite(knex, `s${seed}-${below(2 ** 31)}.example`));
      await addSite();
      const client = await knex('clients').insert({
        name: `Client ${seed}`,
        name_key: `client ${seed}`,
        note: '',
        status: 'active',
        created_at: 0,
        updated_at: 0,
      });
      let now = 1;
      const randomRow = (): NewChangeRow => {
        const siteId = below(4) === 0 ? null : of(sites);
        const source = siteId === null ? 'dashboard' : of(SOURCES);
        const external_id = source === 'dashboard' ? null : `post:${below(20)}`;
        return row(siteId, { source, external_id, type: of(TYPES), actor: of(ACTORS), at: now - below(10) });
      };
      const rows = (): NewChangeRow[] => Array.from({ length: 1 + below(5) }, randomRow);
      const actions: ((knex: Knex) => Promise<unknown>)[] = [
        (db) => inTransaction(db, ({ trx }) => insertUnknownChanges(trx, rows())),
        (db) => inTransaction(db, ({ trx }) => insertUnknownChanges(trx, rows())),
        advance,
        (db) => inTransaction(db, ({ trx }) => new ChangeCountRepository(trx).rollUp(now - 30, 5)),
        (db) =>
          inTransaction(db, ({ trx }) =>
            new ListedCreationRepository(trx).delete(
              [1, 2].map(() => ({ siteId: of(sites), key: `post:${below(20)}` })),
            ),
          ),
        (db) =>
          inTransaction(db, async ({ trx }) => {
            await trx('sites')
              .where({ id: of(sites) })
              .update({ client_id: below(2) === 0 ? null : client[0] });
            await bumpRevision(trx, 'sites');
          }),
        async (db) => {
          if (below(4) > 0) return;
          const [deleted] = sites.splice(below(sites.length), 1);
          await inTransaction(db, ({ trx }) => new SiteRepository(trx, now).delete(deleted as number));
          await addSite();
        },
        async () => (sites.length < 4 ? addSite() : undefined),
      ];
      for (let step = 0; step < 60; step++) {
        now += 1;
        await of(actions)(of(knexes));
        const siteId = of(sites);
        const filters: [FleetChangeFilter, (counted: Knex.QueryBuilder) => unknown][] = [
          [{}, () => undefined],
          [{ type: of(TYPES) }, (query) => query.where({ type: filters[1]?.[0].type })],
          [{ actor: 'ben' }, (query) => query.where({ actor: 'ben' })],
          [{ siteId }, (query) => query.where({ site_id: siteId })],
          [{ about: 'service' }, (query) => query.whereNull('site_id')],
          [{ sources: ['child_lists'] }, (query) => query.where({ source: 'child_lists' })],
          [
            { clientId: client[0] },
            (query) => query.whereIn('site_id', knex('sites').where({ client_id: client[0] }).select('id')),
          ],
        ];
        for (const [filter, narrow] of filters) {
          const counted = knex('changes').count<{ n: number }[]>({ n: '*' });
          void narrow(counted);
          const expected = Number((await counted)[0]?.n);
          for (const model of models)
            assert.equal(await total(model, filter), expected, `seed ${seed}, step ${step}, ${JSON.stringify(filter)}`);
        }
      }
    }
  });

  it('when a transaction commits after one with higher IDs, then its changes are counted', async function () {
    const [first, other] = knexes;
    // SQLite has one writer, so transactions commit in the order of their IDs.
    if (!process.env['TEST_DATABASE_URL']) this.skip();
    await append(first, row(null), row(null));
    const late = await first.transaction();
    await new ChangeRepository(late).insert([row(null)]);
    await append(other, row(null));
    await advance(other);
    assert.deepEqual(await totals(), [3, 3]);
    await late.commit();
    assert.deepEqual(await totals(), [4, 4]);
    await advance(other);
    assert.deepEqual(await totals(), [4, 4]);
    assert.deepEqual(await totals(), [4, 4]);
  });

  it('when changes behind the mark are deleted while another process counts, then totals have the rest', async function () {
    const [first, other] = knexes;
    // SQLite has one writer, so the mark cannot move while another transaction deletes.
    if (!process.env['TEST_DATABASE_URL']) this.skip();
    await append(first, row(null), row(null));
    await advance(other);
    await append(first, row(null), row(null));
    const ids = await first('changes').orderBy('id').pluck<number[]>('id');
    const pruning = await first.transaction();
    await new ChangeRepository(pruning).delete(ids.slice(2, 3));
    await advance(other);
    assert.deepEqual(await totals(), [4, 4]);
    await pruning.commit();
    assert.deepEqual(await totals(), [3, 3]);
    await advance(other);
    assert.deepEqual(await totals(), [3, 3]);
  });

  it('when a transaction that inserts or deletes is rolled back, then totals are those of the stored rows', async () => {
    const [knex] = knexes;
    await append(knex, row(null), row(null));
    await advance(knex);
    assert.deepEqual(await totals(), [2, 2]);
    const ids = await knex('changes').pluck<number[]>('id');
    for (const change of [
      (trx: Knex): Promise<unknown> => new ChangeRepository(trx).insert([row(null)]),
      (trx: Knex): Promise<unknown> => new ChangeRepository(trx).delete(ids),
    ]) {
      const interrupted = await knex.transaction();
      await change(interrupted);
      await interrupted.rollback();
      await advance(knex);
      assert.deepEqual(await totals(), [2, 2]);
    }
    await append(knex, row(null));
    assert.deepEqual(await totals(), [3, 3]);
  });

  it('when the log has many rows, then a total is kept, and only newer changes are counted', async () => {
    const [knex] = knexes;
    const model = new ChangeReadModel(knex, new ChangeTotals(knex, 1));
    await append(knex, ...Array.from({ length: 600 }, () => row(null)));
    assert.equal(await total(model), 600);
    const newest = Math.max(...(await knex('changes').pluck<number[]>('id')));
    const isMoved = async (): Promise<boolean> =>
      (await knex('change_marks').where({ change_id: newest })).length === 1;
    await eventually(isMoved, 'the mark moves');
    assert.equal(await total(model), 600);
    await append(knex, row(null));
    const statements = await recordStatements(knex, () => total(model));
    assert.equal(statements.length, 2);
    assert.ok(
      statements.some((sql) => /count\(\*\).* where .*id. > \?/.test(sql)),
      statements.join('\n'),
    );
    assert.equal(await total(model), 601);
    await model.stop();
  });

  it('when a site enters a limited scope, then the total has its changes', async () => {
    const [knex] = knexes;
    const [model] = models;
    const site = await storeSite(knex, 'limited.example');
    await append(knex, row(site), row(site), row(null));
    await advance(knex);
    const scope = scopeWithin([{ clients: [], tags: [7], sites: [] }]);
    assert.equal(await total(model, {}, scope), 0);
    await knex('tags').insert({ id: 7, name: 'shop', name_key: 'shop', created_at: 0, updated_at: 0 });
    await knex('site_tags').insert({ tag_id: 7, site_id: site, site_key: 'limited.example' });
    assert.equal(await total(model, {}, scope), 2);
  });
});
