import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { reportPath } from '../../support/pro-reports.ts';
import { editSettings } from '../../support/settings.ts';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';

describe('reports as HTML', () => {
  let world: World;
  let client: number;
  before(async () => {
    world = await startWorld({ sites: 2 });
    await syncSites(world, world.siteId(0), world.siteId(1));
    client = await createClient(world, 'Café am Markt', { selected_sites: [world.siteId(0), world.siteId(1)] });
  });
  after(() => world.close());

  const read = async (path: string, query: Record<string, string> = {}) =>
    world
      .agent()
      .get(reportPath(path, { ...query, format: 'html' }))
      .expect(200);

  it('when HTML is requested, then the page has a plain file name and a policy without scripts', async () => {
    const { headers, text } = await read(`pro-reports/${world.siteId(0)}`);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*; sandbox$/);
    assert.match(
      String(headers['content-disposition']),
      /^inline; filename="report(-[a-z0-9]+)+-2026-11-01-2026-11-30\.html"$/,
    );
    assert.match(text, /^<!doctype html>/);
    assert.match(text, /<html lang="en" dir="ltr">/);
    assert.ok(text.includes('<h2>What was done</h2>') && text.includes('<p class="period">November 2026</p>'));
    assert.doesNotMatch(text, /<script/);
  });

  it('when a single segment is requested, then the page has only this segment', async () => {
    const { text } = await read(`pro-reports/${world.siteId(0)}/website`);
    assert.deepEqual(text.match(/<h2 id="topic[^>]*>[^<]*/g), ['<h2 id="topic-0-0">The site']);
    assert.match(text, /<title>The site: /);
  });

  it('when a client has several sites, then its page has an overview and a section for each site', async () => {
    const { headers, text } = await read(`clients/${client}/pro-reports`);
    assert.match(String(headers['content-disposition']), /filename="report-cafe-am-markt-2026/);
    assert.match(text, /<h2 id="overview">All sites<\/h2>/);
    assert.equal(text.match(/<section class="site"/g)?.length, 2);
  });

  it('when name, color, logo or footer of the agency change, then the next page has them', async () => {
    const names = { agency_name: 'North Sea Web', agency_footer: 'Harbour Street 4' };
    await editSettings(world, 'pro-reports', { ...names, agency_color: '#aa3300', agency_logo: PIXEL });
    const { text } = await read(`pro-reports/${world.siteId(0)}`, { segments: 'website' });
    for (const part of ['North Sea Web', 'Harbour Street 4', '--cover: #aa3300', `<img src="${PIXEL}"`])
      assert.ok(text.includes(part), part);
    await editSettings(world, 'pro-reports', {
      agency_name: null,
      agency_footer: null,
      agency_color: null,
      agency_logo: null,
    });
    assert.doesNotMatch(
      (await read(`pro-reports/${world.siteId(0)}`)).text,
      /North Sea Web|Harbour Street|#aa3300|<img/,
    );
  });

  it('when the language changes, then texts, days and numbers of the page are in that language', async () => {
    await editSettings(world, 'pro-reports', { language: 'de' });
    const days = { segments: 'website', end_date: '2026-11-15' };
    const { text } = await read(`pro-reports/${world.siteId(0)}`, days);
    assert.match(text, /<html lang="de" dir="ltr">/);
    assert.match(text, /<p class="period">1\.–15\. November 2026<\/p>/);
    const english = await read(`pro-reports/${world.siteId(0)}`, { ...days, language: 'en' });
    assert.match(english.text, /<p class="period">November 1 – 15, 2026<\/p>/);
    const refused = await world
      .agent()
      .get(reportPath(`pro-reports/${world.siteId(0)}`, { language: 'xx', format: 'html' }));
    assert.equal(refused.status, 400);
    await editSettings(world, 'pro-reports', { language: null });
  });
});
