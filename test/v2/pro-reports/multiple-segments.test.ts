import assert from 'node:assert/strict';
import { SEGMENT_NAMES } from '../../../src/domains/pro-reports/index.ts';
import { withoutModule } from '../../support/modules.ts';
import { NOVEMBER_2026, readClientReport, readCsv, readReport, readReports } from '../../support/pro-reports.ts';
import { updateSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { addPendingUpdates, startWorldWithoutUpdates } from '../../support/updates.ts';
import type { World } from '../../support/world.ts';

/** Segments without a source. */
const UNSOURCED = ['scanner3', 'analytics1', 'analytics2', 'uptime1', 'feedback1', 'protect', 'scan'];

describe('reports with several segments', () => {
  let world: World;
  let client: number;

  before(async () => {
    world = await startWorldWithoutUpdates(3);
    client = (await world.request('POST', '/api/v2/clients/add', { body: { name: 'Harbour' } })).body.data.id;
    for (const index of [0, 1]) await updateSite(world, world.siteId(index), { client_id: client });
  });
  after(() => world.close());

  it('when segments are named, then each has the data of its own route, and no other is returned', async () => {
    const { segments, errors } = await readReports(world, world.siteId(0), { segments: 'website,pending,users' });
    assert.deepEqual(Object.keys(segments), ['users', 'website', 'pending']);
    assert.deepEqual(errors, []);
    for (const [name, { made_at, ...segment }] of Object.entries(segments)) {
      const { made_at: madeLater, ...single } = await readReport(world, world.siteId(0), name);
      assert.deepEqual(segment, single, name);
      assert.ok(made_at <= madeLater, name);
    }
  });

  it('when a segment has no source, then it is empty with the source none', async () => {
    for (const name of UNSOURCED) {
      const { source, items, counts, summary, sections_data, other_tokens_data } = await readReport(
        world,
        world.siteId(0),
        name,
      );
      assert.equal(source, 'none', name);
      assert.deepEqual([items, summary, sections_data, other_tokens_data], [[], {}, [], {}]);
      assert.ok(Object.values(counts).every((count) => count === 0));
    }
  });

  it('when the module of a source is off, then its segment is empty with the source none', async () => {
    const modules = {
      domainmonitor: 'domain-monitor',
      sslmonitor: 'ssl-monitor',
      perfaudit: 'perf-audit',
      vulnerable: 'vulnerabilities',
    };
    for (const [name, module] of Object.entries(modules))
      await withoutModule(world, module, async () => {
        const { source, items, summary } = await readReport(world, world.siteId(0), name);
        assert.deepEqual([source, items, summary], ['none', [], {}], name);
      });
  });

  it('when segments share a source, then more segments need no more SQL statements', async () => {
    const id = world.siteId(0);
    const cost = (segments: string) => countStatements(world, () => readReports(world, id, { segments }));
    assert.equal(await cost('plugins,themes,core,posts,pages,users,comments,menus,media'), await cost('plugins'));
    assert.ok((await cost('website,misc')) < (await cost('website')) + (await cost('misc')) - 2);
  });

  it('when a site has more pending updates, then its report needs no more SQL statements', async () => {
    const id = world.siteId(2);
    const cost = () => countStatements(world, () => readReports(world, id));
    const before = await cost();
    addPendingUpdates(world.site(2));
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.ok((await cost()) <= before);
  });

  it('when a report is for a client, then it has each of its sites and the totals', async () => {
    const body = await readClientReport(world, client, { segments: 'pending,website' });
    assert.deepEqual(body.client, { id: client, name: 'Harbour', email: '' });
    assert.deepEqual(
      body.data.sites.map(({ site }: { site: { id: number } }) => site.id),
      [world.siteId(0), world.siteId(1)],
    );
    for (const { site, segments } of body.data.sites) {
      // The second report is made later.
      const { made_at } = segments.website;
      assert.deepEqual(segments.website, { ...(await readReport(world, site.id, 'website')), made_at });
    }
    const [website] = body.data.totals;
    assert.equal(website.segment, 'website');
    assert.equal(
      website.counts.plugins_total,
      body.data.sites
        .map(({ segments }: { segments: Record<string, { counts: Record<string, number> }> }) =>
          Number(segments['website']?.counts['plugins_total']),
        )
        .reduce((sum: number, count: number) => sum + count, 0),
    );
  });

  it('when a client has more sites, then its report needs no more SQL statements', async () => {
    const cost = () => countStatements(world, () => readClientReport(world, client));
    const before = await cost();
    await updateSite(world, world.siteId(2), { client_id: client });
    const { data } = await readClientReport(world, client);
    assert.equal(data.sites.length, 3);
    assert.ok((await cost()) <= before);
  });

  it('when the format is tokens, then each segment has only its tokens', async () => {
    const { segments } = await readReports(world, world.siteId(0), { format: 'tokens' });
    for (const report of Object.values(segments))
      assert.deepEqual(Object.keys(report), ['sections_data', 'other_tokens_data']);
  });

  it('when the format is CSV, then exactly one segment must be named', async () => {
    const id = world.siteId(2);
    const csv = (segments: string) =>
      world
        .agent()
        .get(`/api/v2/pro-reports/${id}`)
        .query({ ...NOVEMBER_2026, format: 'csv', segments });
    assert.equal((await csv('pending').expect(200)).text, (await readCsv(world, id, 'pending')).text);
    for (const segments of ['', 'all', 'pending,misc', 'backups']) await csv(segments).expect(400);
  });

  it('when all segments are requested, then they have the order of the interface', async () => {
    const { segments, errors } = await readReports(world, world.siteId(0), { segments: 'all' });
    const told = SEGMENT_NAMES.filter((name) => !errors.some(({ segment }) => segment === name));
    assert.deepEqual(Object.keys(segments), told);
  });
});
