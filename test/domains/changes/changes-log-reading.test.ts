import assert from 'node:assert/strict';
import type { ChangesPage, ChildLogEntry } from '../../../src/connector/child-site.ts';
import { nextPosition, type ChangesLogPosition } from '../../../src/domains/sites/changes-log-position.ts';
import { startWorld, type World } from '../../support/world.ts';

const T = 1_795_306_216;

interface Logged {
  id: number;
  created: number;
}

/** Returns the oldest entries of the window. Times lose leading zeros of their fraction, as on a real child. */
function page(log: readonly Logged[], { since, until }: ChangesLogPosition, limit: number): ChangesPage {
  const found = log
    .filter(({ created }) => created > since && (until === null || created < until))
    .sort((a, b) => a.created - b.created)
    .slice(0, limit);
  const entries = found.map(({ id, created }): ChildLogEntry => {
    const [whole = '', fraction = ''] = created.toFixed(6).split('.');
    const damaged = Number(`${whole}.${Number(fraction.replace(/0+$/, ''))}`);
    const thing = { name: null, key: null, before: {}, after: {} };
    const rest = { context: 'post', action: 'modified', summary: '', thing, user: '', cursor: null };
    return { source: 'child_changes', externalId: String(id), at: Math.floor(damaged) * 1000, ...rest };
  });
  return { entries, full: found.length >= limit };
}

/** Reads a whole log. Returns the IDs and the number of calls. */
function readAll(log: readonly Logged[], limit: number, maxCalls = 1000): { ids: Set<string>; calls: number } {
  const ids = new Set<string>();
  let reading: ChangesLogPosition = { since: 0, until: null, done: false };
  let calls = 0;
  while (!reading.done && calls < maxCalls) {
    const found = page(log, reading, limit);
    calls += 1;
    for (const { externalId } of found.entries) ids.add(externalId);
    reading = nextPosition(reading, found);
  }
  return { ids, calls };
}

const entriesInOneSecond = (count: number, from = 1, second = T): Logged[] =>
  Array.from({ length: count }, (_, n) => ({ id: from + n, created: second + (n + 1) / (count + 2) }));

describe('position in the changes log', () => {
  it('when a page is not full, then the read ends and the next one starts at the newest second', () => {
    const log = [
      { id: 1, created: T - 7.9 },
      { id: 2, created: T + 0.003 },
    ];
    const start: ChangesLogPosition = { since: T - 100, until: null, done: false };
    assert.deepEqual(nextPosition(start, page(log, start, 3)), { since: T, until: null, done: true });
    const again: ChangesLogPosition = { since: T, until: null, done: false };
    assert.deepEqual(nextPosition(again, page(log, again, 3)), { since: T, until: null, done: true });
    assert.deepEqual(nextPosition(again, { entries: [], full: false }), { since: T, until: null, done: true });
  });

  it('when a page is full, then the next page starts at its newest second', () => {
    const log = [T + 0.5, T + 1.001, T + 1.002, T + 1.003].map((created, id) => ({ id, created }));
    const start: ChangesLogPosition = { since: T, until: null, done: false };
    assert.deepEqual(nextPosition(start, page(log, start, 3)), { since: T + 1, until: null, done: false });
  });

  for (const [count, limit] of [
    [260, 200],
    [260, 100],
    [3000, 200],
    [999, 40],
  ] as const)
    it(`when ${count} entries have the same second and a page has ${limit}, then no entry is lost`, () => {
      const log = [
        { id: 0, created: T - 3 },
        ...entriesInOneSecond(count),
        { id: count + 1, created: T + 1 },
        { id: count + 2, created: T + 5.0001 },
      ];
      const { ids, calls } = readAll(log, limit);
      assert.equal(ids.size, log.length);
      assert.ok(calls <= 8 * Math.ceil(log.length / limit) + 8, `${calls} calls`);
    });

  it('when entry times equal the limits of a request, then no entry is lost', () => {
    const log = Array.from({ length: 1024 }, (_, n) => ({ id: n, created: T + n / 1024 }));
    assert.equal(readAll(log, 50).ids.size, 1024);
  });

  it('when more entries than a page holds share a microsecond, then the read still ends', () => {
    const log = [
      ...Array.from({ length: 30 }, (_, id) => ({ id, created: T + 0.25 })),
      { id: 30, created: T + 0.5 },
      { id: 31, created: T + 9 },
    ];
    const { ids, calls } = readAll(log, 10);
    assert.ok(ids.has('30') && ids.has('31'));
    assert.ok(calls < 60, `${calls} calls`);
  });

  it('when a site always returns a full page, then the position still advances', () => {
    let reading: ChangesLogPosition = { since: T, until: null, done: false };
    const { entries } = page(entriesInOneSecond(10), reading, 10);
    for (let call = 0; call < 80; call++) reading = nextPosition(reading, { entries, full: true });
    assert.ok(reading.since >= T + 1e-6, 'it moves all the same');
  });
});

