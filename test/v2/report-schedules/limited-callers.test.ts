import assert from 'node:assert/strict';
import {
  addReportSchedule,
  createClientWithSites,
  makeReport,
  readReport,
  readReportSchedule,
} from '../../support/report-schedules.ts';
import { updateSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const V2 = '/api/v2';
const FIELDS = { name: 'Report', frequency: 'monthly', format: 'html', recipients: ['ann@example.com'] };

/** The bakery has the first two sites, which have a tag; the shop has the third one. */
describe('reports of callers that are limited to some sites', () => {
  let world: World;
  let bakery: number;
  let shop: number;
  let tag: number;

  beforeEach(async () => {
    world = await startWorld({ sites: 3 });
    bakery = await createClientWithSites(world, 'Bakery', 'office@bakery.example', world.siteId(0), world.siteId(1));
    shop = await createClientWithSites(world, 'Shop', 'office@shop.example', world.siteId(2));
    tag = await createTag(world, 'Care', world.siteId(0), world.siteId(1));
  });
  afterEach(() => world.close());

  interface Key {
    id: number;
    token: string;
  }
  const addKey = async (limit: object | null): Promise<Key> =>
    (await world.request('POST', `${V2}/rest-api/add-key`, { body: { scope: 'read_write', limit } })).body.data;
  const ask = async ({ token }: Key, method: string, path: string, expect = 200, body?: object) =>
    (
      await world.request(method, V2 + path, {
        ...{ as: 'nobody', headers: { authorization: `Bearer ${token}` }, expect },
        ...(body && { body }),
      })
    ).body;
  const page = async (path: string, { token }: Key): Promise<{ status: number; text: string }> => {
    const answer = await fetch(world.url + V2 + path, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, text: await answer.text() };
  };
  const add = async (key: Key, about: object): Promise<number> =>
    (await ask(key, 'POST', '/report-schedules/add', 200, { ...FIELDS, hold_first_report: false, ...about })).data.id;
  const hostOf = (index: number): string => new URL(world.site(index).url).host;
  const hostsIn = (text: string): number[] => [0, 1, 2].filter((index) => text.includes(hostOf(index)));
  /** Makes a report of a schedule. Returns the sites in it, or the code of its error. */
  const made = async (schedule: number): Promise<number[] | string> => {
    const report = await makeReport(world, schedule);
    if (report.error) return report.error.code;
    const { text } = await world.agent().get(`${V2}/reports/${report.id}/file?format=html`);
    return hostsIn(text);
  };
  const setTags = (index: number, tags: number[]) => updateSite(world, world.siteId(index), { tags });
  const count = async (): Promise<number> =>
    Number((await world.container.database.knex('report_schedules').count({ n: '*' }))[0]?.n);

  it('when a schedule is added, then its site or client must be visible, and all sites of the client', async () => {
    const key = await addKey({ sites: [world.siteId(0)] });
    const refused = (about: object, status: number) =>
      ask(key, 'POST', '/report-schedules/add', status, { ...FIELDS, ...about });
    assert.deepEqual(await refused({ site_id: world.siteId(1) }, 404), await refused({ site_id: 999_999 }, 404));
    assert.deepEqual(await refused({ client_id: shop }, 404), await refused({ client_id: 999_999 }, 404));
    const partly = await refused({ client_id: bakery }, 403);
    assert.deepEqual([partly.code, partly.data.sites_outside], ['svc_outside_limits', 1]);
    const costOf = (about: object) => countStatements(world, () => refused(about, 404));
    assert.equal(await costOf({ site_id: world.siteId(1) }), await costOf({ site_id: 999_999 }));
    assert.equal(await costOf({ client_id: shop }), await costOf({ client_id: 999_999 }));
    assert.equal(await count(), 0);
    const id = await add(key, { site_id: world.siteId(0) });
    assert.equal((await ask(key, 'GET', `/report-schedules/${id}`)).data.site.id, world.siteId(0));
  });

  it('when a schedule is outside, then it does not exist, and with sites outside it cannot be changed or run', async () => {
    const key = await addKey({ sites: [world.siteId(0)] });
    const { id: outside } = await addReportSchedule(world, { client_id: shop });
    const { id: partly } = await addReportSchedule(world, { client_id: bakery });
    const calls = [
      ['PUT', '/edit', { name: 'Changed' }],
      ['POST', '/run', {}],
      ['DELETE', '/delete', undefined],
    ] as const;
    for (const [method, path, body] of calls) {
      const at = (id: number, status: number) => ask(key, method, `/report-schedules/${id}${path}`, status, body);
      assert.deepEqual(await at(outside, 404), await at(999_999, 404), path);
      const refusal = await at(partly, 403);
      assert.deepEqual([refusal.code, refusal.data.sites_outside], ['svc_outside_limits', 1], path);
      assert.doesNotMatch(JSON.stringify(refusal), new RegExp(hostOf(1)));
    }
    assert.equal((await page(`/report-schedules/${outside}/preview`, key)).status, 404);
    const refusal = await page(`/report-schedules/${partly}/preview`, key);
    assert.deepEqual([refusal.status, JSON.parse(refusal.text).data.sites_outside], [403, 1]);
    for (const id of [outside, partly]) assert.equal((await readReportSchedule(world, id)).name, 'Monthly report');
    assert.equal(await world.container.database.knex('kept_reports').first('id'), undefined);
  });

  it('when all sites of a schedule are visible, then it can be changed, shown, run and deleted', async () => {
    const key = await addKey({ clients: [bakery] });
    const { id } = await addReportSchedule(world, { client_id: bakery });
    assert.equal((await ask(key, 'PUT', `/report-schedules/${id}/edit`, 200, { day: 5 })).data.day, 5);
    assert.deepEqual(hostsIn((await page(`/report-schedules/${id}/preview`, key)).text), [0, 1]);
    const { data } = await ask(key, 'POST', `/report-schedules/${id}/run`);
    assert.equal(data.status, 'queued');
    await world.finishedJob(data.job_id);
    assert.equal((await ask(key, 'GET', `/reports/${data.id}`)).data.status, 'made');
    await ask(key, 'DELETE', `/report-schedules/${id}/delete`);
    assert.equal(await count(), 0);
  });

  it('when a limited caller has made a schedule, then each report has the sites that it has at that time', async () => {
    const key = await addKey({ tags: [tag] });
    const id = await add(key, { client_id: bakery });
    assert.deepEqual(await made(id), [0, 1]);
    await setTags(1, []);
    assert.deepEqual(await made(id), [0]);
    const admin = await addKey(null);
    assert.deepEqual(hostsIn((await page(`/report-schedules/${id}/preview`, admin)).text), [0]);
    await setTags(0, []);
    assert.equal(await made(id), 'svc_outside_limits');
    const refusal = await page(`/report-schedules/${id}/preview`, admin);
    assert.deepEqual([refusal.status, JSON.parse(refusal.text).code], [403, 'svc_outside_limits']);
    await setTags(0, [tag]);
    assert.deepEqual(await made(id), [0]);
  });

  it('when the key or the user of a schedule is gone, then its reports fail', async () => {
    const key = await addKey({ tags: [tag] });
    const body = { name: 'Baker', role: 'manager', limit: { tags: [tag] } };
    const user = (await world.request('POST', `${V2}/rest-api/users/add`, { body })).body.data;
    const own = { scope: 'read_write', user: user.id };
    const other = (await world.request('POST', `${V2}/rest-api/add-key`, { body: own })).body.data;
    const schedules = [await add(key, { client_id: bakery }), await add(other, { site_id: world.siteId(0) })];
    for (const id of schedules) assert.notEqual(await made(id), 'svc_outside_limits');
    const setExpiry = (time: number | null) =>
      world.container.database.knex('api_keys').where({ id: key.id }).update({ expires_at: time });
    await setExpiry(1);
    assert.equal(await made(schedules[0] ?? 0), 'svc_outside_limits');
    await setExpiry(null);
    assert.deepEqual(await made(schedules[0] ?? 0), [0, 1]);
    await world.request('DELETE', `${V2}/rest-api/delete-key/${key.id}`);
    await world.request('PUT', `${V2}/rest-api/users/${user.id}/edit`, { body: { enabled: false } });
    for (const id of schedules) assert.equal(await made(id), 'svc_outside_limits');
  });

  it('when a limited caller changes the recipients, then reports have its sites until an unlimited one changes them', async () => {
    const key = await addKey({ tags: [tag] });
    const { id } = await addReportSchedule(world, { client_id: bakery });
    const edit = (by: Key, body: object) => ask(by, 'PUT', `/report-schedules/${id}/edit`, 200, body);
    await edit(key, { day: 7 });
    await setTags(1, []);
    assert.deepEqual(await made(id), [0, 1], 'another day is no reason');
    await setTags(1, [tag]);
    await edit(key, { recipients: ['me@example.com'] });
    await setTags(1, []);
    assert.deepEqual(await made(id), [0]);
    const admin = await addKey(null);
    await edit(admin, { day: 8 });
    assert.deepEqual(await made(id), [0]);
    await edit(admin, { recipients: ['ann@example.com'] });
    assert.deepEqual(await made(id), [0, 1]);
  });

  it('when a limited caller changes the address of the client, then schedules that send to it have its sites', async () => {
    const key = await addKey({ sites: [world.siteId(0), world.siteId(1)] });
    const about = { recipients: [] as string[] };
    const { id: ofClient } = await addReportSchedule(world, { client_id: bakery, ...about });
    const { id: ofSite } = await addReportSchedule(world, { site_id: world.siteId(1), ...about });
    const { id: addressed } = await addReportSchedule(world, { client_id: bakery });
    const { id: ofShop } = await addReportSchedule(world, { client_id: shop, ...about });
    const limitedOnes = async (): Promise<number[]> =>
      world.container.database.knex('report_schedules').where({ owner_key_id: key.id }).orderBy('id').pluck('id');
    const unlimit = () =>
      world.request('PUT', `${V2}/clients/${bakery}/edit`, { body: { client_email: 'office@bakery.example' } });
    const headers = { authorization: `Bearer ${key.token}` };
    const edit = `${V2}/clients/${bakery}/edit`;
    const batch = { update: [{ id: bakery, client_email: 'evil@example.com' }] };
    const ability = { input: { client_id_or_email: bakery, client_email: 'evil@example.com' } };
    for (const [method, path, body] of [
      ['PUT', edit, { client_email: 'evil@example.com' }],
      ['POST', `${V2}/clients/batch`, batch],
      ['POST', '/abilities/v1/svc/update-client-v1/run', ability],
      ['PUT', `/wp-json/mainwp/v2/clients/${bakery}/edit`, { client_email: 'evil@example.com' }],
    ] as const) {
      await ask(key, 'PUT', `/clients/${bakery}/edit`, 200, { note: path });
      assert.deepEqual(await limitedOnes(), []);
      const answer = await fetch(world.url + path, {
        ...{ method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) },
      });
      assert.equal(answer.status, 200, path);
      assert.deepEqual(await limitedOnes(), [ofClient, ofSite], path);
      if (path === edit) {
        await updateSite(world, world.siteId(2), { client_id: bakery });
        assert.deepEqual(
          [await made(ofClient), await made(addressed)],
          [
            [0, 1],
            [0, 1, 2],
          ],
        );
        await updateSite(world, world.siteId(2), { client_id: shop });
      }
      await unlimit();
    }
    assert.deepEqual(await limitedOnes(), []);
    assert.deepEqual(await made(ofShop), [2]);
  });

  it('when all sites of a stored report are visible, then it can be sent, and its links revoked, and deleted', async () => {
    const key = await addKey({ clients: [bakery] });
    const { id: schedule } = await addReportSchedule(world, { client_id: bakery });
    const { id } = await makeReport(world, schedule);
    const sent = await ask(key, 'POST', `/reports/${id}/send`, 200, { recipients: ['tom@example.com'] });
    assert.deepEqual(sent.data.mails[0].recipients, ['tom@example.com']);
    await ask(key, 'POST', `/reports/${id}/revoke-links`);
    await ask(key, 'DELETE', `/reports/${id}/delete`);
    await world.request('GET', `${V2}/reports/${id}`, { expect: 404 });
  });

  it('when a stored report has a site outside, then it does not exist, and nothing of it changes', async () => {
    const narrow = await addKey({ sites: [world.siteId(0)] });
    const { id: about } = await addReportSchedule(world, { client_id: bakery });
    const { id: stored } = await makeReport(world, about);
    const { id: holding } = await addReportSchedule(world, { client_id: bakery, hold_first_report: true });
    const { id: waiting } = await makeReport(world, holding);
    for (const id of [stored, waiting]) {
      const before = await readReport(world, id);
      for (const path of ['/send', '/release', '/discard', '/revoke-links', '/delete']) {
        const method = path === '/delete' ? 'DELETE' : 'POST';
        const at = (report: number) => ask(narrow, method, `/reports/${report}${path}`, 404);
        assert.deepEqual(await at(id), await at(999_999), path);
      }
      assert.deepEqual(await readReport(world, id), before);
    }
  });

  it('when a site of a stored report leaves the client, then the report is visible only to those who see that site', async () => {
    const { id: schedule } = await addReportSchedule(world, { client_id: bakery });
    const { id } = await makeReport(world, schedule);
    const read = async (limit: object): Promise<number> =>
      (await page(`/reports/${id}/file`, await addKey(limit))).status;
    const [one, other] = [world.siteId(0), world.siteId(1)];
    await updateSite(world, other, { client_id: shop });
    assert.deepEqual([await read({ sites: [one] }), await read({ clients: [bakery] })], [404, 404]);
    assert.deepEqual([await read({ sites: [one, other] }), await read({ clients: [bakery, shop] })], [200, 200]);
    await world.request('DELETE', `${V2}/sites/${other}/remove`);
    assert.deepEqual([await read({ sites: [one] }), await read({ clients: [bakery, shop] })], [404, 404]);
    await world.request('GET', `${V2}/reports/${id}`);
  });

  it('when a report waits for its release, then a limited caller sees and releases it only with reports:write', async () => {
    const wide = await addKey({ clients: [bakery] });
    const { id: schedule } = await addReportSchedule(world, { client_id: bakery, hold_first_report: true });
    const { id: first } = await makeReport(world, schedule);
    const { id: second } = await makeReport(world, schedule);
    const limit = { clients: [bakery] };
    const reader = (await world.request('POST', `${V2}/rest-api/add-key`, { body: { scope: 'read', limit } })).body
      .data;
    for (const path of ['', '/file', '/mail'])
      assert.deepEqual(
        await page(`/reports/${first}${path}`, reader),
        await page(`/reports/999999${path}`, reader),
        path,
      );
    assert.equal((await ask(reader, 'GET', '/reports')).total, 0);
    assert.equal((await ask(reader, 'POST', `/reports/${first}/release`, 403)).code, 'svc_permission_denied');
    assert.deepEqual(await ask(wide, 'GET', '/reports'), (await world.request('GET', `${V2}/reports`)).body);
    assert.equal((await ask(wide, 'GET', `/reports/${first}`)).data.release_status, 'waiting');
    assert.equal((await ask(wide, 'POST', `/reports/${first}/discard`)).data.release_status, 'discarded');
    const released = (await ask(wide, 'POST', `/reports/${second}/release`)).data;
    assert.deepEqual([released.release_status, released.mails.length], ['released', 1]);
    assert.equal((await ask(reader, 'GET', `/reports/${second}`)).data.release_status, 'released');
    await ask(reader, 'GET', `/reports/${first}`, 404);
  });

  it('when the limit has all sites, then each change answers as without a limit, except IDs and times', async () => {
    const answers: unknown[] = [];
    for (const limit of [{ sites: world.siteIds }, null]) {
      const key = await addKey(limit);
      const own: unknown[] = [];
      const keep = async (...call: Parameters<typeof ask>) => {
        const body = await ask(...call);
        own.push(comparable(body));
        return body.data;
      };
      const body = { ...FIELDS, client_id: bakery, hold_first_report: false };
      const { id } = await keep(key, 'POST', '/report-schedules/add', 200, body);
      await keep(key, 'PUT', `/report-schedules/${id}/edit`, 200, { recipients: ['tom@example.com'], day: 3 });
      const report = await keep(key, 'POST', `/report-schedules/${id}/run`, 200, { period: 'current' });
      await world.finishedJob(report.job_id);
      await keep(key, 'POST', `/reports/${report.id}/send`);
      await keep(key, 'POST', `/reports/${report.id}/revoke-links`);
      const preview = await page(`/report-schedules/${id}/preview`, key);
      own.push([preview.status, hostsIn(preview.text)]);
      await keep(key, 'DELETE', `/reports/${report.id}/delete`);
      await keep(key, 'DELETE', `/report-schedules/${id}/delete`);
      answers.push(own);
    }
    assert.deepEqual(answers[0], answers[1]);
  });

  it('when templates are read, then all are visible, and a preview has only sites of the limit', async () => {
    const key = await addKey({ sites: [world.siteId(1)] });
    const admin = await addKey(null);
    for (const path of ['/report-templates', '/report-templates/care-plan'])
      assert.deepEqual(await ask(key, 'GET', path), await ask(admin, 'GET', path));
    const days = 'start_date=2026-10-01&end_date=2026-10-31';
    const preview = (about: string) => page(`/report-templates/care-plan/preview?${days}${about}`, key);
    assert.deepEqual(hostsIn((await preview('')).text), [1]);
    assert.deepEqual(hostsIn((await preview(`&client_id=${bakery}`)).text), [1]);
    for (const [query, unknown] of [
      [`&site_id=${world.siteId(0)}`, '&site_id=999999'],
      [`&client_id=${shop}`, '&client_id=999999'],
    ] as const) {
      const answer = await preview(query);
      assert.deepEqual([answer.status, answer.text], [404, (await preview(unknown)).text]);
    }
    const body = { name: 'Mine' };
    assert.equal((await ask(key, 'POST', '/report-templates/add', 403, body)).code, 'svc_outside_limits');
  });
});

/** Replaces IDs and times of a record. */
const comparable = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, (name, value: unknown) =>
      /^(id|.*_id)$|_at$|^(next|last)_run$/.test(name) && value !== null ? 'x' : value,
    ),
  );
