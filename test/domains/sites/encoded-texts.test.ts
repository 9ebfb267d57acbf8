import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { startWorld, type World } from '../../support/world.ts';

const NAMED = '  Rig &amp;amp; S&ouml;hne &quot;x&quot; &#8211; &amp;#039;y&amp;#039; &hellip; &lt;b&gt; ';
const SHOWN = 'Rig & Söhne "x" – \'y\' … <b>';
const VERSION = '1.0&amp;2 ';

/** Encodes each text of a site once or twice, or adds blanks, as names of plugins and users can have. */
function encode({ state }: SimulatedSite): void {
  const plugins = [...state.plugins.values()].filter(({ definition }) => !definition.file.startsWith('mainwp-'));
  for (const plugin of plugins) {
    plugin.definition = { ...plugin.definition, name: NAMED, ageDays: 4000 };
    plugin.version = VERSION;
    plugin.update = '2&#46;0 ';
  }
  for (const theme of state.themes.values()) {
    theme.definition = { ...theme.definition, name: NAMED, ageDays: 4000 };
    theme.version = VERSION;
    theme.update = '2&#46;0 ';
  }
  state.translations = [{ type: 'plugin', slug: 'akismet', language: 'de_DE', version: VERSION, name: NAMED }];
  state.core.update = '9&#46;9 ';
  state.abandoned = { days: 730, pluginsChecked: true, themesChecked: true };
}

/** Returns texts with HTML entities, outer blanks, or the placeholder of a deleted user. */
function encodedTextsIn(value: unknown, path = '$'): string[] {
  if (typeof value === 'string') {
    const isFlawed =
      /&(#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);/i.test(value) || value.trim() !== value || value === 'removed';
    return isFlawed ? [`${path}: ${value}`] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => encodedTextsIn(item, `${path}.${key}`));
}

describe('HTML entities in texts of a site', () => {
  let world: World;
  let id: number;

  before(async () => {
    world = await startWorld({ sites: 1 });
    id = world.siteId(0);
    const site = world.site(0);
    encode(site);
    const now = Date.now() / 1000;
    const action = { context: 'plugins', login: 'admin', extra: {} } as const;
    site.state.actions = [
      { ...action, id: '1', created: now, action: 'deactivated', summary: `"${NAMED}" plugin deactivated ` },
      {
        ...action,
        id: '2',
        created: now + 1,
        action: 'deleted',
        summary: `&quot;${NAMED}&quot; plugin deleted`,
        login: 'removed',
      },
    ];
    const change = { action: 'modified', login: 'admin', postId: 0 };
    site.state.changes = [
      { ...change, id: 1, created: now + 1, typeId: 1461, context: 'plugin', meta: { plugindata: { name: NAMED } } },
      {
        ...change,
        id: 2,
        created: now + 2,
        typeId: 1305,
        context: 'post',
        meta: { posttitle: NAMED, oldtitle: NAMED },
      },
      { ...change, id: 3, created: now + 3, typeId: 1910, context: 'system-setting', meta: { new_value: NAMED } },
      { ...change, id: 4, created: now + 4, typeId: 1695, context: 'user', meta: { changeusername: NAMED } },
      { ...change, id: 5, created: now + 5, typeId: 1925, context: 'cron-job', meta: { task_name: NAMED } },
      { ...change, id: 6, created: now + 6, typeId: 1435, context: 'widget', meta: { widgetname: NAMED } },
    ];
    site.touch();
    // The list of abandoned items arrives with the second sync.
    for (const _ of [1, 2]) await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    await world.ability('update-site-v1', { site_id_or_domain: id, name: '  Blanks around ' });
  });
  after(() => world.close());

  const one = { site_id_or_domain: 0 };
  it('when an ability responds, then the response contains no entities', async () => {
    one.site_id_or_domain = id;
    const answers = [
      await world.ability('get-site-v1', { ...one, include_stats: true }),
      await world.ability('list-sites-v1'),
      await world.ability('get-sites-basic-v1'),
      await world.ability('get-site-plugins-v1', one),
      await world.ability('get-site-themes-v1', one),
      await world.ability('get-site-updates-v1', one),
      await world.ability('list-updates-v1'),
      await world.ability('get-abandoned-plugins-v1'),
      await world.ability('get-abandoned-themes-v1'),
      await world.ability('get-site-security-v1', one),
      await world.ability('get-site-changes-v1', { ...one, per_page: 200 }),
    ];
    for (const answer of answers) assert.deepEqual(encodedTextsIn(answer), []);
    const text = JSON.stringify(answers).replaceAll('\\"', '"');
    assert.ok(text.split(SHOWN).length > 20, text.slice(0, 2000));
    const [, , , plugins, , updates, , abandoned, , , changes] = answers;
    assert.ok(plugins.plugins.some(({ name, version }: Item) => name === SHOWN && version === '1.0&2'));
    assert.ok(updates.updates.some(({ name, new_version }: Item) => name === SHOWN && new_version === '2.0'));
    assert.ok(abandoned.items.some(({ name }: Item) => name === SHOWN));
    const deactivated = changes.changes.find(({ type }: Item) => type === 'plugin.deactivated');
    assert.equal(deactivated.description, `"  ${SHOWN} " plugin deactivated`);
  });

  it('when a route responds, then the response contains no entities', async () => {
    for (const path of [
      `/sites/${id}?full_data=true`,
      '/sites?full_data=true',
      '/sites/basic',
      `/sites/${id}/plugins`,
      `/sites/${id}/themes`,
      `/sites/${id}/plugins/abandoned`,
      `/sites/${id}/themes/abandoned`,
      `/sites/${id}/security`,
      `/sites/${id}/non-svc-changes?source=all&per_page=500`,
      '/updates',
      `/updates/${id}`,
    ]) {
      const { body } = await world.request('GET', `/api/v2${path}`);
      assert.ok(JSON.stringify(body).length > 100, path);
      assert.deepEqual(encodedTextsIn(body), [], path);
    }
  });
});

interface Item {
  name: string;
  version: string;
  new_version: string;
  type: string;
}
