import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type {
  ChangesPage,
  ChildLink,
  ChildLogEntry,
  ChildStats,
  SyncCalls,
} from '../../../src/connector/child-site.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { ChangeLog, ChildLogStore } from '../../../src/domains/changes/index.ts';
import { pluginsSection, themesSection } from '../../../src/domains/inventory/index.ts';
import { securitySection } from '../../../src/domains/security/index.ts';
import { writeColumns, type ReportedLogStore, type SyncSection } from '../../../src/domains/sites/index.ts';
import { updatesSection } from '../../../src/domains/updates/index.ts';
import { ExposureMatcher } from '../../../src/domains/vulnerabilities/exposure-matcher.ts';
import { ExposureRepository } from '../../../src/domains/vulnerabilities/exposure-repository.ts';
import type { ExposureAlerts } from '../../../src/domains/vulnerabilities/exposure-alerts.ts';
import { installedSoftwareSection } from '../../../src/domains/vulnerabilities/installed-software-section.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import { sharedServer } from '../../support/service-fleet.ts';
import { createScriptedSites, storeSiteKey } from '../../support/scripted-sites.ts';
import { insertSite, plugin, statsWith, theme } from '../inventory/support.ts';

const clock = { now: () => 1_000 };
const INVENTORY = [pluginsSection, themesSection, updatesSection, securitySection] as const;
const SITES = 16;

/** Returns a function that waits until it was called `count` times. */
function barrier(count: number): () => Promise<void> {
  let left = count;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return () => {
    left -= 1;
    if (left === 0) open();
    return opened;
  };
}

