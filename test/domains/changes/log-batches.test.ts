import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { ChildLogEntry, RecentItem } from '../../../src/connector/child-site.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { ChildLogStore, recentItemsSection } from '../../../src/domains/changes/index.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/shared/clock.ts';
import { openTestDatabase, recordStatements, type TestDatabase } from '../../support/database.ts';
import { randomNumbers } from '../../support/random-numbers.ts';
import { storeLogs, storeSite } from '../../support/sites.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const clock = { now: () => NOW };
const SITES = 5;
const ROUNDS = 40;

/** Types for which the entries of one site influence each other. */
const TYPES = [
  ...['post.created', 'post.published', 'post.scheduled', 'post.updated', 'post.trashed', 'page.published'],
  ...['page.updated', 'comment.created', 'comment.replied', 'plugin.updated', 'wordpress.updated', 'user.updated'],
];

describe('entries of several sites that are stored together', () => {
  let store: TestDatabase;
  let knex: Knex;
  const log = new ChildLogStore(clock, () => -Infinity);
  const section = recentItemsSection(() => -Infinity);

  beforeEach(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
  });
  afterEach(() => store.close());

  const addSites = async (name: string, count = SITES): Promise<number[]> => {
    const ids: number[] = [];
    for (let index = 0; index < count; index++) ids.push(await storeSite(knex, `${name}-${index}.example`));
    await knex('site_states')
      .whereIn('site_id', ids)
      .update({ last_sync_at: NOW - HOUR, last_post_id: 0 });
    return ids;
  };

  const storeTogether = (sites: readonly number[], logs: readonly (readonly ChildLogEntry[])[]): Promise<void> =>
    inTransaction(knex, async ({ trx }) => {
      const stored = { actionsCursor: 0, changesCursor: 0 };
      await log.store(
        trx,
        sites.map((siteId, index) => ({ siteId, entries: logs[index] ?? [], changesRead: 0, stored })),
      );
    });

  const storeLists = (sites: readonly number[], lists: readonly RecentItem[][]): Promise<void> =>
    inTransaction(knex, async ({ trx }) => {
      const kinds = ['comment', 'post', 'page'] as const;
      const values = sites.map((id, index) => ({
        ...{ site: { id, urlKey: '' }, value: { kinds, items: lists[index] ?? [] }, now: NOW, isFirst: false },
      }));
      for (const [id, patch] of (await section.write(trx, values)) ?? [])
        await trx('site_states').where({ site_id: id }).update(patch);
    });

  const rowsOf = async (siteId: number): Promise<string[]> => {
    const rows = await knex('changes')
      .where({ site_id: siteId })
      .select<Record<string, unknown>[]>('source', 'external_id', 'type', 'description', 'actor', 'at', 'object_key')
      .select<Record<string, unknown>[]>('object_name', 'old_values', 'new_values');
    return rows.map((row) => JSON.stringify({ ...row, at: Number(row['at']) })).sort();
  };

  it('when sites have the same posts, times and entry numbers, then each stores what it would store alone', async () => {
    const { below, of } = randomNumbers(44);
    const together = await addSites('together');
    const alone = await addSites('alone');
    let round = 0;
    const entry = (): ChildLogEntry => {
      const [context = '', action = ''] = of(TYPES).split('.');
      const source = of(['child_changes', 'child_actions'] as const);
      const key = below(5) === 0 ? null : String(1 + below(2) * round + below(8));
      const values = { before: { field: String(below(3)) }, after: { field: String(below(3)) } };
      return {
        ...{ source, context, action, externalId: String(below(40 + 10 * round)), at: NOW - below(90) * SECOND },
        ...{ summary: `${context} ${action}`, user: of(['ann', 'bob']), cursor: null },
        thing: { name: of(['A', 'B', null]), key, ...values },
        ...(context === 'post' && action === 'updated' && below(2) === 0 && { insertedStatus: 'publish' }),
      };
    };
    // The highest ID of a site decides which of its posts are new, so it differs between the sites.
    const item = (index: number): RecentItem => {
      const kind = of(['comment', 'post', 'page'] as const);
      return {
        kind,
        id: 1 + below(2) * round + below(2 + 2 * index),
        title: '',
        status: 'publish',
        at: NOW - below(9) * MINUTE,
      };
    };
    const many = <T>(make: (index: number) => T): T[][] =>
      together.map((_site, index) => (below(4) === 0 ? [] : Array.from({ length: below(8) }, () => make(index))));
    for (; round < ROUNDS; round++) {
      const [logs, lists] = [many(entry), many(item)];
      await storeTogether(together, logs);
      await storeLists(together, lists);
      for (const [index, site] of alone.entries()) {
        await storeLogs(knex, log, site, logs[index] ?? []);
        await storeLists([site], [lists[index] ?? []]);
      }
      for (const [index, site] of alone.entries())
        assert.deepEqual(await rowsOf(together[index] ?? 0), await rowsOf(site), `round ${round}, site ${index}`);
    }
    const [{ rows }] = (await knex('changes').count({ rows: '*' })) as [{ rows: number }];
    assert.ok(Number(rows) > 200, 'enough entries were stored');
  });

  it('when there are 16 sites instead of one, then MySQL needs no more SQL statements', async function () {
    if (!process.env['TEST_DATABASE_URL']) this.skip();
    const [first = 0, ...others] = await addSites('many', 17);
    const entries = (from: number): ChildLogEntry[] =>
      TYPES.map((type, index) => {
        const [context = '', action = ''] = type.split('.');
        const thing = { name: 'A', key: String(from + index), before: {}, after: {} };
        const text = { context, action, summary: type, user: 'ann', thing };
        return { source: 'child_changes', externalId: String(from + index), at: NOW, cursor: null, ...text };
      });
    const statements = async (ids: readonly number[], from: number): Promise<number> => {
      const sent = await recordStatements(knex, () =>
        storeTogether(
          ids,
          ids.map(() => entries(from)),
        ),
      );
      // Rows are inserted by the hundred.
      return sent.filter((sql) => !/^insert/i.test(sql)).length;
    };
    assert.equal(await statements(others, 100), await statements([first], 100));
  });

  it('when sites send 8,000 entries at once, then at most 1,000 are stored together', async () => {
    const sites = await addSites('many', 16);
    const entries = Array.from({ length: 500 }, (_, index): ChildLogEntry => {
      const text = { context: 'user', action: 'logged_in', summary: '', user: 'ann' };
      const thing = { name: null, key: null, before: {}, after: {} };
      return { source: 'child_changes', externalId: String(index), at: NOW, cursor: null, ...text, thing };
    });
    const sent = await recordStatements(knex, () =>
      storeTogether(
        sites,
        sites.map(() => entries),
      ),
    );
    // Each part locks the marks once.
    assert.equal(sent.filter((sql) => sql.includes('change_marks')).length, 8);
  });
});
