import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { addSales, enableReportsPlugin } from '../../support/report-data.ts';
import { readClientReport } from '../../support/pro-reports.ts';
import { updateSite } from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const SITES = 20;
const AT_ONCE = 16;

interface SiteOutcome {
  site: { id: number };
  errors: { segment: string; code: string }[];
}

describe('reports that ask many sites', () => {
  let world: World;
  let client: number;
  const sites = Array.from({ length: SITES }, (_, index) => index);
  const calls = (): number => sites.reduce((sum, index) => sum + world.site(index).countOf('client_report'), 0);
  const readAll = async (segments: string): Promise<SiteOutcome[]> =>
    (await readClientReport(world, client, { segments })).data.sites;

  before(async () => {
    world = await startWorld({ sites: SITES, overrides: { deadlines: { fanOutMs: 8_000 } } });
    client = (await world.request('POST', '/api/v2/clients/add', { body: { name: 'Harbour' } })).body.data.id;
    for (const index of sites) {
      enableReportsPlugin(world.site(index));
      await updateSite(world, world.siteId(index), { client_id: client });
    }
    await world.request('PUT', '/api/v2/settings/advanced/edit', { body: { svc_maximum_ip_requests: 50 } });
  });
  after(() => world.close());
  beforeEach(() => {
    for (const index of sites) world.site(index).fault = null;
  });

  it('when a client has many sites, then a limited number is asked at a time, and none is left out', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    for (const index of sites)
      world.site(index).fault = { kind: 'delay', ms: { until: released }, function: 'client_report' };
    const before = calls();
    const reading = readAll('maintenance');
    await until(() => calls() - before >= AT_ONCE, 'the first calls');
    await sleep(100);
    assert.equal(calls() - before, AT_ONCE);
    release();
    assert.deepEqual(
      (await reading).map(({ errors }) => errors),
      sites.map(() => []),
    );
    assert.equal(calls() - before, SITES);
  });

  it('when a site does not respond, then all segments that ask it fail at one time limit', async () => {
    const site = world.site(1);
    addSales(site, []);
    site.fault = { kind: 'hang' };
    const sent = (): number => site.countOf('client_report') + site.countOf('woo_com_status');
    const before = sent();
    const failed = (await readAll('maintenance,shopstatus')).filter(({ errors }) => errors.length > 0);
    assert.deepEqual(
      failed.map((each) => [each.site.id, ...each.errors.map(({ segment, code }) => `${segment} ${code}`)]),
      [[world.siteId(1), 'maintenance svc_site_unreachable', 'shopstatus svc_site_unreachable']],
    );
    // The second call waits for the first, and is not sent.
    assert.equal(sent() - before, 1);
  });

  it('when all sites hang, then the report ends after the time limit with what it has', async () => {
    for (const index of sites) world.site(index).fault = { kind: 'hang' };
    const before = calls();
    const failed = await readAll('maintenance,website');
    assert.deepEqual(
      failed.map(({ errors }) => errors.map(({ segment, code }) => `${segment} ${code}`)),
      sites.map(() => ['maintenance svc_site_unreachable']),
    );
    // The limit is over before the first sites have freed their places for the others.
    assert.ok(calls() - before <= AT_ONCE);
  });
});
