import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { syncSites } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const NAME = 'get-site-security-v1';

interface Output {
  site_id: number;
  site_url: string;
  security_issues: { type: string; severity: string; message: string }[];
  ssl_status: { valid: boolean; expires: string | null };
}

interface Refusal {
  code: string;
}

describe(NAME, () => {
  let world: World;
  const call = <T = Output>(site: unknown, options: CallOptions = {}): Promise<T> =>
    world.ability<T>(NAME, { site_id_or_domain: site }, options);
  const sync = (id: number): Promise<unknown> => syncSites(world, id);

  before(async () => (world = await startWorld({ sites: 2 })));
  after(() => world.close());

  it('when the last sync found security issues, then they are listed with their severity', async () => {
    const id = world.siteId(0);
    const site = world.site(0);
    const plugin = [...site.state.plugins.values()].find(
      (each) => each.active && each.definition.name !== 'MainWP Child',
    );
    assert.ok(plugin);
    site.performWpAdminAction({ do: 'deactivate-plugin', plugin: plugin.definition.file });
    site.performWpAdminAction({ do: 'release-core', version: '99.0' });
    await sync(id);
    const { site_id, site_url, security_issues, ssl_status } = await call(id);
    assert.deepEqual([site_id, site_url], [id, site.url]);
    const severities = new Map(security_issues.map(({ type, severity }) => [type, severity]));
    assert.equal(severities.get('wp_uptodate'), 'high');
    assert.equal(severities.get('sec_inactive_plugins'), 'low');
    // The simulated site is served over HTTP.
    assert.equal(severities.get('sslprotocol'), 'high');
    assert.deepEqual(ssl_status, { valid: false, expires: null });
  });

  it('when the site is synced, then fixed issues are removed, and a read does not call the site', async () => {
    const id = world.siteId(0);
    const site = world.site(0);
    const before = await call(id);
    site.performWpAdminAction({ do: 'update-core' });
    const requests = site.requests.length;
    assert.deepEqual(await call(id), before);
    assert.deepEqual(await call(site.url, { method: 'GET' }), before);
    assert.equal(site.requests.length, requests);
    await sync(id);
    assert.ok((await call(id)).security_issues.every(({ type }) => type !== 'wp_uptodate'));
  });

  it('when a site has HTTPS, then a sync stores its certificate, even if it is not trusted', async () => {
    const secure = await startWorld({ sites: 1, connect: 0, fleet: { tls: true } });
    try {
      const { url, admin, adminPassword: password } = secure.site(0);
      const added = await secure.container.services.sites.sites.add({ url, admin, password, sslVerify: false }, 'test');
      await secure.ability('sync-sites-v1', { site_ids_or_domains: [added.id] });
      const { security_issues, ssl_status } = await secure.ability<Output>(NAME, { site_id_or_domain: added.id });
      const until = new X509Certificate(secure.fleet.certificate ?? '').validTo;
      assert.deepEqual(ssl_status, { valid: false, expires: new Date(until).toISOString().slice(0, 10) });
      assert.ok(security_issues.every(({ type }) => type !== 'sslprotocol'));
    } finally {
      await secure.close();
    }
  });

  it('when a certificate was checked, then the response has its expiry date', async () => {
    const id = world.siteId(1);
    const { knex } = world.container.database;
    const seen = { ssl_valid: 1, ssl_expires_at: Date.parse('2027-02-09T23:59:59Z'), ssl_checked_at: 1 };
    await knex('site_states').where({ site_id: id }).update(seen);
    assert.deepEqual((await call(id)).ssl_status, { valid: true, expires: '2027-02-09' });
    await knex('site_states').where({ site_id: id }).update({ ssl_checked_at: null });
    assert.deepEqual((await call(id)).ssl_status, { valid: false, expires: null });
  });

  it('when a site never reported security flags, then the list is empty', async () => {
    await world.container.database
      .knex('site_security')
      .where({ site_id: world.siteId(1) })
      .delete();
    assert.deepEqual((await call(world.siteId(1))).security_issues, []);
  });

  it('when the input is invalid, then the error is ability_invalid_input', async () => {
    for (const input of [
      {},
      { site_id_or_domain: 0 },
      { site_id_or_domain: null },
      { site_id_or_domain: 1, scan: true },
    ])
      assert.equal((await world.ability<Refusal>(NAME, input, { expect: 400 })).code, 'ability_invalid_input');
  });

  it('when the site is unknown, then the error is svc_site_not_found', async () => {
    assert.equal((await call<Refusal>(99_999, { expect: 404 })).code, 'svc_site_not_found');
  });

  it('when the caller may not read, then the call is rejected', async () => {
    const id = world.siteId(0);
    await call(id, { as: 'viewer' });
    assert.equal((await call<Refusal>(id, { as: 'writer', expect: 403 })).code, 'svc_permission_denied');
    await call(id, { as: 'nobody', expect: 401 });
  });
});
