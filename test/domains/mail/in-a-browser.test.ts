import assert from 'node:assert/strict';
import puppeteer, { type Browser } from 'puppeteer-core';
import type { Alert } from '../../../src/domains/mail/index.ts';
import { accessibilityViolations } from '../../support/accessibility.ts';
import { chromiumOrSkip } from '../../support/browsers.ts';
import { downAlert, raiseAlerts, sendAlertMails, upAlert } from '../../support/mail.ts';
import { addReportSchedule, createClientWithSites, makeReport } from '../../support/report-schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

// Runs on SQLite only: the look of a mail does not depend on the database.

const site = { id: 1, url: 'https://example-1.com/', name: 'Example' };
const certificate = {
  state: 'expired',
  from: 'valid',
  issuer: 'CA',
  validTo: 0,
  daysLeft: -276,
  problem: null,
} as const;
const vulnerable = {
  ...{ vulnerabilityId: 1, title: 'XSS', cve: 'CVE-2026-1', severity: 'medium', type: 'plugin', name: 'Shop' },
  ...{ version: '1.0', fixedIn: '1.1', since: 0 },
};
/** One alert of each type, and of each color. */
const ALERTS: Alert[] = [
  downAlert('i1'),
  upAlert('i2', 'Back', 2),
  { type: 'site_health', key: 'a1', site, facts: { score: 40, threshold: 80 } },
  { type: 'http_check', key: 'a2', site, facts: { statusBefore: 200, statusAfter: 500, updates: [], jobId: null } },
  { type: 'update_failed', key: 'a3', site, facts: { isBroken: false, updates: [], jobId: 'job' } },
  {
    ...{ type: 'cost_tracker_noti_email', key: 'a4', site: null },
    facts: { costId: 1, name: 'Hosting', dueOn: '2026-12-01', price: 9.9, frequency: 'yearly' },
  },
  { type: 'ssl_monitor_noti_email', key: 'a5', site, facts: certificate },
  { type: 'vulnerability', key: 'a6', site, facts: vulnerable },
  { type: 'perf_audit_noti_email', key: 'a7', site, facts: { score: 30, threshold: 50, desktop: 60, mobile: 30 } },
  {
    ...{ type: 'domain_monitor_noti_email', key: 'a8', site },
    facts: { state: 'expiring', domain: 'example-1.com', expiresAt: 0, registrar: 'Registrar' },
  },
  {
    ...{ type: 'api_key_expiry', key: 'a9', site: null },
    facts: { keyId: 3, label: 'reports', hint: '8Kd0aQz', user: 'admin', expiresAt: 0, daysLeft: 6 },
  },
];

describe('mails in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let world: World;
  before(async function () {
    const executablePath = await chromiumOrSkip(this);
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await puppeteer.launch({ executablePath, headless: true, args });
    world = await startWorld({ sites: 1 });
  });
  after(async () => {
    await browser?.close();
    await world?.close();
  });

  it('when axe reads a mail of each type, in light and dark, then it finds nothing', async () => {
    // Neither white nor the usual dark letters are readable on this gray.
    const look = { agency_name: 'North Sea Web', agency_color: '#7f7f7f' };
    await editSettings(world, 'pro-reports', look);
    const client = await createClientWithSites(world, 'Corner Bakery', 'ann@example.com', world.siteId(0));
    await makeReport(world, (await addReportSchedule(world, { client_id: client })).id);
    await world.container.database.knex('sites').update({ status: 'disconnected' });
    await world.request('POST', '/api/v2/schedules/daily-digest/run');
    await raiseAlerts(world, ...ALERTS);
    const mails = (await sendAlertMails(world)) as { type: string; html: string }[];
    assert.equal(new Set(mails.map(({ type }) => type)).size, 12);
    const problems: string[] = [];
    const tab = await browser.newPage();
    for (const { type, html } of mails)
      for (const scheme of ['light', 'dark']) {
        await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await tab.setContent(html);
        problems.push(...(await accessibilityViolations(tab)).map((each) => `${type}, ${scheme}: ${each}`));
      }
    assert.deepEqual(problems, []);
  });
});

describe('words for the expiry of a certificate', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  const WORDS: [number, string][] = [
    [-276, 'Certificate expired 276 days ago'],
    [-1, 'Certificate expired less than a day ago'],
    [0, 'Certificate expires in less than a day'],
    [1, 'Certificate expires in 1 day'],
    [9, 'Certificate expires in 9 days'],
  ];
  for (const [daysLeft, words] of WORDS)
    it(`when ${daysLeft} days are left, then the mail says "${words}"`, async () => {
      const facts = { ...certificate, daysLeft };
      await raiseAlerts(world, { type: 'ssl_monitor_noti_email', key: `left:${daysLeft}`, site, facts });
      const [mail] = await sendAlertMails(world);
      assert.ok(mail.text.split('\n').includes(`- ${words}`), mail.text);
      assert.ok(mail.html.includes(`>${words}</td>`));
    });
});
