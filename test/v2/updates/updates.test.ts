import assert from 'node:assert/strict';
import { refusedFields } from '../../support/refusals.ts';
import { countStatements } from '../../support/statements.ts';
import {
  ALPHA,
  removeItemsWithUpdates,
  BETA,
  itemErrorCodes,
  startWorldWithoutUpdates,
  upgradeCallsOf,
  releaseUpdates,
} from '../../support/updates.ts';
import { disconnectSite, clearFaults, reconnectSite, suspendSite, syncSites } from '../../support/sites.ts';
import type { World } from '../../support/world.ts';

const BASE = '/api/v2/updates';

interface Entry {
  site_id: number;
  type: string;
  slug: string;
  new_version: string;
}

describe('v2 updates', () => {
  let world: World;
  let theme: string;
  before(async () => {
    world = await startWorldWithoutUpdates(4);
  });
  after(() => world.close());
  beforeEach(async () => {
    clearFaults(world);
    for (const site of world.fleet.sites) removeItemsWithUpdates(site);
    [theme = ''] = [...world.site(0).state.themes.keys()].sort();
    releaseUpdates(world.site(0), { core: '9.0', plugins: [ALPHA, BETA], themes: [theme], translations: ['akismet'] });
    releaseUpdates(world.site(1), { plugins: [ALPHA] });
    await syncSites(world);
  });

  const at = (index: number): string => `${BASE}/${world.siteId(index)}`;
  const list = async (query: string, path = BASE) => (await world.request('GET', `${path}?${query}`)).body;
  const slugs = (data: Entry[]): string[] => data.map(({ site_id, slug }) => `${site_id} ${slug}`);
  const post = async (path: string, body?: unknown) =>
    (await world.request('POST', path, body === undefined ? {} : { body })).body;
  const all = (index: number, ...names: string[]): string[] => names.map((name) => `${world.siteId(index)} ${name}`);
  const ofFirst = (): string[] => all(0, 'wordpress', ALPHA, BETA, theme, 'akismet');

  describe('lists', () => {
    it('when updates of all sites are listed, then the list is flat, with a summary of all pages', async () => {
      const body = await list('per_page=4');
      assert.deepEqual([body.total, body.pages, body.data.length], [6, 2, 4]);
      assert.deepEqual(body.summary, { core: 1, plugins: 3, themes: 1, translations: 1, total: 6 });
      const every = (await list('')).data as Entry[];
      assert.deepEqual(slugs(every).sort(), [...ofFirst(), ...all(1, ALPHA)].sort());
      const entry = every.find(({ site_id, slug }) => site_id === world.siteId(1) && slug === ALPHA);
      const { name } = await world.ability('get-site-v1', { site_id_or_domain: world.siteId(1) });
      assert.deepEqual(entry, {
        site_id: world.siteId(1),
        site_url: world.site(1).url,
        site_name: name,
        type: 'plugin',
        slug: ALPHA,
        name: 'Alpha',
        current_version: '1.0.0',
        new_version: '9.1',
      });
    });

    it('when types are singular or plural, then both are accepted, and filters combine', async () => {
      const [first, second] = [world.siteId(0), world.siteId(1)];
      for (const [query, expected] of [
        ['type=plugin', [...all(0, ALPHA, BETA), ...all(1, ALPHA)]],
        ['type=plugins', [...all(0, ALPHA, BETA), ...all(1, ALPHA)]],
        ['type=core,themes', all(0, 'wordpress', theme)],
        ['type=translation', all(0, 'akismet')],
        ['type=all,core', [...ofFirst(), ...all(1, ALPHA)]],
        [`include=${second}`, all(1, ALPHA)],
        [`exclude=${second}`, ofFirst()],
        [`include=${first},${second}&exclude=${first}`, all(1, ALPHA)],
        ['include=99999', []],
        ['search=BETA', all(0, BETA)],
        [`search=${encodeURIComponent(new URL(world.site(1).url).host)}`, all(1, ALPHA)],
        ['search=100%25_!', []],
        ['search=beta&type=themes', []],
      ] as const) {
        const body = await list(query);
        assert.deepEqual(slugs(body.data).sort(), [...expected].sort(), query);
        assert.deepEqual([body.total, body.summary.total], [expected.length, expected.length], query);
      }
    });

    it('when the shape is by_site, then updates are keyed by site, kind and slug', async () => {
      const { data, by_site: keyed, total } = await list('shape=by_site');
      assert.deepEqual(data, (await list('')).data);
      assert.deepEqual(Object.keys(keyed).sort(), [world.siteId(0), world.siteId(1)].map(String).sort());
      const kinds = keyed[world.siteId(0)];
      assert.deepEqual(
        [Object.keys(kinds.core), Object.keys(kinds.plugins), Object.keys(kinds.themes), total],
        [['wordpress'], [ALPHA, BETA], [theme], 6],
      );
      assert.equal(kinds.plugins[BETA].new_version, '9.1');
      assert.deepEqual(keyed[world.siteId(1)].translations, {});
      assert.deepEqual((await list('shape=by_site&include=99999')).by_site, {});
    });

    it('when updates of one site are listed by ID or domain, then the list has only its updates', async () => {
      const { host } = new URL(world.site(0).url);
      for (const path of [at(0), `${BASE}/${encodeURIComponent(host)}`])
        assert.deepEqual(slugs((await list('', path)).data), ofFirst());
      const { data } = await list('type=plugin&search=alpha&_fields=slug', at(0));
      assert.deepEqual(data, [{ slug: ALPHA }]);
      assert.deepEqual(Object.keys((await list('shape=by_site', at(1))).by_site), [String(world.siteId(1))]);
    });

    it('when there are more updates, then the list needs no more SQL statements', async () => {
      const few = await countStatements(world, () => list('per_page=1'));
      assert.equal(await countStatements(world, () => list('per_page=6&shape=by_site')), few);
    });
  });

  describe('updates of one site', () => {
    it('when a kind is updated, then its updates are installed; without updates, the call succeeds', async () => {
      const done = async (path: string, body?: unknown) => {
        const answer = await post(`${at(0)}/update${path}`, body);
        assert.deepEqual([answer.success, answer.errors, answer.site.id], [1, [], world.siteId(0)]);
        return answer.data.map(({ type, slug }: Entry) => `${type} ${slug}`);
      };
      assert.deepEqual(await done('/plugins', { slug: BETA }), [`plugin ${BETA}`]);
      assert.deepEqual(await done('/core'), ['core wordpress']);
      assert.deepEqual(await done('/themes', {}), [`theme ${theme}`]);
      assert.deepEqual(await done('/translations', { slug: ['akismet'] }), ['translation akismet']);
      assert.deepEqual(await done('/plugins', { slug: '' }), [`plugin ${ALPHA}`]);
      for (const kind of ['', '/core', '/plugins', '/themes', '/translations']) assert.deepEqual(await done(kind), []);
      assert.deepEqual(upgradeCallsOf(world.site(0)).slice(-5), [
        `upgradeplugintheme plugin ${BETA}`,
        'upgrade',
        `upgradeplugintheme theme ${theme}`,
        'upgradetranslation translation akismet',
        `upgradeplugintheme plugin ${ALPHA}`,
      ]);
    });

    it('when no type is given, then all updates are installed, otherwise only those of the types', async () => {
      const some = await post(`${at(0)}/update`, { type: 'themes, translation' });
      assert.deepEqual(slugs(some.data), all(0, theme, 'akismet'));
      const rest = await post(`${at(0)}/update`);
      assert.deepEqual(slugs(rest.data), all(0, 'wordpress', ALPHA, BETA));
      const [{ old_version, new_version }] = rest.data;
      assert.deepEqual([old_version, new_version], ['6.8', '9.0']);
    });

    it('when an update fails or does not exist, then the errors name it', async () => {
      world.site(0).defects.failingPackages.add(ALPHA);
      const answer = await post(`${at(0)}/update/plugins`, { slug: `${ALPHA}, ${BETA},none/none.php` });
      world.site(0).defects.failingPackages.clear();
      assert.deepEqual(slugs(answer.data), all(0, BETA));
      assert.deepEqual(itemErrorCodes(answer).sort(), [`${ALPHA} svc_update_failed`, 'none/none.php svc_no_update']);
      assert.equal(answer.success, 1);
    });

    it('when the site is suspended, disconnected, down or unknown, then the call is rejected', async () => {
      const id = world.siteId(1);
      const refused = async (expect: number): Promise<string[]> => {
        const codes = new Set<string>();
        for (const kind of ['', '/core', '/plugins', '/themes', '/translations'])
          codes.add((await world.request('POST', `${BASE}/${id}/update${kind}`, { expect })).body.code as string);
        return [...codes];
      };
      await suspendSite(world, id);
      assert.deepEqual(await refused(409), ['svc_site_suspended']);
      await disconnectSite(world, id);
      assert.deepEqual(await refused(409), ['svc_site_disconnected']);
      await reconnectSite(world, id);
      world.site(1).fault = { kind: 'challenge' };
      const down = await world.request('POST', `${BASE}/${id}/update/plugins`, { expect: 502 });
      assert.equal(down.body.code, 'svc_site_refused');
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/update'],
        ['POST', '/update/core'],
        ['POST', '/update/plugins'],
        ['POST', '/update/themes'],
        ['POST', '/update/translations'],
      ] as const) {
        const { body } = await world.request(method, `${BASE}/no.example${path}`, { expect: 404 });
        assert.equal(body.code, 'svc_site_not_found');
      }
    });
  });

  describe('updates of all sites', () => {
    it('when sites are given, then only they are updated, otherwise all', async () => {
      const one = await post(`${BASE}/update`, { include: [world.siteId(1), 99999], type: ['plugin'] });
      assert.deepEqual(slugs(one.data), all(1, ALPHA));
      assert.deepEqual(itemErrorCodes(one), ['99999 svc_site_not_found']);
      assert.deepEqual(one.summary, { total_updated: 1, total_errors: 1, sites_updated: 1 });
      const other = await post(`${BASE}/update`, { exclude: [world.siteId(0)] });
      assert.deepEqual([other.data, other.message], [[], 'There was nothing to update.']);
      const every = await post(`${BASE}/update`);
      assert.deepEqual(slugs(every.data), ofFirst());
      assert.equal((await list('')).total, 0);
    });

    it('when a site is down, then the other sites are updated', async () => {
      world.site(1).fault = { kind: 'challenge' };
      const answer = await post(`${BASE}/update`, { type: 'plugins' });
      assert.deepEqual(slugs(answer.data), all(0, ALPHA, BETA));
      assert.deepEqual(itemErrorCodes(answer), [`${world.siteId(1)} svc_site_refused`]);
    });

    it('when a run of all sites is active, then the same request returns its job', async () => {
      world.site(0).latencyMs = 400;
      const first = post(`${BASE}/update`, { type: 'core,plugins' });
      const running = async (): Promise<string> => {
        for (;;) {
          const { data } = (await world.request('GET', '/api/v2/jobs?type=update&status=processing')).body;
          if (data.length > 0) return data[0].job_id as string;
        }
      };
      const job_id = await running();
      for (const body of [{ type: 'plugins' }, { type: ['plugin', 'core'] }])
        assert.deepEqual(await post(`${BASE}/update`, body), {
          success: 1,
          message: 'A run for all sites is already running, so no second run was started.',
          queued: true,
          under_way: true,
          job_id,
          status_url: `${world.url}/api/v2/jobs/${job_id}`,
          sites_queued: 2,
        });
      const others = await Promise.all([
        post(`${BASE}/update`, { type: 'themes' }),
        post(`${BASE}/update`, { type: 'translations', include: [world.siteId(0)] }),
      ]);
      assert.deepEqual(
        others.map(({ data }) => slugs(data)),
        [all(0, theme), all(0, 'akismet')],
      );
      assert.deepEqual(
        slugs((await first).data).sort(),
        [...all(0, 'wordpress', ALPHA, BETA), ...all(1, ALPHA)].sort(),
      );
      assert.deepEqual((await post(`${BASE}/update`)).data, []);
    });

    it('when several callers update all sites at the same time, then one run starts', async () => {
      const jobs = async (): Promise<number> => (await world.request('GET', '/api/v2/jobs?type=update')).body.total;
      const before = await jobs();
      world.site(0).latencyMs = 300;
      const answers = await Promise.all(Array.from({ length: 5 }, () => post(`${BASE}/update`)));
      assert.equal(answers.flatMap(({ data = [] }) => data as Entry[]).length, 6);
      assert.equal(await jobs(), before + 1);
    });
  });

  it('when a field is invalid, then the error names the field', async () => {
    for (const [method, path, body, field] of [
      ['GET', `${BASE}?type=wp`, undefined, 'query.type.0'],
      ['GET', `${BASE}?shape=tree`, undefined, 'query.shape'],
      ['GET', `${BASE}?include=x`, undefined, 'query.include.0'],
      ['GET', `${BASE}?shape=by_site&_fields=slug`, undefined, 'query._fields'],
      ['GET', `${at(0)}?include=1`, undefined, 'query.include'],
      ['POST', `${BASE}/update`, { type: 'wp' }, 'body.type'],
      ['POST', `${BASE}/update`, { type: ['wp'] }, 'body.type.0'],
      ['POST', `${BASE}/update`, { include: ['x'] }, 'body.include.0'],
      ['POST', `${BASE}/update`, { sites: [1] }, 'body.sites'],
      ['POST', `${at(0)}/update`, { slug: ALPHA }, 'body.slug'],
      ['POST', `${at(0)}/update/plugins`, { slug: 'a\u0000b' }, 'body.slug'],
      ['POST', `${at(0)}/update/themes`, { slug: 7 }, 'body.slug'],
    ] as const) {
      const fields = await refusedFields(world, method, path, body);
      assert.ok(fields.includes(field), `${path}: ${fields.join()} has no ${field}`);
    }
    for (const path of [`${BASE}/update`, `${at(0)}/update`, `${at(0)}/update/core`])
      await world.request('POST', path, { as: 'reader', expect: 403 });
    await world.request('GET', BASE, { as: 'writer', expect: 403 });
    await world.request('GET', at(0), { as: 'reader' });
    assert.equal((await list('')).total, 6);
  });
});
