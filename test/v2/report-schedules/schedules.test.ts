import assert from 'node:assert/strict';
import {
  addReportSchedule,
  createClientWithSites,
  editReportSchedule,
  listReportSchedules,
  listReports,
  makeReport,
  readReportSchedule,
} from '../../support/report-schedules.ts';
import { withoutModule } from '../../support/modules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/report-schedules';

describe('report schedules', () => {
  let world: World;
  let clock: ManualClock;
  let client: number;
  before(async () => {
    clock = new ManualClock('2026-11-22T09:00:00Z');
    world = await startWorld({ sites: 3, overrides: { tickMs: null, clock } });
    client = await createClientWithSites(world, 'Harbour Bakery', 'ann@example.com', world.siteId(0), world.siteId(1));
  });
  after(() => world.close());

  const refused = async (body: object, expect = 400) =>
    (await world.request('POST', `${BASE}/add`, { body: { name: 'A', frequency: 'weekly', ...body }, expect })).body;
  const pathsOf = (body: { data: { errors: { path: string }[] } }): string[] =>
    body.data.errors.map(({ path }) => path.replace(/^body\./, ''));

  it('when a site has a client, then its report is sent to the e-mail address of the client', async () => {
    const schedule = await addReportSchedule(world, { site_id: world.siteId(0), day: 3, time: '7:30', recipients: [] });
    assert.deepEqual(
      { ...schedule, id: 0, site: schedule.site.id, created_at: '', updated_at: '' },
      {
        id: 0,
        name: 'Monthly report',
        about: 'site',
        site: world.siteId(0),
        client: { id: client, name: 'Harbour Bakery' },
        frequency: 'monthly',
        day: 3,
        time: '07:30',
        segments: null,
        recipients: [],
        sends_to: ['ann@example.com'],
        subject: null,
        format: 'html',
        active: true,
        hold_first_report: false,
        hold_status: 'none',
        next_run: '2026-12-03T07:30:00Z',
        last_run: null,
        created_at: '',
        updated_at: '',
      },
    );
    assert.deepEqual(await readReportSchedule(world, schedule.id), schedule);
  });

  it('when a schedule has no possible recipient, then the error names the field', async () => {
    const nobody = await createClientWithSites(world, 'Nobody', '');
    assert.deepEqual(pathsOf(await refused({ client_id: nobody })), ['recipients']);
    assert.deepEqual(pathsOf(await refused({ site_id: world.siteId(2) })), ['recipients']);
    const schedule = await addReportSchedule(world, {
      client_id: nobody,
      recipients: ['Ops@EXAMPLE.com', 'Ops@example.com'],
    });
    assert.deepEqual([schedule.recipients, schedule.sends_to], [['Ops@example.com'], ['Ops@example.com']]);
    const body = { recipients: [] };
    await world.request('PUT', `${BASE}/${schedule.id}/edit`, { body, expect: 400 });
  });

  it('when fields are invalid, then the error names each field', async () => {
    const site = world.siteId(0);
    assert.deepEqual(pathsOf(await refused({})), ['site_id']);
    assert.deepEqual(pathsOf(await refused({ site_id: site, client_id: client })), ['client_id']);
    assert.deepEqual(pathsOf(await refused({ site_id: site, day: 8 })), ['day']);
    assert.deepEqual(pathsOf(await refused({ site_id: site, recipients: ['ann@example.com', 'no address'] })), [
      'recipients.1',
    ]);
    assert.deepEqual(pathsOf(await refused({ site_id: site, subject: '{status}' })), ['subject']);
    for (const field of [{ time: '24:00' }, { day: 0 }, { segments: ['logins'] }, { segments: [] }, { format: 'doc' }])
      await refused({ site_id: site, ...field });
    assert.equal((await refused({ site_id: 4711 }, 404)).code, 'svc_site_not_found');
    assert.equal((await refused({ client_id: 4711 }, 404)).code, 'svc_client_not_found');
  });

  it('when a schedule is edited, then the next run has the new values and the change log has both', async () => {
    const { id } = await addReportSchedule(world, { client_id: client });
    const fields = { frequency: 'weekly', day: 1, time: '23:05', segments: ['uptime', 'plugins'], name: 'Each week' };
    const edited = await editReportSchedule(world, id, fields);
    assert.deepEqual(
      [edited.next_run, edited.segments, edited.name],
      ['2026-11-23T23:05:00Z', ['plugins', 'uptime'], 'Each week'],
    );
    assert.equal((await editReportSchedule(world, id, { active: false })).next_run, null);
    const rows = await world.container.database
      .knex('changes')
      .where({ type: 'report_schedule.updated', object_key: String(id) })
      .orderBy('id')
      .select<{ old_values: string; new_values: string }[]>('old_values', 'new_values');
    assert.deepEqual(
      rows.map((row) => [JSON.parse(row.old_values), JSON.parse(row.new_values)]),
      [
        [
          { name: 'Monthly report', frequency: 'monthly', time: '08:00' },
          { name: 'Each week', frequency: 'weekly', time: '23:05', segments: 'plugins, uptime' },
        ],
        [{ active: 'true' }, { active: 'false' }],
      ],
    );
  });

  it('when an edit or deletion has an outdated ETag, then it is rejected', async () => {
    const { id } = await addReportSchedule(world, { client_id: client });
    const { headers } = await world.request('GET', `${BASE}/${id}`);
    const seen = { 'if-match': String(headers.etag) };
    await editReportSchedule(world, id, { day: 2 });
    await world.request('PATCH', `${BASE}/${id}/edit`, { body: { day: 4 }, headers: seen, expect: 412 });
    await world.request('DELETE', `${BASE}/${id}/delete`, { headers: seen, expect: 412 });
    assert.equal((await readReportSchedule(world, id)).day, 2);
    await world.request('DELETE', `${BASE}/${id}/delete`);
    await world.request('GET', `${BASE}/${id}`, { expect: 404 });
  });

  it('when schedules are filtered, sorted and paged, then all need the same number of SQL statements', async () => {
    const other = await createClientWithSites(world, 'Filtered', 'f@example.com', world.siteId(2));
    const ofSite = await addReportSchedule(world, {
      site_id: world.siteId(2),
      name: 'Zebra',
      frequency: 'weekly',
      day: 5,
    });
    const ofClient = await addReportSchedule(world, { client_id: other, name: 'Antelope', active: false });
    const idsOf = async (query: string) =>
      (await listReportSchedules(world, `&client_id=${other}${query}`)).map(({ id }: { id: number }) => id);
    assert.deepEqual(await idsOf(''), [ofClient.id, ofSite.id]);
    assert.deepEqual(await idsOf('&order=desc'), [ofSite.id, ofClient.id]);
    assert.deepEqual(await idsOf(`&site_id=${world.siteId(2)}`), [ofSite.id]);
    assert.deepEqual(await idsOf('&active=true'), [ofSite.id]);
    assert.deepEqual(await idsOf('&frequency=monthly'), [ofClient.id]);
    assert.deepEqual(await idsOf('&search=TELO'), [ofClient.id]);
    assert.deepEqual(await idsOf('&orderby=created_at&order=desc'), [ofClient.id, ofSite.id]);
    const cost = (perPage: number) =>
      world.countStatements(() => world.request('GET', `${BASE}?per_page=${perPage}&orderby=next_run`));
    await cost(5);
    assert.equal(await cost(100), await cost(5));
  });

  it('when the site or client is deleted, then its schedules are deleted and its reports are kept', async () => {
    const gone = await createClientWithSites(world, 'Gone', 'gone@example.com', world.siteId(2));
    const [ofSite, ofClient] = [
      await addReportSchedule(world, { site_id: world.siteId(2) }),
      await addReportSchedule(world, { client_id: gone }),
    ];
    const [one, two] = [await makeReport(world, ofSite.id), await makeReport(world, ofClient.id)];
    await world.request('DELETE', `/api/v2/sites/${world.siteId(2)}/remove`);
    await world.request('DELETE', `/api/v2/clients/${gone}/remove`);
    for (const { id } of [ofSite, ofClient]) await world.request('GET', `${BASE}/${id}`, { expect: 404 });
    const kept = (await listReports(world)).filter(({ id }: { id: number }) => [one.id, two.id].includes(id));
    assert.deepEqual(
      kept.map((report: Record<string, unknown>) => [
        ...[report['id'], report['name'], report['schedule_id'], report['site_id'], report['client_id']],
        report['status'],
      ]),
      [
        [two.id, 'Gone', null, null, null, 'made'],
        [one.id, one.name, null, null, null, 'made'],
      ],
    );
  });

  it('when the module is off, then its routes return 404', async () => {
    await withoutModule(world, 'pro-reports', async () => {
      for (const path of [BASE, '/api/v2/reports']) {
        const { body } = await world.request('GET', path, { expect: 404 });
        assert.equal(body.code, 'svc_module_not_available');
      }
    });
  });

  it('when the caller may only read, then a schedule cannot be added', async () => {
    const body = { name: 'A', frequency: 'weekly', client_id: client };
    await world.request('POST', `${BASE}/add`, { as: 'reader', body, expect: 403 });
    await world.request('GET', BASE, { as: 'reader' });
  });
});
