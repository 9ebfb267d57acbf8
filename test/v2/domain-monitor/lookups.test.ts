import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import assert from 'node:assert/strict';
import { inTransaction } from '../../../src/db/transaction.ts';
import { DomainAlerts } from '../../../src/domains/domain-monitor/domain-alerts.ts';
import { ProfileReadModel } from '../../../src/domains/domain-monitor/profile-read-model.ts';
import { SiteDomainRepository } from '../../../src/domains/domain-monitor/site-domain-repository.ts';
import type { Alert, Alerts } from '../../../src/domains/mail/index.ts';
import { createContainer } from '../../../src/service/container.ts';
import { comRecord } from '../../domains/domain-monitor/rdap-samples.ts';
import {
  checkDomain,
  expireLookups,
  runDomainChecks,
  readProfile,
  type FakeRegistries,
  type RdapResponse,
  seedDomain,
  useRegistries,
  withRegistries,
} from '../../support/domain-monitor.ts';
import { type ManualClock, readSchedule, runSchedule } from '../../support/schedules.ts';
import { sendAlertMails } from '../../support/mail.ts';
import { editSettings } from '../../support/settings.ts';
import { alertsOf } from '../../support/uptime.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

const NOW = '2026-11-22T08:00:00Z';

interface DomainFacts {
  state: string;
  domain: string;
}

