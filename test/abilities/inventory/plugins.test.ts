import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { readChangesOf } from '../../support/changes.ts';
import { CHILD_PLUGIN, installPluginsInMixedStates } from '../../support/inventory.ts';
import { withWorld, type CallOptions, type World } from '../../support/world.ts';

const ACTIONS = ['activate-site-plugins-v1', 'deactivate-site-plugins-v1', 'delete-site-plugins-v1'] as const;

interface Answer {
  code: string;
  data: unknown;
  site_id: number;
  site_url: string;
  total: number;
  plugins: { slug: string; active: boolean; update_version: string | null }[];
  activated: string[];
  deactivated: string[];
  deleted: string[];
  errors: { identifier: string; code: string; message: string }[];
}

describe('plugins of a site', () => {
  let world: World;
  withWorld({ sites: 12, connect: 0 }, (started) => (world = started));

  /** Calls an ability. `Answer` has the fields of all responses; each response is validated against the contract. */
  const ability = (name: string, input?: unknown, options?: CallOptions): Promise<Answer> =>
    world.ability<Answer>(name, input, options);

  /** Adds a site with the child plugin and alpha, beta and gamma. Only gamma and the child plugin are active. */
  const freshSite = () => world.freshSite(installPluginsInMixedStates);
  const list = (id: number, filter: object = {}) =>
    ability('get-site-plugins-v1', { site_id_or_domain: id, ...filter });
  const actives = async (id: number) => (await list(id)).plugins.filter(({ active }) => active).map(({ slug }) => slug);
  const act = (name: (typeof ACTIONS)[number], id: number, slugs: string[], expect = 200) =>
    ability(
      name,
      { site_id_or_domain: id, slugs, ...(name === 'delete-site-plugins-v1' ? { confirm: true } : {}) },
      { expect },
    );
  const logged = (id: number) => readChangesOf(world, id, 'plugin.%');

  describe('get-site-plugins-v1', () => {
    let id = 0;
    let site: SimulatedSite;
    before(async () => {
      ({ id, site } = await freshSite());
    });

    it('when plugins are listed, then they are sorted by slug with their update, and no site is called', async () => {
      const before = site.requests.length;
      const answer = await ability('get-site-plugins-v1', { site_id_or_domain: id });
      assert.equal(answer.site_id, id);
      assert.equal(answer.site_url, site.url);
      assert.equal(answer.total, 4);
      assert.deepEqual(
        answer.plugins.map(({ slug, active, update_version }) => [slug, active, update_version]),
        [
          ['alpha/alpha.php', false, null],
          ['beta/beta.php', false, '2.0.0'],
          ['gamma/gamma.php', true, null],
          [CHILD_PLUGIN, true, null],
        ],
      );
      assert.equal(site.requests.length, before);
    });

    it('when filters are given, then the total counts the matching plugins', async () => {
      const slugs = async (filter: object) => {
        const { plugins, total } = await list(id, filter);
        assert.equal(total, plugins.length);
        return plugins.map(({ slug }) => slug.split('/')[0]);
      };
      assert.deepEqual(await slugs({ status: 'active' }), ['gamma', 'mainwp-child']);
      assert.deepEqual(await slugs({ status: 'inactive' }), ['alpha', 'beta']);
      assert.deepEqual(await slugs({ has_update: true }), ['beta']);
      assert.deepEqual(await slugs({ has_update: false }), ['alpha', 'beta', 'gamma', 'mainwp-child']);
      assert.deepEqual(await slugs({ has_update: true, status: 'active' }), []);
    });

    it('when a viewer calls with GET and the site URL, then the response is the same', async () => {
      const input = { site_id_or_domain: site.url, status: 'inactive', has_update: true };
      const byGet = await ability('get-site-plugins-v1', input, { method: 'GET', as: 'viewer' });
      assert.deepEqual(byGet, await ability('get-site-plugins-v1', input));
      assert.equal(byGet.total, 1);
    });

    it('when the site is unknown, the input invalid or the credential missing, then the call is rejected', async () => {
      const refuse = async (input: unknown, expect: number, code: string, as: 'admin' | 'nobody' = 'admin') =>
        assert.equal((await ability('get-site-plugins-v1', input, { expect, as })).code, code);
      await refuse({ site_id_or_domain: 999999 }, 404, 'svc_site_not_found');
      await refuse({}, 400, 'ability_invalid_input');
      await refuse({ site_id_or_domain: id, status: 'broken' }, 400, 'ability_invalid_input');
      await refuse({ site_id_or_domain: id, has_update: 'perhaps' }, 400, 'ability_invalid_input');
      await refuse({ site_id_or_domain: id, more: 1 }, 400, 'ability_invalid_input');
      await refuse({ site_id_or_domain: id }, 401, 'svc_unauthenticated', 'nobody');
    });
  });

  describe('plugin actions', () => {
    it('when plugins are changed, then the next list is current without a sync', async () => {
      const { id, site } = await freshSite();
      const stats = site.countOf('stats');
      const [alpha, beta, gamma] = ['alpha/alpha.php', 'beta/beta.php', 'gamma/gamma.php'];
      assert.deepEqual(await act('activate-site-plugins-v1', id, [alpha, beta, alpha]), {
        site_id: id,
        activated: [alpha, beta],
        errors: [],
      });
      assert.deepEqual(await actives(id), [alpha, beta, gamma, CHILD_PLUGIN]);
      assert.deepEqual(await act('deactivate-site-plugins-v1', id, [beta]), {
        site_id: id,
        deactivated: [beta],
        errors: [],
      });
      assert.deepEqual(await actives(id), [alpha, gamma, CHILD_PLUGIN]);
      assert.deepEqual(await act('delete-site-plugins-v1', id, [gamma, beta]), {
        site_id: id,
        deleted: [gamma, beta],
        errors: [],
      });
      assert.deepEqual(
        (await list(id)).plugins.map(({ slug }) => slug),
        [alpha, CHILD_PLUGIN],
      );
      assert.deepEqual([...site.state.plugins.keys()].sort(), [alpha, CHILD_PLUGIN]);
      assert.equal(site.countOf('plugin_action'), 3);
      // The response to a deletion still lists the deleted plugins, so it is followed by a sync.
      assert.equal(site.countOf('stats'), stats + 1);
      assert.deepEqual(
        (await logged(id)).map(({ type, actor }) => `${type} by ${actor}`),
        [
          'plugin.activated by admin',
          'plugin.activated by admin',
          'plugin.deactivated by admin',
          'plugin.deleted by admin',
          'plugin.deleted by admin',
        ],
      );
      assert.match((await logged(id))[0]?.description ?? '', /Alpha 1\.0\.0/);
    });

    it('when slugs are unknown, protected or fail silently, then each has its own error', async () => {
      const { id, site } = await freshSite();
      site.defects.falseSuccesses.add('beta/beta.php');
      const mixed = await act('activate-site-plugins-v1', id, ['none/none.php', 'beta/beta.php', 'alpha/alpha.php']);
      assert.deepEqual(mixed.activated, ['alpha/alpha.php']);
      const place = (slug: string) => ({ identifier: slug, site_id: id, site_url: site.url, type: 'plugin', slug });
      assert.deepEqual(mixed.errors, [
        { ...place('none/none.php'), code: 'svc_plugin_not_found', message: 'The site has no such plugin.' },
        {
          ...place('beta/beta.php'),
          code: 'svc_activation_failed',
          message:
            'The plugin is still inactive. WordPress gives no reason. A required version of ' +
            'WordPress or PHP, or another required plugin, may be missing.',
          reason: 'refused_silently',
        },
      ]);
      site.defects.falseSuccesses.add('alpha/alpha.php');
      const codes = ({ errors }: Answer) => errors.map(({ identifier, code }) => `${identifier} ${code}`);
      const kept = await act('deactivate-site-plugins-v1', id, ['alpha/alpha.php', CHILD_PLUGIN]);
      assert.deepEqual(
        [kept.deactivated, codes(kept)],
        [[], ['alpha/alpha.php svc_deactivation_failed', `${CHILD_PLUGIN} svc_protected_item`]],
      );
      const stays = await act('delete-site-plugins-v1', id, [CHILD_PLUGIN, 'alpha/alpha.php', 'gamma/gamma.php']);
      assert.deepEqual(
        [stays.deleted, codes(stays)],
        [['gamma/gamma.php'], [`${CHILD_PLUGIN} svc_protected_item`, 'alpha/alpha.php svc_deletion_failed']],
      );
      assert.deepEqual(await actives(id), ['alpha/alpha.php', CHILD_PLUGIN]);
      assert.deepEqual(
        (await logged(id)).map(({ type }) => type),
        ['plugin.activated', 'plugin.deleted'],
      );
    });

    it('when a plugin is must-use, then it cannot be deactivated or deleted', async () => {
      const { id, site } = await freshSite();
      const alpha = site.state.plugins.get('alpha/alpha.php');
      assert.ok(alpha);
      const definition = { ...alpha.definition, file: 'fleet-defaults.php' };
      site.state.plugins.set(definition.file, { ...alpha, definition, active: true, mu: true });
      site.touch();
      for (const name of ACTIONS.slice(1)) {
        const { errors } = await act(name, id, ['fleet-defaults.php']);
        assert.deepEqual(errors[0]?.code, 'svc_protected_item');
      }
      assert.deepEqual((await act('activate-site-plugins-v1', id, ['fleet-defaults.php'])).activated.length, 1);
      assert.equal(site.countOf('plugin_action'), 0);
    });

    it('when the response is lost, then the result is read back, and the action is sent once', async () => {
      const { id, site } = await freshSite();
      site.faultQueue.push({ kind: 'fatal', when: 'after', function: 'plugin_action' });
      assert.deepEqual((await act('activate-site-plugins-v1', id, ['alpha/alpha.php'])).activated, ['alpha/alpha.php']);
      assert.equal(site.countOf('plugin_action'), 1);
      site.defects.fatalOnActivation.add('beta/beta.php');
      const { activated, errors } = await act('activate-site-plugins-v1', id, ['alpha/alpha.php', 'beta/beta.php']);
      assert.deepEqual(activated, ['alpha/alpha.php']);
      assert.equal(errors[0]?.code, 'svc_activation_failed');
      assert.equal(site.countOf('plugin_action'), 2);
      assert.deepEqual(await actives(id), ['alpha/alpha.php', 'gamma/gamma.php', CHILD_PLUGIN]);
    });

    it('when the site is down or rejects the call, then the whole call fails', async () => {
      const { id, site } = await freshSite();
      site.fault = { kind: 'challenge' };
      assert.equal((await act('activate-site-plugins-v1', id, ['alpha/alpha.php'], 502)).code, 'svc_site_refused');
      await world.closeAddress(id);
      const unreachable = await act('activate-site-plugins-v1', id, ['alpha/alpha.php'], 503);
      assert.equal(unreachable.code, 'svc_site_unreachable');
      assert.equal(site.state.plugins.get('alpha/alpha.php')?.active, false);
      assert.deepEqual(await actives(id), ['gamma/gamma.php', CHILD_PLUGIN]);
    });

    it('when a site is suspended, disconnected or outdated, then it is not called', async () => {
      const { id, site } = await freshSite();
      for (const [state, undo] of [
        ['suspend', 'unsuspend'],
        ['disconnect', 'reconnect'],
      ]) {
        await ability(`${state}-site-v1`, { site_id_or_domain: id });
        assert.equal((await act('delete-site-plugins-v1', id, ['alpha/alpha.php'], 409)).code, `svc_site_${state}ed`);
        await ability(`${undo}-site-v1`, { site_id_or_domain: id });
      }
      site.setChildVersion('3.9');
      await ability('sync-sites-v1', { site_ids_or_domains: [id] });
      for (const name of ['activate-site-plugins-v1', 'deactivate-site-plugins-v1'] as const) {
        const { code, data } = await act(name, id, ['alpha/alpha.php'], 409);
        assert.equal(code, 'svc_child_outdated');
        assert.deepEqual(data, { status: 409, site_id: id, child_version: '3.9' });
      }
      assert.equal(site.countOf('plugin_action'), 0);
    });

    it('when the files of an active plugin cannot be deleted, then the error says that it was deactivated', async () => {
      const { id, site } = await freshSite();
      site.defects.unwritable.add('alpha/alpha.php').add('gamma/gamma.php');
      const { deleted, errors } = await act('delete-site-plugins-v1', id, ['alpha/alpha.php', 'gamma/gamma.php']);
      assert.deepEqual(deleted, []);
      assert.deepEqual(
        errors.map(({ identifier, code, message }) => `${identifier} ${code} ${message}`),
        [
          'alpha/alpha.php svc_deletion_failed The plugin still exists.',
          'gamma/gamma.php svc_deletion_failed The plugin still exists. The site deactivated it before the deletion failed.',
        ],
      );
      assert.equal(site.state.plugins.get('gamma/gamma.php')?.active, false);
      assert.deepEqual(await actives(id), [CHILD_PLUGIN]);
      assert.deepEqual(
        (await logged(id)).map(({ type, description }) => `${type} ${description}`),
        ['plugin.deactivated Deactivated the plugin Gamma 1.0.0 in an attempt to delete it.'],
      );
    });
  });

  describe('rejected calls', () => {
    let id = 0;
    let site: SimulatedSite;
    before(async () => {
      ({ id, site } = await freshSite());
    });
    afterEach(() => assert.equal(site.countOf('plugin_action'), 0));

    for (const name of ACTIONS) {
      const confirmed = name === 'delete-site-plugins-v1' ? { confirm: true } : {};
      it(`when ${name} has invalid input, then the error is ability_invalid_input`, async () => {
        const good = { site_id_or_domain: id, slugs: ['alpha/alpha.php'], ...confirmed };
        const bad: [string, object | undefined][] = [
          ['nothing', undefined],
          ['no site', { slugs: good.slugs, ...confirmed }],
          ['no slugs', { site_id_or_domain: id, ...confirmed }],
          ['an empty list', { ...good, slugs: [] }],
          ['a text', { ...good, slugs: 'alpha/alpha.php' }],
          ['a number', { ...good, slugs: [7] }],
          ['a separator', { ...good, slugs: ['alpha/alpha.php||beta/beta.php'] }],
          ['too many', { ...good, slugs: Array.from({ length: 501 }, (_, at) => `p${at}.php`) }],
          ['too long', { ...good, slugs: ['x'.repeat(256)] }],
          ['an unknown field', { ...good, force: true }],
        ];
        for (const [what, input] of bad)
          assert.equal((await ability(name, input, { expect: 400 })).code, 'ability_invalid_input', what);
      });

      it(`when the site is unknown or the right is missing, then ${name} is rejected`, async () => {
        const input = { site_id_or_domain: id, slugs: ['alpha/alpha.php'], ...confirmed };
        const unknown = await ability(name, { ...input, site_id_or_domain: 'nowhere.example' }, { expect: 404 });
        assert.equal(unknown.code, 'svc_site_not_found');
        for (const as of ['viewer', 'reader'] as const)
          assert.equal((await ability(name, input, { as, expect: 403 })).code, 'svc_permission_denied');
        assert.equal((await ability(name, input, { as: 'nobody', expect: 401 })).code, 'svc_unauthenticated');
      });

      it(`when ${name} is called with GET, then the error is 405`, async () => {
        const input = { site_id_or_domain: id, slugs: ['alpha/alpha.php'], ...confirmed };
        const { code } = await ability(name, input, { method: 'GET', expect: 405 });
        assert.equal(code, 'rest_ability_invalid_method');
      });
    }

    it('when delete-site-plugins-v1 is not confirmed, then it is rejected', async () => {
      const input = { site_id_or_domain: id, slugs: ['alpha/alpha.php'] };
      for (const more of [{}, { confirm: false }]) {
        const { code } = await ability('delete-site-plugins-v1', { ...input, ...more }, { expect: 400 });
        assert.equal(code, 'svc_confirmation_required');
      }
      const odd = await ability('delete-site-plugins-v1', { ...input, confirm: 'sure' }, { expect: 400 });
      assert.equal(odd.code, 'ability_invalid_input');
      assert.ok(site.state.plugins.has('alpha/alpha.php'));
    });
  });
});
