import assert from 'node:assert/strict';
import { readChangesOf } from '../../support/changes.ts';
import { refusedFields } from '../../support/refusals.ts';
import {
  ALPHA,
  addPendingUpdates,
  BETA,
  itemErrorCodes,
  GAMMA,
  readUpdates,
  upgradeCallsOf,
  releaseUpdates,
} from '../../support/updates.ts';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/updates';

describe('v2 ignored updates', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 8, connect: 0 });
  });
  after(() => world.close());

  async function freshSite() {
    const { id, site, made: theme } = await world.freshSite(addPendingUpdates);
    const send = async (method: 'POST' | 'DELETE', kind: string, slug?: string | string[]) => {
      const query = method === 'DELETE' && slug !== undefined ? `?slug=${encodeURIComponent(String(slug))}` : '';
      const body = method === 'POST' && slug !== undefined ? { body: { slug } } : {};
      return (await world.request(method, `${BASE}/${id}/ignore/${kind}${query}`, body)).body;
    };
    const rules = async (method: 'POST' | 'DELETE', kind: string, slug?: string | string[]): Promise<string[]> =>
      (await send(method, kind, slug)).data.ignored as string[];
    return { id, site, theme, send, rules };
  }
  const listed = async (path: string): Promise<[string, string, string][]> => {
    const { body } = await world.request('GET', path);
    return body.data.map(({ type, slug, name }: Record<string, string>) => [type, slug, name]);
  };

  it('when a rule is to be deleted and the slug is empty, then no rule is deleted', async () => {
    const { id, rules } = await freshSite();
    await rules('POST', 'plugins', [ALPHA, BETA]);
    await world.request('DELETE', `${BASE}/${id}/ignore/plugins?slug=`, { expect: 400 });
    assert.deepEqual(await rules('POST', 'plugins', ALPHA), [ALPHA, BETA]);
  });

  it('when updates are ignored by slug, then they are hidden until the rule is deleted', async () => {
    const { id, site, send, rules, theme } = await freshSite();
    const before = await readUpdates(world, id);
    const { name } = await world.ability('get-site-v1', { site_id_or_domain: id });
    assert.deepEqual(await send('POST', 'plugins', ALPHA), {
      success: 1,
      message: 'The updates are ignored.',
      data: { type: 'plugin', ignored: [ALPHA] },
      site: { id, url: site.url, name, status: 'connected', client_id: null },
    });
    assert.deepEqual(await rules('POST', 'plugins', `${BETA}, ${GAMMA}`), [ALPHA, BETA, GAMMA]);
    assert.deepEqual(await rules('POST', 'themes', [theme]), [theme]);
    assert.deepEqual(await rules('POST', 'core'), ['wordpress']);
    assert.deepEqual((await readUpdates(world, id)).site, ['translation akismet']);
    assert.deepEqual(await rules('DELETE', 'plugins', `${ALPHA},${GAMMA}`), [BETA]);
    assert.deepEqual(await rules('DELETE', 'plugins'), []);
    assert.deepEqual(await rules('DELETE', 'themes', theme), []);
    assert.deepEqual(await rules('DELETE', 'core'), []);
    assert.deepEqual(await readUpdates(world, id), before);
  });

  it('when a kind is ignored, then every list and counter hides its current and future updates', async () => {
    const { id, site, rules } = await freshSite();
    const before = await readUpdates(world, id);
    assert.deepEqual(await rules('POST', 'plugins'), ['*']);
    const hidden = await readUpdates(world, id);
    assert.deepEqual([hidden.plugins, hidden.stats.plugin_updates], [[], 0]);
    for (const summary of hidden.summaries) assert.equal(summary['plugins'], 0);
    releaseUpdates(site, { plugins: [GAMMA] });
    await syncSites(world, id);
    assert.deepEqual((await readUpdates(world, id)).plugins, []);
    assert.deepEqual(hidden.stats.wp_update_available, before.stats.wp_update_available);
    assert.deepEqual(await rules('DELETE', 'plugins'), []);
    assert.deepEqual((await readUpdates(world, id)).plugins, [ALPHA, BETA, GAMMA]);
  });

  it('when a kind is ignored, then no update route or ability installs its updates', async () => {
    const { id, site, rules, theme } = await freshSite();
    await rules('POST', 'plugins', '');
    await rules('POST', 'themes');
    const named = (await world.request('POST', `${BASE}/${id}/update/plugins`, { body: { slug: ALPHA } })).body;
    assert.deepEqual([named.data, itemErrorCodes(named)], [[], [`${ALPHA} svc_update_ignored`]]);
    const one = await world.ability('update-site-themes-v1', { site_id_or_domain: id, slugs: [theme] });
    assert.deepEqual(itemErrorCodes(one), [`${theme} svc_update_ignored`]);
    await world.request('POST', `${BASE}/update`, { body: { include: [id] } });
    await world.ability('update-all-v1', { site_ids_or_domains: [id] });
    assert.deepEqual(upgradeCallsOf(site), ['upgrade', 'upgradetranslation translation akismet']);
  });

  it('when a kind is ignored, then rules for single slugs are kept', async () => {
    const { id, rules } = await freshSite();
    await rules('POST', 'plugins', ALPHA);
    assert.deepEqual(await rules('POST', 'plugins'), ['*', ALPHA]);
    assert.deepEqual(await rules('DELETE', 'plugins', ALPHA), ['*']);
    assert.deepEqual((await readUpdates(world, id)).plugins, []);
    await rules('POST', 'plugins', ALPHA);
    const whole = { site_id_or_domain: id, action: 'unignore', type: 'plugin', slug: '*' };
    await world.ability('set-ignored-updates-v1', whole);
    assert.deepEqual((await readUpdates(world, id)).plugins, [BETA]);
    assert.deepEqual((await readChangesOf(world, id, 'update.%')).map(({ description }) => description).slice(1, 3), [
      'Updates of all plugins are ignored.',
      `Updates of the plugin ${ALPHA} are no longer ignored.`,
    ]);
  });

  it('when ignored updates are listed for all sites or one site, then they are filtered and paged', async () => {
    const { id, rules, theme } = await freshSite();
    await rules('POST', 'plugins', [ALPHA, 'none/none.php']);
    await rules('POST', 'themes');
    await rules('POST', 'core');
    const expected = [
      ['core', 'wordpress', 'WordPress'],
      ['plugin', ALPHA, 'Alpha'],
      ['plugin', 'none/none.php', 'none/none.php'],
      ['theme', '*', 'All themes'],
    ];
    for (const path of [
      `${BASE}/${id}/ignored`,
      `${BASE}/ignored?include=${id}`,
      `${BASE}/ignored?type=all&include=${id}`,
    ])
      assert.deepEqual(await listed(path), expected);
    assert.deepEqual(await listed(`${BASE}/${id}/ignored?type=plugin&search=ALPH`), [expected[1]]);
    assert.deepEqual(await listed(`${BASE}/ignored?type=core,themes&include=${id}`), [expected[0], expected[3]]);
    assert.deepEqual(await listed(`${BASE}/ignored?include=${id}&exclude=${id}`), []);
    assert.ok(
      !(await listed(`${BASE}/ignored?exclude=${id}&per_page=500`)).some(([, slug]) => slug === 'none/none.php'),
    );
    const { body } = await world.request('GET', `${BASE}/${id}/ignored?per_page=3&page=2&_fields=slug`);
    assert.deepEqual([body.total, body.pages, body.data], [4, 2, [{ slug: '*' }]]);
    const ability = await world.ability('list-ignored-updates-v1', { site_ids_or_domains: [id] });
    assert.deepEqual(ability.ignored[3], {
      site_id: id,
      site_url: ability.ignored[0].site_url,
      site_name: ability.ignored[0].site_name,
      type: 'theme',
      slug: '*',
      name: 'All themes',
      ignored_version: 'all_versions',
    });
    assert.ok(theme !== '*');
  });

  it('when a path has the name of a route, then it is not read as a site reference', async () => {
    assert.equal((await world.request('GET', `${BASE}/ignored`)).body.success, 1);
    const update = await world.agent().get(`${BASE}/update`);
    assert.deepEqual([update.status, update.get('allow')], [405, 'OPTIONS, POST']);
  });

  it('when the site is unknown, the input invalid or the right missing, then the call is rejected', async () => {
    const { id } = await freshSite();
    for (const kind of ['core', 'plugins', 'themes'])
      for (const method of ['POST', 'DELETE']) {
        const { body } = await world.request(method, `${BASE}/99999/ignore/${kind}`, { expect: 404 });
        assert.equal(body.code, 'svc_site_not_found');
        await world.request(method, `${BASE}/${id}/ignore/${kind}`, { as: 'reader', expect: 403 });
      }
    await world.request('GET', `${BASE}/99999/ignored`, { expect: 404 });
    for (const [method, path, body, field] of [
      ['GET', `${BASE}/ignored?type=translations`, undefined, 'query.type.0'],
      ['GET', `${BASE}/${id}/ignored?page=0`, undefined, 'query.page'],
      ['POST', `${BASE}/${id}/ignore/plugins`, { slugs: [] }, 'body.slugs'],
      ['POST', `${BASE}/${id}/ignore/themes`, { slug: 'x'.repeat(256) }, 'body.slug'],
      ['POST', `${BASE}/${id}/ignore/plugins`, { slug: [' '] }, 'body.slug.0'],
      ['POST', `${BASE}/${id}/ignore/plugins`, { slug: ' , ' }, 'body.slug'],
      ['POST', `${BASE}/${id}/ignore/themes`, { slug: [ALPHA, '\u00a0'] }, 'body.slug.1'],
      ['POST', `${BASE}/${id}/ignore/themes`, { slug: 'x,'.repeat(501) }, 'body.slug'],
      ['POST', `${BASE}/${id}/update/plugins`, { slug: [' '] }, 'body.slug.0'],
      ['POST', `${BASE}/${id}/update/themes`, { slug: ' ' }, 'body.slug'],
      ['DELETE', `${BASE}/${id}/ignore/themes?slug=${'x'.repeat(256)}`, undefined, 'query.slug.0'],
      ['DELETE', `${BASE}/${id}/ignore/plugins?slug=`, undefined, 'query.slug'],
      ['DELETE', `${BASE}/${id}/ignore/themes?slug=,`, undefined, 'query.slug.0'],
    ] as const) {
      const fields = await refusedFields(world, method, path, body);
      assert.ok(fields.includes(field), `${path}: ${fields.join()} has no ${field}`);
    }
    assert.deepEqual(await listed(`${BASE}/${id}/ignored`), []);
  });
});
