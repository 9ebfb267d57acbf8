import assert from 'node:assert/strict';
import { DAY, HOUR } from '../../../src/shared/clock.ts';
import { comRecord } from '../../domains/domain-monitor/rdap-samples.ts';
import { createAuthority, type CertificateAuthority } from '../../support/certificates.ts';
import { usePageSpeedApi, auditSites, FakePageSpeedApi, scoreReply } from '../../support/perf-audit.ts';
import { checkDomain, FakeRegistries, useRegistries } from '../../support/domain-monitor.ts';
import { readReport } from '../../support/pro-reports.ts';
import { editSettings, ManualClock } from '../../support/schedules.ts';
import { syncSites } from '../../support/sites.ts';
import { checkCertificate, moveSite } from '../../support/ssl-monitor.ts';
import { serveTls, type TlsServer } from '../../support/tls-servers.ts';
import { ALPHA, removeItemsWithUpdates } from '../../support/updates.ts';
import {
  setPluginVersion,
  FeedServer,
  useWordfenceFeed,
  refreshFeeds,
  wordfenceFeed,
} from '../../support/vulnerabilities.ts';
import { startWorld, type World } from '../../support/world.ts';

const NOW = '2026-11-22T08:00:00Z';
const [SECURE, REGISTERED, AUDITED, EXPOSED] = [0, 1, 2, 3] as const;