describe('domain lookups', () => {
  let world: World;
  let registries: FakeRegistries;
  let clock: ManualClock;
  withRegistries(NOW, (started) => ({ world, registries, clock } = started));
  beforeEach(async () => {
    clock.set(NOW);
    await world.container.knex('registry_gates').delete();
  });

  const timesAsked = (name: string): number => registries.rdapRequests.filter((each) => each === name).length;
  const register = (name: string, expires?: string, beside: object = {}): void => {
    registries.rdap[name] = { record: comRecord(name, expires, beside) };
  };
  const changesOf = async (id: number): Promise<string[]> =>
    world.container.knex('changes').where({ site_id: id }).orderBy('id').pluck<string[]>('description');
  const toldOf = async (id: number): Promise<string[]> =>
    (await alertsOf<DomainFacts>(world, 'domain_monitor_noti_email'))
      .filter((each) => each.site_id === id)
      .map(({ facts }) => facts.state);

  it('when several sites have the same domain, then one lookup serves all of them', async () => {
    register('shared.com');
    const ids = await Promise.all(['www', 'shop', 'blog'].map((label) => seedDomain(world, `${label}.shared.com`)));
    const found = await Promise.all(ids.map((id) => checkDomain(world, id)));
    assert.deepEqual(
      found.map(({ status, registrar }) => [status, registrar]),
      ids.map(() => ['active', 'Example Registrar Inc.']),
    );
    assert.equal(timesAsked('shared.com'), 1);
  });

  for (const [title, name, answer, status] of [
    ['succeeds', 'crowded.com', { record: comRecord('crowded.com') }, 'active'],
    ['fails', 'crowded-in-vain.com', { status: 500 }, 'lookup_failed'],
  ] as const)
    it(`when many calls look up one domain and the lookup ${title}, then they share its result`, async () => {
      registries.rdap[name] = answer;
      const id = await seedDomain(world, name);
      registries.beforeAnswer = () => new Promise((resolve) => setTimeout(resolve, 300));
      try {
        const all = Array.from({ length: 12 }, (_, at) => checkDomain(world, id, at % 2 === 0 ? '?force=true' : ''));
        for (const profile of await Promise.all(all)) assert.equal(profile.status, status);
      } finally {
        registries.beforeAnswer = async () => undefined;
      }
      assert.equal(timesAsked(name), 1);
    });

  it('when two services look up one domain at the same time, then they share one lookup', async () => {
    register('two-services.com');
    const id = await seedDomain(world, 'two-services.com');
    const { config, database } = world.container;
    const other = await createContainer(config, { database, clock, tickMs: null });
    await other.start();
    registries.beforeAnswer = () => new Promise((resolve) => setTimeout(resolve, 300));
    try {
      const site = await world.container.services.sites.references.one(ALL_SITES, id);
      const all = [world.container, other, world.container, other].map(({ services }) =>
        services.domainMonitor.domains.check(site, { force: true }, 'test'),
      );
      for (const { profile } of await Promise.all(all)) assert.equal(profile.state, 'active');
    } finally {
      registries.beforeAnswer = async () => undefined;
      await other.close();
    }
    assert.equal(timesAsked('two-services.com'), 1);
  });

  it('when a result is younger than a day, then it is reused unless force is true', async () => {
    register('kept.com');
    const id = await seedDomain(world, 'kept.com');
    await checkDomain(world, id);
    clock.set('2026-11-23T08:00:00Z');
    await checkDomain(world, id);
    assert.equal(timesAsked('kept.com'), 1);
    await checkDomain(world, id, '?force=true');
    assert.equal(timesAsked('kept.com'), 2);
    clock.set('2026-11-24T08:00:01Z');
    await checkDomain(world, id);
    assert.equal(timesAsked('kept.com'), 3);
  });

  it('when a lookup fails, then the profile has the error and keeps the known values', async () => {
    register('failing.com');
    const id = await seedDomain(world, 'failing.com');
    await checkDomain(world, id);
    registries.rdap['failing.com'] = { status: 500 };
    const failed = await checkDomain(world, id, '?force=true');
    assert.deepEqual(
      [failed.status, failed.error.code, failed.registrar, failed.expiry_date],
      ['lookup_failed', 'refused', 'Example Registrar Inc.', '2027-03-01T09:12:00Z'],
    );
    register('failing.com');
    const again = await checkDomain(world, id, '?force=true');
    assert.deepEqual([again.status, again.error], ['active', null]);
    assert.deepEqual(await toldOf(id), []);
  });

  it('when the registry does not know the domain, then this result is cached for a day too', async () => {
    const id = await seedDomain(world, 'unregistered.com');
    for (let time = 0; time < 2; time++) {
      const profile = await checkDomain(world, id);
      assert.deepEqual([profile.status, profile.error.code], ['not_found', 'not_found']);
    }
    assert.equal(timesAsked('unregistered.com'), 1);
    assert.deepEqual(await toldOf(id), ['not_found']);
  });

  for (const [title, answer, code] of [
    ['blocks the service', { status: 403 }, 'refused'],
    ['breaks down', { status: 500 }, 'refused'],
    ['cuts the connection', (response) => void response.destroy(), 'unreachable'],
  ] as [string, RdapResponse, string][])
    it(`when a registry ${title}, then the dates that it gave before are still judged`, async () => {
      const name = `kept-dates-${code}-${title.length}.com`;
      register(name, '2027-01-03T08:00:00Z');
      const id = await seedDomain(world, name);
      assert.equal((await checkDomain(world, id)).status, 'active');
      registries.rdap[name] = answer;
      const failed = await checkDomain(world, id, '?force=true');
      assert.deepEqual([failed.status, failed.error.code], ['lookup_failed', code]);
      await expireLookups(world);
      clock.set('2026-12-23T08:00:00Z');
      await runDomainChecks(world);
      const late = await readProfile(world, id);
      assert.deepEqual([late.status, late.days_left, late.error.code], ['expiring', 11, code]);
      assert.deepEqual(await toldOf(id), ['expiring']);
      const listed = async (status: string): Promise<boolean> => {
        const path = `/api/v2/domain-monitor/profiles?include=${id}&status=${status}`;
        return (await world.request('GET', path)).body.total === 1;
      };
      assert.deepEqual([await listed('expiring'), await listed('lookup_failed')], [true, false]);
      clock.set('2027-01-03T08:00:01Z');
      await runDomainChecks(world);
      assert.equal((await readProfile(world, id)).status, 'expired');
      assert.deepEqual(await toldOf(id), ['expiring', 'expired']);
      register(name);
    });

  it('when a registry limits the requests, then the status stays, and the dates are still judged', async () => {
    register('limited.com', '2027-01-03T08:00:00Z');
    const id = await seedDomain(world, 'limited.com');
    await checkDomain(world, id);
    registries.rdap['limited.com'] = { status: 429 };
    const limited = await checkDomain(world, id, '?force=true');
    assert.deepEqual([limited.status, limited.error.code], ['active', 'rate_limited']);
    clock.set('2026-12-23T08:00:00Z');
    assert.equal((await readProfile(world, id)).status, 'expiring');
    register('limited.com');
  });

  it('when the registry no longer knows a domain with 200 days left, then the alert says so', async () => {
    register('lost.com', '2027-06-10T08:00:00Z');
    const id = await seedDomain(world, 'lost.com');
    assert.equal((await checkDomain(world, id)).days_left, 200);
    registries.rdap['lost.com'] = { status: 404, body: '{"errorCode":404,"title":"Not Found"}' };
    const lost = await checkDomain(world, id, '?force=true');
    assert.deepEqual(
      [lost.status, lost.days_left, lost.expiry_date, lost.registrar],
      ['not_found', null, '2027-06-10T08:00:00Z', 'Example Registrar Inc.'],
    );
    registries.rdap['lost.com'] = { status: 500 };
    const failed = await checkDomain(world, id, '?force=true');
    assert.deepEqual([failed.status, failed.error.code], ['not_found', 'refused']);
    assert.deepEqual(await toldOf(id), ['not_found']);
    const mails = (await sendAlertMails(world)) as { subject: string; text: string }[];
    assert.match(mails.map(({ text }) => text).join('\n'), /Not registered[\s\S]*lost\.com/);
    register('lost.com', '2027-06-10T08:00:00Z');
    for (let time = 0; time < 2; time++) assert.equal((await checkDomain(world, id, '?force=true')).status, 'active');
    assert.deepEqual(await toldOf(id), ['not_found', 'registered']);
    const back = (await sendAlertMails(world)) as { subject: string; text: string }[];
    assert.match(back.map(({ text }) => text).join('\n'), /Registered[\s\S]*lost\.com/);
  });

  it('when the threshold changes, then no renewal is announced, and the next alert comes again', async () => {
    register('thresholds.com', '2027-01-03T08:00:00Z');
    const id = await seedDomain(world, 'thresholds.com');
    await checkDomain(world, id);
    const setThreshold = (days: number | null) =>
      world.request('PUT', `/api/v2/domain-monitor/profiles/${id}/edit`, { body: { notify_threshold_days: days } });
    await setThreshold(60);
    assert.deepEqual(await toldOf(id), ['expiring']);
    await setThreshold(10);
    assert.equal((await readProfile(world, id)).status, 'active');
    assert.deepEqual(await toldOf(id), ['expiring']);
    await setThreshold(60);
    assert.deepEqual(await toldOf(id), ['expiring', 'expiring']);
    register('thresholds.com', '2028-01-03T08:00:00Z');
    await checkDomain(world, id, '?force=true');
    assert.deepEqual(await toldOf(id), ['expiring', 'expiring', 'active']);
  });

  for (const [title, headers, until] of [
    ['Retry-After in seconds', { 'retry-after': '3600' }, '2026-11-22T09:00:00Z'],
    ['Retry-After as a date', { 'retry-after': 'Sun, 22 Nov 2026 09:00:00 GMT' }, '2026-11-22T09:00:00Z'],
    ['no Retry-After', {}, '2026-11-22T08:15:00Z'],
    ['Retry-After over a day', { 'retry-after': '9999999999' }, '2026-11-23T08:00:00Z'],
  ] as const)
    it(`when a registry returns 429 with ${title}, then it gets no request before the pause is over`, async () => {
      register('patient.com');
      registries.rdap['too-often.com'] = { status: 429, headers };
      const [busy, other] = [await seedDomain(world, 'too-often.com'), await seedDomain(world, 'patient.com')];
      const limited = await checkDomain(world, busy, '?force=true');
      assert.deepEqual([limited.status, limited.error.code], ['unknown', 'rate_limited']);
      const asked = registries.rdapRequests.length;
      for (const query of ['?force=true', '?force=true'])
        assert.equal((await checkDomain(world, other, query)).error.code, 'rate_limited');
      clock.time = Date.parse(until) - 1;
      await checkDomain(world, other, '?force=true');
      assert.equal(registries.rdapRequests.length, asked);
      clock.set(until);
      assert.equal((await checkDomain(world, other, '?force=true')).status, 'active');
      // Later tests must not run into the rate limit.
      register('too-often.com');
    });

  it('when a registry is rate-limited, then job items wait and finish after the pause', async () => {
    register('waits.com');
    const id = await seedDomain(world, 'waits.com');
    const { knex } = world.container;
    const others = await knex('site_domains').whereNot('site_id', id).pluck<number[]>('site_id');
    await knex('site_domains').whereIn('site_id', others).update({ domain: null });
    const host = new URL(registries.url).host;
    const closed_until = Date.parse('2026-11-22T08:30:00Z');
    await knex('registry_gates').insert({ host, asked_at: 0, closed_until, busy_until: 0 });
    const { body } = await world.request('POST', '/api/v2/schedules/domain-checks/run');
    const jobId = body.data.job_id as string;
    const itemOf = async () =>
      (await world.request('GET', `/api/v2/jobs/${jobId}`)).body.items.find(
        ({ identifier }: { identifier: string }) => identifier === 'waits.com',
      );
    const isPutOff = async (): Promise<boolean> => {
      const { started_at, state } = await itemOf();
      return started_at !== null && state === 'waiting';
    };
    await until(isPutOff, 'the item to be put off');
    assert.equal(timesAsked('waits.com'), 0);
    clock.set('2026-11-22T08:31:00Z');
    const { items } = await world.finishedJob(jobId);
    const done = items.find(({ identifier }: { identifier: string }) => identifier === 'waits.com');
    assert.deepEqual(done.result.domain, { name: 'waits.com', source: 'rdap', expiry_date: '2027-03-01T09:12:00Z' });
    assert.equal(timesAsked('waits.com'), 1);
  });

  it('when a registry refuses too long, then the job ends before the next run, and alerts do not wait', async () => {
    const names = ['one-refused.com', 'two-refused.com'];
    for (const name of names) register(name);
    const { knex } = world.container;
    const others = await knex('site_domains').pluck<number[]>('site_id');
    await knex('site_domains').whereIn('site_id', others).update({ domain: null });
    const ids = await Promise.all(names.map((name) => seedDomain(world, name)));
    const closeUntil = async (at: string): Promise<void> => {
      const row = { host: new URL(registries.url).host, asked_at: 0, closed_until: Date.parse(at), busy_until: 0 };
      await knex('registry_gates').insert(row).onConflict('host').merge();
    };
    await closeUntil('2026-11-22T08:30:00Z');
    const { body } = await world.request('POST', '/api/v2/schedules/domain-checks/run');
    const read = () => world.request('GET', `/api/v2/jobs/${body.data.job_id}`);
    const isPutOff = ({ started_at, state }: { started_at: unknown; state: string }) =>
      started_at !== null && state === 'waiting';
    await until(async () => (await read()).body.items.filter(isPutOff).length === 2, 'two items to be put off');
    assert.equal((await read()).body.items[0].result.domains.looked_at, others.length + 2);
    await closeUntil('2026-11-23T03:59:59Z');
    clock.set('2026-11-22T08:31:00Z');
    const again = async () => Number((await knex('registry_gates').first('busy_until')).busy_until);
    await until(async () => (await again()) > clock.now(), 'the items to be put off again');
    await closeUntil('2026-11-23T04:00:01Z');
    clock.set('2026-11-23T04:00:00Z');
    const { items } = await world.finishedJob(body.data.job_id as string);
    assert.deepEqual(
      items.slice(1).map(({ error }: { error: { code: string } }) => error.code),
      names.map(() => 'svc_domain_lookup_failed'),
    );
    for (const id of ids) assert.equal((await readProfile(world, id)).error.code, 'rate_limited');
    assert.deepEqual(names.map(timesAsked), [0, 0]);
  });

  it('when a lookup spacing is set, then requests to a registry have at least this distance', async () => {
    const names = ['spaced-one.com', 'spaced-two.com', 'spaced-three.com'];
    for (const name of names) register(name);
    const ids = await Promise.all(names.map((name) => seedDomain(world, name)));
    await editSettings(world, 'domain-monitor', { lookup_spacing: 400 });
    let looks = 0;
    const { knex } = world.container.database;
    const count = ({ sql }: { sql: string }) =>
      (looks += /^select .asked_at.* from .registry_gates./.test(sql) ? 1 : 0);
    knex.on('query', count);
    try {
      const [from, start] = [registries.rdapRequestTimes.length, clock.time];
      const times = () => registries.rdapRequestTimes.slice(from).map((at) => at - start);
      const checks = Promise.all(ids.map((id) => checkDomain(world, id)));
      for (const asked of [1, 2]) {
        await until(() => times().length >= asked, 'the next question');
        clock.time += 399;
        const looksBefore = looks;
        await until(() => looks >= looksBefore + 4, 'those that wait to look again');
        clock.time += 1;
      }
      for (const { status } of await checks) assert.equal(status, 'active');
      assert.deepEqual(times(), [0, 400, 800]);
    } finally {
      knex.off('query', count);
      await editSettings(world, 'domain-monitor', { lookup_spacing: 0 });
    }
  });

  it('when a registration changes, then each change is in the change log of each of its sites', async () => {
    register('changing.com');
    const ids = [await seedDomain(world, 'changing.com'), await seedDomain(world, 'www2.changing.com')];
    for (const id of ids) await checkDomain(world, id);
    assert.deepEqual(await changesOf(ids[0] ?? 0), []);
    const entities = [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'New Registrar']]] }];
    const nameservers = [{ ldhName: 'ns9.host.example' }];
    register('changing.com', '2028-03-01T09:12:00Z', { entities, nameservers, status: ['active'] });
    await checkDomain(world, ids[0] ?? 0, '?force=true');
    const expected = [
      'changing.com: the registrar changed from Example Registrar Inc. to New Registrar.',
      'changing.com: the expiry changed from 2027-03-01 to 2028-03-01.',
      'changing.com: the name servers changed from ns1.host.example, ns2.host.example to ns9.host.example.',
      'changing.com: the status changed from client delete prohibited, client transfer prohibited to active.',
    ];
    for (const id of ids) assert.deepEqual(await changesOf(id), expected);
    await checkDomain(world, ids[1] ?? 0, '?force=true');
    for (const id of ids) assert.deepEqual(await changesOf(id), expected);
  });

  it('when hundreds of sites share a domain, then their alerts are raised in several transactions', async () => {
    register('wide.com', '2026-11-29T08:00:00Z');
    const ids: number[] = [];
    for (let at = 0; at < 201; at++) ids.push(await seedDomain(world, `s${at}.wide.com`));
    const { knex } = world.container.database;
    const alertsIn = new Map<string, number>();
    const count = ({ sql, __knexTxId: id }: { sql: string; __knexTxId: string }) => {
      if (/^insert (ignore )?into .alerts./.test(sql)) alertsIn.set(id, (alertsIn.get(id) ?? 0) + 1);
    };
    await new SiteDomainRepository(knex).insertMissing();
    knex.on('query', count);
    await checkDomain(world, ids[0] ?? 0);
    knex.off('query', count);
    assert.deepEqual([...alertsIn.values()], [200, 1]);
    for (const at of [0, 200]) assert.deepEqual(await toldOf(ids[at] ?? 0), ['expiring']);
    assert.equal(
      (await alertsOf<DomainFacts>(world, 'domain_monitor_noti_email')).filter(({ site_id }) => ids.includes(site_id))
        .length,
      201,
    );
    register('wide.com', '2028-11-29T08:00:00Z');
    await checkDomain(world, ids[0] ?? 0, '?force=true');
    assert.equal((await changesOf(ids[200] ?? 0)).length, 1);
  });

  it('when a domain is renewed while the dates are checked, then no alert about the old date is raised', async () => {
    register('renewed.com', '2027-06-10T08:00:00Z');
    const id = await seedDomain(world, 'renewed.com');
    await checkDomain(world, id);
    const { knex } = world.container;
    const known = (await new ProfileReadModel(knex).get(id)) ?? assert.fail();
    const raised: Alert[] = [];
    const alerts = { raise: async (_trx: unknown, alert: Alert) => void raised.push(alert) } as unknown as Alerts;
    const domainAlerts = new DomainAlerts({ clock, alerts, thresholdDays: () => 30 });
    const raise = (expiresAt: number) =>
      inTransaction(knex, ({ trx }) => domainAlerts.raiseAlerts(trx, [{ ...known, expiresAt }]));
    assert.equal(await raise(clock.now()), 0);
    assert.deepEqual(raised, []);
    await knex('domains').where({ name: 'renewed.com' }).update({ expires_at: clock.now() });
    assert.equal(await raise(clock.now()), 1);
  });

  it('when a registration nears its expiry, then each state raises one alert', async () => {
    register('ending.com', '2026-12-30T08:00:00Z');
    const id = await seedDomain(world, 'ending.com');
    await runDomainChecks(world);
    assert.deepEqual(await toldOf(id), []);
    for (const day of ['2026-11-29', '2026-11-30', '2026-12-30', '2026-12-31']) {
      clock.set(`${day}T09:00:00Z`);
      await runDomainChecks(world);
    }
    assert.deepEqual(await toldOf(id), ['expiring', 'expired']);
    register('ending.com', '2026-12-30T08:00:00Z', { status: ['pending delete'] });
    await expireLookups(world);
    await runDomainChecks(world);
    register('ending.com', '2027-12-30T08:00:00Z');
    await expireLookups(world);
    await runDomainChecks(world);
    await runDomainChecks(world);
    assert.deepEqual(await toldOf(id), ['expiring', 'expired', 'redemption', 'active']);
  });

  it('when a job looks up domains, then it has an item for each, with its result or error', async () => {
    register('of-a-run.com');
    const [good, bad] = [await seedDomain(world, 'of-a-run.com'), await seedDomain(world, 'broken-run.com')];
    registries.rdap['broken-run.com'] = { status: 200, body: '<html>Hello</html>' };
    await expireLookups(world);
    const job = await runDomainChecks(world);
    const itemOf = (name: string) => job.items.find(({ identifier }: { identifier: string }) => identifier === name);
    assert.deepEqual(itemOf('of-a-run.com').result.domain.source, 'rdap');
    assert.equal(itemOf('broken-run.com').error.code, 'svc_domain_lookup_failed');
    assert.ok(itemOf('dates').result.domains.looked_at >= 2);
    assert.deepEqual(
      [(await readProfile(world, good)).status, (await readProfile(world, bad)).status],
      ['active', 'lookup_failed'],
    );
    // A good result is fresh for a day, and a failure is retried on the next day at the earliest.
    const asked = registries.rdapRequests.length;
    await runDomainChecks(world);
    assert.equal(registries.rdapRequests.length, asked);
  });

  it('when a lookup by hand fails, then the next run repeats it, as next_check says', async () => {
    const id = await seedDomain(world, 'failed-by-hand.com');
    registries.rdap['failed-by-hand.com'] = { status: 500 };
    clock.set('2026-11-22T10:00:00Z');
    assert.equal((await checkDomain(world, id)).next_check, '2026-11-23T03:40:00Z');
    clock.set('2026-11-23T03:40:00Z');
    await runDomainChecks(world);
    assert.equal(timesAsked('failed-by-hand.com'), 2);
    clock.set('2026-11-24T03:30:00Z');
    const failed = await checkDomain(world, id, '?force=true');
    assert.equal(failed.next_check, '2026-11-25T03:40:00Z');
    clock.set('2026-11-24T03:40:00Z');
    await runDomainChecks(world);
    assert.equal(timesAsked('failed-by-hand.com'), 3);
  });

  it('when the rate limit prevents a lookup, then no registry counts as queried', async () => {
    register('prevented.com');
    const id = await seedDomain(world, 'prevented.com');
    const closed_until = clock.now() + 3_600_000;
    const host = new URL(registries.url).host;
    await world.container.knex('registry_gates').insert({ host, asked_at: 0, closed_until, busy_until: 0 });
    const { message, data } = (await world.request('POST', `/api/v2/domain-monitor/${id}`)).body;
    assert.deepEqual(
      [message, data.error.code, data.last_check],
      ['The registry was not queried, because it limits the number of requests.', 'rate_limited', null],
    );
    clock.time = closed_until;
    await runDomainChecks(world);
    assert.equal(timesAsked('prevented.com'), 1);
  });

  it('when checks are weekly, then domains are looked up once a week; if checks are off, never', async () => {
    register('weekly.com');
    const id = await seedDomain(world, 'weekly.com');
    await editSettings(world, 'domain-monitor', { frequency: 'weekly' });
    try {
      await runDomainChecks(world);
      for (const day of ['2026-11-25', '2026-11-28', '2026-11-29', '2026-11-30']) {
        clock.set(`${day}T08:00:00Z`);
        await runDomainChecks(world);
      }
      assert.equal(timesAsked('weekly.com'), 2);
      assert.equal((await readProfile(world, id)).next_check, '2026-12-07T03:40:00Z');
      await editSettings(world, 'domain-monitor', { automatic_checks: 0 });
      assert.deepEqual(
        [(await readSchedule(world, 'domain-checks')).next_run, (await readProfile(world, id)).next_check],
        [null, null],
      );
    } finally {
      await editSettings(world, 'domain-monitor', { frequency: null, automatic_checks: null });
    }
  });

  it('when the clock was ahead at a lookup, then the domain is looked up again after the clock is right', async () => {
    register('ahead.com');
    await seedDomain(world, 'ahead.com');
    await runDomainChecks(world);
    const known = timesAsked('ahead.com');
    const later = clock.now() + 400 * 86_400_000;
    await world.container.knex('domains').where({ name: 'ahead.com' }).update({ answered_at: later, asked_at: later });
    await runDomainChecks(world);
    assert.equal(timesAsked('ahead.com'), known + 1);
  });

  it('when the clock was ahead, then a call asks again, and a pause from then has no effect', async () => {
    register('ahead-call.com');
    const id = await seedDomain(world, 'ahead-call.com');
    await checkDomain(world, id);
    const { knex } = world.container;
    const later = clock.now() + 400 * 86_400_000;
    await knex('domains').where({ name: 'ahead-call.com' }).update({ answered_at: later, asked_at: later });
    await knex('registry_gates').update({ asked_at: later, closed_until: later, busy_until: later });
    assert.equal((await checkDomain(world, id)).error, null);
    assert.equal(timesAsked('ahead-call.com'), 2);
    registries.rdap['ahead-call.com'] = { status: 429, headers: { 'retry-after': '60' } };
    await checkDomain(world, id, '?force=true');
    assert.equal(Number((await knex('registry_gates').first('closed_until')).closed_until), clock.now() + 60_000);
    register('ahead-call.com');
  });

  it('when the list of RDAP servers changes, then the schedule loads it and rejects an invalid list', async () => {
    const load = async () => (await runSchedule(world, 'rdap-servers')).items[0];
    assert.deepEqual((await load()).result.servers, { tlds: 6, changed: false });
    registries.rdapZones = [...registries.rdapZones, 'cafe'];
    assert.deepEqual((await load()).result.servers, { tlds: 7, changed: true });
    registries.rdap['corner.cafe'] = { record: comRecord('corner.cafe') };
    assert.equal((await checkDomain(world, await seedDomain(world, 'corner.cafe'))).source, 'rdap');
    registries.bootstrap = { status: 200, body: '<html>' };
    assert.equal((await load()).error.code, 'svc_domain_lookup_failed');
    registries.bootstrap = null;
    assert.equal((await checkDomain(world, await seedDomain(world, 'corner.cafe'), '?force=true')).status, 'active');
  });

  it('when the settings have no WHOIS server, then the root server is queried once per TLD', async () => {
    await editSettings(world, 'domain-monitor', { whois_servers: [], whois_root: registries.whoisAddress });
    try {
      registries.whois['za'] = 'domain: ZA\nstatus: ACTIVE\n';
      for (const name of ['one.co.za', 'two.co.za'])
        assert.equal((await checkDomain(world, await seedDomain(world, name))).status, 'unsupported_tld');
      assert.deepEqual(
        registries.whoisRequests.filter((line) => line === 'za'),
        ['za'],
      );
      for (const [tld, reply, code] of [
        ['lt', '% This query returned 0 objects.\n', 'unsupported_tld'],
        ['ee', 'No match for the query.\n', 'parse_error'],
        ['sk', '<html>Hello</html>', 'parse_error'],
        ['hr', 'domain: OTHER\n', 'parse_error'],
      ] as const) {
        registries.whois[tld] = reply;
        const id = await seedDomain(world, `odd.${tld}`);
        assert.equal((await checkDomain(world, id)).error?.code, code, tld);
        registries.whois[tld] = `domain: ${tld.toUpperCase()}\nstatus: ACTIVE\n`;
        await checkDomain(world, id, '?force=true');
        const times = registries.whoisRequests.filter((line) => line === tld).length;
        assert.equal(times, code === 'unsupported_tld' ? 1 : 2, tld);
      }
      // A referral may name only a host. This one has a port, so it is ignored.
      registries.whois['pl'] = `domain: PL\nwhois: ${registries.whoisAddress}\n`;
      const profile = await checkDomain(world, await seedDomain(world, 'piekarnia.pl'));
      assert.equal(profile.status, 'unsupported_tld');
    } finally {
      await useRegistries(world, registries);
    }
  });

  it('when the root server refuses a request, then it gets none for 15 minutes', async () => {
    await editSettings(world, 'domain-monitor', { whois_servers: [], whois_root: registries.whoisAddress });
    try {
      registries.whois['za'] = 'domain: ZA\nstatus: ACTIVE\n';
      await checkDomain(world, await seedDomain(world, 'stored.co.za'));
      for (const [tld, reply, code, message] of [
        ['lv', 'Too many requests. Try again later.\n', 'rate_limited', /limits the number of requests/],
        ['si', 'Access denied.\n', 'refused', /refuses requests/],
      ] as const) {
        registries.whois[tld] = reply;
        registries.whois['ws'] = 'domain: WS\nstatus: ACTIVE\n';
        const refused = (await checkDomain(world, await seedDomain(world, `first.${tld}`))).error;
        assert.equal(refused.code, code);
        assert.match(refused.message, message);
        const asked = registries.whoisRequests.length;
        clock.time += 15 * 60_000 - 1;
        for (const name of [`second.${tld}`, `${tld}.ws`]) {
          const { error } = await checkDomain(world, await seedDomain(world, name));
          assert.equal(error.code, 'rate_limited');
          assert.match(error.message, /WHOIS root server/);
        }
        // The server of this TLD is stored, so the pause of the root server does not concern it.
        assert.equal((await checkDomain(world, await seedDomain(world, `${tld}.co.za`))).status, 'unsupported_tld');
        assert.equal(registries.whoisRequests.length, asked);
        clock.time += 1;
        registries.whois[tld] = `domain: ${tld.toUpperCase()}\nstatus: ACTIVE\n`;
        assert.equal((await checkDomain(world, await seedDomain(world, `third.${tld}`))).status, 'unsupported_tld');
      }
    } finally {
      await useRegistries(world, registries);
    }
  });
});
