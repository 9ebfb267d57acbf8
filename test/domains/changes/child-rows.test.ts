import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { ChildLogEntry } from '../../../src/connector/child-site.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { ChangeLog, ChildLogStore } from '../../../src/domains/changes/index.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeLogs, storeSite } from '../../support/sites.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const clock = { now: () => NOW };

describe('entries of the logs of a child', () => {
  let store: TestDatabase;
  let knex: Knex;
  let site: number;
  beforeEach(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
    site = await storeSite(knex, 'a.example');
  });
  afterEach(() => store.close());

  const entry = (externalId: string, type: string, at: number, over: Partial<ChildLogEntry> = {}): ChildLogEntry => {
    const [context = '', action = ''] = type.split('.');
    const thing = { name: null, key: null, before: {}, after: {} };
    return {
      ...{ source: 'child_changes', externalId, at: NOW + at, context, action, summary: type, thing, user: 'ann' },
      ...{ cursor: null, ...over },
    };
  };
  const action = (externalId: string, type: string, at: number, over: Partial<ChildLogEntry> = {}): ChildLogEntry =>
    entry(externalId, type, at, { source: 'child_actions', ...over });
  const named = (name: string): Partial<ChildLogEntry> => ({ thing: { name, key: null, before: {}, after: {} } });
  const ofPost = (key: string): Partial<ChildLogEntry> => ({ thing: { name: 'Hello', key, before: {}, after: {} } });

  const sync = (...entries: ChildLogEntry[]): Promise<unknown> =>
    storeLogs(knex, new ChildLogStore(clock, () => -Infinity), site, entries);
  const stored = async (): Promise<string[]> => {
    const rows = await knex('changes')
      .orderBy(['at', 'id'])
      .select<{ source: string; type: string; object_key: string | null }[]>('source', 'type', 'object_key');
    return rows.map(({ source, type, object_key }) => `${source} ${type} ${object_key ?? ''}`.trim());
  };

  describe('an update of WordPress', () => {
    for (const [when, [first, second]] of [
      ['the changes log comes first', ['b', 'a']],
      ['the other log comes first', ['a', 'b']],
      ['both come at once', ['ab', '']],
    ] as const)
      it(`when ${when}, then the update is stored once, with the text of the changes log`, async () => {
        const logs: Record<string, ChildLogEntry[]> = {
          a: [action('1', 'wordpress.updated', 400)],
          b: [entry('7', 'wordpress.updated', 0)],
        };
        for (const step of [first, second]) await sync(...[...step].flatMap((log) => logs[log] ?? []));
        assert.deepEqual(await stored(), ['child_changes wordpress.updated']);
        await sync(...(logs['a'] ?? []));
        assert.deepEqual(await stored(), ['child_changes wordpress.updated'], 'nor when it comes again');
      });

    it('when the time of an entry is so wrong that 130,000 entries lie between, then all are compared', async () => {
      const digit = [1, 2, 3, 4, 5, 6, 7].reduce((sql, d) => `${sql} union all select ${d}`, 'select 0 as d');
      const tables = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `(${digit}) ${name}`).join(', ');
      const number = 'a.d + 8 * (b.d + 8 * (c.d + 8 * (d.d + 8 * (e.d + 8 * f.d))))';
      await knex.raw(
        `insert into changes (site_id, source, type, description, actor, at)
          select ?, 'child_changes', 'plugin.updated', '', '', ? + n * 60000
          from (select ${number} as n from ${tables}) numbers where n < 130000`,
        [site, NOW - 130_000 * 60_000],
      );
      const wrong = entry('1', 'plugin.updated', -NOW);
      await sync(wrong, entry('2', 'plugin.updated', 60_000));
      const [{ rows }] = (await knex('changes').count({ rows: '*' })) as [{ rows: number }];
      assert.equal(Number(rows), 130_002);
    });

    it('when name, type or hour differ, then both entries are stored', async () => {
      await sync(
        ...[entry('1', 'plugin.deleted', 0, named('A')), action('2', 'plugin.deleted', 10, named('B'))],
        ...[entry('3', 'theme.updated', 0, named('A')), action('4', 'theme.activated', 10, named('A'))],
        ...[entry('5', 'wordpress.updated', 0), action('6', 'wordpress.updated', 3_600_000)],
        ...[entry('7', 'post.updated', 0, named('A')), action('8', 'post.updated', 0, named('A'))],
      );
      assert.equal((await stored()).length, 8);
    });
  });

  describe('the creation of a post', () => {
    it('when the first entry of a post is its publication, then a creation with its status is stored', async () => {
      await sync(entry('1', 'post.published', 0, ofPost('5')), entry('2', 'post.published', 9, ofPost('5')));
      await sync(entry('3', 'post.published', 20, ofPost('5')), entry('4', 'page.scheduled', 30, ofPost('5')));
      assert.deepEqual(await stored(), [
        ...['child_changes post.created 5', 'child_changes post.published 5', 'child_changes post.published 5'],
        'child_changes page.created 5',
      ]);
      assert.equal((await knex('changes').orderBy('at').first('new_values')).new_values, '{"status":"publish"}');
    });

    it('when a draft was created before, then its publication is stored and no second creation', async () => {
      await sync(entry('1', 'post.created', 0, ofPost('5')), entry('2', 'post.published', 9, ofPost('5')));
      await inTransaction(knex, ({ trx }) =>
        new ChangeLog(clock).append(trx, {
          ...{ siteId: site, type: 'post.created', description: '', actor: 'admin', thing: { name: 'Ours', key: 6 } },
        }),
      );
      await sync(entry('3', 'post.published', 30, ofPost('6')), entry('4', 'post.published', 40));
      assert.deepEqual(
        (await stored()).filter((line) => line.includes('child')),
        [
          ...['child_changes post.created 5', 'child_changes post.published 5', 'child_changes post.published 6'],
          'child_changes post.published',
        ],
      );
    });

    it('when 600 posts are published again, then none is created again', async () => {
      const published = (at: number): ChildLogEntry[] =>
        Array.from({ length: 600 }, (_, n) => entry(`${at} ${n}`, 'post.published', at, ofPost(String(n))));
      for (const at of [0, 60_000]) await sync(...published(at));
      const types = await knex('changes').pluck<string[]>('type');
      assert.deepEqual([types.length, types.filter((type) => type === 'post.created').length], [1_200, 600]);
    });

    it('when the same entry arrives again, then the stored entry stays', async () => {
      await sync(entry('1', 'post.published', 0, ofPost('5')));
      await sync(entry('1', 'post.published', 0, ofPost('5')));
      assert.deepEqual(await stored(), ['child_changes post.created 5']);
    });
  });

  describe('one save', () => {
    const edit = (externalId: string, at: number, field: string, over: Partial<ChildLogEntry> = {}): ChildLogEntry => {
      const thing = { name: 'Hello', key: '5', before: { [field]: 'old' }, after: { [field]: 'new' } };
      return entry(externalId, 'post.updated', at, { summary: `Changed ${field}`, thing, ...over });
    };

    it('when a save changes several fields, then one entry has all of them', async () => {
      await sync(edit('1', 0, 'title'), edit('2', 0, 'address'), edit('3', 1_000, 'template'));
      assert.deepEqual(await stored(), ['child_changes post.updated 5']);
      const row = await knex('changes').first('description', 'old_values', 'new_values');
      assert.equal(row.description, 'Changed title; Changed address; Changed template');
      assert.deepEqual(JSON.parse(row.old_values), { title: 'old', address: 'old', template: 'old' });
      assert.deepEqual(JSON.parse(row.new_values), { title: 'new', address: 'new', template: 'new' });
    });

    it('when entries of a save arrive in another sync or again, then they are not stored', async () => {
      const entries = [edit('1', 0, 'title'), edit('2', 0, 'address')];
      for (const part of [entries.slice(0, 1), entries, entries.slice(1)]) await sync(...part);
      assert.deepEqual(await stored(), ['child_changes post.updated 5']);
    });

    it('when a save also publishes or trashes a post, then only this action is stored', async () => {
      await sync(edit('1', 0, 'categories'), entry('2', 'post.published', 0, ofPost('5')), edit('3', 1_000, 'title'));
      await sync(edit('4', 60_000, 'status'), entry('5', 'post.trashed', 61_000, ofPost('5')));
      assert.deepEqual(await stored(), ['child_changes post.created 5', 'child_changes post.trashed 5']);
    });

    it('when time, user or object differ, then each entry is stored', async () => {
      const thing = { name: 'Other', key: '6', before: {}, after: {} };
      await sync(edit('1', 0, 'title'), edit('2', 0, 'title', { user: 'bob' }), edit('3', 0, 'title', { thing }));
      await sync(edit('4', 60_000, 'title'), edit('5', 61_000, 'title'));
      assert.equal((await stored()).length, 4);
    });

    it('when a post is only viewed beside a save, then both entries are stored', async () => {
      await sync(edit('1', 0, 'title'), entry('2', 'post.viewed', 1_000, ofPost('5')));
      await sync(entry('3', 'post.opened', 60_000, ofPost('5')), edit('4', 61_000, 'title'));
      assert.equal((await stored()).length, 4);
    });

    it('when a plugin is updated twice, then both updates are stored', async () => {
      await sync(
        entry('1', 'plugin.updated', 0, ofPost('a/a.php')),
        entry('2', 'plugin.updated', 1, ofPost('a/a.php')),
      );
      assert.equal((await stored()).length, 2);
    });
  });
});