describe('report segments from monitoring', () => {
  let world: World;
  let clock: ManualClock;
  let trusted: CertificateAuthority;
  let tls: TlsServer;
  let api: FakePageSpeedApi;
  let registries: FakeRegistries;
  let feed: FeedServer;

  before(async () => {
    clock = new ManualClock(NOW);
    [trusted, api, registries, feed] = await Promise.all([
      createAuthority('Trusted'),
      FakePageSpeedApi.start(),
      FakeRegistries.start(),
      FeedServer.start(),
    ]);
    world = await startWorld({
      sites: 4,
      connect: 0,
      env: { SITEFLEET_PAGESPEED_URL: api.url },
      overrides: {
        clock,
        outbound: { certificateAuthorities: [trusted.root.cert] },
        deadlines: { checkMs: 60_000 },
      },
    });
    for (let index = 0; index < 4; index++) await world.freshSite(removeItemsWithUpdates);
  });
  afterEach(() => clock.set(NOW));
  after(async () => {
    await world.close();
    for (const server of [tls, api, registries, feed]) await server.close();
  });

  it('when a certificate was checked, then the report has its data', async () => {
    const id = world.siteId(SECURE);
    const [from, to] = [clock.now() - DAY, clock.now() + 61 * DAY + HOUR];
    tls = await serveTls(await trusted.issue({ subject: 'CN=shop.test, O=Shop, C=PT', from, to }));
    await moveSite(world, id, tls.url);
    await checkCertificate(world, id);
    const { summary, source } = await readReport(world, id, 'sslmonitor');
    assert.equal(source, 'ssl-monitor');
    const iso = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
    assert.deepEqual(
      { ...summary, issuer: null },
      {
        name: 'shop.test',
        issuer: null,
        valid_from: iso(from),
        valid_to: iso(to),
        days_left: 61,
        status: 'valid',
        last_check: NOW,
      },
    );
    assert.match(String(summary['issuer']), /Trusted/);
  });

  it('when a domain was looked up, then the report has its registration', async () => {
    await useRegistries(world, registries);
    registries.rdap['harbour.com'] = { record: comRecord('harbour.com', '2027-03-01T09:12:00Z') };
    const id = world.siteId(REGISTERED);
    await moveSite(world, id, 'https://www.harbour.com/');
    const profile = await checkDomain(world, id);
    const { summary, source } = await readReport(world, id, 'domainmonitor');
    assert.equal(source, 'domain-monitor');
    assert.equal(summary['domain_name'], 'harbour.com');
    assert.equal(summary['expiry_date'], '2027-03-01T09:12:00Z');
    assert.equal(summary['days_left'], 99);
    assert.equal(summary['status'], 'active');
    assert.equal(summary['last_check'], NOW);
    assert.equal(summary['registrar'], profile.registrar);
    assert.ok(summary['registrar']);
  });

  it('when audits were made, then the summary has the newest, and the items have those of the period', async () => {
    await usePageSpeedApi(world, { strategy: 'mobile' });
    const id = world.siteId(AUDITED);
    for (const [at, score] of [
      ['2026-10-31T23:59:59Z', 40],
      ['2026-11-01T00:00:00Z', 71],
      ['2026-11-20T08:00:00Z', 93],
    ] as const) {
      clock.set(at);
      api.nextReplies.push(scoreReply(score));
      await auditSites(world, [id]);
    }
    const { items, counts, summary, source } = await readReport(world, id, 'perfaudit');
    assert.equal(source, 'perf-audit');
    assert.deepEqual(
      items
        .filter(({ kind }) => kind === 'audit')
        .map(({ device, date, performance, accessibility }) => [device, date, performance, accessibility]),
      [
        ['mobile', '2026-11-20T08:00:00Z', 93, 94],
        ['mobile', '2026-11-01T00:00:00Z', 71, 94],
      ],
    );
    const { body } = await world.request('GET', `/api/v2/perf-audit/results/${id}?with_opportunities=true`);
    const found = [...body.data.mobile.lab_data, ...body.data.mobile.opportunities] as Record<string, unknown>[];
    assert.ok(found.length > 0);
    assert.deepEqual(
      items
        .filter(({ kind }) => kind === 'measure')
        .map(({ device, title, display_value: value }) => [device, title, value]),
      found.map(({ title, display_value: value }) => ['mobile', title, value]),
    );
    assert.deepEqual(counts, { audits: 2, measures: found.length });
    assert.deepEqual(
      [summary['mobile_performance'], summary['mobile_seo'], summary['desktop_performance'], summary['last_check']],
      [93, 92, null, '2026-11-20T08:00:00Z'],
    );
  });

  it('when software was vulnerable, then the report has it for the days of the exposure', async () => {
    const id = world.siteId(EXPOSED);
    feed.content = wordfenceFeed({ slug: 'alpha', upTo: '5.3' });
    await useWordfenceFeed(world, feed);
    await setPluginVersion(world, EXPOSED, ALPHA, '5.3');
    await refreshFeeds(world);
    const open = await readReport(world, id, 'vulnerable');
    assert.equal(open.source, 'vulnerabilities');
    assert.deepEqual(open.counts, { count: 1, plugins: 1, themes: 0, core: 0, open: 1, resolved: 0 });
    const [item] = open.items;
    assert.deepEqual(
      [item?.['kind'], item?.['slug'], item?.['version'], item?.['resolved_at']],
      ['plugin', 'alpha', '5.3', null],
    );
    assert.equal(open.summary['check_date'], NOW);

    clock.set('2026-11-23T08:00:00Z');
    await setPluginVersion(world, EXPOSED, ALPHA, '5.4');
    await syncSites(world, id);
    const ended = await readReport(world, id, 'vulnerable');
    assert.deepEqual([ended.counts['open'], ended.counts['resolved']], [0, 1]);
    assert.equal(ended.items[0]?.['resolved_at'], '2026-11-23T08:00:00Z');
    const later = { start_date: '2026-11-24', end_date: '2026-11-25' };
    assert.deepEqual((await readReport(world, id, 'vulnerable', later)).items, []);
  });

  it('when the format is tokens, then dates have the format of the settings', async () => {
    await editSettings(world, 'general', { date_format: 'd.m.Y' });
    const { other_tokens_data } = await readReport(world, world.siteId(REGISTERED), 'domainmonitor', {
      format: 'tokens',
    });
    assert.equal(other_tokens_data['[domainmonitor.expiry.date]'], '01.03.2027');
    assert.match(other_tokens_data['[domainmonitor.last.check]'] ?? '', /^22\.11\.2026 /);
  });
});
