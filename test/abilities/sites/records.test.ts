import assert from 'node:assert/strict';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { callerWithin } from '../../support/limited-keys.ts';
import { countStatements } from '../../support/statements.ts';
import { startWorld, type World } from '../../support/world.ts';

const NO_UPDATES = { core_updates: 0, plugin_updates: 0, theme_updates: 0, translation_updates: 0 };

describe('site records', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 6, connect: 3 });
  });
  after(() => world.close());

  const freshSite = (index: number): { url: string; admin: string; admin_password: string } => {
    const { url, admin, adminPassword } = world.site(index);
    return { url, admin, admin_password: adminPassword };
  };

  describe('list-sites-v1', () => {
    it('when sites are listed, then they are sorted by URL with an exact total', async () => {
      const { items, page, per_page, total } = await world.ability('list-sites-v1');
      assert.deepEqual({ page, per_page, total }, { page: 1, per_page: 20, total: 3 });
      assert.deepEqual(
        items.map(({ id }: { id: number }) => id),
        world.siteIds.slice(0, 3),
      );
      assert.equal(items[0].status, 'connected');
      assert.equal(items[0].client_id, null);
    });

    it('when pages are requested, then each has the same total, even after the last page', async () => {
      const second = await world.ability('list-sites-v1', { page: 2, per_page: 2 });
      assert.equal(second.items.length, 1);
      assert.equal(second.total, 3);
      const past = await world.ability('list-sites-v1', { page: 9, per_page: 2 });
      assert.deepEqual({ items: past.items, total: past.total }, { items: [], total: 3 });
    });

    it('when status, search, client and tag are given, then each filters, and all combine', async () => {
      const client = await world.container.services.clients.clients.create({ name: 'Filter client' }, 'test');
      const tag = await world.container.services.tags.tags.create({ name: 'filter tag' }, 'test');
      const id = world.siteId(1);
      await world.ability('update-site-v1', {
        site_id_or_domain: id,
        name: 'Zebra 100%_shop',
        client_id: client.id,
        tags: [tag.id],
      });
      const found = async (input: object): Promise<number[]> =>
        (await world.ability('list-sites-v1', input)).items.map((site: { id: number }) => site.id);
      assert.deepEqual(await found({ client_id: client.id }), [id]);
      assert.deepEqual(await found({ tag_id: tag.id }), [id]);
      assert.deepEqual(await found({ search: 'zEBRA' }), [id]);
      assert.deepEqual(await found({ search: '100%_s' }), [id]);
      assert.deepEqual(await found({ search: '100%xs' }), []);
      assert.deepEqual(await found({ client_id: client.id, tag_id: tag.id, status: 'connected', search: 'zebra' }), [
        id,
      ]);
      assert.deepEqual(await found({ client_id: client.id, status: 'suspended' }), []);
      assert.deepEqual(await found({ client_id: 9999 }), []);
      const updates = await world.ability('list-updates-v1', { per_page: 200 });
      const waiting = new Set(updates.updates.map(({ site_id }: { site_id: number }) => site_id));
      assert.deepEqual(new Set(await found({ status: 'available_update' })), waiting);
      assert.equal((await world.ability('count-sites-v1', { status: 'available_update' })).total, waiting.size);
      await world.container.database.knex('site_states').where({ site_id: id }).update(NO_UPDATES);
      assert.deepEqual(await found({ status: 'available_update', client_id: client.id }), []);
      assert.equal((await world.ability('count-sites-v1', { client_id: client.id })).total, 1);
      assert.equal((await world.ability('count-sites-v1', { tag_ids: [tag.id, 9999] })).total, 1);
      const basic = await world.ability('get-sites-basic-v1', { tag_ids: [tag.id] });
      assert.deepEqual(basic, { sites: [{ id, url: world.site(1).url, name: 'Zebra 100%_shop' }], total: 1 });
      await world.ability('update-site-v1', { site_id_or_domain: id, client_id: null, tags: [] });
      assert.deepEqual(await found({ tag_id: tag.id }), []);
    });

    it('when the input is invalid, then the error names every field', async () => {
      const { data } = await world.ability(
        'list-sites-v1',
        { page: 0, per_page: 101, status: 'gone', nope: 1 },
        { expect: 400 },
      );
      assert.deepEqual(data.errors.map(({ path }: { path: string }) => path).sort(), [
        'input.nope',
        'input.page',
        'input.per_page',
        'input.status',
      ]);
    });

    it('when the call uses GET or POST, then the response is the same', async () => {
      const byPost = await world.ability('list-sites-v1', { per_page: 2 }, { method: 'POST' });
      assert.deepEqual(byPost, await world.ability('list-sites-v1', { per_page: 2 }, { method: 'GET' }));
    });

    it('when there are 1,000 sites, then the list needs no more SQL statements than for a few', async () => {
      const lists: [string, object][] = [
        ['list-sites-v1', { per_page: 20 }],
        ['list-sites-v1', { search: '1', per_page: 20 }],
        ['get-sites-basic-v1', {}],
        ['count-sites-v1', {}],
      ];
      const measure = (): Promise<number[]> =>
        Promise.all([]).then(async () => {
          const counts: number[] = [];
          for (const [name, input] of lists) {
            await world.ability(name, input);
            counts.push(await world.countStatements(() => world.ability(name, input)));
          }
          return counts;
        });
      const few = await measure();
      const now = Date.now();
      const { knex } = world.container.database;
      for (let start = 0; start < 1000; start += 50)
        await knex('sites').insert(
          Array.from({ length: 50 }, (_, offset) => ({
            url: `https://seeded-${start + offset}.example/`,
            url_key: `seeded-${start + offset}.example`,
            name: `Seeded ${start + offset}`,
            name_key: `seeded ${start + offset}`,
            status: 'disconnected',
            client_id: null,
            created_at: now,
            updated_at: now,
          })),
        );
      await knex('revisions').where({ name: 'sites' }).increment('value', 1);
      assert.equal((await world.ability('count-sites-v1')).total, 1003);
      assert.deepEqual(await measure(), few);
      await knex('sites').where('url_key', 'like', 'seeded-%').delete();
      await knex('revisions').where({ name: 'sites' }).increment('value', 1);
    });
  });

  describe('get-site-v1', () => {
    it('when the reference is an ID, digits, a domain or a URL, then the site is found', async () => {
      const id = world.siteId(0);
      const { host } = new URL(world.site(0).url);
      for (const reference of [id, String(id), host, `http://${host}`, `https://${host}/`, `HTTPS://${host}`])
        assert.equal((await world.ability('get-site-v1', { site_id_or_domain: reference })).id, id, String(reference));
    });

    it('when a site was synced, then its data is returned, and include_stats adds counters', async () => {
      const { state } = world.site(0);
      const site = await world.ability('get-site-v1', { site_id_or_domain: world.siteId(0), include_stats: true });
      assert.equal(site.admin_username, 'admin');
      assert.match(site.last_sync, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.equal(typeof site.wp_version, 'string');
      assert.equal(typeof site.stats.plugin_updates, 'number');
      assert.ok(state);
      const without = await world.ability('get-site-v1', { site_id_or_domain: world.siteId(0) });
      assert.equal('stats' in without, false);
    });

    it('when a site is read by ID or URL, then one statement finds it and reads its state', async () => {
      for (const reference of [world.siteId(0), world.site(0).url]) {
        const read = () => world.ability('get-site-v1', { site_id_or_domain: reference, include_stats: true });
        assert.equal(await countStatements(world, read), 1);
      }
    });

    it('when a caller is limited to the site or to another one, then the site is whole or not found', async () => {
      const [id, other] = [world.siteId(0), world.siteId(1)];
      const inside = await callerWithin(world, { sites: [id] });
      const outside = await callerWithin(world, { sites: [other] });
      for (const reference of [id, world.site(0).url, new URL(world.site(0).url).host]) {
        const input = { site_id_or_domain: reference, include_stats: true };
        assert.deepEqual(await world.ability('get-site-v1', input, inside), await world.ability('get-site-v1', input));
        const { code } = await world.ability('get-site-v1', input, { ...outside, expect: 404 });
        assert.equal(code, 'svc_site_not_found');
      }
    });

    it('when include_stats=false is in the query, then it is read as a boolean', async () => {
      const site = await world.ability(
        'get-site-v1',
        { site_id_or_domain: world.siteId(0), include_stats: false },
        { method: 'GET' },
      );
      assert.equal('stats' in site, false);
    });

    it('when a site is unknown, then the error is 404; an ambiguous domain is 409 with the IDs', async () => {
      for (const reference of [999_999, 'unknown.example', '%%%'])
        assert.equal(
          (await world.ability('get-site-v1', { site_id_or_domain: reference }, { expect: 404 })).code,
          'svc_site_not_found',
        );
      const { knex } = world.container.database;
      const now = Date.now();
      const ids: number[] = [];
      for (const path of ['a', 'b']) {
        const [id] = await knex('sites').insert({
          url: `https://multi.example/${path}/`,
          url_key: `multi.example/${path}`,
          name: path,
          name_key: path,
          status: 'disconnected',
          client_id: null,
          created_at: now,
          updated_at: now,
        });
        ids.push(id as number);
      }
      const refused = await world.ability('get-site-v1', { site_id_or_domain: 'multi.example' }, { expect: 409 });
      assert.equal(refused.code, 'svc_ambiguous_site');
      assert.deepEqual(refused.data.site_ids, ids);
      await knex('sites').whereIn('id', ids).delete();
    });

    it('when the input is invalid, then the error names the field', async () => {
      for (const [input, path] of [
        [{}, 'input.site_id_or_domain'],
        [{ site_id_or_domain: true }, 'input.site_id_or_domain'],
        [{ site_id_or_domain: 0 }, 'input.site_id_or_domain'],
        [{ site_id_or_domain: 1, extra: 1 }, 'input.extra'],
        [{ site_id_or_domain: 1, include_stats: 'yes' }, 'input.include_stats'],
      ] as const) {
        const { data, code } = await world.ability('get-site-v1', input, { expect: 400 });
        assert.equal(code, 'ability_invalid_input');
        assert.deepEqual(
          data.errors.map((error: { path: string }) => error.path),
          [path],
        );
      }
    });
  });

  describe('add-site-v1', () => {
    it('when a site is added, then it is connected and synced, with a warning about HTTP', async () => {
      const site = await world.ability('add-site-v1', { ...freshSite(3), name: 'Fourth' });
      assert.equal(site.status, 'connected');
      assert.equal(site.name, 'Fourth');
      assert.equal(site.warnings.length, 1);
      assert.notEqual(site.last_sync, null);
      assert.equal(world.site(3).countOf('register'), 1);
      world.siteIds[3] = site.id;
    });

    it('when the URL is that of wp-admin, then the site is added with its home page, with a warning', async () => {
      const { url, ...login } = freshSite(4);
      const site = await world.ability('add-site-v1', { ...login, url: `${url}wp-admin/index.php?x=1` });
      assert.deepEqual([site.url, site.warnings.length], [url, 2]);
      assert.equal(
        site.warnings[1],
        `The site was added as ${url}, because the entered URL is not that of its home page.`,
      );
      const other = { ...login, url: `${url}wp-login.php` };
      const refused = await world.ability('add-site-v1', other, { expect: 409 });
      assert.equal(refused.data.site_id, site.id);
      await world.ability('delete-site-v1', { site_id_or_domain: site.id, confirm: true, deactivate_child: false });
    });

    it('when the URL is that of a page of the site, then a warning names the address that the site reports', async () => {
      const { url, ...login } = freshSite(4);
      const site = await world.ability('add-site-v1', { ...login, url: `${url}contact/` });
      assert.deepEqual([site.status, site.url, site.warnings.length], ['connected', `${url}contact/`, 2]);
      assert.ok(site.warnings[1].startsWith(`The site reports ${new URL(url).host} as its address.`), site.warnings[1]);
      await world.ability('delete-site-v1', { site_id_or_domain: site.id, confirm: true, deactivate_child: false });
    });

    it('when a record has the URL of wp-admin, then its checks request the home page', async () => {
      const id = world.siteId(1);
      const { url } = world.site(1);
      const { knex } = world.container;
      await knex('sites')
        .where({ id })
        .update({ url: `${url}wp-admin/` });
      world.site(1).requests.length = 0;
      await world.ability('check-site-v1', { site_id_or_domain: id });
      await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
      const paths = world.site(1).requests.map(({ path }) => path);
      assert.deepEqual([paths[0], [...new Set(paths)]], ['/', ['/', '/wp-admin/admin-ajax.php']]);
      await knex('sites').where({ id }).update({ url });
    });

    it('when a site is named by the address of another page, then it is found by that of its home page', async () => {
      const id = world.siteId(1);
      const { url } = world.site(1);
      const find = (ref: string) => world.ability('get-site-v1', { site_id_or_domain: ref });
      assert.equal((await find(`${url}wp-admin/plugins.php?paged=2`)).id, id);
      const refs = [`${url}wp-login.php`, `${url}shop/wp-admin/`];
      const { synced, errors } = await world.ability('sync-sites-v1', { site_ids_or_domains: refs });
      assert.deepEqual(
        [
          synced.map((site: { id: number }) => site.id),
          errors.map((error: { identifier: string }) => error.identifier),
        ],
        [[id], [refs[1]]],
      );
      // Releases before 0.2 stored such an address as the address of a site.
      const { knex } = world.container;
      const [record] = await knex('sites').where({ id }).select('url', 'url_key');
      const former = { url: `${url}wp-admin/`, url_key: `${record.url_key}/wp-admin` };
      await knex('sites').where({ id }).update(former);
      assert.equal((await find(former.url)).id, id);
      await knex('sites').where({ id }).update(record);
    });

    it('when the site exists already, then the call is rejected for any spelling of the URL', async () => {
      const { host } = new URL(world.site(0).url);
      const refused = await world.ability('add-site-v1', { url: `https://${host}`, admin: 'admin' }, { expect: 409 });
      assert.equal(refused.code, 'svc_site_already_exists');
      assert.equal(refused.data.site_id, world.siteId(0));
    });

    it('when the child rejects the registration, then the error has the reason, and no record is left', async () => {
      const before = (await world.ability('count-sites-v1')).total;
      const refusal = async (input: object): Promise<{ code: string; data: { reason: string } }> =>
        world.ability('add-site-v1', { ...freshSite(4), ...input }, { expect: 502 });
      assert.equal((await refusal({ admin_password: 'wrong' })).data.reason, 'bad_password');
      assert.equal((await refusal({ admin_password: undefined })).data.reason, 'password_required');
      assert.equal((await world.ability('count-sites-v1')).total, before);
    });

    it('when the child may have taken the key, then the record keeps it, and a reconnection completes the site', async () => {
      const site = world.site(5);
      site.faultQueue.push(
        { kind: 'fatal', when: 'after', times: 2, function: 'register' },
        { kind: 'refuse', times: 2, function: 'get_all_plugins' },
      );
      await world.ability('add-site-v1', freshSite(5), { expect: 502 });
      site.faultQueue.length = 0;
      assert.notEqual(site.state.connection.publicKey, null);
      const again = await world.ability('add-site-v1', freshSite(5), { expect: 409 });
      assert.equal(again.code, 'svc_site_already_exists');
      assert.match(again.message, /not completed\. Reconnect it/);
      const { admin_password } = freshSite(5);
      const site_id_or_domain = again.data.site_id;
      const reconnected = await world.ability('reconnect-site-v1', { site_id_or_domain, admin_password });
      assert.equal(reconnected.status, 'connected');
      await world.ability('delete-site-v1', { site_id_or_domain, confirm: true, deactivate_child: false });
    });

    it('when the site is down, then the error is 503', async () => {
      const refused = await world.ability(
        'add-site-v1',
        { url: 'http://127.9.9.9:45678/', admin: 'admin' },
        { expect: 503 },
      );
      assert.equal(refused.code, 'svc_site_unreachable');
      assert.equal(refused.data.layer, 'connect');
    });

    it('when a name has spaces around it, then it is trimmed; a blank name is rejected', async () => {
      const one = { site_id_or_domain: world.siteId(1) };
      const { name } = await world.ability('get-site-v1', one);
      assert.equal((await world.ability('update-site-v1', { ...one, name: '  Blanks around ' })).name, 'Blanks around');
      await world.ability('update-site-v1', { ...one, name });
      for (const [ability, input] of [
        ['add-site-v1', freshSite(4)],
        ['update-site-v1', one],
      ] as const) {
        const refused = await world.ability(ability, { ...input, name: ' \t' }, { expect: 400 });
        assert.equal(refused.code, 'ability_invalid_input');
        assert.equal(refused.data.errors[0].path, 'input.name');
      }
    });

    it('when a URL is invalid or its address is not allowed, then the call is rejected', async () => {
      for (const url of ['example.com', 'ftp://example.com', 'http://user:pass@example.com'])
        assert.equal(
          (await world.ability('add-site-v1', { url, admin: 'admin' }, { expect: 400 })).code,
          'svc_invalid_url',
          url,
        );
      for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/', 'http://[::1]/'])
        assert.equal(
          (await world.ability('add-site-v1', { url, admin: 'admin' }, { expect: 400 })).code,
          'svc_address_refused',
          url,
        );
    });

    it('when the client or tag is unknown, then the call is rejected before the site is registered', async () => {
      const noClient = await world.ability('add-site-v1', { ...freshSite(4), client_id: 9999 }, { expect: 404 });
      assert.equal(noClient.code, 'svc_client_not_found');
      const noTag = await world.ability('add-site-v1', { ...freshSite(4), tags: [9999] }, { expect: 404 });
      assert.equal(noTag.code, 'svc_tag_not_found');
      assert.equal(world.site(4).state.connection.publicKey, null);
    });

    it('when a site is added with a password, then the password is in no table and no log', async () => {
      const { adminPassword } = world.site(3);
      const { knex } = world.container.database;
      for (const table of ['sites', 'site_states', 'site_secrets', 'changes', 'jobs'])
        assert.ok(!JSON.stringify(await knex(table).select()).includes(adminPassword), table);
      assert.ok(!world.logLines.join('').includes(adminPassword));
    });

    it('when the caller may only read, then the call is rejected', async () => {
      for (const as of ['viewer', 'reader'] as const)
        assert.equal(
          (await world.ability('add-site-v1', freshSite(4), { as, expect: 403 })).code,
          'svc_permission_denied',
        );
      assert.equal(
        (await world.ability('add-site-v1', freshSite(4), { as: 'nobody', expect: 401 })).code,
        'svc_unauthenticated',
      );
    });
  });

  describe('update-site-v1', () => {
    it('when fields are sent, then only these change', async () => {
      const id = world.siteId(2);
      const before = await world.ability('get-site-v1', { site_id_or_domain: id });
      const after = await world.ability('update-site-v1', { site_id_or_domain: id, notes: 'Call before 9.\n„ü"' });
      assert.deepEqual(after, { ...before, notes: 'Call before 9.\n„ü"' });
      assert.deepEqual(await world.ability('update-site-v1', { site_id_or_domain: id }), after);
    });

    it('when the client or tag is unknown, then the error is 404 and nothing changes', async () => {
      const id = world.siteId(2);
      const before = await world.ability('get-site-v1', { site_id_or_domain: id });
      await world.ability('update-site-v1', { site_id_or_domain: id, name: 'no', client_id: 9999 }, { expect: 404 });
      await world.ability('update-site-v1', { site_id_or_domain: id, name: 'no', tags: [9999] }, { expect: 404 });
      assert.deepEqual(await world.ability('get-site-v1', { site_id_or_domain: id }), before);
    });

    it('when a site changes, then the change log has an entry', async () => {
      await world.ability('update-site-v1', { site_id_or_domain: world.siteId(2), name: 'Logged' });
      const { changes } = await world.ability('get-site-changes-v1', {
        site_id_or_domain: world.siteId(2),
        type: 'site.updated',
      });
      assert.equal(changes[0].user, 'admin');
      assert.match(changes[0].description, /name/);
    });
  });

  describe('delete-site-v1', () => {
    it('when a deletion is not confirmed, then it is rejected; a dry run never deletes', async () => {
      const id = world.siteId(3);
      const refused = await world.ability('delete-site-v1', { site_id_or_domain: id }, { expect: 400 });
      assert.equal(refused.code, 'svc_confirmation_required');
      for (const input of [{ dry_run: true }, { dry_run: true, confirm: true }]) {
        const preview = await world.ability('delete-site-v1', { site_id_or_domain: id, ...input });
        assert.deepEqual([preview.dry_run, preview.deleted, preview.site_id], [true, false, id]);
        assert.ok(preview.would_affect.plugins > 0);
      }
      await world.ability('get-site-v1', { site_id_or_domain: id });
    });

    it('when a site is deleted, then the child is deactivated, and all data of the site is deleted', async () => {
      const id = world.siteId(3);
      const answer = await world.ability('delete-site-v1', { site_id_or_domain: id, confirm: true });
      assert.deepEqual(answer, { deleted: true, site_id: id, site_url: world.site(3).url, child_notified: true });
      assert.equal(world.site(3).countOf('deactivate'), 1);
      await world.ability('get-site-v1', { site_id_or_domain: id }, { expect: 404 });
      const { knex } = world.container.database;
      for (const table of ['site_states', 'site_secrets', 'site_plugins', 'site_themes', 'site_updates', 'changes'])
        assert.equal((await knex(table).where({ site_id: id })).length, 0, table);
    });

    it('when a site is deleted, then costs no longer name it', async () => {
      const id = await world.connect(5);
      await world.container.services.costs.costs.create(
        ALL_SITES,
        { name: 'Certificate', price: 9, renewalType: 'yearly', targets: [{ kind: 'site', id }] },
        'test',
      );
      const preview = await world.ability('delete-site-v1', { site_id_or_domain: id, dry_run: true });
      assert.equal(preview.would_affect.costs, 1);
      await world.ability('delete-site-v1', { site_id_or_domain: id, confirm: true });
      const { knex } = world.container.database;
      assert.deepEqual(await knex('cost_targets').where({ kind: 'site', target_id: id }), []);
      world.site(5).performWpAdminAction({ do: 'activate-child' });
    });

    it('when the site is down, then it is deleted without notifying the child', async () => {
      const id = await world.connect(5);
      world.site(5).fault = { kind: 'refuse' };
      const answer = await world.ability('delete-site-v1', { site_id_or_domain: id, confirm: true });
      assert.equal(answer.child_notified, false);
      world.site(5).fault = null;
    });

    it('when the site is unknown, then the error is 404', async () => {
      const refused = await world.ability(
        'delete-site-v1',
        { site_id_or_domain: 999_999, confirm: true },
        { expect: 404 },
      );
      assert.equal(refused.code, 'svc_site_not_found');
    });
  });
});
