import assert from 'node:assert/strict';
import { bumpRevision } from '../../../src/db/revisions.ts';
import { DAY } from '../../../src/shared/clock.ts';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

interface Answer {
  code: string;
  items: { site_id: number; slug: string; last_updated: string }[];
  total: number;
}

const day = (ageDays: number) => new Date(Date.now() - ageDays * DAY).toISOString().slice(0, 10);

describe('abandoned plugins and themes', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3, connect: 0 });
    // Age of the last release on each site, in days.
    const ages: [plugins: Record<string, number>, themes: Record<string, number>][] = [
      [
        { forgotten: 2000, fresh: 10, ripening: 700 },
        { 'old-theme': 900, 'new-theme': 1 },
      ],
      [{ ancient: 731 }, {}],
      [{}, { 'old-theme': 1500 }],
    ];
    for (const [index, [plugins, themes]] of ages.entries()) {
      const { state } = world.site(index);
      for (const [file, { definition }] of [...state.plugins])
        if (definition.name !== 'MainWP Child') state.plugins.delete(file);
      for (const [folder, ageDays] of Object.entries(plugins)) {
        world.site(index).performWpAdminAction({ do: 'install-plugin', folder });
        const plugin = state.plugins.get(`${folder}/${folder}.php`);
        assert.ok(plugin);
        plugin.definition = { ...plugin.definition, ageDays };
      }
      state.themes.clear();
      for (const [stylesheet, ageDays] of Object.entries({ base: 1, ...themes }))
        state.themes.set(stylesheet, {
          definition: { stylesheet, name: `Theme ${stylesheet}`, description: '', versions: ['1.0'], ageDays },
          version: '1.0',
          update: null,
        });
      state.activeTheme = 'base';
      world.site(index).touch();
      await world.connect(index);
    }
    // The first sync makes the child check the releases. The second sync has the results.
    await syncSites(world);
    await syncSites(world);
  });
  after(() => world.close());

  /** Calls an ability. `Answer` has the fields of all responses; each response is validated against the contract. */
  const ability = (name: string, input?: unknown, options?: CallOptions): Promise<Answer> =>
    world.ability<Answer>(name, input, options);
  const plugins = (input?: object, options?: CallOptions) => ability('get-abandoned-plugins-v1', input, options);
  const themes = (input?: object, options?: CallOptions) => ability('get-abandoned-themes-v1', input, options);
  const brief = ({ items }: Answer) => items.map(({ site_id, slug }) => [site_id, slug]);

  it('when plugins have no release for two years, then get-abandoned-plugins-v1 lists them', async () => {
    const answer = await plugins();
    assert.deepEqual(answer, {
      items: [
        {
          site_id: world.siteId(0),
          site_url: world.site(0).url,
          slug: 'forgotten/forgotten.php',
          name: 'Forgotten',
          version: '1.0.0',
          last_updated: day(2000),
        },
        {
          site_id: world.siteId(1),
          site_url: world.site(1).url,
          slug: 'ancient/ancient.php',
          name: 'Ancient',
          version: '1.0.0',
          last_updated: day(731),
        },
      ],
      page: 1,
      per_page: 50,
      total: 2,
    });
    assert.deepEqual(await plugins({}, { as: 'viewer' }), answer);
    assert.deepEqual(await plugins(undefined, { method: 'POST' }), answer);
  });

  it('when themes are abandoned, then get-abandoned-themes-v1 lists them', async () => {
    const answer = await themes();
    assert.deepEqual(brief(answer), [
      [world.siteId(0), 'old-theme'],
      [world.siteId(2), 'old-theme'],
    ]);
    assert.equal(answer.items[0]?.last_updated, day(900));
    assert.equal(answer.total, 2);
  });

  it('when a site or a page is given, then only its items are listed', async () => {
    assert.deepEqual(brief(await plugins({ site_id_or_domain: world.siteId(1) })), [
      [world.siteId(1), 'ancient/ancient.php'],
    ]);
    const none = await themes({ site_id_or_domain: world.site(1).url });
    assert.deepEqual([none.items, none.total], [[], 0]);
    const second = await plugins({ page: 2, per_page: 1 });
    assert.deepEqual([brief(second), second.total], [[[world.siteId(1), 'ancient/ancient.php']], 2]);
    const beyond = await themes({ page: 9, per_page: 200 });
    assert.deepEqual(beyond, { items: [], page: 9, per_page: 200, total: 2 });
  });

  it('when a plugin or its site is deleted, then its item is deleted', async () => {
    await ability('delete-site-plugins-v1', {
      site_id_or_domain: world.siteId(0),
      slugs: ['forgotten/forgotten.php'],
      confirm: true,
    });
    assert.deepEqual(brief(await plugins()), [[world.siteId(1), 'ancient/ancient.php']]);
    await ability('delete-site-v1', { site_id_or_domain: world.siteId(2), confirm: true });
    const left = await themes();
    assert.deepEqual([brief(left), left.total], [[[world.siteId(0), 'old-theme']], 1]);
  });

  for (const name of ['get-abandoned-plugins-v1', 'get-abandoned-themes-v1'])
    it(`when the site is unknown, the input invalid or the credential missing, then ${name} is rejected`, async () => {
      const unknown = await ability(name, { site_id_or_domain: 999999 }, { expect: 404 });
      assert.equal(unknown.code, 'svc_site_not_found');
      for (const input of [{ page: 0 }, { per_page: 0 }, { per_page: 201 }, { page: 'one' }, { more: 1 }])
        for (const method of ['GET', 'POST'] as const) {
          const { code } = await ability(name, input, { expect: 400, method });
          assert.equal(code, 'ability_invalid_input', `${method} ${JSON.stringify(input)}`);
        }
      const refused = await ability(name, {}, { as: 'nobody', expect: 401 });
      assert.equal(refused.code, 'svc_unauthenticated');
    });

  it('when there are 1,000 sites, then the list needs no more SQL statements than for 10', async () => {
    const { knex } = world.container.database;
    const addSites = async (from: number, to: number) => {
      for (let id = from; id < to; id += 100) {
        const ids = Array.from({ length: Math.min(100, to - id) }, (_, at) => 10_000 + id + at);
        const key = (of: number) => `many${of}.example`;
        await knex('sites').insert(
          ids.map((of) => ({
            id: of,
            url: `https://${key(of)}/`,
            url_key: key(of),
            name: key(of),
            name_key: key(of),
            status: 'connected',
            created_at: 1,
            updated_at: 1,
          })),
        );
        await knex('site_abandoned').insert(
          ids.map((of) => ({
            site_id: of,
            kind: 'plugin',
            slug: 'old/old.php',
            name: 'Old',
            version: '1',
            last_updated_at: 0,
            site_key: key(of),
          })),
        );
      }
    };
    /**
     * Returns the lowest number of SQL statements of four runs, because other work of the service counts too. Each run
     * counts the total again.
     */
    const cost = async () => {
      const runs: number[] = [];
      for (let run = 0; run < 4; run++) {
        await bumpRevision(knex, 'abandoned');
        runs.push(await world.countStatements(() => plugins({ per_page: 200 })));
      }
      return Math.min(...runs);
    };
    await addSites(0, 10);
    const few = await cost();
    const { total } = await plugins();
    await addSites(10, 1000);
    assert.equal(await cost(), few);
    assert.equal((await plugins()).total, total + 990);
  });
});
