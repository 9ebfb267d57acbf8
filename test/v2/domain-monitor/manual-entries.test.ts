import assert from 'node:assert/strict';
import { comRecord } from '../../domains/domain-monitor/rdap-samples.ts';
import {
  checkDomain,
  editDomainEntry,
  runDomainChecks,
  readProfile,
  type FakeRegistries,
  seedDomain,
  withRegistries,
} from '../../support/domain-monitor.ts';
import { emptyFields } from '../../support/empty-fields.ts';
import { sendAlertMails } from '../../support/mail.ts';
import { editSettings } from '../../support/settings.ts';
import { alertsOf } from '../../support/uptime.ts';
import type { World } from '../../support/world.ts';

const NOW = '2026-11-22T08:00:00Z';

describe('manual domain entries', () => {
  let world: World;
  let registries: FakeRegistries;
  withRegistries(NOW, (started) => ({ world, registries } = started));

  const changesOf = async (id: number): Promise<string[]> =>
    (await world.container.knex('changes').where({ site_id: id }).orderBy('id').pluck('type')) as string[];

  it('when a domain is entered by hand, then the entry replaces lookups', async () => {
    registries.rdap['entered.com'] = { record: comRecord('entered.com') };
    const id = await seedDomain(world, 'entered.com');
    const entry = {
      registrar: 'Corner Registrar',
      registrar_url: 'https://registrar.example/a',
      creation_date: '2010-01-02T03:04:05+01:00',
      updated_date: '2026-01-02',
      expiry_date: '2026-12-01',
      domain_status: ['clientTransferProhibited', 'ok'],
      name_servers: ['NS1.Host.Example.'],
      dnssec: 'signed',
    };
    const profile = await editDomainEntry(world, id, entry);
    const asEntered = {
      ...entry,
      creation_date: '2010-01-02T02:04:05Z',
      updated_date: '2026-01-02T00:00:00Z',
      expiry_date: '2026-12-01T00:00:00Z',
      domain_status: ['client transfer prohibited', 'ok'],
      name_servers: ['ns1.host.example'],
    };
    for (const [field, value] of Object.entries(asEntered)) assert.deepEqual(profile[field], value, field);
    assert.deepEqual(
      [profile.source, profile.status, profile.days_left, profile.last_check, profile.next_check],
      ['manual', 'expiring', 8, NOW, null],
    );
    const { body } = await world.request('POST', `/api/v2/domain-monitor/${id}?force=true`);
    assert.match(body.message, /entered manually/);
    await runDomainChecks(world);
    assert.ok(!registries.rdapRequests.includes('entered.com'));
    assert.deepEqual(await changesOf(id), ['domain.entered']);
  });

  it('when an entry is edited, then omitted fields keep their values and null clears a field', async () => {
    const id = await seedDomain(world, 'partly.com');
    await editDomainEntry(world, id, { registrar: 'A', expiry_date: '2027-06-01', name_servers: ['a.example'] });
    const profile = await editDomainEntry(world, id, { name_servers: null });
    assert.deepEqual([profile.registrar, profile.expiry_date, profile.name_servers], ['A', '2027-06-01T00:00:00Z', []]);
    const without = await editDomainEntry(world, id, { expiry_date: null });
    assert.deepEqual([without.status, without.expiry_date, without.days_left], ['active', null, null]);
  });

  it('when an entry is deleted, then the profile has the registry values again', async () => {
    registries.rdap['ended.com'] = { record: comRecord('ended.com') };
    const id = await seedDomain(world, 'ended.com');
    await checkDomain(world, id);
    await editDomainEntry(world, id, { registrar: 'By Hand' });
    const { body } = await world.request('DELETE', `/api/v2/domain-monitor/manual/${id}`);
    assert.deepEqual([body.data.source, body.data.registrar], ['rdap', 'Example Registrar Inc.']);
    assert.deepEqual(body.data, await readProfile(world, id));
    assert.deepEqual(emptyFields(body.data), ['error', 'registrar_whois_server']);
    await world.request('DELETE', `/api/v2/domain-monitor/manual/${id}`);
    assert.deepEqual(await changesOf(id), ['domain.entered', 'domain.entry_ended']);
  });

  it('when the earlier path is used, then it works, and the headers announce its end and the new path', async () => {
    const id = await seedDomain(world, 'earlier.com');
    const path = `/api/v2/domain-monitor/${id}/manual`;
    const edited = await world.request('PUT', path, { body: { registrar: 'By Hand' } });
    assert.deepEqual([edited.body.data.registrar, (await readProfile(world, id)).source], ['By Hand', 'manual']);
    const { headers, body } = await world.request('DELETE', path);
    assert.equal(body.data.source, null);
    assert.equal(headers['sunset'], 'Wed, 01 Dec 2027 00:00:00 GMT');
    assert.match(String(headers['link']), /domain_monitor_manual_remove>; rel="successor-version"/);
    const now = await world.request('DELETE', `/api/v2/domain-monitor/manual/${id}`);
    assert.deepEqual([now.headers['deprecation'], now.headers['sunset']], [undefined, undefined]);
  });

  it('when the site URL has no domain, then the entry can set one', async () => {
    const id = await seedDomain(world, '127.9.9.9');
    const profile = await editDomainEntry(world, id, { domain_name: 'Bücher-Regal.de', expiry_date: '2027-01-01' });
    assert.deepEqual(
      [profile.domain_name, profile.domain_name_unicode, profile.status, profile.error],
      ['xn--bcher-regal-thb.de', 'bücher-regal.de', 'active', null],
    );
  });

  for (const [title, body, field] of [
    ['a date has the wrong format', { expiry_date: '31.12.2027' }, 'expiry_date'],
    ['a date is in the year 9999', { creation_date: '9999-01-01' }, 'creation_date'],
    ['the expiry is before the creation', { creation_date: '2027-01-01', expiry_date: '2026-01-01' }, 'expiry_date'],
    ['a name server is no host name', { name_servers: ['ns1.host.example', 'not a host'] }, 'name_servers'],
    ['the registrar URL is not HTTP', { registrar_url: 'javascript:alert(1)' }, 'registrar_url'],
    ['the domain is invalid', { domain_name: 'a b' }, 'domain_name'],
    ['a field is unknown', { nope: 1 }, 'nope'],
    ['nothing is sent', {}, 'body'],
  ] as const)
    it(`when ${title}, then the error names the field`, async () => {
      const id = await seedDomain(world, 'refused.com');
      const { body: answer } = await world.request('PUT', `/api/v2/domain-monitor/manual/${id}`, { body, expect: 400 });
      assert.ok(JSON.stringify(answer.data.errors).includes(field), JSON.stringify(answer));
      assert.equal((await readProfile(world, id)).source, null);
    });

  it('when a site has its own threshold, then it replaces the setting, and null restores the setting', async () => {
    const id = await seedDomain(world, 'threshold.com');
    await editDomainEntry(world, id, { expiry_date: '2027-01-20' });
    const setTo = async (days: number | null) => {
      const body = { notify_threshold_days: days };
      const { data } = (await world.request('PUT', `/api/v2/domain-monitor/profiles/${id}/edit`, { body })).body;
      return [data.status, data.notify_threshold_days, data.own_threshold];
    };
    assert.deepEqual(await setTo(58), ['expiring', 58, true]);
    assert.deepEqual(await setTo(57), ['active', 57, true]);
    await editSettings(world, 'domain-monitor', { threshold_days: 90 });
    assert.equal((await readProfile(world, id)).status, 'active');
    assert.deepEqual(await setTo(null), ['expiring', 90, false]);
    await editSettings(world, 'domain-monitor', { threshold_days: null });
    assert.equal((await readProfile(world, id)).status, 'active');
  });

  it('when an entry crosses the threshold, then one alert is raised immediately', async () => {
    const id = await seedDomain(world, 'told-by-hand.com');
    await editDomainEntry(world, id, { expiry_date: '2026-12-01' });
    await editDomainEntry(world, id, { registrar: 'B' });
    await runDomainChecks(world);
    const of = async () =>
      (await alertsOf<{ state: string; domain: string }>(world, 'domain_monitor_noti_email'))
        .filter(({ site_id }) => site_id === id)
        .map(({ facts }) => facts.state);
    assert.deepEqual(await of(), ['expiring']);
    await editDomainEntry(world, id, { expiry_date: '2028-12-01' });
    assert.deepEqual(await of(), ['expiring', 'active']);
  });

  it('when an alert is sent, then the mail has the domain, its expiry and its registrar', async () => {
    await sendAlertMails(world);
    const id = await seedDomain(world, 'mailed.com');
    await editDomainEntry(world, id, { expiry_date: '2026-12-01', registrar: 'Mail Registrar' });
    const { name } = await readProfile(world, id);
    const [mail] = await sendAlertMails(world);
    assert.deepEqual([mail.type, mail.subject], ['domain_monitor_noti_email', `Domain Expiring: ${name}`]);
    for (const text of ['mailed.com', 'December 1, 2026', 'Mail Registrar'])
      assert.ok(mail.text.includes(text), `${text} in ${mail.text}`);
  });

  it('when the site is deleted, then its domain data is deleted', async () => {
    registries.rdap['deleted.com'] = { record: comRecord('deleted.com') };
    const id = await seedDomain(world, 'deleted.com');
    await checkDomain(world, id);
    await world.container.services.sites.sites.delete(id, 'test', { deactivateChild: false });
    const { knex } = world.container;
    assert.deepEqual(await knex('site_domains').where({ site_id: id }).select('site_id'), []);
    const { body } = await world.request('POST', '/api/v2/schedules/retention/run');
    await world.finishedJob(body.data.job_id as string);
    assert.deepEqual(await knex('domains').where({ name: 'deleted.com' }).select('name'), []);
  });
});
