import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { ChangeCountRepository } from '../../../src/domains/changes/change-count-repository.ts';
import { ActivityReadModel } from '../../../src/domains/changes/index.ts';
import { changesPart } from '../../../src/domains/changes/part.ts';
import { timeZoneOf } from '../../../src/domains/settings/index.ts';
import type { BaseServices } from '../../../src/platform/base-services.ts';
import { openTestDatabase, recordStatements, type TestDatabase } from '../../support/database.ts';
import { storeSite } from '../../support/sites.ts';

const DAY = 86_400_000;
const NOVEMBER = Date.UTC(2026, 10, 1);
const range = { from: NOVEMBER, until: Date.UTC(2026, 11, 1) };

describe('activity read model', () => {
  let store: TestDatabase;
  let knex: Knex;
  let site: number;
  let other: number;
  let activity: ActivityReadModel;

  beforeEach(async () => {
    store = await openTestDatabase();
    knex = store.database.knex;
    activity = new ActivityReadModel(knex);
    site = await storeSite(knex, 'a.example');
    other = await storeSite(knex, 'b.example');
  });
  afterEach(() => store.close());

  const row = (type: string, at: number, siteId: number | null = site): object => ({
    ...{
      site_id: siteId,
      source: 'dashboard',
      external_id: null,
      type,
      description: `${type} ${at}`,
      actor: 'ann',
      at,
    },
    ...{ object_name: 'A thing', object_key: '7', old_values: null, new_values: '{"version":"2"}' },
  });
  const log = (...rows: object[]): Promise<unknown> => knex.batchInsert('changes', rows, 100);
  const rollUp = (month: number, type: string, count: number): Promise<unknown> =>
    knex('change_counts').insert({ site_id: site, month, source: 'dashboard', type, count });

  const statements = async (work: () => Promise<unknown>): Promise<number> =>
    (await recordStatements(knex, work)).length;

  it('when 500 expired changes have 500 different counts, then one statement writes the counts', async () => {
    const types = Array.from({ length: 500 }, (_, at) => `type.${at}`);
    await log(...types.map((type) => row(type, NOVEMBER)));
    const counter = new ChangeCountRepository(knex);
    const sent = await recordStatements(knex, () => counter.rollUp(NOVEMBER + DAY, 500));
    assert.equal(sent.filter((sql) => /^insert into .change_counts/.test(sql)).length, 1);
    assert.equal((await knex('change_counts').where({ site_id: site }).pluck('count')).length, 500);
    assert.deepEqual(await knex('changes').where({ site_id: site }).pluck('id'), []);
  });

  it('when a batch is full, then the next one begins where it ended, and a later one finds older changes', async () => {
    await knex('changes').delete();
    await log(...Array.from({ length: 1_100 }, (_, at) => row('plugin.updated', NOVEMBER + at)));
    const base = { database: store.database, clock: { now: () => NOVEMBER + 31 * DAY } } as BaseServices;
    const [retention] = changesPart(base, () => 30).retentions;
    assert.ok(retention);
    const counts = [await retention.prune()];
    await log(row('plugin.updated', NOVEMBER - DAY));
    for (let call = 0; call < 4; call++) counts.push(await retention.prune());
    assert.deepEqual(counts, [500, 500, 100, 1, 0]);
  });

  it('when changes become monthly counts, then a batch needs few statements, and a second adds to it', async () => {
    const types = Array.from({ length: 40 }, (_, at) => `type.${at}`);
    const batch = (): Promise<unknown> =>
      log(...types.flatMap((type) => [row(type, NOVEMBER), row(type, NOVEMBER + 1)]));
    const counter = new ChangeCountRepository(knex);
    await batch();
    assert.ok((await statements(() => counter.rollUp(NOVEMBER + DAY, 500))) <= 5);
    await batch();
    await counter.rollUp(NOVEMBER + DAY, 500);
    const counts = await knex('change_counts').where({ site_id: site }).pluck<number[]>('count');
    assert.deepEqual(
      counts,
      types.map(() => 4),
    );
    assert.deepEqual(await knex('changes').where({ site_id: site }).pluck<number[]>('id'), []);
  });

  describe('counted', () => {
    it('when sites have changes, then one SQL statement counts each type within the range', async () => {
      await log(
        ...[row('plugin.updated', NOVEMBER), row('plugin.updated', range.until - 1), row('theme.updated', NOVEMBER)],
        ...[row('plugin.updated', NOVEMBER - 1), row('plugin.updated', range.until), row('a.b', NOVEMBER, null)],
        row('plugin.updated', NOVEMBER + 5, other),
      );
      const of = (siteId: number, type: string, count: number): object => ({
        ...{ siteId, type, count, kept: count, uncertain: 0 },
      });
      const all = [of(site, 'plugin.updated', 2), of(site, 'theme.updated', 1), of(other, 'plugin.updated', 1)];
      assert.deepEqual(await activity.counted([site, other], range), all);
      assert.deepEqual(await activity.counted([], range), []);
      assert.equal(await statements(() => activity.counted([site, other], range)), 1);
    });

    it('when only monthly counts are left, then whole months are counted and partial months are uncertain', async () => {
      await rollUp(NOVEMBER, 'plugin.updated', 40);
      await log(row('plugin.updated', NOVEMBER + 25 * DAY));
      const [whole] = await activity.counted([site], range);
      assert.deepEqual(whole, { siteId: site, type: 'plugin.updated', count: 41, kept: 1, uncertain: 0 });
      const [part] = await activity.counted([site], { ...range, from: NOVEMBER + 10 * DAY });
      assert.deepEqual(part, { siteId: site, type: 'plugin.updated', count: 1, kept: 1, uncertain: 40 });
      const elsewhere = { from: NOVEMBER - 10 * 3_600_000, until: range.until - 10 * 3_600_000 };
      const [zoned] = await activity.counted([site], elsewhere);
      assert.deepEqual([zoned?.count, zoned?.uncertain], [41, 0]);
      const before = { from: Date.UTC(2026, 9, 1) + 9 * 3_600_000, until: NOVEMBER + 9 * 3_600_000 };
      assert.deepEqual(await activity.counted([site], before), []);
    });
  });

  describe('newest', () => {
    it('when groups of types are requested, then one SQL statement returns the newest change of each group and site', async () => {
      const updates = Array.from({ length: 30 }, (_, n) => row('plugin.updated', NOVEMBER + n));
      const others = [
        row('plugin.deleted', NOVEMBER + 28),
        row('theme.updated', NOVEMBER),
        row('post.created', NOVEMBER),
      ];
      await log(...updates, ...others, row('plugin.updated', NOVEMBER + 90, other), row('a.b', NOVEMBER - 1));
      const groups = [['plugin.updated', 'plugin.deleted'], [], ['theme.updated', 'never.seen'], ['a.b']];
      const [plugins, nothing, themes, outside] = await activity.newest([site, other], range, groups, 3);
      assert.deepEqual(
        plugins?.map(({ siteId, type, at }) => [siteId, type, at - NOVEMBER]),
        [
          [other, 'plugin.updated', 90],
          [site, 'plugin.updated', 29],
          [site, 'plugin.deleted', 28],
          [site, 'plugin.updated', 28],
        ],
      );
      assert.deepEqual([nothing, outside], [[], []]);
      assert.deepEqual(
        themes?.map(({ name, key, before, after, actor }) => ({ name, key, before, after, actor })),
        [{ name: 'A thing', key: '7', before: {}, after: { version: '2' }, actor: 'ann' }],
      );
      assert.equal(await statements(() => activity.newest([site, other], range, groups, 3)), 1);
      assert.deepEqual(await activity.newest([], range, groups, 3), [[], [], [], []]);
    });

    it('when sites have more groups than a statement reads, then each group has its changes of all sites', async () => {
      const types = Array.from({ length: 20 }, (_, at) => `type.${at}`);
      await log(...types.flatMap((type, at) => [row(type, NOVEMBER + at), row(type, NOVEMBER + 100 + at, other)]));
      const groups = await activity.newest(
        [site, other],
        range,
        types.map((type) => [type]),
        3,
      );
      assert.deepEqual(
        groups.map((changes) => changes.map(({ siteId, type, at }) => [siteId, type, at - NOVEMBER])),
        types.map((type, at) => [
          [other, type, 100 + at],
          [site, type, at],
        ]),
      );
    });
  });

  describe('newest with counts', () => {
    it('when sites have few changes, then one SQL statement reads them, with the same result as without counts', async () => {
      const quiet = await storeSite(knex, 'c.example');
      const busy = Array.from({ length: 600 }, (_, n) => row('plugin.updated', NOVEMBER + Math.floor(n / 2)));
      const few = Array.from({ length: 5 }, (_, n) => row('plugin.updated', NOVEMBER + n, other));
      const outside = [row('plugin.updated', NOVEMBER - 1, other), row('a.b', NOVEMBER, quiet)];
      await log(...busy, ...few, row('theme.updated', NOVEMBER + 3, other), ...outside);
      const groups = [['plugin.updated', 'plugin.deleted'], [], ['theme.updated']];
      const ids = [site, other, quiet];
      const counts = await activity.counted(ids, range);
      const [plugins, nothing, themes] = await activity.newest(ids, range, groups, 3, counts);
      assert.deepEqual([plugins, nothing, themes], await activity.newest(ids, range, groups, 3));
      assert.deepEqual([plugins?.length, nothing?.length, themes?.length], [6, 0, 1]);
      assert.equal(await statements(() => activity.newest([other, quiet], range, groups, 3, counts)), 1);
      assert.equal(await statements(() => activity.newest(ids, range, groups, 3, counts)), 2);
    });

    it('when changes are older than their site here, then they are left out if the range says so', async () => {
      await knex('sites')
        .where({ id: site })
        .update({ created_at: NOVEMBER + 5 });
      await log(...Array.from({ length: 10 }, (_, n) => row('plugin.updated', NOVEMBER + n)));
      const since = { ...range, sinceAdded: true };
      const counts = await activity.counted([site], since);
      const [plugins] = await activity.newest([site], since, [['plugin.updated']], 100, counts);
      assert.deepEqual(
        plugins?.map(({ at }) => at - NOVEMBER),
        [9, 8, 7, 6, 5],
      );
    });
  });

  describe('stream', () => {
    it('when changes fill more than a page, then all are streamed newest first, including those with the same time', async () => {
      await log(
        ...Array.from({ length: 1203 }, (_, n) => row(n % 2 ? 'post.created' : 'post.updated', NOVEMBER + (n % 7))),
        row('page.created', NOVEMBER),
        row('post.created', range.until),
      );
      const ids: number[] = [];
      const times: number[] = [];
      for await (const { id, at } of activity.stream(site, range, ['post.created', 'post.updated'])) {
        ids.push(id);
        times.push(at);
      }
      assert.equal(new Set(ids).size, 1203);
      assert.equal(ids.length, 1203);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      );
      for await (const change of activity.stream(site, range, [])) assert.fail(change.type);
    });
  });

  describe('countedByDay', () => {
    it('when the clocks change in the range, then days follow local time and none is missing', async () => {
      const zone = timeZoneOf('Europe/Berlin') ?? assert.fail();
      // 25 October 2026 has 25 hours: it starts at 22:00 UTC and ends at 23:00 UTC.
      const from = Date.UTC(2026, 9, 23, 22);
      const until = Date.UTC(2026, 9, 26, 23);
      const times = [0, DAY - 1, DAY, 2 * DAY, 2 * DAY + 3_599_999, 2 * DAY + 3_600_000].map((after) => from + after);
      await log(
        ...times.map((at) => row('post.created', at)),
        row('a.b', from),
        row('a.b', from - 1),
        row('a.b', until),
      );
      assert.deepEqual(await activity.countedByDay([site, other], { from, until }, zone, ['post.created']), [
        { day: '2026-10-24', count: 2 },
        { day: '2026-10-25', count: 3 },
        { day: '2026-10-26', count: 1 },
      ]);
      const all = await activity.countedByDay([site], { from, until }, zone);
      assert.deepEqual(all[0], { day: '2026-10-24', count: 3 });
      assert.equal(await statements(() => activity.countedByDay([site], { from, until }, zone)), 1);
    });

    it('when a year has no changes, then every day has a count of 0', async () => {
      const zone = timeZoneOf('UTC-3:30') ?? assert.fail();
      const from = Date.UTC(2026, 0, 1, 3, 30);
      const days = await activity.countedByDay([], { from, until: from + 365 * DAY }, zone);
      assert.deepEqual([days.length, days[0]?.day, days.at(-1)?.day], [365, '2026-01-01', '2026-12-31']);
    });
  });
});