describe('changes log of a site', () => {
  let world: World;
  let id: number;
  /** Later than the log entries of the site's registration. */
  let now: number;
  before(async () => {
    world = await startWorld({ sites: 1 });
    id = world.siteId(0);
    now = Math.floor(Date.now() / 1000) + 60;
  });
  after(() => world.close());

  const fill = (records: Logged[]): void => {
    const { state } = world.site(0);
    const record = { typeId: 1305, context: 'post', action: 'modified', login: 'admin', postId: 0 };
    state.changes.push(
      ...records.map(({ id, created }) => ({ ...record, id, created, meta: { posttitle: `n${id}` } })),
    );
    state.changes.sort((a, b) => a.created - b.created);
    world.site(0).touch();
  };
  const sync = (): Promise<unknown> => world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
  const stored = async (): Promise<number> => {
    const { knex } = world.container.database;
    const texts = await knex('changes').where({ site_id: id, source: 'child_changes' }).pluck<string[]>('description');
    const ours = texts.filter((text) => /"n\d+"/.test(text));
    assert.equal(new Set(ours).size, ours.length, 'nothing twice');
    return ours.length;
  };

  it('when 260 entries have the same second, or thousands arrive, then one sync reads them all', async () => {
    fill([
      ...entriesInOneSecond(260, 1000, now),
      ...Array.from({ length: 60 }, (_, n) => ({ id: 1260 + n, created: now + 1 + n / 20 })),
    ]);
    await sync();
    assert.equal(await stored(), 320);
    fill(Array.from({ length: 2400 }, (_, n) => ({ id: 2000 + n, created: now + 60 + (n + 1) / 10_000 })));
    const before = world.site(0).countOf('stats');
    await sync();
    assert.equal(await stored(), 2720);
    assert.ok(world.site(0).countOf('stats') - before <= 6);
    await sync();
    assert.equal(await stored(), 2720);
  });

  it('when a page fails, then the next sync continues at that page', async () => {
    fill(Array.from({ length: 500 }, (_, n) => ({ id: 6000 + n, created: now + 120 + n / 1000 })));
    const site = world.site(0);
    site.faultQueue.push(
      { kind: 'delay', ms: 0, function: 'stats' },
      { kind: 'fatal', when: 'before', times: 2, function: 'stats' },
    );
    const answer = (await sync()) as { total_synced: number };
    assert.equal(answer.total_synced, 1);
    assert.equal(await stored(), 2720 + 200);
    await sync();
    assert.equal(await stored(), 3220);
  });

  it('when the site sends only entries that are stored, then the report is not read, and nothing is written', async () => {
    fill([{ id: 9000, created: now + 600.5 }]);
    await sync();
    const stores = (sql: string): boolean => /(?:from|into) `?changes\b|section_hashes = /.test(sql);
    // The site sends the entry again, because the position is the beginning of its second.
    assert.equal((await world.statementsOf(sync)).some(stores), true);
    const sent = await world.statementsOf(sync);
    assert.deepEqual(sent.filter(stores), []);
    assert.equal(sent.filter((sql) => sql.startsWith('update site_states set')).length, 1);
    fill([{ id: 9001, created: now + 601.5 }]);
    const before = await stored();
    await sync();
    assert.equal(await stored(), before + 1);
  });
});
