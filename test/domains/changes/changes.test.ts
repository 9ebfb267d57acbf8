import assert from 'node:assert/strict';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import type { Knex } from 'knex';
import type { ChildLogEntry } from '../../../src/connector/child-site.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { ChangeLog, ChangeReadModel, ChildLogStore } from '../../../src/domains/changes/index.ts';
import { SiteRepository } from '../../../src/domains/sites/site-repository.ts';
import { openTestDatabase, recordStatements, type TestDatabase } from '../../support/database.ts';
import { storeLogs, storeSite } from '../../support/sites.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const clock = { now: () => NOW };
const SECONDS = NOW / 1000;

const action = (externalId: string, cursor: number, over: Partial<ChildLogEntry> = {}): ChildLogEntry => ({
  source: 'child_actions',
  externalId,
  at: cursor * 1000,
  context: 'plugins',
  action: 'deactivated',
  summary: '"Dummy A" plugin deactivated',
  thing: { name: 'Dummy A', key: 'dummy-a/dummy-a.php', before: {}, after: {} },
  user: 'admin',
  cursor,
  ...over,
});

const modification = (externalId: string, at: number, over: Partial<ChildLogEntry> = {}): ChildLogEntry => ({
  source: 'child_changes',
  externalId,
  at,
  context: 'post',
  action: 'modified',
  summary: 'Post "Hello" modified',
  thing: { name: 'Hello', key: '1', before: { title: 'Hallo' }, after: { title: 'Hello' } },
  user: 'editor',
  cursor: null,
  ...over,
});

