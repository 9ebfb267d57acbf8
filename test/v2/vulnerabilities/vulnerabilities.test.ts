import assert from 'node:assert/strict';
import { ManualClock } from '../../support/schedules.ts';
import { deleteSite, syncSites } from '../../support/sites.ts';
import { readChangesOf } from '../../support/changes.ts';
import { sendAlertMails } from '../../support/mail.ts';
import { alertsOf } from '../../support/uptime.ts';
import { ALPHA, BETA, removeItemsWithUpdates } from '../../support/updates.ts';
import {
  setPluginVersion,
  FeedServer,
  listExposures,
  listVulnerabilities,
  osvRecord,
  useOsvFeeds,
  useWordfenceFeed,
  refreshFeeds,
  summaryOf,
  wordfenceFeed,
} from '../../support/vulnerabilities.ts';
import { withoutModule } from '../../support/modules.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/vulnerabilities';

describe('vulnerabilities', () => {
  let world: World;
  let feed: FeedServer;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    feed = await FeedServer.start();
    world = await startWorld({ sites: 2, connect: 0, overrides: { clock } });
    for (let index = 0; index < 2; index++) await world.freshSite(removeItemsWithUpdates);
    for (const index of [0, 1]) await setPluginVersion(world, index, ALPHA, '5.3');
  });
  afterEach(async () => {
    await world.close();
    await feed.close();
  });

  it('when no feed is configured, then lists are empty with the source none, and no job starts', async () => {
    assert.deepEqual(await listVulnerabilities(world), {
      ...{ success: 1, data: [], source: 'none', copyrights: [] },
      ...{ total: 0, page: 1, per_page: 500, pages: 1 },
    });
    assert.equal((await listExposures(world)).source, 'none');
    const { source, sites_exposed, feeds } = await summaryOf(world);
    assert.deepEqual([source, sites_exposed, feeds], ['none', 0, []]);
    await world.request('GET', `${BASE}/1`, { expect: 404 });
    const { body } = await world.request('POST', '/api/v2/schedules/vulnerability-refresh/run');
    assert.equal(body.data, null);
  });

  it('when a feed is loaded, then exposures start at publication or first sync, the later of both', async () => {
    feed.content = wordfenceFeed(
      { slug: 'alpha', upTo: '5.3', patched: ['5.4', '6.0.1'], published: '2026-11-20 06:02:11' },
      { slug: 'beta', upTo: '99', patched: [], published: '2030-01-01 00:00:00', score: 9.8 },
      { slug: 'gamma', upTo: '0.1' },
    );
    await useWordfenceFeed(world, feed);
    clock.set('2026-11-22T09:00:00Z');
    const [item] = await refreshFeeds(world);
    assert.deepEqual(item.result.feed, {
      ...{ kind: 'wordfence', location: feed.url, records: 3, skipped: 0, written: 3, withdrawn: 0 },
      ...{ found: 4, ended: 0 },
    });
    assert.equal(feed.requests[0]?.authorization, 'Bearer a-key-of-the-feed');
    const { data, source } = await listExposures(world, `&sites=${world.siteId(0)}`);
    assert.equal(source, 'wordfence');
    const [beta, alpha] = data;
    assert.deepEqual(
      [alpha.item, alpha.version, alpha.fixed_in, alpha.severity, alpha.cve],
      [ALPHA, '5.3', '5.4', 'high', 'CVE-2026-10001'],
    );
    // The vulnerability was published before the version was first seen.
    assert.equal(alpha.exposed_since, '2026-11-22T08:00:00Z');
    assert.equal(alpha.exposed_seconds, 3600);
    // A publication time in the future counts as the current time.
    assert.deepEqual([beta.item, beta.exposed_since, beta.fixed_in], [BETA, '2026-11-22T09:00:00Z', null]);
  });

  const readAll = async (...advisories: Parameters<typeof wordfenceFeed>) => {
    feed.content = wordfenceFeed(...advisories);
    await useWordfenceFeed(world, feed);
    return refreshFeeds(world);
  };

  it('when a site changes to another vulnerable version, then its exposure continues until it is fixed', async () => {
    await readAll({ slug: 'alpha', upTo: '5.3.9', patched: ['5.4'], published: '2026-11-22 08:30:00' });
    clock.set('2026-11-22T10:00:00Z');
    await setPluginVersion(world, 0, ALPHA, '5.3.1');
    const [lasting] = (await listExposures(world, `&sites=${world.siteId(0)}`)).data;
    assert.deepEqual([lasting.version, lasting.exposed_since], ['5.3.1', '2026-11-22T08:00:00Z']);
    clock.set('2026-11-22T12:00:00Z');
    await setPluginVersion(world, 0, ALPHA, '5.4');
    assert.equal((await listExposures(world, `&sites=${world.siteId(0)}`)).total, 0);
    const [ended] = (await listExposures(world, '&state=ended')).data;
    assert.deepEqual(
      [ended.id, ended.exposed_until, ended.ending, ended.ended_by_version, ended.exposed_seconds],
      [lasting.id, '2026-11-22T12:00:00Z', 'updated', '5.4', 14_400],
    );
    // The site returns to a vulnerable version, which starts a new exposure.
    clock.set('2026-11-22T13:00:00Z');
    await setPluginVersion(world, 0, ALPHA, '5.3');
    const [again] = (await listExposures(world, `&sites=${world.siteId(0)}`)).data;
    assert.deepEqual([again.id === ended.id, again.exposed_since], [false, '2026-11-22T13:00:00Z']);
    world.site(0).state.plugins.delete(ALPHA);
    world.site(0).touch();
    await syncSites(world, world.siteId(0));
    const endings = (await listExposures(world, '&state=ended&orderby=exposed_since')).data;
    assert.deepEqual(
      endings.map(({ ending, ended_by_version }: Record<string, string>) => [ending, ended_by_version]),
      [
        ['removed', null],
        ['updated', '5.4'],
      ],
    );
    const told = await readChangesOf(world, world.siteId(0), 'vulnerability.%');
    assert.deepEqual(
      told.map(({ type }) => type),
      ['vulnerability.found', 'vulnerability.ended', 'vulnerability.found', 'vulnerability.ended'],
    );
    assert.match(told[1]?.description ?? '', /no longer exposed by vulnerability \d+: it was updated to 5\.4\.$/);
  });

  it('when a feed changes, then corrected and withdrawn exposures end, and new ones are found', async () => {
    feed.etag = '"one"';
    await readAll({ slug: 'alpha', upTo: '5.3' }, { slug: 'beta', upTo: '99' }, { slug: 'gamma', upTo: '0.1' });
    const first = (await listVulnerabilities(world)).data;
    assert.equal(first.length, 2);
    const [unchanged] = await refreshFeeds(world);
    assert.equal(unchanged.result.feed.written, 0);
    assert.equal(feed.requests.at(-1)?.['if-none-match'], '"one"');

    feed.etag = '"two"';
    feed.content = wordfenceFeed({ slug: 'alpha', upTo: '5.2' }, { slug: 'gamma', upTo: '99', id: 'new' });
    clock.set('2026-11-22T11:00:00Z');
    const [item] = await refreshFeeds(world);
    const { written, withdrawn, found, ended } = item.result.feed;
    assert.deepEqual({ written, withdrawn, found, ended }, { written: 2, withdrawn: 2, found: 2, ended: 4 });
    const of = async (state: string): Promise<string[]> =>
      (await listExposures(world, `&state=${state}&sites=${world.siteId(1)}`)).data
        .map(({ slug, ending }: Record<string, string>) => `${slug} ${ending}`)
        .sort();
    assert.deepEqual([await of('open'), await of('ended')], [['gamma null'], ['alpha corrected', 'beta withdrawn']]);
    const gone = first.find(({ affected }: { affected: { slug: string }[] }) => affected[0]?.slug === 'beta');
    const { body } = await world.request('GET', `${BASE}/${gone.id}`);
    assert.deepEqual(
      [body.data.withdrawn_at, body.data.affected, body.data.sites_exposed, body.data.sites_ended],
      ['2026-11-22T11:00:00Z', [], 0, 2],
    );

    // The settings no longer have the feed.
    await world.request('PUT', '/api/v2/settings/vulnerabilities/edit', { body: { wordfence_api_key: null } });
    assert.equal((await listExposures(world, '&state=any')).total, 0);
    await refreshFeeds(world);
    await useOsvFeeds(world, feed.url);
    assert.equal((await listExposures(world)).total, 0);
  });

  it('when exposures reach the alert severity, then each raises one alert', async () => {
    await readAll(
      { slug: 'alpha', upTo: '5.3', score: 9.8, patched: ['5.4'] },
      { slug: 'beta', upTo: '99', score: 5.1 },
      { slug: 'gamma', upTo: '99', score: 7 },
    );
    await refreshFeeds(world);
    const told = await alertsOf<{ name: string; severity: string; fixedIn: string }>(world, 'vulnerability');
    assert.deepEqual(
      told.map(({ site_id, facts }) => `${site_id} ${facts.severity}`).sort(),
      world.siteIds.flatMap((id) => [`${id} critical`, `${id} high`]).sort(),
    );
    const [mail] = await sendAlertMails(world);
    assert.equal(mail.type, 'vulnerability');
    assert.match(mail.text, /Exposed since/);
    await world.request('PUT', '/api/v2/settings/vulnerabilities/edit', { body: { alert_severity: 'off' } });
    await setPluginVersion(world, 0, ALPHA, '5.4');
    await setPluginVersion(world, 0, ALPHA, '5.3');
    assert.equal((await alertsOf(world, 'vulnerability')).length, told.length);
  });

  it('when the module is off, then no exposures are computed; when it is on again, their start is right', async () => {
    await readAll({ slug: 'alpha', upTo: '5.3.9', published: null });
    await setPluginVersion(world, 0, ALPHA, '5.4');
    await withoutModule(world, 'vulnerabilities', async () => {
      for (const path of [BASE, `${BASE}/exposures`, `${BASE}/summary`, '/api/v2/settings/vulnerabilities']) {
        const { body } = await world.request('GET', path, { expect: 404 });
        assert.equal(body.code, 'svc_module_not_available');
      }
      clock.set('2026-11-22T14:00:00Z');
      await setPluginVersion(world, 0, ALPHA, '5.3.2');
    });
    assert.equal((await listExposures(world, `&sites=${world.siteId(0)}`)).total, 0);
    clock.set('2026-11-22T18:00:00Z');
    await refreshFeeds(world);
    const [exposure] = (await listExposures(world, `&sites=${world.siteId(0)}`)).data;
    assert.deepEqual([exposure.exposed_since, exposure.found_at], ['2026-11-22T14:00:00Z', '2026-11-22T18:00:00Z']);
  });

  it('when lists are filtered, ordered and paged, then they need no more SQL statements', async () => {
    await readAll(
      { slug: 'alpha', upTo: '5.3', score: 9.8, title: 'Uploads that run' },
      { slug: 'beta', upTo: '99', score: 5.1 },
      { slug: 'wordpress', type: 'core', upTo: '99', score: null, cve: null },
    );
    const slugs = async (query: string): Promise<string[]> =>
      (await listVulnerabilities(world, query)).data.map(
        ({ affected }: { affected: { slug: string }[] }) => affected[0]?.slug,
      );
    assert.deepEqual(await slugs(''), ['alpha', 'beta', 'wordpress']);
    assert.deepEqual(await slugs('&order=asc'), ['wordpress', 'beta', 'alpha']);
    assert.deepEqual(await slugs('&severity=critical,none'), ['alpha', 'wordpress']);
    assert.deepEqual(await slugs('&type=core'), ['wordpress']);
    assert.deepEqual(await slugs(`&slug=${encodeURIComponent(BETA)}`), ['beta']);
    assert.deepEqual(await slugs('&search=UPLOADS'), ['alpha']);
    assert.deepEqual(await slugs('&search=2026-10002'), ['beta']);
    for (const orderby of ['exposed_since', 'sites_exposed', 'published_at'])
      assert.equal((await slugs(`&orderby=${orderby}`)).length, 3);
    for (const orderby of ['exposed_since', 'exposed_until', 'site'])
      assert.equal((await listExposures(world, `&orderby=${orderby}&state=any`)).total, 6);
    const { body, headers } = await world.request('GET', `${BASE}?per_page=1&page=2`);
    assert.deepEqual([body.total, body.pages, headers['x-wp-total']], [3, 3, '3']);
    assert.equal(body.copyrights.length, 2);
    const [exposure] = (await listExposures(world, '&slug=wordpress')).data;
    assert.deepEqual([exposure.severity, exposure.cve, exposure.name], ['none', null, 'WordPress']);
    const during = (span: string) => listExposures(world, `&state=any${span}`);
    assert.equal((await during('&from=2026-11-22T08:00:00Z&to=2026-11-22T08:00:00Z')).total, 6);
    assert.equal((await during('&to=2026-11-22T07:59:59Z')).total, 0);
    await world.request('GET', `${BASE}/exposures?from=2026-11-22T08:00:00Z&to=2026-11-21T08:00:00Z`, { expect: 400 });

    const { sites_exposed, severities, exposed_since, feeds } = await summaryOf(world);
    assert.deepEqual([sites_exposed, exposed_since], [2, '2026-11-22T08:00:00Z']);
    assert.deepEqual(severities.critical, {
      ...{ exposures: 2, vulnerabilities: 1, sites: 2, exposed_since: '2026-11-22T08:00:00Z' },
    });
    assert.deepEqual([feeds[0].records, feeds[0].error, feeds[0].checked_at], [3, null, '2026-11-22T08:00:00Z']);
    for (const path of [BASE, `${BASE}/exposures`]) {
      const statementsOf = async (perPage: number): Promise<number> => {
        const read = () => world.request('GET', `${path}?per_page=${perPage}`);
        // Caches of modules and settings are read again after a few seconds, so the lowest count is compared.
        const counts: number[] = [];
        for (let time = 0; time < 3; time++) counts.push(await world.countStatements(read));
        return Math.min(...counts);
      };
      assert.equal(await statementsOf(3), await statementsOf(1), path);
    }
    const { body: ofSite } = await world.request('GET', `/api/v2/sites/${world.siteId(1)}/vulnerabilities`);
    assert.deepEqual([ofSite.total, ofSite.data[0].severity, ofSite.source], [3, 'critical', 'wordfence']);
    const { vulnerabilities } = world.container.services.vulnerabilities;
    const report = await vulnerabilities.exposuresDuring([world.siteId(1)], { from: 0, to: clock.now() });
    assert.deepEqual([report.source, report.exposures.length], ['wordfence', 3]);
  });

  it('when a site is deleted, then its exposures are deleted', async () => {
    await readAll({ slug: 'alpha', upTo: '5.3' });
    await deleteSite(world, world.siteId(0));
    assert.equal((await listExposures(world, '&state=any')).total, 1);
  });

  it('when a record names a software twice, then each site has one exposure, and its syncs succeed', async () => {
    const packageOf = (ecosystem: string, name: string, fixed: string) => ({
      package: { ecosystem, name },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
    });
    const affected = [
      ...[packageOf('WordPress:Plugin', 'alpha', '5.4'), packageOf('Packagist', 'wpackagist-plugin/alpha', '5.5')],
    ];
    feed.content = [osvRecord('alpha', '1', { affected }), osvRecord('beta', '99')];
    await useOsvFeeds(world, feed.url);
    const [item] = await refreshFeeds(world);
    assert.deepEqual([item.state, item.result.feed.found], ['succeeded', 4]);
    const exposed = async (): Promise<string[]> =>
      (await listExposures(world)).data.map(({ site_id, slug }: Record<string, string>) => `${site_id} ${slug}`).sort();
    assert.deepEqual(await exposed(), world.siteIds.flatMap((id) => [`${id} alpha`, `${id} beta`]).sort());
    await setPluginVersion(world, 0, ALPHA, '5.5');
    assert.equal((await exposed()).length, 3);
    await setPluginVersion(world, 0, ALPHA, '5.3');
    assert.equal((await exposed()).length, 4);
  });

  it('when a folder has a second plugin file, or a must-use file has the name of a plugin, then neither is exposed', async () => {
    await readAll({ slug: 'alpha', upTo: '5.4' }, { slug: 'beta', upTo: '5.4' });
    const exposed = async (): Promise<string[]> =>
      (await listExposures(world, `&sites=${world.siteId(0)}`)).data.map(({ item }: { item: string }) => item).sort();
    const before = await exposed();
    assert.ok(before.includes(ALPHA));
    const { state } = world.site(0);
    const alpha = state.plugins.get(ALPHA) ?? assert.fail();
    for (const [file, mu] of [
      ['alpha/addon.php', false],
      ['beta.php', true],
    ] as const) {
      const definition = { ...alpha.definition, file, name: `The file ${file}` };
      state.plugins.set(file, { ...alpha, definition, version: '1.0', mu });
    }
    world.site(0).touch();
    await syncSites(world, world.siteId(0));
    assert.deepEqual(await exposed(), before);
  });

  it('when stored software was deleted, then the next sync stores it again, although the site is unchanged', async () => {
    feed.content = [osvRecord('alpha', '99')];
    await useOsvFeeds(world, feed.url);
    await refreshFeeds(world);
    const { knex } = world.container.database;
    const software = () =>
      knex('installed_versions').orderBy(['site_id', 'type', 'item']).select('site_id', 'type', 'item', 'version');
    const before = await software();
    assert.ok(before.length > 0);
    await syncSites(world);
    await knex('installed_versions').delete();
    await syncSites(world);
    assert.deepEqual(await software(), before);
    const { severities } = await summaryOf(world);
    assert.equal(severities.critical.exposures, 2);
  });

  it('when software cannot be compared, then the summary shows the error of the feed', async () => {
    feed.content = [osvRecord('alpha', '99')];
    await useOsvFeeds(world, feed.url);
    const { knex } = world.container.database;
    await knex.schema.renameTable('installed_versions', 'hidden_versions');
    const [item] = await refreshFeeds(world);
    assert.equal(item.state, 'failed');
    assert.match((await summaryOf(world)).feeds[0].error, /could not be compared/);
    await knex.schema.renameTable('hidden_versions', 'installed_versions');
    await refreshFeeds(world);
    const { feeds, severities } = await summaryOf(world);
    assert.deepEqual([feeds[0].error, severities.critical.exposures], [null, 2]);
  });
});
