import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { readChangesOf } from '../../support/changes.ts';
import { withWorld, type CallOptions, type World } from '../../support/world.ts';

interface Answer {
  code: string;
  data: { reason?: string };
  site_id: number;
  site_url: string;
  active_theme: string;
  themes: { slug: string; active: boolean; update_version: string | null }[];
  total: number;
  activated: string;
  deleted: string[];
  errors: { identifier: string; code: string }[];
}

describe('themes of a site', () => {
  let world: World;
  withWorld({ sites: 12, connect: 0 }, (started) => (world = started));

  /** Calls an ability. `Answer` has the fields of all responses; each response is validated against the contract. */
  const ability = (name: string, input?: unknown, options?: CallOptions): Promise<Answer> =>
    world.ability<Answer>(name, input, options);

  /** `inherited` is active and a child of `parent`; `spare` and `other` are neither. */
  const furnishThemes = (site: SimulatedSite): void => {
    site.state.themes.clear();
    for (const stylesheet of ['spare', 'parent', 'other', 'inherited'])
      site.state.themes.set(stylesheet, {
        definition: {
          stylesheet,
          name: `Theme ${stylesheet}`,
          description: '',
          versions: ['1.0', '1.1'],
          ageDays: 10,
          ...(stylesheet === 'inherited' ? { parent: 'parent' } : {}),
        },
        version: '1.0',
        update: stylesheet === 'spare' ? '1.1' : null,
      });
    site.state.activeTheme = 'inherited';
    site.touch();
  };
  /** Adds a site for one test. */
  const freshSite = () => world.freshSite(furnishThemes);
  const list = (id: number, filter: object = {}) => ability('get-site-themes-v1', { site_id_or_domain: id, ...filter });
  const activate = (id: number, slug: string, expect = 200) =>
    ability('activate-site-theme-v1', { site_id_or_domain: id, slug }, { expect });
  const remove = (id: number, slugs: string[], expect = 200) =>
    ability('delete-site-themes-v1', { site_id_or_domain: id, slugs, confirm: true }, { expect });
  const logged = async (id: number) =>
    (await readChangesOf(world, id, 'theme.%')).map(({ description }) => description);

  describe('get-site-themes-v1', () => {
    let id = 0;
    let site: SimulatedSite;
    before(async () => {
      ({ id, site } = await freshSite());
    });

    it('when themes are listed, then they are sorted by slug, and active_theme is set with any filter', async () => {
      const before = site.requests.length;
      const all = await ability('get-site-themes-v1', { site_id_or_domain: id });
      assert.deepEqual([all.site_id, all.site_url, all.active_theme, all.total], [id, site.url, 'inherited', 4]);
      assert.deepEqual(all.themes[0], {
        slug: 'inherited',
        name: 'Theme inherited',
        version: '1.0',
        active: true,
        update_version: null,
      });
      const brief = async (filter: object) => {
        const { active_theme, themes, total } = await list(id, filter);
        assert.equal(active_theme, 'inherited');
        assert.equal(total, themes.length);
        return themes.map(({ slug, update_version }) => `${slug} ${update_version}`);
      };
      assert.deepEqual(await brief({ status: 'inactive' }), ['other null', 'parent null', 'spare 1.1']);
      assert.deepEqual(await brief({ status: 'active' }), ['inherited null']);
      assert.deepEqual(await brief({ has_update: true }), ['spare 1.1']);
      assert.equal(site.requests.length, before);
    });

    it('when a viewer calls with GET, then the response is the same', async () => {
      const input = { site_id_or_domain: id, has_update: true };
      const byGet = await ability('get-site-themes-v1', input, { method: 'GET', as: 'viewer' });
      assert.deepEqual(byGet, await ability('get-site-themes-v1', input));
    });

    it('when the site is unknown or the input is invalid, then the call is rejected', async () => {
      const unknown = await ability('get-site-themes-v1', { site_id_or_domain: 999999 }, { expect: 404 });
      assert.equal(unknown.code, 'svc_site_not_found');
      for (const input of [{}, { site_id_or_domain: id, status: 1 }, { site_id_or_domain: id, more: 1 }])
        assert.equal((await ability('get-site-themes-v1', input, { expect: 400 })).code, 'ability_invalid_input');
    });
  });

  describe('activate-site-theme-v1', () => {
    it('when a theme is activated, then the next list is current without a sync', async () => {
      const { id, site } = await freshSite();
      assert.deepEqual(await activate(id, 'spare'), { site_id: id, activated: 'spare', previous_theme: 'inherited' });
      assert.equal(site.state.activeTheme, 'spare');
      assert.equal((await list(id)).active_theme, 'spare');
      assert.deepEqual(await logged(id), ['Activated the theme Theme spare 1.0.']);
    });

    it('when the theme is active already, then the call succeeds and sends no action', async () => {
      const { id, site } = await freshSite();
      const same = { site_id: id, activated: 'inherited', previous_theme: 'inherited' };
      assert.deepEqual(await activate(id, 'inherited'), same);
      assert.equal(site.countOf('theme_action'), 0);
      assert.deepEqual(await logged(id), []);
    });

    it('when two themes have the same name, then each is activated and shown by its slug', async () => {
      const { id, site } = await world.freshSite((fresh) => {
        furnishThemes(fresh);
        for (const slug of ['spare', 'other']) {
          const twin = fresh.state.themes.get(slug) ?? assert.fail();
          twin.definition = { ...twin.definition, name: 'Twin' };
        }
        fresh.state.activeTheme = 'other';
        fresh.touch();
      });
      // The site reports both as active, and nothing tells yet which one is.
      assert.deepEqual([(await list(id)).active_theme, (await list(id, { status: 'active' })).total], ['', 0]);
      const activated = (slug: string, previous: string) => ({
        site_id: id,
        activated: slug,
        previous_theme: previous,
      });
      assert.deepEqual(await activate(id, 'spare'), activated('spare', 'other'));
      assert.deepEqual([site.state.activeTheme, (await list(id)).active_theme], ['spare', 'spare']);
      await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
      assert.equal((await list(id)).active_theme, 'spare');
      assert.deepEqual(await activate(id, 'other'), activated('other', 'spare'));
      assert.deepEqual([site.state.activeTheme, (await list(id)).active_theme], ['other', 'other']);
      assert.deepEqual(await activate(id, 'other'), activated('other', 'other'));
      assert.deepEqual(await logged(id), ['Activated the theme Twin 1.0.', 'Activated the theme Twin 1.0.']);
      site.faultQueue.push({ kind: 'fatal', when: 'after', function: 'theme_action' });
      assert.equal((await activate(id, 'spare', 502)).code, 'svc_outcome_unknown');
      assert.equal((await list(id)).active_theme, '');
      const { errors } = await remove(id, ['spare']);
      assert.deepEqual(
        errors.map(({ identifier, code }) => `${identifier} ${code}`),
        ['spare svc_protected_item'],
      );
      assert.equal((await list(id)).active_theme, 'spare');
    });

    it('when a theme was installed after the last sync, then it can be activated; an unknown one cannot', async () => {
      const { id, site } = await freshSite();
      const spare = site.state.themes.get('spare');
      assert.ok(spare);
      site.state.themes.set('newest', {
        ...spare,
        definition: { ...spare.definition, stylesheet: 'newest', name: 'N' },
      });
      site.touch();
      assert.equal((await activate(id, 'newest')).activated, 'newest');
      assert.equal((await activate(id, 'none', 404)).code, 'svc_theme_not_found');
    });

    it('when the site falsely reports success, then the call fails', async () => {
      const { id, site } = await freshSite();
      site.defects.falseSuccesses.add('spare');
      assert.equal((await activate(id, 'spare', 502)).code, 'svc_site_bad_answer');
      assert.equal((await list(id)).active_theme, 'inherited');
      assert.deepEqual(await logged(id), []);
    });

    it('when the response is lost, then the active theme is read back', async () => {
      const { id, site } = await freshSite();
      site.faultQueue.push({ kind: 'fatal', when: 'after', function: 'theme_action' });
      assert.equal((await activate(id, 'spare')).activated, 'spare');
      site.faultQueue.push({ kind: 'fatal', when: 'before', function: 'theme_action' });
      const { code, data } = await activate(id, 'other', 502);
      assert.deepEqual([code, data.reason], ['svc_site_refused', 'site_fatal']);
      assert.equal(site.countOf('theme_action'), 2);
      assert.equal((await list(id)).active_theme, 'spare');
    });

    it('when the input is invalid, the right missing or the site unavailable, then the call is rejected', async () => {
      const { id, site } = await freshSite();
      const refuse = async (
        input: unknown,
        expect: number,
        code: string,
        as: 'admin' | 'viewer' | 'nobody' = 'admin',
      ) => assert.equal((await ability('activate-site-theme-v1', input, { expect, as })).code, code);
      const good = { site_id_or_domain: id, slug: 'spare' };
      for (const bad of [
        { slug: 'spare' },
        { site_id_or_domain: id },
        { ...good, slug: '' },
        { ...good, slug: 'a||b' },
        { ...good, slug: 7 },
        { ...good, slug: 'x'.repeat(256) },
        { ...good, more: true },
      ])
        await refuse(bad, 400, 'ability_invalid_input');
      await refuse({ ...good, site_id_or_domain: 'nowhere.example' }, 404, 'svc_site_not_found');
      await refuse(good, 403, 'svc_permission_denied', 'viewer');
      await refuse(good, 401, 'svc_unauthenticated', 'nobody');
      site.fault = { kind: 'challenge' };
      await refuse(good, 502, 'svc_site_refused');
      await world.closeAddress(id);
      await refuse(good, 503, 'svc_site_unreachable');
      await ability('suspend-site-v1', { site_id_or_domain: id });
      await refuse(good, 409, 'svc_site_suspended');
      assert.equal(site.state.activeTheme, 'inherited');
    });
  });

  describe('delete-site-themes-v1', () => {
    it('when themes are deleted, then unknown, protected and undeleted themes are in the errors', async () => {
      const { id, site } = await freshSite();
      site.defects.falseSuccesses.add('other');
      const { deleted, errors } = await remove(id, ['spare', 'parent', 'inherited', 'other', 'none', 'spare']);
      assert.deepEqual(deleted, ['spare']);
      const place = (slug: string) => ({ identifier: slug, site_id: id, site_url: site.url, type: 'theme', slug });
      assert.deepEqual(errors, [
        {
          ...place('parent'),
          code: 'svc_protected_item',
          message: 'The parent of the active theme cannot be deleted.',
        },
        { ...place('inherited'), code: 'svc_protected_item', message: 'The active theme cannot be deleted.' },
        { ...place('other'), code: 'svc_deletion_failed', message: 'The theme still exists.' },
        { ...place('none'), code: 'svc_theme_not_found', message: 'The site has no such theme.' },
      ]);
      assert.equal(site.countOf('theme_action'), 1);
      assert.deepEqual(
        (await list(id)).themes.map(({ slug }) => slug),
        ['inherited', 'other', 'parent'],
      );
      assert.deepEqual(await logged(id), ['Deleted the theme Theme spare 1.0.']);
    });

    it('when a theme became active after the last sync, then it is not deleted', async () => {
      const { id, site } = await freshSite();
      site.performWpAdminAction({ do: 'switch-theme', theme: 'spare' });
      const { deleted, errors } = await remove(id, ['spare', 'other']);
      assert.deepEqual(deleted, ['other']);
      assert.deepEqual([errors.length, errors[0]?.identifier, errors[0]?.code], [1, 'spare', 'svc_protected_item']);
      const alone = await remove(id, ['inherited', 'spare']);
      assert.deepEqual(alone.deleted, ['inherited']);
      assert.equal((await list(id)).active_theme, 'spare');
    });

    it('when the confirmation or right is missing or the input is invalid, then the call is rejected', async () => {
      const { id, site } = await freshSite();
      const good = { site_id_or_domain: id, slugs: ['spare'], confirm: true };
      const refuse = async (input: unknown, expect: number, code: string, as: 'admin' | 'viewer' = 'admin') =>
        assert.equal((await ability('delete-site-themes-v1', input, { expect, as })).code, code);
      await refuse({ ...good, confirm: false }, 400, 'svc_confirmation_required');
      await refuse({ site_id_or_domain: id, slugs: ['spare'] }, 400, 'svc_confirmation_required');
      for (const bad of [
        { ...good, slugs: [] },
        { ...good, slugs: ['a,b'] },
        { ...good, x: 1 },
        { ...good, confirm: 2 },
      ])
        await refuse(bad, 400, 'ability_invalid_input');
      await refuse({ ...good, site_id_or_domain: 999999 }, 404, 'svc_site_not_found');
      await refuse(good, 403, 'svc_permission_denied', 'viewer');
      await world.closeAddress(id);
      await refuse(good, 503, 'svc_site_unreachable');
      assert.ok(site.state.themes.has('spare'));
    });
  });
});