/** Syncs that end at the same time share a transaction of up to 16 sites. */
describe('reports that are stored together', () => {
  let opened: TestDatabase;
  withFreshDatabase((database) => (opened = database));

  /** Creates sites and a service. `pullAll` syncs all sites, whose reports arrive together. */
  async function createSyncs(sections: readonly SyncSection[], count = SITES, log?: ReportedLogStore) {
    const { knex } = opened.database;
    const stats = new Map<number, ChildStats>();
    const pages = new Map<ChildStats, ChangesPage>();
    const during = { call: (): Promise<unknown> => Promise.resolve(), read: (): void => undefined };
    const child: Pick<SyncCalls, 'report' | 'changes'> = {
      report: async (link, _request, isKnown) => {
        const { sent, arrive } = link as ChildLink & { sent: ChildStats; arrive: () => Promise<void> };
        await during.call();
        await arrive();
        const digest = JSON.stringify(sent);
        const read = (): ChildStats => {
          during.read();
          return sent;
        };
        return { digest, isKnown: isKnown(digest), read };
      },
      changes: (link) =>
        Promise.resolve(pages.get((link as ChildLink & { sent: ChildStats }).sent) ?? { entries: [], full: false }),
    };
    const { sync, links } = createScriptedSites({ knex, clock, child, sections, ...(log && { log }) });
    const sites: { id: number; urlKey: string }[] = [];
    for (let index = 0; index < count; index++) {
      const site = await insertSite(opened, `site-${index}.example`);
      await storeSiteKey(knex, links, site.id);
      sites.push(site);
    }
    const pull = (
      site: { id: number; urlKey: string },
      { number, arrive = () => Promise.resolve() }: { number?: number | undefined; arrive?: () => Promise<void> } = {},
    ): Promise<void> => {
      const link = { turn: { number }, sent: stats.get(site.id) ?? statsWith({}), arrive } as unknown as ChildLink;
      return sync.pull({ ...site, url: `https://${site.urlKey}/` }, link);
    };
    const pullAll = () => {
      const arrive = barrier(sites.length);
      return Promise.allSettled(sites.map((site) => pull(site, { arrive })));
    };
    return { knex, sites, stats, pages, during, pull, pullAll };
  }

  const rowsOf = async (knex: Knex, table: string, ...columns: string[]): Promise<string[]> => {
    const rows = await knex(table).select<Record<string, unknown>[]>('site_id', ...columns);
    return rows.map((row) => [row['site_id'], ...columns.map((column) => row[column])].join(' ')).sort();
  };
  const update = (slug: string, newVersion: string) => ({
    ...{ type: 'plugin' as const, slug, name: slug.toUpperCase(), currentVersion: '1.0', newVersion },
  });

  it('when sites send entries and pages of their logs, then each keeps its own positions', async () => {
    const log = new ChildLogStore(clock, () => -Infinity);
    const { knex, sites, stats, pages, pullAll } = await createSyncs([], 3, log);
    const entry = (source: ChildLogEntry['source'], second: number): ChildLogEntry => ({
      ...{ source, externalId: String(second), at: second * 1_000, context: 'user', action: 'logged_in', summary: '' },
      ...{ thing: { name: null, key: null, before: {}, after: {} }, user: 'ann' },
      cursor: source === 'child_actions' ? second : null,
    });
    const positions = () => rowsOf(knex, 'site_states', 'actions_cursor', 'changes_cursor');
    const expected = (of: (index: number) => [actions: number, changes: number]) =>
      sites.map(({ id }, index) => [id, ...of(index)].join(' ')).sort();

    for (const [index, { id }] of sites.entries())
      stats.set(id, statsWith({ logs: [entry('child_actions', 10 + index), entry('child_changes', 20 + index)] }));
    await pullAll();
    assert.deepEqual(
      await positions(),
      expected((index) => [10 + index, 20 + index]),
    );

    for (const { id } of sites) stats.set(id, statsWith({ logs: [entry('child_actions', 5)] }));
    await pullAll();
    assert.deepEqual(
      await positions(),
      expected((index) => [10 + index, 20 + index]),
      'older entries',
    );

    for (const [index, { id }] of sites.entries()) {
      const sent = statsWith({ logs: [entry('child_changes', 30 + index)], moreChanges: true });
      stats.set(id, sent);
      pages.set(sent, { entries: [entry('child_changes', 40 + index)], full: false });
    }
    await pullAll();
    assert.deepEqual(
      await positions(),
      expected((index) => [10 + index, 40 + index]),
      'pages',
    );
  });

  it('when sites report different lists, then each gets its own, and later only what it has changed', async () => {
    const { knex, sites, stats, pullAll } = await createSyncs(INVENTORY);
    const offersOf = (index: number) => Array.from({ length: index % 3 }, (_, at) => update(`p${at}`, `2.${index}`));
    for (const [index, { id }] of sites.entries())
      stats.set(
        id,
        statsWith({
          plugins: Array.from({ length: index + 1 }, (_, at) => plugin(`p${at}`, { version: `1.${index}` })),
          themes: [theme(`t${index}`, { active: true })],
          updatesByType: { kinds: ['plugin', 'theme'], items: offersOf(index) },
          security: { debug_disabled: index % 2 === 0 ? 'Y' : 'N' },
        }),
      );
    await pullAll();
    const plugins = (changes = (_index: number, _at: number): string | null => '') =>
      sites
        .flatMap(({ id }, index) =>
          Array.from({ length: index + 1 }, (_, at) => {
            const version = changes(index, at);
            return version === null ? [] : [`${id} p${at} ${version || `1.${index}`}`];
          }).flat(),
        )
        .sort();
    assert.deepEqual(await rowsOf(knex, 'site_plugins', 'slug', 'version'), plugins());
    assert.deepEqual(await rowsOf(knex, 'site_themes', 'slug'), sites.map(({ id }, at) => `${id} t${at}`).sort());
    const offers = sites.flatMap(({ id }, at) => offersOf(at).map(({ slug }) => `${id} ${slug} 2.${at}`)).sort();
    assert.deepEqual(await rowsOf(knex, 'site_updates', 'slug', 'new_version'), offers);
    const counters = sites.map(({ id }, at) => `${id} ${at % 3}`).sort();
    assert.deepEqual(await rowsOf(knex, 'site_states', 'plugin_updates'), counters);
    const flags = (isOn: (index: number) => boolean) =>
      sites.map(({ id }, at) => `${id} debug_disabled ${isOn(at) ? 'Y' : 'N'}`).sort();
    assert.deepEqual(
      await rowsOf(knex, 'site_security', 'flag', 'value'),
      flags((at) => at % 2 === 0),
    );

    // Even sites lose their first plugin, and every third site has a new version of its last one. Every fourth
    // has another flag. No site reports plugins among the updates, so these stay.
    for (const [index, { id }] of sites.entries()) {
      const before = stats.get(id) as ChildStats;
      const left = (before.plugins ?? []).slice(index % 2 === 0 ? 1 : 0);
      const changed = left.map((each, at) =>
        index % 3 === 0 && at === left.length - 1 ? { ...each, version: '9' } : each,
      );
      const security = index % 4 === 0 ? { debug_disabled: 'N' as const } : before.security;
      const updatesByType = { kinds: ['theme' as const], items: [] };
      stats.set(id, { ...before, plugins: changed, updatesByType, ...(security && { security }) });
    }
    await pullAll();
    const later = plugins((index, at) => {
      if (index % 2 === 0 && at === 0) return null;
      return index % 3 === 0 && at === index ? '9' : '';
    });
    assert.deepEqual(await rowsOf(knex, 'site_plugins', 'slug', 'version'), later);
    assert.deepEqual(await rowsOf(knex, 'site_updates', 'slug', 'new_version'), offers);
    assert.deepEqual(await rowsOf(knex, 'site_states', 'plugin_updates'), counters);
    assert.deepEqual(
      await rowsOf(knex, 'site_security', 'flag', 'value'),
      flags((at) => at % 4 === 2),
    );
  });

  it('when many sites report at once, then a section is written with a few statements', async () => {
    const { knex, sites, stats, pullAll } = await createSyncs(INVENTORY);
    for (const { id } of sites) stats.set(id, statsWith({ plugins: [plugin('a'), plugin('b')], themes: [theme('t')] }));
    const inserts = new Map<string, number>();
    knex.on('query', ({ sql }: { sql: string }) => {
      const [, table] = /^insert into `(site_\w+)`/.exec(sql) ?? [];
      if (table) inserts.set(table, (inserts.get(table) ?? 0) + 1);
    });
    await pullAll();
    knex.removeAllListeners('query');
    assert.equal((await knex('site_plugins')).length, 2 * SITES);
    // MariaDB has two writers, so that the sites can be in two transactions or more.
    for (const table of ['site_plugins', 'site_themes'])
      assert.ok((inserts.get(table) ?? SITES) <= SITES / 4, `${inserts.get(table)} for ${table}`);
  });

  it('when one of them cannot be stored, then only its sync has an error', async () => {
    const attempts: number[] = [];
    const picky: SyncSection = {
      name: 'picky',
      subjects: [],
      read: ({ wpVersion }) => wpVersion,
      write: (_trx, values) => {
        attempts.push(values.length);
        if (values.some(({ value }) => value === 'bad')) throw new Error('The value is bad.');
        return Promise.resolve(new Map(values.map(({ site, value }) => [site.id, { wp_version: String(value) }])));
      },
    };
    const kept: SyncSection = {
      ...{ name: 'kept', subjects: [], read: ({ phpVersion }) => phpVersion },
      write: writeColumns((value) => ({ php_version: String(value) })),
    };
    const { knex, sites, stats, pullAll } = await createSyncs([picky, kept]);
    const bad = sites[5] ?? assert.fail();
    for (const { id } of sites) stats.set(id, statsWith({ wpVersion: id === bad.id ? 'bad' : `6.${id}` }));
    const outcomes = await pullAll();
    assert.ok(outcomes.every(({ status }) => status === 'fulfilled'));
    assert.ok(Math.max(...attempts) > 1, 'no transaction was shared');
    const states = await knex('site_states').select<
      { site_id: number; wp_version: string | null; php_version: string; sync_error_message: string | null }[]
    >('site_id', 'wp_version', 'php_version', 'sync_error_message');
    for (const { site_id: id, wp_version, php_version, sync_error_message } of states) {
      assert.deepEqual([wp_version, php_version], [id === bad.id ? null : `6.${id}`, '8.2']);
      assert.equal(sync_error_message?.endsWith(': picky.') ?? false, id === bad.id, `site ${id}`);
    }
  });

  it('when one of the sites is deleted meanwhile, then the others are stored', async () => {
    const { knex, sites, stats, pullAll } = await createSyncs(INVENTORY);
    for (const { id } of sites) stats.set(id, statsWith({ plugins: [plugin('a')] }));
    const gone = sites[3] ?? assert.fail();
    const syncs = pullAll();
    await knex('site_states').where({ site_id: gone.id }).delete();
    const outcomes = await syncs;
    const failed = outcomes.flatMap((outcome, at) => (outcome.status === 'rejected' ? [sites[at]?.id] : []));
    assert.deepEqual(failed, [gone.id]);
    const others = sites.filter(({ id }) => id !== gone.id).map(({ id }) => `${id} a`);
    assert.deepEqual(await rowsOf(knex, 'site_plugins', 'slug'), others.sort());
  });

  // MariaDB has two writers, so the order of reports outside of turns is not known there.
  for (const turns of [[1, 2], [2, 1], ...(sharedServer() ? [] : [[]])])
    it(`when a site reports twice at once, ${turns.join(' before ') || 'outside of turns'}, then the later one is kept`, async () => {
      const { knex, sites, stats, pull } = await createSyncs(INVENTORY, 2);
      const [site, other] = sites as [(typeof sites)[0], (typeof sites)[0]];
      const report = (name: string, turn?: number): Promise<void> => {
        stats.set(site.id, statsWith({ plugins: [plugin(name)] }));
        return pull(site, { number: turn });
      };
      await Promise.all([report('first', turns[0]), report('second', turns[1]), pull(other)]);
      const kept = turns[0] === 2 ? 'first' : 'second';
      assert.deepEqual(await rowsOf(knex, 'site_plugins', 'slug'), [`${site.id} ${kept}`]);
      const [stored] = await knex('site_states')
        .where({ site_id: site.id })
        .pluck<(number | string)[]>('report_number');
      assert.equal(Number(stored), 2);
    });

  it('when equal reports take long to read, then other work has turns between them', async () => {
    const { knex, sites, during, pullAll } = await createSyncs(INVENTORY, 4);
    await pullAll();
    // The reports are read because other reports are stored during the calls.
    during.call = () => knex('site_states').increment('report_number', 1);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const turnsAtReads: number[] = [];
    during.read = () => {
      turnsAtReads.push(turns);
      for (const until = performance.now() + 15; performance.now() < until;);
    };
    await pullAll();
    clearImmediate(next);
    assert.equal(new Set(turnsAtReads).size, sites.length, String(turnsAtReads));
  });

  it('when all sites are locked in the order of their IDs meanwhile, then no transaction is repeated', async () => {
    const { knex, sites, stats, pull } = await createSyncs(INVENTORY);
    let conflicts = 0;
    knex.on('query-error', () => (conflicts += 1));
    const ids = sites.map(({ id }) => id);
    let isDone = false;
    const lockAll = async (): Promise<void> => {
      while (!isDone) await inTransaction(knex, ({ trx }) => new ExposureRepository(trx).lockSites(ids));
    };
    const locking = lockAll();
    // Half of the reports are equal to the last ones. They arrive in another order each time.
    for (let round = 0; round < 20; round++) {
      for (const [at, { id }] of sites.entries())
        stats.set(id, statsWith({ plugins: [plugin('a', { version: at % 2 === 0 ? '1' : `1.${round}` })] }));
      const turned = [...sites.slice(round % SITES), ...sites.slice(0, round % SITES)];
      await Promise.all((round % 2 === 0 ? turned : turned.toReversed()).map((site) => pull(site)));
    }
    isDone = true;
    await locking;
    knex.removeAllListeners('query-error');
    assert.equal(conflicts, 0);
  });

  it('when a site has changed less than another one, then only its own changes are compared with the feeds', async () => {
    const { knex } = opened.database;
    const clock = { now: () => 1_000 };
    const alerts = { raise: () => Promise.resolve() } as unknown as ExposureAlerts;
    const matching = new ExposureMatcher({ knex, clock, changeLog: new ChangeLog(clock), alerts });
    const installed = installedSoftwareSection({ matching, isActive: () => Promise.resolve(true) });
    const { sites, stats, pullAll } = await createSyncs([installed], 2);
    const [site, other] = sites as [(typeof sites)[0], (typeof sites)[0]];
    const [feed] = await knex('vulnerability_feeds').insert({ kind: 'a', location: 'b', feed_key: 'c', generation: 1 });
    const texts = { title: 'T', description: '', cvss_vector: '', details: '{}', hash: 'h' };
    const [id] = await knex('vulnerabilities').insert({ ...texts, feed_id: feed, external_id: 'v', severity: 1 });
    const ranges = JSON.stringify([{ from: null, fromInclusive: true, to: '1.5', toInclusive: true }]);
    const about = { vulnerability_id: id, type: 'plugin', slug: 'p', name: 'P', ranges, patched: '[]', born_in: 1 };
    await knex('vulnerable_versions').insert(about);
    for (const each of sites) stats.set(each.id, statsWith({ plugins: [plugin('p/p.php')] }));
    await pullAll();
    const open = async (): Promise<number[]> =>
      (await knex('exposures').where({ lasting: 1 }).orderBy('site_id').pluck<number[]>('site_id')).map(Number);
    assert.deepEqual(await open(), [site.id, other.id]);
    // The rows of the first site are lost, and its next report has no plugins. The second site updates the plugin.
    await knex('installed_versions').where({ site_id: site.id }).delete();
    stats.set(site.id, statsWith({ wpVersion: '6.9' }));
    stats.set(other.id, statsWith({ plugins: [plugin('p/p.php', { version: '2.0' })] }));
    await pullAll();
    assert.deepEqual(await open(), [site.id]);
  });
});
