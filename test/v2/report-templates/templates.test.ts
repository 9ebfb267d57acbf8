import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { NOVEMBER_2026, reportPath } from '../../support/pro-reports.ts';
import { editSettings } from '../../support/settings.ts';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/report-templates';

describe('report templates', () => {
  let world: World;
  let client: number;
  before(async () => {
    world = await startWorld({ sites: 2 });
    await syncSites(world, world.siteId(0), world.siteId(1));
    client = await createClient(world, 'Corner Bakery', { selected_sites: [world.siteId(0), world.siteId(1)] });
  });
  after(() => world.close());

  const add = async (body: object) => (await world.request('POST', `${BASE}/add`, { body })).body.data;
  const editClient = (body: object, expect = 200) =>
    world.request('PUT', `/api/v2/clients/${client}/edit`, { body, expect });
  const pageOf = async (query: Record<string, string> = {}, path = `clients/${client}/pro-reports`): Promise<string> =>
    (
      await world
        .agent()
        .get(reportPath(path, { ...query, format: 'html' }))
        .expect(200)
    ).text;
  const headingsOf = (page: string): string[] => [...page.matchAll(/<h2[^>]*>([^<]*)/g)].map(([, text]) => text ?? '');

  it('when templates are listed, then the three of the product come first', async () => {
    const added = await add({ name: 'Our care plan', intro: 'About [period].' });
    const { body } = await world.request('GET', BASE);
    assert.deepEqual(
      body.data.map(({ key, built_in }: { key: string; built_in: boolean }) => [key, built_in]),
      [
        ['care-plan', true],
        ['security', true],
        ['executive', true],
        ['our-care-plan', false],
      ],
    );
    assert.deepEqual(
      [added.key, added.sections, added.language, added.cover, added.appendix],
      ['our-care-plan', ['summary', 'work', 'availability', 'speed', 'security', 'recommendations'], null, false, []],
    );
    const second = await world.request('GET', `${BASE}?page=2&per_page=3`);
    assert.deepEqual([second.body.total, second.body.data[0].key], [4, 'our-care-plan']);
  });

  it('when a template is invalid, then the error names each field', async () => {
    const refuse = async (body: object): Promise<string[]> => {
      const answer = await world.request('POST', `${BASE}/add`, { body, expect: 400 });
      return answer.body.data.errors.map(({ path }: { path: string }) => path);
    };
    assert.deepEqual(
      await refuse({ name: 'A', intro: 'Hello [site.url]', sections: ['work', 'work'], language: 'xx' }),
      ['body.intro', 'body.sections', 'body.language'],
    );
    assert.deepEqual(await refuse({ name: 'A', appendix: ['cats'] }), ['body.appendix.0']);
    assert.deepEqual(await refuse({ name: 'A', logo: 'data:image/png;base64,AAAA' }), ['body.logo']);
    const taken = await world.request('POST', `${BASE}/add`, { body: { name: 'X', key: 'security' }, expect: 409 });
    assert.equal(taken.body.code, 'svc_already_exists');
  });

  it('when a template comes with the product, then it can be neither edited nor deleted', async () => {
    const edited = await world.request('PUT', `${BASE}/care-plan/edit`, { body: { cover: true }, expect: 409 });
    const deleted = await world.request('DELETE', `${BASE}/care-plan/delete`, { expect: 409 });
    assert.deepEqual([edited.body.code, deleted.body.code], ['svc_built_in', 'svc_built_in']);
    const missing = await world.request('GET', `${BASE}/nothing`, { expect: 404 });
    assert.equal(missing.body.code, 'svc_report_template_not_found');
  });

  it('when a template is edited, then omitted fields stay and an outdated ETag is refused', async () => {
    const { key } = await add({ name: 'Edited', greeting: 'Dear [client.name],', color: '#AA3300' });
    const { headers } = await world.request('GET', `${BASE}/${key}`);
    const { body } = await world.request('PATCH', `${BASE}/${key}/edit`, { body: { sections: ['work'] } });
    assert.deepEqual(
      [body.data.sections, body.data.greeting, body.data.color],
      [['work'], 'Dear [client.name],', '#aa3300'],
    );
    const etag = String(headers['etag']);
    const options = { body: { cover: true }, headers: { 'If-Match': etag }, expect: 412 };
    await world.request('PATCH', `${BASE}/${key}/edit`, options);
    const { body: log } = await world.request('GET', '/api/v2/changes?type=report_template.updated');
    assert.equal(log.data[0].description ?? log.data[0].action, 'Changed the report template Edited.');
  });

  it('when a client names a template, language and words, then its reports have them', async () => {
    const { key } = await add({
      ...{ name: 'German', sections: ['recommendations', 'summary'], greeting: 'Liebe [client.name],' },
      ...{ color: '#aa3300', accent_color: '#0000aa' },
    });
    await editClient({ report_template: key, language: 'de', report_text: 'Ihr Shop öffnet im März.' });
    const order = [world.siteId(1), world.siteId(0)];
    const { body: ordered } = await editClient({ site_order: order });
    assert.deepEqual(ordered.data.site_order, order);
    const page = await pageOf();
    assert.match(page, /<html lang="de" dir="ltr">/);
    assert.match(page, /<p dir="auto">Liebe Corner Bakery,<\/p><p dir="auto">Ihr Shop öffnet im März\.<\/p>/);
    assert.match(page, /--cover: #aa3300/);
    assert.ok(headingsOf(page).includes('Alle Websites') && !headingsOf(page).includes('All sites'));
    const site = await pageOf({}, `pro-reports/${world.siteId(0)}`);
    assert.match(site, /<html lang="de"[^]*Liebe Corner Bakery,/);
    const chosen = await pageOf({ template: 'executive', language: 'en', text: 'See you on [report.date].' });
    assert.doesNotMatch(chosen, /Liebe/);
    assert.match(chosen, /<html lang="en"[^]*See you on [A-Z][a-z]+ \d+, \d{4}\./);
    const inUse = await world.request('DELETE', `${BASE}/${key}/delete`, { expect: 409 });
    assert.equal(inUse.body.code, 'svc_in_use');
    await editClient({ report_template: null, language: null, report_text: null });
    await world.request('DELETE', `${BASE}/${key}/delete`);
    assert.match(await pageOf(), /<html lang="en"[^]*Hello Corner Bakery,/);
  });

  it('when a client names an unknown template or language, then the edit is refused', async () => {
    for (const body of [{ report_template: 'nothing' }, { language: 'xx' }, { report_text: '[cat]' }]) {
      const { body: refused } = await editClient(body, 400);
      assert.deepEqual(
        refused.data.errors.map(({ path }: { path: string }) => path),
        Object.keys(body).map((name) => `body.${name}`),
      );
    }
  });

  it('when the settings name a template, then it applies to clients without one and cannot be deleted', async () => {
    const { key } = await add({ name: 'Standard', sections: ['summary'], intro: 'Our standard report.' });
    await editSettings(world, 'pro-reports', { report_template: key });
    assert.match(await pageOf(), /Our standard report\./);
    await world.request('DELETE', `${BASE}/${key}/delete`, { expect: 409 });
    await editSettings(world, 'pro-reports', { report_template: null });
    await world.request('DELETE', `${BASE}/${key}/delete`);
  });

  it('when a template is previewed, then the page has the data of a site or client and nothing is stored', async () => {
    const { key } = await add({ name: 'Preview', sections: ['summary'], appendix: ['inventory'] });
    const preview = (query: Record<string, string>) =>
      world.agent().get(`${BASE}/${key}/preview?${new URLSearchParams({ ...NOVEMBER_2026, ...query }).toString()}`);
    const address = new URLSearchParams({ ...NOVEMBER_2026, site_id: String(world.siteId(0)) }).toString();
    await world.request('GET', `${BASE}/${key}/preview?${address}`);
    const { text } = await preview({ site_id: String(world.siteId(0)), language: 'de' }).expect(200);
    assert.match(text, /<html lang="de"[^]*Anhang/);
    await preview({ client_id: String(client) }).expect(200);
    assert.match((await preview({}).expect(200)).text, /<body class="single">/);
    await preview({ client_id: String(client), site_id: '1' }).expect(400);
    assert.equal((await world.request('GET', '/api/v2/reports')).body.total, 0);
  });
});
