import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { ChildLogEntry, RecentItem } from '../../../src/connector/child-site.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { ChangeLog, ChildLogStore, recentItemsSection } from '../../../src/domains/changes/index.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/shared/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeLogs, storeSite } from '../../support/sites.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const LAST_SYNC = NOW - HOUR;
const clock = { now: () => NOW };

type Item = [id: number, over?: Partial<RecentItem>];

describe('lists of recent comments, posts and pages', () => {
  let store: TestDatabase;
  let knex: Knex;
  let site: number;
  beforeEach(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
    site = await storeSite(knex, 'a.example');
    await knex('site_states').where({ site_id: site }).update({ last_sync_at: LAST_SYNC });
  });
  afterEach(() => store.close());

  const list = (kind: RecentItem['kind'], ...items: Item[]): RecentItem[] =>
    items.map(([id, over]) => ({ kind, id, title: `Title ${id}`, status: 'publish', at: NOW - MINUTE, ...over }));
  const sync = async (
    items: RecentItem[],
    { since = -Infinity, kinds = ['comment', 'post', 'page'] as const } = {},
  ) => {
    const section = recentItemsSection(() => since);
    await inTransaction(knex, async ({ trx }) => {
      const value = { site: { id: site, urlKey: '' }, value: { kinds, items }, now: NOW, isFirst: false };
      const patches = await section.write(trx, [value]);
      await trx('site_states')
        .where({ site_id: site })
        .update(patches?.get(site) ?? {});
    });
  };
  const logEntry = (type: string, key: string, at: number): ChildLogEntry => {
    const [context = '', action = ''] = type.split('.');
    const thing = { name: 'Logged', key, before: {}, after: {} };
    const entry = { externalId: `${type} ${key} ${at}`, at, context, action, summary: type, thing };
    return { source: 'child_changes', ...entry, user: 'ann', cursor: null };
  };
  const readLog = (...entries: ChildLogEntry[]): Promise<unknown> =>
    storeLogs(knex, new ChildLogStore(clock, () => -Infinity), site, entries);
  const create = (type: string, key: number): Promise<unknown> => {
    const change = { siteId: site, type, description: '', actor: 'admin', thing: { name: 'Ours', key } };
    return inTransaction(knex, ({ trx }) => new ChangeLog(clock).append(trx, change));
  };
  const rows = () =>
    knex('changes')
      .orderBy(['at', 'id'])
      .select<{ source: string; type: string; object_key: string; at: number; actor: string }[]>('*');
  const stored = async (): Promise<string[]> =>
    (await rows()).map(({ source, type, object_key }) => `${source} ${type} ${object_key}`);
  const marks = async (): Promise<(number | null)[]> => {
    const row = await knex('site_states').where({ site_id: site }).first('last_comment_id', 'last_post_id');
    return [row.last_comment_id, row.last_post_id].map((mark) => (mark === null ? null : Number(mark)));
  };

  it('when a site is synced for the first time, then its items are not new', async () => {
    await sync([...list('comment', [4]), ...list('post', [17]), ...list('page', [20])]);
    assert.deepEqual([await stored(), await marks()], [[], [4, 20]]);
  });

  it('when later syncs list items with higher IDs, then each is created once, without the name of a visitor', async () => {
    await sync([...list('comment', [4]), ...list('post', [17]), ...list('page', [20])]);
    const later = [...list('comment', [4], [5]), ...list('post', [17], [22]), ...list('page', [20], [21])];
    for (const _time of [1, 2]) await sync(later);
    assert.deepEqual(
      (await stored()).sort(),
      ['comment.created 5', 'page.created 21', 'post.created 22'].map((text) => `child_lists ${text}`),
    );
    assert.deepEqual(
      [(await rows()).map(({ actor }) => actor), await marks()],
      [
        ['', '', ''],
        [5, 22],
      ],
    );
    const [comment] = await knex('changes').where({ type: 'comment.created' });
    assert.equal(comment.description, 'Comment on "Title 5" created');
    assert.deepEqual([comment.object_name, comment.new_values], ['Title 5', '{"status":"publish"}']);
  });

  it('when a site has no items at first, then the first one is new', async () => {
    await sync([]);
    await sync([...list('comment', [1]), ...list('post', [3])]);
    assert.deepEqual(await stored(), ['child_lists comment.created 1', 'child_lists post.created 3']);
  });

  it('when the newest items disappear and older ones are listed, then nothing is new', async () => {
    await sync(list('post', [17]));
    await sync(list('post', [12], [13]));
    assert.deepEqual([await stored(), await marks()], [[], [0, 17]]);
  });

  it('when a list is missing, then its mark stays', async () => {
    await sync(list('comment', [4]), { kinds: ['comment'] as never });
    assert.deepEqual(await marks(), [4, null]);
  });

  it('when an ID is more than a million above the last one, then the item is not counted', async () => {
    await sync(list('comment', [4]));
    await sync(list('comment', [Number.MAX_SAFE_INTEGER], [2_000_000], [1_000_004], [1_000_005]));
    assert.deepEqual(await stored(), ['child_lists comment.created 1000004']);
    assert.deepEqual(await marks(), [Number.MAX_SAFE_INTEGER, 0]);
  });

  for (const [what, at, expected] of [
    ['between both syncs', NOW - 5 * MINUTE, NOW - 5 * MINUTE],
    ['missing', null, NOW],
    ['in the future', NOW + HOUR, NOW],
    ['before the last sync', NOW - 300 * HOUR, LAST_SYNC - 10 * MINUTE],
  ] as const)
    it(`when the time of an item is ${what}, then the entry lies between the syncs`, async () => {
      await sync([]);
      await sync(list('post', [1, { at }]));
      assert.deepEqual(
        (await rows()).map((row) => Number(row.at)),
        [expected],
      );
    });

  it('when the last sync is older than the retention, then no entry is older', async () => {
    await sync([]);
    await sync(list('post', [1, { at: 5 }]), { since: NOW - MINUTE });
    assert.deepEqual(
      (await rows()).map((row) => Number(row.at)),
      [NOW - MINUTE],
    );
  });

  describe('creations that a log has', () => {
    beforeEach(() => sync([]));

    it('when the entry is stored before the list, then it is the only one', async () => {
      await readLog(
        logEntry('post.published', '7', NOW - MINUTE),
        logEntry('page.created', '8', NOW - MINUTE),
        logEntry('comment.created', '1', NOW - MINUTE),
        logEntry('comment.replied', '2', NOW - MINUTE),
      );
      await create('post.created', 9);
      const posts = list('post', [7], [9]);
      await sync([...list('comment', [1], [2]), ...posts, ...list('page', [8])]);
      assert.deepEqual((await stored()).sort(), [
        ...['child_changes comment.created 1', 'child_changes comment.replied 2', 'child_changes page.created 8'],
        ...['child_changes post.created 7', 'dashboard post.created 9'],
      ]);
    });

    it('when the entry is stored after the list, then it replaces the entry of the list', async () => {
      await sync([...list('comment', [1], [2]), ...list('post', [7], [9]), ...list('page', [8])]);
      await readLog(
        logEntry('post.published', '7', NOW - MINUTE),
        logEntry('page.created', '8', NOW - MINUTE),
        logEntry('comment.created', '1', NOW - MINUTE),
        logEntry('comment.replied', '2', NOW - MINUTE),
      );
      await create('post.created', 9);
      assert.deepEqual((await stored()).sort(), [
        ...['child_changes comment.created 1', 'child_changes comment.replied 2', 'child_changes page.created 8'],
        ...['child_changes post.created 7', 'dashboard post.created 9'],
      ]);
    });

    it('when a post is only published later, then both entries are kept', async () => {
      await sync(list('post', [7, { status: 'draft', at: null }]));
      await readLog(logEntry('post.published', '7', NOW + 90 * SECOND));
      assert.deepEqual(await stored(), ['child_lists post.created 7', 'child_changes post.published 7']);
    });

    it('when a comment is approved or a post is updated later, then the creation is kept', async () => {
      await sync([...list('comment', [1]), ...list('post', [7])]);
      await readLog(logEntry('comment.approved', '1', NOW), logEntry('post.updated', '7', NOW));
      assert.deepEqual((await stored()).sort(), [
        ...['child_changes comment.approved 1', 'child_changes post.updated 7'],
        ...['child_lists comment.created 1', 'child_lists post.created 7'],
      ]);
    });

    describe('of a post that a program inserted', () => {
      /** Entry about the first categories of a post. */
      const inserted = (key: string, at: number, status = 'publish'): ChildLogEntry => ({
        ...logEntry('post.updated', key, at),
        insertedStatus: status,
      });
      const creations = async (): Promise<unknown[]> =>
        (await rows())
          .filter(({ type }) => type.endsWith('.created'))
          .map(({ source, object_key, at, actor }) => [source, object_key, Number(at) - NOW, actor]);

      it('when the entry is stored before the list, then it is the creation, with its time and user', async () => {
        await readLog(inserted('7', NOW - 9 * MINUTE), logEntry('post.updated', '7', NOW - 9 * MINUTE + SECOND));
        await sync(list('post', [7]));
        assert.deepEqual(await creations(), [['child_changes', '7', -9 * MINUTE, 'ann']]);
        assert.equal((await rows()).length, 1, 'the other update is part of the save');
        const [row] = await knex('changes');
        assert.deepEqual(JSON.parse(row.new_values), { status: 'publish' });
        assert.match(row.description, /^Post "Logged" created/);
      });

      it('when the entry is stored after the list, then it replaces the entry of the list', async () => {
        await sync(list('post', [7]));
        await readLog(inserted('7', NOW - 9 * MINUTE));
        assert.deepEqual(await creations(), [['child_changes', '7', -9 * MINUTE, 'ann']]);
        assert.equal((await rows()).length, 1);
      });

      it('when the post is in no list, such as a private one, then it counts', async () => {
        await readLog(inserted('7', NOW - MINUTE, 'private'));
        await sync([]);
        assert.deepEqual(await creations(), [['child_changes', '7', -MINUTE, 'ann']]);
      });

      it('when the post is not new or its creation is known, then the entry is an update', async () => {
        await sync(list('post', [7]));
        await readLog(inserted('6', NOW - MINUTE));
        await create('post.created', 8);
        await readLog(inserted('8', NOW + MINUTE));
        assert.deepEqual((await stored()).sort(), [
          ...['child_changes post.updated 6', 'child_changes post.updated 8', 'child_lists post.created 7'],
          'dashboard post.created 8',
        ]);
      });

      it('when the post was saved in the editor, then the save has one entry', async () => {
        await readLog(inserted('7', NOW - MINUTE), logEntry('post.published', '7', NOW - MINUTE + SECOND));
        await sync(list('post', [7]));
        assert.deepEqual(await stored(), ['child_changes post.created 7']);
      });

      it('when the post is published later, then both entries are stored', async () => {
        await readLog(inserted('7', NOW - HOUR, 'draft'), logEntry('post.published', '7', NOW - MINUTE));
        await sync(list('post', [7]));
        assert.deepEqual(await stored(), ['child_changes post.created 7', 'child_changes post.published 7']);
      });

      it('when the entry arrives again, then it stays the creation', async () => {
        for (const _time of [1, 2]) await readLog(inserted('7', NOW - MINUTE));
        assert.deepEqual(await stored(), ['child_changes post.created 7']);
      });

      it('when the site was never synced, then the entry is an update', async () => {
        await knex('site_states').where({ site_id: site }).update({ last_post_id: null });
        await readLog(inserted('7', NOW - MINUTE));
        assert.deepEqual(await stored(), ['child_changes post.updated 7']);
      });
    });

    it('when a comment and a post have the same ID, then each has its creation', async () => {
      await readLog(logEntry('comment.created', '7', NOW - MINUTE));
      await sync([...list('comment', [7]), ...list('post', [7])]);
      assert.deepEqual(await stored(), ['child_changes comment.created 7', 'child_lists post.created 7']);
    });
  });
});