describe('changes', () => {
  let store: TestDatabase;
  let knex: Knex;
  let site: number;
  let other: number;
  let read: ChangeReadModel;
  const log = new ChildLogStore(clock, () => -Infinity);

  /** Stores a report as a sync does: the cursors move in the same transaction. */
  const sync = (entries: ChildLogEntry[], siteId = site, read = 0): Promise<Record<string, unknown>> =>
    storeLogs(knex, log, siteId, entries, read);

  const all = { page: 1, perPage: 100 };

  beforeEach(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
    read = new ChangeReadModel(knex);
    site = await storeSite(knex, 'a.example');
    other = await storeSite(knex, 'b.example');
  });
  afterEach(() => store.close());

  describe('reported by a child', () => {
    it('when both child logs have entries, then the types are <context>.<action>', async () => {
      await sync([action('1', SECONDS - 60), modification('21', NOW - 30_500)]);
      const { items, total } = await read.ofSite(ALL_SITES, site, {}, all);
      assert.equal(total, 2);
      assert.deepEqual(
        items.map(({ source, type, description, actor, at }) => ({ source, type, description, actor, at })),
        [
          {
            source: 'child_changes',
            type: 'post.modified',
            description: 'Post "Hello" modified',
            actor: 'editor',
            at: NOW - 30_500,
          },
          {
            source: 'child_actions',
            type: 'plugins.deactivated',
            description: '"Dummy A" plugin deactivated',
            actor: 'admin',
            at: NOW - 60_000,
          },
        ],
      );
    });

    it('when entries name an object, then its name, key and values are stored and cut to the maximum length', async () => {
      await sync([modification('21', NOW - 30_500)]);
      const [{ name, key, before, after } = assert.fail()] = (await read.ofSite(ALL_SITES, site, {}, all)).items;
      assert.deepEqual([name, key, before, after], ['Hello', '1', { title: 'Hallo' }, { title: 'Hello' }]);
      const long = '\u{1f600}'.repeat(2000);
      const thing = { name: long, key: long, before: { title: long }, after: {} };
      await sync([modification('22', NOW - 30_400, { thing })]);
      const [cut = assert.fail()] = (await read.ofSite(ALL_SITES, site, {}, all)).items;
      const lengths = [cut.name, cut.key, cut.before['title']].map((text) => Array.from(text ?? '').length);
      assert.deepEqual(lengths, [255, 191, 500]);
    });

    it('when entries arrive again, then they are stored once and keep their IDs', async () => {
      const logs = [action('1', SECONDS - 60), modification('1', NOW - 50_000)];
      await sync(logs);
      const before = await read.ofSite(ALL_SITES, site, {}, all);
      await sync([...logs, action('2', SECONDS - 10)]);
      const after = await read.ofSite(ALL_SITES, site, {}, all);
      assert.equal(after.total, 3);
      assert.deepEqual(after.items.slice(1), before.items);
    });

    it('when sites or logs use the same entry numbers, then each entry is stored', async () => {
      await sync([action('1', SECONDS - 60), modification('1', NOW - 60_000)]);
      await sync([action('1', SECONDS - 60)], other);
      assert.equal((await read.ofSite(ALL_SITES, site, {}, all)).total, 2);
      assert.equal((await read.ofSite(ALL_SITES, other, {}, all)).total, 1);
    });

    it('when texts are too long, then they are cut to the maximum length', async () => {
      const long = 'ü'.repeat(2000);
      await sync([action('9', SECONDS - 1, { context: long, summary: long, user: long })]);
      const [entry] = (await read.ofSite(ALL_SITES, site, {}, all)).items;
      assert.equal(entry?.type, 'ü'.repeat(96));
      assert.equal(entry.description, 'ü'.repeat(500));
      assert.equal(entry.actor, 'ü'.repeat(255));
    });

    it('when context or action is empty, then the type uses "other" for the empty part', async () => {
      await sync([action('1', SECONDS - 2, { context: '' }), action('2', SECONDS - 3, { action: '' })]);
      const { items } = await read.ofSite(ALL_SITES, site, {}, all);
      assert.deepEqual(
        items.map(({ type }) => type),
        ['other.deactivated', 'plugins.other'],
      );
    });

    it('when there are more entries than one SQL statement takes, then all are stored', async () => {
      await sync(Array.from({ length: 250 }, (_, n) => action(`e${n}`, SECONDS - 300 + n)));
      assert.equal((await read.ofSite(ALL_SITES, site, {}, { page: 1, perPage: 1 })).total, 250);
    });
  });

  describe('cursors', () => {
    it('when logs are read, then the cursors are the newest action and the end of the changes log', async () => {
      const entries = [action('2', SECONDS - 10.0878), action('1', SECONDS - 60.5), modification('5', NOW - 4001)];
      const patch = await sync(entries, site, SECONDS - 4.25);
      assert.deepEqual(patch, { actions_cursor: SECONDS - 10.0878, changes_cursor: SECONDS - 4.25 });
      assert.equal((await new SiteRepository(knex, NOW).syncCheckpoint(site)).changesCursor, SECONDS - 4.25);
      assert.equal((await sync([], site, SECONDS - 3.5))['changes_cursor'], SECONDS - 3.5);
    });

    it('when a log has no entries or older ones, then the cursors stay', async () => {
      await sync([action('1', SECONDS - 10.25), modification('5', NOW - 5000)], site, SECONDS - 5);
      assert.deepEqual(await sync([action('0', SECONDS - 99)], site, SECONDS - 99), {
        actions_cursor: SECONDS - 10.25,
        changes_cursor: SECONDS - 5,
      });
      assert.deepEqual(await sync([]), {});
    });

    it('when the clock of a site is ahead, then the cursors do not move into the future', async () => {
      const day = 86_400;
      await sync([action('1', SECONDS - 10), modification('5', NOW - 5000)], site, SECONDS - 5);
      const ahead = [action('2', SECONDS + 2 * day), action('3', SECONDS + 2 * day, { at: NOW })];
      const late = modification('6', NOW + 2 * day * 1000);
      const patch = await sync([...ahead, late], site, SECONDS + 2 * day);
      assert.deepEqual(patch, { actions_cursor: SECONDS - 10, changes_cursor: SECONDS - 5 });
      assert.equal((await read.ofSite(ALL_SITES, site, {}, all)).total, 5);
    });
  });

  it('when the child sends an impossible time, then the nearest valid date is stored', async () => {
    await sync([modification('1', 9e15), modification('2', -5)]);
    const { items } = await read.ofSite(ALL_SITES, site, {}, all);
    assert.deepEqual(
      items.map(({ at }) => new Date(at).toISOString().slice(0, 19)),
      ['9999-12-31T23:59:59', '1970-01-01T00:00:00'],
    );
  });

  it('when service and child entries are listed together, then they are ordered newest first', async () => {
    await sync([action('1', SECONDS), action('2', SECONDS + 60)]);
    const append = (type: string, siteId: number | null): Promise<void> =>
      inTransaction(knex, ({ trx }) =>
        new ChangeLog(clock).append(trx, { siteId, type, description: 'Done.', actor: 'admin' }),
      );
    await append('site.suspended', site);
    await append('site.updated', other);
    await append('tag.added', null);
    const { items, total } = await read.ofSite(ALL_SITES, site, {}, all);
    assert.equal(total, 3);
    assert.deepEqual(
      items.map(({ source, at }) => [source, at]),
      [
        ['child_actions', NOW + 60_000],
        ['dashboard', NOW],
        ['child_actions', NOW],
      ],
    );
  });

  it('when the transaction is rolled back, then its entries are not stored', async () => {
    const failed = inTransaction(knex, async ({ trx }) => {
      await new ChangeLog(clock).append(trx, { siteId: site, type: 'a.b', description: '', actor: 'admin' });
      throw new Error('rolled back');
    });
    await assert.rejects(failed, /rolled back/);
    assert.equal((await read.ofSite(ALL_SITES, site, {}, all)).total, 0);
  });

  it('when a type or source filter is given, then only exact matches are returned', async () => {
    await sync([action('1', SECONDS - 3), action('2', SECONDS - 2, { action: 'deleted' }), modification('1', NOW)]);
    const typesOf = async (filter: Parameters<ChangeReadModel['ofSite']>[2]): Promise<unknown> => {
      const { items, total } = await read.ofSite(ALL_SITES, site, filter, all);
      assert.equal(items.length, total);
      return items.map(({ type }) => type);
    };
    assert.deepEqual(await typesOf({ type: 'plugins.deleted' }), ['plugins.deleted']);
    assert.deepEqual(await typesOf({ type: 'plugins' }), []);
    assert.deepEqual(await typesOf({ type: 'PLUGINS.deleted' }), []);
    assert.deepEqual(await typesOf({ sources: ['child_actions'] }), ['plugins.deleted', 'plugins.deactivated']);
    assert.deepEqual(await typesOf({ sources: ['child_actions'], type: 'post.modified' }), []);
  });

  it('when entries are listed in pages, then the total is exact', async () => {
    await sync(Array.from({ length: 25 }, (_, n) => action(`e${n}`, SECONDS - 100 + n)));
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => read.ofSite(ALL_SITES, site, {}, { page, perPage: 10 })),
    );
    assert.deepEqual(
      pages.map(({ items, total, page, perPage }) => [items.length, total, page, perPage]),
      [
        [10, 25, 1, 10],
        [10, 25, 2, 10],
        [5, 25, 3, 10],
        [0, 25, 4, 10],
      ],
    );
    assert.equal(new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size, 25);
  });

  it('when a site has 1,000 entries instead of 10, then the list needs no more SQL statements', async () => {
    await sync(Array.from({ length: 10 }, (_, n) => action(`e${n}`, SECONDS - 2000 + n)));
    await sync(
      Array.from({ length: 1000 }, (_, n) => action(`e${n}`, SECONDS - 2000 + n)),
      other,
    );
    const statements = async (siteId: number, expected: number): Promise<number> => {
      const sent = await recordStatements(knex, async () => {
        const { items } = await read.ofSite(
          ALL_SITES,
          siteId,
          { sources: ['child_actions'] },
          { page: 1, perPage: 200 },
        );
        assert.equal(items.length, expected);
      });
      return sent.length;
    };
    assert.deepEqual([await statements(site, 10), await statements(other, 200)], [2, 2]);
  });
});
