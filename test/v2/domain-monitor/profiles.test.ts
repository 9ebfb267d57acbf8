import assert from 'node:assert/strict';
import { comRecord, RDAP_SAMPLES } from '../../domains/domain-monitor/rdap-samples.ts';
import { WHOIS_SAMPLES } from '../../domains/domain-monitor/whois-samples.ts';
import { withoutModule } from '../../support/modules.ts';
import {
  checkDomain,
  editDomainEntry,
  runDomainChecks,
  readProfile,
  type FakeRegistries,
  seedDomain,
  withRegistries,
} from '../../support/domain-monitor.ts';
import type { ManualClock } from '../../support/schedules.ts';
import type { World } from '../../support/world.ts';

const NOW = '2026-11-22T08:00:00Z';

describe('domain profiles', () => {
  let world: World;
  let registries: FakeRegistries;
  let clock: ManualClock;
  withRegistries(NOW, (started) => ({ world, registries, clock } = started));
  beforeEach(() => clock.set(NOW));

  for (const { registry, name, record, expected: is } of RDAP_SAMPLES)
    it(`when a domain is looked up by RDAP of ${registry}, then its profile has the registration`, async () => {
      registries.rdap[name] = { record };
      const id = await seedDomain(world, `www.${name}`);
      assert.deepEqual((await readProfile(world, id)).status, 'unknown');
      const profile = await checkDomain(world, id);
      assert.deepEqual(
        [profile.domain_name, profile.source, profile.registrar, profile.registrar_iana_id, profile.error],
        [name, 'rdap', is.registrar, is.ianaId, null],
      );
      assert.deepEqual(profile.expiry_date, is.expires && `${is.expires.slice(0, 19)}Z`);
      assert.deepEqual(profile.name_servers, is.nameServers);
      assert.deepEqual(profile.domain_status, is.statuses);
      assert.deepEqual(profile.dnssec, is.dnssec);
      assert.deepEqual(await readProfile(world, id), profile);
    });

  for (const { registry, name, reply, expected: is } of WHOIS_SAMPLES.filter(({ name }) => !/\.uk$/.test(name)))
    it(`when a domain is looked up by WHOIS of ${registry}, then its profile has the registration`, async () => {
      registries.whois[name] = reply;
      const profile = await checkDomain(world, await seedDomain(world, name));
      assert.deepEqual([profile.domain_name, profile.source, profile.registrar], [name, 'whois', is.registrar]);
      assert.deepEqual(profile.expiry_date, is.expires && `${is.expires.slice(0, 19)}Z`);
      assert.deepEqual(profile.name_servers, is.nameServers);
    });

  it('when a registration has all values, then every field of the profile is filled', async () => {
    registries.rdap['every-field.com'] = {
      record: comRecord('every-field.com', undefined, { port43: 'whois.a.example' }),
    };
    const id = await seedDomain(world, 'every-field.com');
    const { last_check, ...profile } = await checkDomain(world, id);
    assert.equal(last_check, NOW);
    const { url, name } = await readProfile(world, id);
    assert.deepEqual(profile, {
      id,
      site_id: id,
      name,
      url,
      domain_name: 'every-field.com',
      domain_name_unicode: 'every-field.com',
      status: 'active',
      source: 'rdap',
      registrar: 'Example Registrar Inc.',
      registrar_iana_id: '9995',
      registrar_url: 'https://registrar.example',
      registrar_abuse_contact_email: 'abuse@registrar.example',
      registrar_abuse_contact_phone: '+1.5555551234',
      registrar_whois_server: 'whois.a.example',
      registry_domain_id: '2336799_DOMAIN_COM-VRSN',
      creation_date: '2004-03-01T09:12:00Z',
      updated_date: '2026-02-14T07:01:44Z',
      expiry_date: '2027-03-01T09:12:00Z',
      days_left: 99,
      domain_status: ['client delete prohibited', 'client transfer prohibited'],
      name_servers: ['ns1.host.example', 'ns2.host.example'],
      dnssec: 'unsigned',
      error: null,
      notify_threshold_days: 30,
      own_threshold: false,
      // At the next run, the result is less than a day old, so the run after that checks the domain.
      next_check: '2026-11-24T03:40:00Z',
    });
  });

  it('when a domain is international, then the lookup uses its Punycode name', async () => {
    registries.rdap['xn--bcher-regal-thb.com'] = { record: comRecord('xn--bcher-regal-thb.com') };
    const profile = await checkDomain(world, await seedDomain(world, 'www.xn--bcher-regal-thb.com'));
    assert.deepEqual(
      [profile.domain_name, profile.domain_name_unicode, profile.status],
      ['xn--bcher-regal-thb.com', 'bücher-regal.com', 'active'],
    );
  });

  it('when the site URL has no registrable domain, then no lookup runs and the profile has an error', async () => {
    const asked = registries.rdapRequests.length + registries.whoisRequests.length;
    for (const host of ['127.1.2.3', 'localhost', 'intranet.local', 'co.uk']) {
      const profile = await checkDomain(world, await seedDomain(world, host));
      assert.deepEqual(
        [profile.status, profile.domain_name, profile.source, profile.error.code, profile.next_check],
        ['unsupported_tld', null, null, 'unsupported_tld', null],
      );
    }
    assert.equal(registries.rdapRequests.length + registries.whoisRequests.length, asked);
  });

  it('when a site is suspended, then its domain is not checked', async () => {
    const id = await seedDomain(world, 'suspended-bakery.com');
    await world.container.knex('sites').where({ id }).update({ status: 'suspended' });
    const { body } = await world.request('POST', `/api/v2/domain-monitor/${id}`, { expect: 409 });
    assert.equal(body.code, 'svc_site_suspended');
    assert.equal((await readProfile(world, id)).next_check, null);
  });

  it('when a site is unknown or the caller may only read, then the call is rejected', async () => {
    for (const [method, path] of [
      ['GET', 'profiles/99999'],
      ['PUT', 'profiles/99999/edit'],
      ['POST', '99999'],
      ['PUT', 'manual/99999'],
      ['DELETE', 'manual/99999'],
    ] as const) {
      const body = path.endsWith('edit') ? { notify_threshold_days: 1 } : { registrar: 'a' };
      const sent = method === 'PUT' ? { body } : {};
      const answer = await world.request(method, `/api/v2/domain-monitor/${path}`, { ...sent, expect: 404 });
      assert.equal(answer.body.code, 'svc_site_not_found');
      if (method !== 'GET')
        await world.request(method, `/api/v2/domain-monitor/${path}`, { ...sent, as: 'reader', expect: 403 });
    }
  });

  it('when the module is off, then its routes and settings return 404 and its schedules are disabled', async () => {
    await withoutModule(world, 'domain-monitor', async () => {
      for (const path of ['domain-monitor/profiles', 'domain-monitor/profiles/1', 'settings/domain-monitor']) {
        const { body } = await world.request('GET', `/api/v2/${path}`, { expect: 404 });
        assert.equal(body.code, 'svc_module_not_available', path);
      }
      await world.request('POST', '/api/v2/domain-monitor/1', { expect: 404 });
      for (const name of ['domain-checks', 'rdap-servers']) {
        const { body } = await world.request('GET', `/api/v2/schedules/${name}`);
        assert.equal(body.data.next_run, null, name);
        await world.request('POST', `/api/v2/schedules/${name}/run`, { expect: 404 });
      }
    });
  });
});

