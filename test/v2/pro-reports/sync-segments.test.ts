import assert from 'node:assert/strict';
import { withoutModule } from '../../support/modules.ts';
import { readCsv, readReport, refusedFields, refuseReport } from '../../support/pro-reports.ts';
import { editSettings } from '../../support/schedules.ts';
import { syncSites, updateSite } from '../../support/sites.ts';
import { addTask, editTask } from '../../support/time-tracker.ts';
import { ALPHA, removeItemsWithUpdates, BETA, releaseUpdates } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('report segments from a sync', () => {
  let world: World;
  let id: number;
  let theme: string;

  before(async () => {
    world = await startWorld({ sites: 2, connect: 0 });
    const fresh = await world.freshSite((site) => {
      const [first] = removeItemsWithUpdates(site).themes;
      releaseUpdates(site, { core: '9.0', plugins: [ALPHA, BETA], themes: [first], translations: ['akismet'] });
      return first;
    });
    id = fresh.id;
    theme = fresh.made;
  });
  after(() => world.close());

  it('when updates are pending, then the report has exactly these updates', async () => {
    const { state } = world.site(0);
    const report = await readReport(world, id, 'pending');
    const { items, counts, source, total } = report;
    assert.equal(source, 'site');
    assert.deepEqual(counts, { core: 1, plugins: 2, themes: 1, translations: 1, total: 5 });
    assert.equal(total, 5);
    assert.deepEqual(
      items.filter(({ kind }) => kind !== 'translation'),
      [
        { kind: 'core', name: 'WordPress', slug: 'wordpress', current_version: '6.8', new_version: '9.0' },
        ...[ALPHA, BETA].map((slug) => ({
          kind: 'plugin',
          name: state.plugins.get(slug)?.definition.name,
          slug,
          current_version: state.plugins.get(slug)?.version,
          new_version: '9.1',
        })),
        {
          kind: 'theme',
          name: state.themes.get(theme)?.definition.name,
          slug: theme,
          current_version: '1.1',
          new_version: '9.2',
        },
      ],
    );
    assert.equal(items.filter(({ kind }) => kind === 'translation').length, 1);
  });

  it('when the format is tokens, then each kind has a list of rows', async () => {
    const report = await readReport(world, id, 'pending', { format: 'tokens' });
    assert.deepEqual(Object.keys(report), ['sections_data', 'other_tokens_data']);
    assert.deepEqual(
      report.sections_data.map((rows) => rows.map((row) => row['[pending.slug]'])),
      [['wordpress'], [ALPHA, BETA], [theme], ['akismet']],
    );
    assert.equal(report.other_tokens_data['[pending.plugins.count]'], '2');
  });

  it('when the format is CSV, then each item is a line', async () => {
    const { lines, headers } = await readCsv(world, id, 'pending');
    assert.match(String(headers['content-type']), /^text\/csv/);
    assert.match(String(headers['content-disposition']), /pending\.csv/);
    assert.equal(lines[0], 'kind,name,slug,current_version,new_version');
    assert.equal(lines[1], 'core,WordPress,wordpress,6.8,9.0');
    assert.equal(lines.length, 6);
  });

  it('when a report has the segment website, then it has the site record with its client', async () => {
    const { body } = await world.request('POST', '/api/v2/clients/add', { body: { name: 'Harbour' } });
    await updateSite(world, id, { client_id: body.data.id });
    await syncSites(world, id);
    const { state } = world.site(0);
    const { data: site } = (await world.request('GET', `/api/v2/sites/${id}`)).body;
    const { counts, summary } = await readReport(world, id, 'website');
    const plugins = [...state.plugins.values()];
    assert.deepEqual(counts, {
      plugins_total: plugins.length,
      plugins_active: plugins.filter(({ active }) => active).length,
      themes_total: state.themes.size,
      core_updates: 1,
      plugin_updates: 2,
      theme_updates: 1,
      translation_updates: 1,
    });
    assert.deepEqual(summary, {
      name: site.name,
      url: site.url,
      status: 'connected',
      core_version: '6.8',
      php_version: site.php_version,
      db_version: state.mysqlVersion,
      ip: new URL(site.url).hostname,
      active_theme: state.themes.get(state.activeTheme)?.definition.name,
      health_score: site.health_score,
      last_sync: site.last_sync,
      read_at: site.last_sync,
      tags: [],
      client: 'Harbour',
    });
  });

  it('when plugins and themes have no release for two years, then the report lists them as abandoned', async () => {
    const { state } = world.site(0);
    for (const plugin of state.plugins.values())
      if (plugin.definition.file === BETA) plugin.definition = { ...plugin.definition, ageDays: 1500 };
    world.site(0).touch();
    await syncSites(world, id);
    const wanted = [
      ...[...state.plugins.entries()].map(([slug, { definition, version }]) => ['plugin', slug, definition, version]),
      ...[...state.themes.entries()].map(([slug, { definition, version }]) => ['theme', slug, definition, version]),
    ] as ['plugin' | 'theme', string, { name: string; ageDays: number }, string][];
    const old = wanted.filter(([, , { ageDays }]) => ageDays > 730);
    const { items, counts, total } = await readReport(world, id, 'abandoned');
    const byAge = [...old].sort(([, , left], [, , right]) => right.ageDays - left.ageDays);
    assert.deepEqual(
      items.map(({ kind, slug, name, version }) => [kind, slug, name, version]),
      byAge.map(([kind, slug, { name }, version]) => [kind, slug, name, version]),
    );
    const plugins = old.filter(([kind]) => kind === 'plugin').length;
    assert.ok(plugins > 0);
    assert.deepEqual(counts, { plugins, themes: old.length - plugins, total: old.length });
    assert.equal(total, old.length);
  });

  it('when tasks were worked on, then the segment misc has those of the period and the client', async () => {
    const mill = { name: 'Mill', client_email: 'mill@example.com', city: 'Porto' };
    const client = (await world.request('POST', '/api/v2/clients/add', { body: mill })).body.data.id as number;
    const { id: other } = await world.freshSite(removeItemsWithUpdates);
    await updateSite(world, other, { client_id: client });
    const worked = async (
      title: string,
      task_date: string,
      elapsed_seconds: number,
      site_id: number | null = other,
    ) => {
      const task = await addTask(world, { title, client_id: client, site_id, task_date });
      await editTask(world, task.id as number, { elapsed_seconds });
    };
    await worked('Too early', '2026-10-31', 60);
    await worked('New menu', '2026-11-01', 1800);
    await worked('Faster pictures', '2026-11-30', 600);
    await worked('Too late', '2026-12-01', 60);
    await worked('Elsewhere', '2026-11-02', 60, null);
    const { items, counts, summary } = await readReport(world, other, 'misc');
    const { state } = world.site(1);
    assert.deepEqual(
      items
        .filter(({ kind }) => kind === 'task')
        .map(({ name, day, duration_seconds }) => [name, day, duration_seconds]),
      [
        ['Faster pictures', '2026-11-30', 600],
        ['New menu', '2026-11-01', 1800],
      ],
    );
    assert.deepEqual(
      items.filter(({ kind }) => kind === 'plugin').map(({ name, version, active }) => [name, version, active]),
      [...state.plugins.entries()]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([, { definition, version, active }]) => [definition.name, version, active]),
    );
    assert.equal(items.filter(({ kind }) => kind === 'theme').length, state.themes.size);
    assert.deepEqual(counts, {
      plugins: state.plugins.size,
      themes: state.themes.size,
      tasks: 2,
      task_seconds: 2400,
    });
    assert.deepEqual(
      [summary['client_name'], summary['client_email'], summary['client_city'], summary['core_version']],
      ['Mill', 'mill@example.com', 'Porto', '6.8'],
    );
    assert.equal(summary['date_range'], 'November 1, 2026 - November 30, 2026');
    await editSettings(world, 'pro-reports', { max_items_per_section: 1 });
    const cut = await readReport(world, other, 'misc');
    await editSettings(world, 'pro-reports', { max_items_per_section: null });
    assert.deepEqual(
      cut.items.map(({ kind, name }) => (kind === 'task' ? name : kind)),
      ['plugin', 'Faster pictures'],
    );
    assert.equal(cut.total, items.length);
    await withoutModule(world, 'time-tracker', async () =>
      assert.equal((await readReport(world, other, 'misc')).counts['tasks'], 0),
    );
  });

  it('when dates are missing, reversed, invalid or too far apart, then the error names the parameter', async () => {
    const fields = (query: Record<string, string>) => refusedFields(world, id, 'website', query);
    assert.match((await fields({ start_date: '' })).join(), /^query\.start_date must have/);
    assert.match((await fields({ end_date: '2026-02-30' })).join(), /^query\.end_date /);
    assert.deepEqual(await fields({ end_date: '2026-10-31' }), ['query.end_date must not be before the first day']);
    assert.deepEqual(await fields({ start_date: '2025-11-29' }), [
      'query.end_date must not make the range longer than 366 days',
    ]);
    assert.match((await fields({ format: 'xml' })).join(), /^query\.format must be equal to one of/);
  });

  it('when dates have the parameter names of older clients, then they are accepted', async () => {
    const path = `/api/v2/pro-reports/${id}/website?start=2026-10-01&end=2026-10-31`;
    const { body } = await world.request('GET', path);
    assert.equal(`${body.data.start_date} ${body.data.end_date}`, '2026-10-01 2026-10-31');
  });

  it('when the module is off, the site is unknown or the right is missing, then the call is rejected', async () => {
    await withoutModule(world, 'pro-reports', () => refuseReport(world, id, 'website', { expect: 404 }));
    await refuseReport(world, 999, 'website', { expect: 404 });
    await refuseReport(world, id, 'website', { as: 'nobody', expect: 401 });
    await refuseReport(world, id, 'website', { as: 'writer', expect: 403 });
    await refuseReport(world, id, 'website', { as: 'viewer' });
  });
});
