import assert from 'node:assert/strict';
import { UNSUPPORTED_ROWS } from '../../src/surfaces/compat/table/index.ts';
import { createClient } from '../support/clients.ts';
import { ABILITIES_MOUNT, ROUTES_MOUNT } from '../support/compat-clients.ts';
import { clearFaults } from '../support/sites.ts';
import { createTag } from '../support/tags.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test is about the translation of requests and responses.

// Responses of the compatibility mount have no contract of ours.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;
type Subject = (typeof UNSUPPORTED_ROWS)[number]['subject'];

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

describe('differences from the established product that the guide lists', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 5, connect: 4 });
  });
  after(() => world.close());
  afterEach(() => clearFaults(world));

  const abilityPath = (name: string): string => `${ABILITIES_MOUNT}/abilities/mainwp/${name}/run`;
  const run = async (name: string, input: object = {}, expect = 200): Promise<Json> =>
    (await world.request('POST', abilityPath(name), { body: { input }, expect })).body;
  const read = async (name: string, query = '', expect = 200): Promise<Json> =>
    (await world.request('GET', `${abilityPath(name)}?${query}`, { expect })).body;
  const route = async (method: string, path: string, body?: object, expect = 200): Promise<Json> =>
    (await world.request(method, ROUTES_MOUNT + path, { body, expect })).body;
  const site = (index: number) => ({ site_id_or_domain: world.siteId(index) });
  const pluginsOf = async (index: number): Promise<Json[]> =>
    (await read('get-site-plugins-v1', `input[site_id_or_domain]=${world.siteId(index)}`)).plugins;

  /** One proof for each row, by its subject. A row without a proof does not compile. */
  const PROOFS: Record<Subject, () => Promise<void>> = {
    'Unknown sites': async () => {
      for (const name of ['suspend-site-v1', 'reconnect-site-v1', 'activate-site-plugins-v1', 'update-site-core-v1']) {
        const input = { site_id_or_domain: 'nobody.example', ...(name.includes('plugins') && { plugins: ['x.php'] }) };
        assert.equal((await run(name, input, 404)).code, 'mainwp_site_not_found');
      }
    },
    'Order of checks': async () => {
      for (const path of [abilityPath('list-sites-v1'), abilityPath('no-such-v1'), `${ROUTES_MOUNT}/no-such`])
        for (const method of ['GET', 'DELETE']) await world.request(method, path, { as: 'nobody', expect: 401 });
    },
    'Empty and invalid lists of sites': async () => {
      const one = await run('sync-sites-v1', { site_ids_or_domains: 'nobody.example' });
      assert.deepEqual([one.total_synced, one.errors.length], [0, 1]);
      await run('disconnect-sites-v1', { site_ids_or_domains: [] }, 400);
      await run('suspend-sites-v1', { site_ids_or_domains: [] }, 400);
    },
    'Form bodies of abilities': async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      await world.request('POST', abilityPath('sync-sites-v1'), { body: 'input[x]=1', headers, expect: 415 });
    },
    '`confirm` and `dry_run`': async () => {
      await run('suspend-client-v1', { client_id_or_email: 1, dry_run: true }, 400);
      for (const kind of ['plugins', 'themes'])
        await run(`delete-site-${kind}-v1`, { ...site(0), [kind]: ['x'], dry_run: true }, 400);
    },
    'Confirmation together with a preview': async () => {
      const preview = await run('delete-site-v1', { ...site(0), dry_run: true, confirm: true });
      assert.deepEqual([preview.dry_run, preview.deleted], [true, false]);
      await run('get-site-v1', site(0));
    },
    'Actions on missing plugins and themes': async () => {
      const missing = { ...site(0), plugins: ['nobody/nobody.php'] };
      for (const name of ['activate-site-plugins-v1', 'delete-site-plugins-v1']) {
        const { errors } = await run(name, { ...missing, ...(name.startsWith('delete') && { confirm: true }) });
        assert.equal(errors[0].code, 'mainwp_plugin_not_found');
      }
      const { themes } = await read('get-site-themes-v1', `input[site_id_or_domain]=${world.siteId(0)}`);
      const { slug } = themes.find(({ active }: Json) => active);
      const theme = await run('delete-site-themes-v1', { ...site(0), themes: [slug], confirm: true });
      assert.equal(theme.errors[0].code, 'mainwp_protected_item');
      const child = await run('deactivate-site-plugins-v1', {
        ...site(0),
        plugins: ['mainwp-child/mainwp-child.php'],
      });
      assert.equal(child.errors[0].code, 'mainwp_protected_item');
      await run('activate-site-plugins-v1', { ...site(0), plugins: ['hello.php'] });
      const gone = await run('delete-site-plugins-v1', { ...site(0), plugins: ['hello.php'], confirm: true });
      assert.deepEqual(gone.errors, []);
      assert.equal(
        (await pluginsOf(0)).some((plugin) => plugin.slug === 'hello.php'),
        false,
      );
    },
    'Reads after a change': async () => {
      await run('activate-site-plugins-v1', { ...site(1), plugins: ['hello.php'] });
      assert.equal((await pluginsOf(1)).find((plugin) => plugin.slug === 'hello.php').active, true);
    },
    Filters: async () => {
      const tag = await createTag(world, 'filtered', world.siteId(1));
      assert.equal((await read('list-sites-v1', `input[tag_id]=${tag}`)).total, 1);
      const id = await createClient(world, 'Filtered client');
      await run('suspend-client-v1', { client_id_or_email: id });
      const suspended = await read('list-clients-v1', 'input[status]=suspended');
      assert.deepEqual(
        suspended.items.map((client: Json) => client.id),
        [id],
      );
      assert.equal((await read('count-clients-v1', 'input[status]=suspended')).total, 1);
    },
    Costs: async () => {
      const cost = { name: 'Hosting', price: 12, type: 'subscription', sites: [world.siteId(1)] };
      await route('POST', '/costs/add', cost);
      const { costs } = await read('get-site-costs-v1', `input[site_id_or_domain]=${world.siteId(1)}`);
      assert.equal(costs[0].name, 'Hosting');
      assert.ok(JSON.stringify(costs[0]).includes('12'));
    },
    Clients: async () => {
      const client = { name: 'Harbour', client_email: 'harbour@example.com' };
      const { id } = await run('add-client-v1', client);
      await run('update-site-v1', { ...site(2), client_id: id });
      await run('suspend-client-v1', { client_id_or_email: id });
      assert.equal((await run('get-site-v1', site(2))).status, 'suspended');
      await run('unsuspend-client-v1', { client_id_or_email: id });
      await run('add-client-v1', { ...client, name: 'Other' }, 409);
    },
    'Social links of clients': async () => {
      for (const field of ['client_facebook', 'client_twitter', 'client_instagram', 'client_linkedin'])
        await run('add-client-v1', { name: 'Linked', [field]: 'https://social.example/x' }, 400);
      await route('POST', '/clients/add', { name: 'Linked', client_facebook: 'https://social.example/x' });
    },
    '`update-site-v1`': async () => {
      for (const field of ['url', 'admin_username', 'verify_certificate', 'http_user', 'http_pass', 'suspended'])
        await run('update-site-v1', { ...site(1), [field]: 'x' }, 400);
      assert.equal((await run('update-site-v1', { ...site(1), name: 'Renamed' })).name, 'Renamed');
    },
    'Errors of sites': async () => {
      const check = async (status: number): Promise<void> => {
        await run('reconnect-site-v1', site(3), status);
        clearFaults(world);
      };
      world.site(3).fault = { kind: 'refuse' };
      await check(503);
      world.site(3).fault = { kind: 'challenge' };
      await check(502);
      const { state } = world.site(3);
      const { childVersion } = state;
      state.childVersion = '3.9';
      await run('sync-sites-v1', { site_ids_or_domains: [world.siteId(3)] });
      const outdated = await run('activate-site-plugins-v1', { ...site(3), plugins: ['hello.php'] }, 409);
      assert.equal(outdated.code, 'mainwp_child_outdated');
      state.childVersion = childVersion;
      await run('sync-sites-v1', { site_ids_or_domains: [world.siteId(3)] });
    },
    'Adding a site': async () => {
      const { url, admin, adminPassword } = world.site(4);
      const input = { url, admin_username: admin, adminpassword: adminPassword };
      await run('add-site-v1', { ...input, client_id: 999 }, 404);
      await run('add-site-v1', { ...input, tag_ids: [999] }, 404);
      await run('add-site-v1', { ...input, url: 'ftp://x' }, 400);
      assert.equal((await read('count-sites-v1')).total, 4);
    },
    Disconnecting: async () => {
      await run('suspend-site-v1', site(3));
      const synced = await run('sync-sites-v1');
      assert.ok(!synced.synced.some(({ id }: Json) => id === world.siteId(3)));
      await run('unsuspend-site-v1', site(3));
      await run('disconnect-site-v1', site(3));
      const calls = world.site(3).requests.length;
      await run('sync-sites-v1', { site_ids_or_domains: [world.siteId(3)] });
      assert.equal(world.site(3).requests.length, calls);
      await run('reconnect-site-v1', site(3));
    },
    'Errors with status 200 and 500': async () => {
      assert.equal((await route('GET', '/sites/nobody.example', undefined, 404)).success, undefined);
      await route('GET', '/sites?per_page=abc', undefined, 400);
    },
    'Missing fields': async () => {
      const { code, data } = await route('POST', '/tags/add', {}, 400);
      assert.equal(code, 'rest_invalid_param');
      assert.ok(data.errors.length > 0);
    },
    'Response formats of the REST routes': async () => {
      const { body, headers } = await world.request('GET', `${ROUTES_MOUNT}/sites?full_data=1`);
      assert.deepEqual([body.success, body.page, typeof body.total, typeof body.pages], [1, 1, 'number', 'number']);
      assert.ok(Array.isArray(body.data) && headers['x-wp-total'] === String(body.total));
      const [record] = body.data;
      assert.ok(typeof record.id === 'number' && Array.isArray(record.plugins));
      assert.ok(Array.isArray((await route('GET', '/updates')).data));
    },
    Dates: async () => {
      const { last_sync } = await run('get-site-v1', site(0));
      assert.match(last_sync, ISO);
    },
    Edits: async () => {
      const client = await createClient(world, 'Kept client');
      await run('update-site-v1', { ...site(1), client_id: client });
      await route('POST', `/sites/${world.siteId(1)}/edit`, { name: 'Edited' });
      assert.equal((await run('get-site-v1', site(1))).client_id, client);
      const post = { post_title: 'Kept', post_content: 'text', post_status: 'draft', post_name: 'kept' };
      const { data } = await route('POST', `/posts/${world.siteId(1)}/create`, post);
      await route('PUT', `/posts/${world.siteId(1)}/${data.post_id}/edit`, { post_title: 'New' });
      const read = await route('GET', `/posts/${world.siteId(1)}/${data.post_id}`);
      assert.deepEqual([read.data.post_title, read.data.post_content], ['New', 'text']);
      await route('POST', `/updates/${world.siteId(1)}/ignore/plugins`);
      const { data: ignored } = await route('GET', '/updates/ignored');
      assert.deepEqual([ignored.length, ignored[0].type, ignored[0].slug], [1, 'plugin', '*']);
    },
    'Posts, users and ignored updates': async () => {
      const { data } = await route('GET', '/posts');
      assert.ok(Object.keys(data).length >= 4);
      assert.ok(Array.isArray((await route('GET', '/updates/ignored')).data));
      assert.doesNotMatch(JSON.stringify(await route('GET', `/sites/${world.siteId(1)}`)), /password|private_key/i);
    },
    Jobs: async () => {
      const { status_url } = await route('POST', '/settings/tools/destroy-sessions');
      assert.ok(status_url.startsWith(world.url + ROUTES_MOUNT));
      await world.request('GET', status_url.slice(world.url.length));
    },
    'Fields that the translation does not have': async () => {
      const acted = await run('suspend-site-v1', site(2));
      assert.deepEqual(Object.keys(acted.site).sort(), ['id', 'status', 'url']);
      await run('unsuspend-site-v1', site(2));
      const { activated } = await run('activate-site-plugins-v1', { ...site(2), plugins: ['hello.php'] });
      assert.deepEqual(activated, [{ slug: 'hello.php' }]);
      const translated = await run('update-site-translations-v1', site(2));
      assert.deepEqual([typeof translated.updated, typeof translated.translations_updated], ['boolean', 'number']);
      await createTag(world, 'listed', world.siteId(2));
      const { items } = await read('list-tags-v1');
      assert.ok(items.every((tag: Json) => !('sites_ids' in tag)));
      assert.ok((await route('GET', '/tags?full_data=1')).data.every((tag: Json) => 'sites_ids' in tag));
    },
    'Unknown fields in batches': async () => {
      const [first, second] = [await createTag(world, 'first'), await createTag(world, 'second')];
      const update = [
        { id: first, name: 'first again', nothing: 1 },
        { id: second, name: 'second again' },
      ];
      const answer = await route('POST', '/tags/batch', { update });
      assert.deepEqual(
        answer.update.map((item: Json) => item.error?.code ?? item.name ?? item.data?.name),
        ['rest_invalid_param', 'second again'],
      );
    },
    'Keys in other places': async () => {
      const bearer = world.authorizations.writer ?? '';
      const key = bearer.replace(/^Bearer /, '');
      const pair = Buffer.from(`${key}:${key}`).toString('base64');
      const path = `${ROUTES_MOUNT}/tags`;
      await world.request('GET', path, { as: 'nobody', headers: { authorization: `Basic ${pair}` }, expect: 401 });
      const query = `?consumer_key=${key}&consumer_secret=${key}`;
      await world.request('GET', path + query, { as: 'nobody', expect: 401 });
    },
  };

  for (const { subject } of UNSUPPORTED_ROWS)
    it(`when the guide has a row about "${subject}", then the service behaves so`, () => PROOFS[subject]());
});
