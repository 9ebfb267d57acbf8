import assert from 'node:assert/strict';
import { FakeProviderApi } from '../../support/api-backups.ts';
import { ManualClock, readSchedule, runSchedule } from '../../support/schedules.ts';
import { seedSite } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/settings/api-backups';
const KEY = 'dop_v1_a-key-that-nobody-may-see';

describe('backup providers', () => {
  let world: World;
  let api: FakeProviderApi;
  let clock: ManualClock;
  /** ID of a third site, which has a domain name. Site 0 has the address 127.10.0.1, site 1 has 127.10.0.2. */
  let named: number;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    api = await FakeProviderApi.start();
    const providerBases = Object.fromEntries(
      ['cpanel', 'digitalocean', 'kinsta', 'linode', 'vultr'].map((slug) => [slug, api.url]),
    );
    world = await startWorld({ sites: 2, overrides: { clock, providerBases } });
    named = (await seedSite(world)).id;
    await world.container.database.knex('sites').where({ id: named }).update({ url: 'https://www.shop.example/' });
  });
  afterEach(async () => {
    await world.close();
    await api.close();
  });

  const edit = (slug: string, body: object, options: object = {}) =>
    world.request('PUT', `${BASE}/${slug}/edit`, { body, ...options });
  const switchOn = (slug: string, body: object) => edit(slug, { enabled: true, ...body });
  const providers = async () => (await world.request('GET', BASE)).body.data.api_backups;
  const addressOf = (index: number): string => new URL(world.site(index).url).hostname;
  const latest = async () => {
    const ids = [...world.siteIds, named];
    const found = await world.container.services.backups.backups.latest(ids);
    return ids.map((id) => {
      const at = found.get(id);
      return at === undefined ? null : new Date(at).toISOString();
    });
  };

  it('when no provider is configured, then all are disabled and the schedule starts no job', async () => {
    for (const [slug, provider] of Object.entries<Record<string, unknown>>(await providers()))
      assert.deepEqual(
        [provider['slug'], provider['enabled'], provider['secret_set'], provider['last_checked']],
        [slug, 0, false, null],
      );
    const { body } = await world.request('POST', '/api/v2/schedules/backup-check/run');
    assert.equal(body.data, null);
  });

  it('when an API key is stored, then it is encrypted and appears in no response, log or change', async () => {
    const { body } = await switchOn('digitalocean', { secrets: { api_key: KEY } });
    assert.deepEqual([body.data.enabled, body.data.secret_set], [1, true]);
    assert.deepEqual((await providers()).digitalocean, body.data);
    const rows = JSON.stringify(await world.container.database.knex('backup_providers').select('*'));
    const changes = JSON.stringify(await world.container.database.knex('changes').select('*'));
    for (const text of [JSON.stringify(body), rows, changes, world.logLines.join('')]) assert.ok(!text.includes(KEY));
    await edit('digitalocean', { enabled: false, secrets: { api_key: null } });
    assert.equal((await providers()).digitalocean.secret_set, false);
  });

  for (const [title, slug, body, field] of [
    ['an enabled provider has no key', 'vultr', { enabled: true }, 'secrets.api_key'],
    [
      'the key of an enabled provider is null',
      'vultr',
      { enabled: true, secrets: { api_key: null } },
      'secrets.api_key',
    ],
    ['an enabled provider has no company ID', 'kinsta', { enabled: true, secrets: { api_key: KEY } }, 'company_id'],
    ['an enabled provider has no URL', 'cpanel', { enabled: true, username: 'a', password: 'b' }, 'url'],
    ['the URL is not https', 'cpanel', { url: 'http://panel.example:2083' }, 'url'],
    ['a field belongs to another provider', 'linode', { company_id: 'x' }, 'company_id'],
    ['a secret belongs to another provider', 'linode', { password: 'x' }, 'password'],
    ['a field is unknown', 'linode', { nope: 1 }, 'nope'],
  ] as const)
    it(`when ${title}, then the error of the edit names the field`, async () => {
      const answer = await edit(slug, body, { expect: 400 });
      assert.ok(JSON.stringify(answer.body.data.errors).includes(field), JSON.stringify(answer.body));
      assert.equal((await providers())[slug].enabled, 0);
    });

  it('when the URL gets another origin, then the password must be sent again', async () => {
    await edit('cpanel', { url: 'https://panel.example:2083', username: 'acme', password: 'pass-word' });
    const urlOf = async () => (await providers()).cpanel.url;
    for (const url of ['https://other.example:2083', 'https://panel.example:2084', 'https://panel.example'])
      for (const body of [{ url }, { url, enabled: true, username: 'root' }]) {
        const answer = await edit('cpanel', body, { expect: 400 });
        assert.deepEqual(answer.body.data.errors, [
          { path: 'body.password', message: 'must be sent with a URL of another host' },
        ]);
        assert.equal(await urlOf(), 'https://panel.example:2083');
      }
    await edit('cpanel', { url: 'https://PANEL.example:2083/frontend' });
    await edit('cpanel', { url: null });
    await edit('cpanel', { url: 'https://other.example:2083' }, { expect: 400 });
    await edit('cpanel', { url: 'https://other.example:2083', password: 'another' });
    await edit('cpanel', { url: 'https://third.example', password: null });
    await edit('cpanel', { url: 'https://fourth.example' });
    assert.equal(await urlOf(), 'https://fourth.example');
  });

  it('when the provider is unknown, the right is missing or the module is off, then edits are rejected', async () => {
    const unknown = await edit('nope', { enabled: false }, { expect: 404 });
    assert.equal(unknown.body.code, 'svc_backup_provider_not_found');
    await edit('linode', { enabled: false }, { as: 'viewer', expect: 403 });
    await world.request('PUT', '/api/v2/modules/api-backups', { body: { active: false } });
    for (const refused of [
      await world.request('GET', BASE, { expect: 404 }),
      await edit('linode', { enabled: false }, { expect: 404 }),
    ])
      assert.equal(refused.body.code, 'svc_module_not_available');
    assert.equal((await readSchedule(world, 'backup-check')).active, false);
  });

  it('when DigitalOcean has backups and snapshots on several pages, then the newest is stored', async () => {
    await switchOn('digitalocean', { secrets: { api_key: KEY } });
    const droplet = (id: number, address: string) => ({
      id,
      name: `web-${id}`,
      networks: {
        v4: [
          { ip_address: '10.128.0.2', netmask: '255.255.0.0', gateway: '10.128.0.1', type: 'private' },
          { ip_address: address, netmask: '255.255.240.0', gateway: '203.0.113.1', type: 'public' },
        ],
        v6: [],
      },
    });
    const image = (type: string, created_at: string) => ({
      ...{ id: 6372321, name: 'web-01', regions: ['nyc3'], min_disk_size: 25, size_gigabytes: 2.34 },
      ...{ type, created_at },
    });
    const next = { pages: { next: 'https://api.digitalocean.com/v2/droplets?page=2' } };
    api.responses = {
      '/droplets?per_page=200&page=1': { droplets: [droplet(7, addressOf(0))], links: next, meta: { total: 3 } },
      '/droplets?per_page=200&page=2': { droplets: [droplet(8, addressOf(1)), droplet(9, '203.0.113.9')], links: {} },
      '/droplets/7/backups?per_page=200&page=1': {
        backups: [image('backup', '2026-11-20T01:00:00Z')],
        links: {},
        meta: { total: 1 },
      },
      '/droplets/7/snapshots?per_page=200&page=1': {
        snapshots: [image('snapshot', '2026-11-21T01:00:00Z')],
        links: {},
      },
      '/droplets/8/backups?per_page=200&page=1': { backups: [], links: {} },
      '/droplets/8/snapshots?per_page=200&page=1': { snapshots: [], links: {} },
    };
    const { data, items } = await runSchedule(world, 'backup-check');
    assert.deepEqual([data.type, data.status], ['check-backups', 'completed']);
    assert.deepEqual(items[0].result, { provider: 'digitalocean', matched: 2, backed_up: 1 });
    assert.deepEqual(await latest(), ['2026-11-21T01:00:00.000Z', null, null]);
    assert.deepEqual([...api.authorizations], [`Bearer ${KEY}`]);
    const { last_checked, last_error } = (await providers()).digitalocean;
    assert.deepEqual([last_checked, last_error], ['2026-11-22T08:00:00Z', null]);
  });

  it('when Linode has failed and running backups, then the newest successful one is stored', async () => {
    await switchOn('linode', { secrets: { api_key: KEY } });
    api.responses = {
      '/linode/instances?page=1&page_size=100': {
        data: [{ id: 1, ipv4: ['203.0.113.4'], ipv6: '2001:db8::1/128' }],
        page: 1,
        pages: 2,
      },
      '/linode/instances?page=2&page_size=100': { data: [{ id: 2, ipv4: [addressOf(1)], ipv6: null }], pages: 2 },
      '/linode/instances/2/backups': {
        automatic: [
          { status: 'successful', created: '2026-11-19T01:00:00', finished: '2026-11-19T01:10:00' },
          { status: 'failed', created: '2026-11-21T01:00:00', finished: '2026-11-21T01:10:00' },
        ],
        snapshot: {
          current: { status: 'successful', created: '2026-11-18T00:00:00', finished: null },
          in_progress: null,
        },
      },
    };
    await runSchedule(world, 'backup-check');
    assert.deepEqual(await latest(), [null, '2026-11-19T01:10:00.000Z', null]);
  });

  it('when Vultr returns a cursor, then the next page is requested', async () => {
    await switchOn('vultr', { secrets: { api_key: KEY } });
    const id = 'cb676a46-66fd-4dfb-b839-443f2e6c0b60';
    api.responses = {
      '/instances?per_page=500': {
        instances: [],
        meta: { total: 1, links: { next: 'bmV4dA==', prev: '' } },
      },
      '/instances?per_page=500&cursor=bmV4dA%3D%3D': {
        instances: [{ id, main_ip: addressOf(0), v6_main_ip: '' }],
        meta: { links: { next: '', prev: '' } },
      },
      [`/backups?instance_id=${id}&per_page=500`]: {
        backups: [
          { id: 'a', date_created: '2026-11-20T09:00:00+02:00', status: 'complete' },
          { id: 'b', date_created: '2026-11-21T09:00:00+00:00', status: 'pending' },
        ],
        meta: { links: { next: '', prev: '' } },
      },
    };
    await runSchedule(world, 'backup-check');
    assert.deepEqual(await latest(), ['2026-11-20T07:00:00.000Z', null, null]);
  });

  it('when a Kinsta environment has the domain of a site, then its newest backup is stored', async () => {
    await switchOn('kinsta', { company_id: 'company 1', secrets: { api_key: KEY } });
    const takenAt = Date.parse('2026-11-21T03:00:00Z');
    const domain = (name: string) => ({ id: name, name, site_id: 's-1', is_active: true, type: 'live' });
    const environments = [
      { id: 'live', name: 'live', domains: [domain('other.example')], primaryDomain: domain('shop.example') },
      { id: 'staging', name: 'staging', domains: [domain('staging.shop.example')], primaryDomain: null },
    ];
    api.responses = {
      '/sites?company=company+1&include_environments=true': {
        company: { sites: [{ id: 's-1', name: 'shop', display_name: 'Shop', status: 'live', environments }] },
      },
      '/sites/environments/live/backups': {
        environment: {
          display_name: 'Live',
          backups: [
            { id: 2, name: 'shop-2', note: 'Daily Auto Backup', type: 'scheduled', created_at: takenAt },
            { id: 1, name: 'shop-1', note: 'Before the move', type: 'manual', created_at: takenAt - 1 },
          ],
        },
      },
    };
    await runSchedule(world, 'backup-check');
    assert.deepEqual(await latest(), [null, null, '2026-11-21T03:00:00.000Z']);
  });

  it('when a cPanel account has the domain of a site, then its newest backup date is stored', async () => {
    await switchOn('cpanel', { url: 'https://panel.example:2083', username: 'acme', password: 'pass-word' });
    const uapi = (data: unknown) => ({ status: 1, errors: null, data });
    api.responses = {
      '/execute/DomainInfo/list_domains': uapi({
        main_domain: 'acme.example',
        addon_domains: ['shop.example'],
        parked_domains: [],
        sub_domains: ['shop.acme.example'],
      }),
      '/execute/Backup/list_backups': uapi(['2026-11-18', '2026-11-20']),
    };
    await runSchedule(world, 'backup-check');
    assert.deepEqual(await latest(), [null, null, '2026-11-20T00:00:00.000Z']);
    assert.deepEqual([...api.authorizations], [`Basic ${Buffer.from('acme:pass-word').toString('base64')}`]);
  });

  it('when a provider returns 429 with a short delay, then the request is repeated', async () => {
    await switchOn('digitalocean', { secrets: { api_key: KEY } });
    api.refusals.push({ status: 429, retryAfter: '0' }, { status: 429, retryAfter: '0' });
    api.responses = { '/droplets?per_page=200&page=1': { droplets: [], links: {} } };
    const { data } = await runSchedule(world, 'backup-check');
    assert.equal(data.status, 'completed');
    assert.equal(api.requests.length, 3);
  });

  for (const [title, refusal, message] of [
    ['rejects the key', { status: 401 }, 'DigitalOcean rejected the credentials (401).'],
    [
      'returns 429 with a long delay',
      { status: 429, retryAfter: '3600' },
      /^DigitalOcean limits the number of requests/,
    ],
    ['returns 500', { status: 500 }, 'DigitalOcean answered with the status 500.'],
  ] as const)
    it(`when a provider ${title}, then only its job item fails, with a message`, async () => {
      await switchOn('digitalocean', { secrets: { api_key: KEY } });
      await switchOn('vultr', { secrets: { api_key: KEY } });
      api.refusals.push(refusal);
      // The provider that is called first gets this error.
      api.responses = {
        '/droplets?per_page=200&page=1': { droplets: [], links: {} },
        '/instances?per_page=500': { instances: [], meta: {} },
      };
      const { data, items } = await runSchedule(world, 'backup-check');
      assert.deepEqual([data.status, data.succeeded, data.failed], ['completed', 1, 1]);
      const failed = items.filter(({ state }: { state: string }) => state === 'failed');
      assert.equal(failed.length, 1);
      assert.equal(failed[0].error.code, 'svc_backup_provider_failed');
      const told = failed[0].error.message.replace(/^Vultr/, 'DigitalOcean');
      if (typeof message === 'string') assert.equal(told, message);
      else assert.match(told, message);
      assert.equal((await providers())[failed[0].identifier].last_error, failed[0].error.message);
      assert.ok(!world.logLines.join('').includes(KEY));
    });

  /** Answers for two servers, which have site 0 and site 1. */
  const dropletsWithBackups = () => ({
    '/droplets?per_page=200&page=1': {
      droplets: [0, 1].map((index) => ({ id: 7 + index, networks: { v4: [{ ip_address: addressOf(index) }] } })),
    },
    ...Object.fromEntries(
      [7, 8].flatMap((id) => [
        [`/droplets/${id}/backups?per_page=200&page=1`, { backups: [{ created_at: '2026-11-20T01:00:00Z' }] }],
        [`/droplets/${id}/snapshots?per_page=200&page=1`, { snapshots: [] }],
      ]),
    ),
  });

  it('when the request for one server fails, then the backups of the others are stored, with the error', async () => {
    await switchOn('digitalocean', { secrets: { api_key: KEY } });
    for (const [missing, stored] of [
      [7, [null, '2026-11-20T01:00:00.000Z', null]],
      [8, ['2026-11-20T01:00:00.000Z', '2026-11-20T01:00:00.000Z', null]],
    ] as const) {
      api.responses = { ...dropletsWithBackups(), [`/droplets/${missing}/backups?per_page=200&page=1`]: 404 };
      const { data, items } = await runSchedule(world, 'backup-check');
      assert.deepEqual([data.partial, items[0].state], [1, 'partial']);
      assert.deepEqual(items[0].result, { provider: 'digitalocean', matched: 2, backed_up: 1 });
      assert.equal(items[0].error.code, 'svc_backup_provider_failed');
      assert.equal((await providers()).digitalocean.last_error, 'DigitalOcean answered with the status 404.');
      assert.deepEqual(await latest(), stored);
    }
  });

  it('when the rate limit allows one server per run, then later runs read the others', async () => {
    await switchOn('digitalocean', { secrets: { api_key: KEY } });
    api.responses = dropletsWithBackups();
    // Each run begins with a random server, so 40 runs read both.
    for (let run = 0; run < 40 && (await latest()).filter(Boolean).length < 2; run++) {
      api.requests.length = 0;
      api.allowed = 3;
      const { items } = await runSchedule(world, 'backup-check');
      assert.equal(items[0].state, 'partial');
      assert.equal(api.requests.length, 4, 'nothing is sent after the limit');
    }
    assert.deepEqual(await latest(), ['2026-11-20T01:00:00.000Z', '2026-11-20T01:00:00.000Z', null]);
  });

  for (const [title, retryAfter, requests] of [
    ['an hour ahead', 'Sun, 22 Nov 2026 09:00:00 GMT', 1],
    ['in the past', 'Sun, 22 Nov 2026 07:00:00 GMT', 2],
  ] as const)
    it(`when Retry-After is a date ${title}, then the run sends ${requests} requests`, async () => {
      await switchOn('digitalocean', { secrets: { api_key: KEY } });
      api.refusals.push({ status: 429, retryAfter });
      api.responses = { '/droplets?per_page=200&page=1': { droplets: [] } };
      const { data } = await runSchedule(world, 'backup-check');
      assert.deepEqual([data.succeeded, api.requests.length], [requests - 1, requests]);
    });

  it('when a provider returns malformed data, then no backup is stored', async () => {
    await switchOn('digitalocean', { secrets: { api_key: KEY } });
    for (const droplets of [null, 'x', [null, 1, 'x', { networks: 'no' }, { id: {}, networks: { v4: [null] } }]]) {
      api.responses = { '/droplets?per_page=200&page=1': { droplets } };
      const { items } = await runSchedule(world, 'backup-check');
      assert.deepEqual(items[0].result, { provider: 'digitalocean', matched: 0, backed_up: 0 });
    }
    assert.deepEqual(await latest(), [null, null, null]);
  });
});