describe('domain profile list', () => {
  let world: World;
  let registries: FakeRegistries;
  const ids: Record<string, number> = {};
  withRegistries(NOW, (started) => ({ world, registries } = started));
  before(async () => {
    const expiries: Record<string, string> = {
      'active-one.com': '2027-11-22T08:00:00Z',
      'expired-one.com': '2026-11-22T07:59:59Z',
      'last-day.com': '2026-12-23T07:59:59Z',
      'first-day.com': '2026-12-23T08:00:00Z',
      'expires-now.com': NOW,
    };
    for (const [name, expires] of Object.entries(expiries)) {
      registries.rdap[name] = { record: comRecord(name, expires) };
      ids[name] = await seedDomain(world, name);
    }
    registries.rdap['city-museum.org'] = { record: RDAP_SAMPLES[1]?.record ?? {} };
    ids['city-museum.org'] = await seedDomain(world, 'city-museum.org');
    ids['nobody-knows.com'] = await seedDomain(world, 'nobody-knows.com');
    registries.rdap['breaks-down.com'] = { status: 500 };
    ids['breaks-down.com'] = await seedDomain(world, 'breaks-down.com');
    ids['127.7.7.7'] = await seedDomain(world, '127.7.7.7');
    await runDomainChecks(world);
    ids['never-checked.com'] = await seedDomain(world, 'never-checked.com');
    ids['by-hand.com'] = await seedDomain(world, 'by-hand.com');
    await editDomainEntry(world, ids['by-hand.com'], { expiry_date: '2026-12-01' });
  });

  const list = async (query = '') =>
    (await world.request('GET', `/api/v2/domain-monitor/profiles?per_page=50${query}`)).body;
  const hostsIn = (data: object): string[] => Object.keys(data).map((url) => new URL(url).hostname);

  const STATES: Record<string, string[]> = {
    active: ['active-one.com', 'first-day.com'],
    expiring: ['by-hand.com', 'expires-now.com', 'last-day.com'],
    expired: ['expired-one.com'],
    redemption: ['city-museum.org'],
    not_found: ['nobody-knows.com'],
    lookup_failed: ['breaks-down.com'],
    unsupported_tld: ['127.7.7.7'],
    unknown: ['never-checked.com'],
  };
  for (const [status, hosts] of Object.entries(STATES))
    it(`when the list is filtered by ${status}, then it has the domains with this status`, async () => {
      const { data, total } = await list(`&status=${status}`);
      assert.deepEqual(hostsIn(data).sort(), hosts.toSorted());
      assert.equal(total, hosts.length);
      for (const [profile] of Object.values<[{ status: string }]>(data)) assert.equal(profile.status, status);
    });

  it('when no filter is set, then each site URL has one profile, and the list is paged', async () => {
    const { data, total, pages } = await list();
    assert.deepEqual([total, pages], [11, 1]);
    for (const [url, profiles] of Object.entries<{ url: string }[]>(data))
      assert.deepEqual(
        profiles.map((profile) => profile.url),
        [url],
      );
    const found: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const path = `/api/v2/domain-monitor/profiles?per_page=3&page=${page}`;
      const { body, headers } = await world.request('GET', path);
      assert.deepEqual([body.total, body.pages, headers['x-wp-total']], [11, 4, '11']);
      found.push(...Object.keys(body.data as object));
    }
    assert.deepEqual(found, Object.keys(data as object));
  });

  it('when the list is ordered by expiry, then the earliest comes first and profiles without a date last', async () => {
    const dated = ['city-museum.org', 'expired-one.com', 'expires-now.com', 'by-hand.com', 'last-day.com'];
    const order = [...dated, 'first-day.com', 'active-one.com'];
    assert.deepEqual(hostsIn((await list('&orderby=expiry_date')).data).slice(0, 7), order);
    assert.deepEqual(hostsIn((await list('&orderby=expiry_date&order=desc')).data).slice(0, 7), order.toReversed());
  });

  it('when sites are included, excluded or searched, then the filters combine', async () => {
    const [one, two] = [ids['active-one.com'], ids['expired-one.com']];
    assert.equal((await list(`&include=${one},${two}`)).total, 2);
    assert.deepEqual(hostsIn((await list(`&include=${one},${two}&exclude=${two}`)).data), ['active-one.com']);
    assert.equal((await list('&search=no-such-site')).total, 0);
  });

  it('when there are more profiles, then the list needs no more SQL statements', async () => {
    const page = (size: number) => world.request('GET', `/api/v2/domain-monitor/profiles?per_page=${size}`);
    const few = await world.countStatements(() => page(1));
    assert.equal(await world.countStatements(() => page(10)), few);
  });
});
