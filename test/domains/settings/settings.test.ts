import assert from 'node:assert/strict';
import { Sealing } from '../../../src/db/sealing.ts';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { SettingsService, type SettingsPatch } from '../../../src/domains/settings/index.ts';
import { InvalidError } from '../../../src/shared/errors.ts';
import { loggedChanges } from '../../support/changes.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ADVANCED_DEFAULTS } from '../../support/settings.ts';
import { until } from '../../support/until.ts';

const RANGES: [keyof typeof ADVANCED_DEFAULTS, number, number][] = [
  ['svc_maximum_requests', 1, 500],
  ['svc_minimum_delay', 0, 5000],
  ['svc_maximum_ip_requests', 1, 50],
  ['svc_minimum_ip_delay', 0, 5000],
  ['svc_maximum_sync_requests', 1, 500],
  ['svc_maximum_install_update_requests', 1, 500],
  ['svc_maximum_uptime_monitoring_requests', 1, 500],
  ['svc_ssl_verify_certificate', 0, 1],
  ['svc_rest_batch_items_limit', 1, 1000],
];
const patchOf = (patch: Record<string, unknown>) => patch as SettingsPatch<'advanced'>;

describe('settings', () => {
  let store: TestDatabase;
  let clock: { time: number; now(): number };
  let settings: SettingsService;
  let elsewhere: SettingsService;

  const rows = async () => (await store.database.knex('settings').orderBy('name').pluck('name')) as string[];
  const descriptions = async () =>
    (await loggedChanges(store.database.knex, 'description')).map(({ description }) => description);

  beforeEach(async () => {
    store = await openTestDatabase();
    clock = { time: 1_000_000, now: () => clock.time };
    const { database } = store;
    const parts = { database, clock, sealing: new Sealing(Sealing.newKey()), changeLog: new ChangeLog(clock) };
    settings = new SettingsService(parts);
    elsewhere = new SettingsService(parts);
  });
  afterEach(async () => {
    settings.stop();
    elsewhere.stop();
    await store.close();
  });

  it('when no setting was changed, then all have their defaults', async () => {
    assert.deepEqual(settings.current('advanced'), ADVANCED_DEFAULTS);
    assert.deepEqual(await settings.read('advanced'), ADVANCED_DEFAULTS);
  });

  it('when a value is in its range, then it is accepted, otherwise rejected', async () => {
    for (const [name, min, max] of RANGES) {
      for (const value of [min, max])
        assert.equal((await settings.edit('advanced', patchOf({ [name]: value }), 'tester'))[name], value, name);
      for (const value of [min - 1, max + 1, 1.5, 'many', {}])
        await assert.rejects(settings.edit('advanced', patchOf({ [name]: value }), 'tester'), InvalidError, name);
    }
  });

  it('when a field is omitted, then its value stays, and null restores the default', async () => {
    await settings.edit('advanced', { svc_maximum_requests: 10, svc_minimum_delay: 20 }, 'tester');
    assert.deepEqual(await rows(), ['advanced.svc_maximum_requests', 'advanced.svc_minimum_delay']);
    const after = await settings.edit('advanced', { svc_maximum_requests: null }, 'tester');
    assert.deepEqual(after, { ...ADVANCED_DEFAULTS, svc_minimum_delay: 20 });
    assert.deepEqual(await rows(), ['advanced.svc_minimum_delay']);
  });

  it('when some keys of an object are sent, then the others stay and null restores a default', async () => {
    const widgets = async () => (await settings.read('general')).svc_widgets;
    const whole = { ...(await widgets()) };
    const after = await settings.edit('general', { svc_widgets: { notes: 0, clients: 0 } }, 'tester');
    assert.deepEqual(after.svc_widgets, { ...whole, notes: 0, clients: 0 });
    await settings.edit('general', { svc_widgets: { clients: null } }, 'tester');
    assert.deepEqual(await widgets(), { ...whole, notes: 0 });
    await settings.edit('general', { svc_widgets: {} }, 'tester');
    assert.deepEqual(await widgets(), { ...whole, notes: 0 });
    await settings.edit('general', { svc_widgets: null }, 'tester');
    assert.deepEqual(await widgets(), whole);
    assert.deepEqual(await rows(), []);
    assert.deepEqual(await descriptions(), [
      'Settings changed: general.svc_widgets.notes = 0, general.svc_widgets.clients = 0.',
      'Settings changed: general.svc_widgets.clients = 1.',
      'Settings changed: general.svc_widgets = default.',
    ]);
  });

  it('when a stored object has missing and unknown keys, then it is completed and cleaned', async () => {
    await store.database
      .knex('settings')
      .insert({ name: 'general.svc_widgets', value: '{"notes":0,"gone":1,"clients":7}', updated_at: 1 });
    const { svc_widgets: widgets } = await settings.read('general');
    assert.deepEqual([widgets.notes, widgets.clients, Object.keys(widgets).length], [0, 1, 15]);
  });

  it('when fields contradict each other, then the error names each and nothing changes', async () => {
    const edit = (patch: SettingsPatch<'monitoring'>) => settings.edit('monitoring', patch, 'tester');
    const refused = (paths: string[]) => (error: unknown) => {
      assert.ok(error instanceof InvalidError);
      assert.deepEqual(
        error.data.errors?.map(({ path }) => path),
        paths,
      );
      return true;
    };
    const both = { svc_uptime_monitoring_type: 'keyword', svc_uptime_monitoring_timeout: 29 } as const;
    await assert.rejects(edit(both), refused(['svc_uptime_monitoring_timeout', 'svc_uptime_monitoring_keyword']));
    assert.deepEqual(await rows(), []);
    await edit({ svc_uptime_monitoring_type: 'keyword', svc_uptime_monitoring_keyword: 'Welcome' });
    await assert.rejects(edit({ svc_uptime_monitoring_keyword: null }), refused(['svc_uptime_monitoring_keyword']));
    await edit({ svc_uptime_monitoring_type: null, svc_uptime_monitoring_keyword: null });
    for (const timeout of [0, 30]) await edit({ svc_uptime_monitoring_timeout: timeout });
    const zone = settings.edit('general', { timezone_string: 'Europe/Atlantis' }, 'tester');
    await assert.rejects(zone, refused(['timezone_string']));
  });

  it('when several fields are invalid, then the error names each and nothing changes', async () => {
    const patch = patchOf({ svc_minimum_delay: 7, svc_maximum_requests: 0, nonsense: 1, constructor: 1 });
    await assert.rejects(settings.edit('advanced', patch, 'tester'), (error) => {
      assert.ok(error instanceof InvalidError);
      assert.equal(error.code, 'invalid_input');
      assert.deepEqual(
        error.data.errors?.map(({ path }) => path),
        ['svc_maximum_requests', 'nonsense', 'constructor'],
      );
      return true;
    });
    assert.deepEqual(await settings.read('advanced'), ADVANCED_DEFAULTS);
    assert.deepEqual(await rows(), []);
  });

  it('when an edit returns, then the same process uses the new settings', async () => {
    await settings.read('advanced');
    await settings.edit('advanced', { svc_maximum_ip_requests: 9 }, 'tester');
    assert.equal(settings.current('advanced').svc_maximum_ip_requests, 9);
  });

  it('when an edit returns, then the next refresh in another process loads it', async () => {
    assert.equal((await elsewhere.read('advanced')).svc_maximum_requests, 32);
    for (const most of [9, 10]) {
      await settings.edit('advanced', { svc_maximum_requests: most }, 'tester');
      assert.notEqual(elsewhere.current('advanced').svc_maximum_requests, most);
      await elsewhere.refresh();
      assert.equal(elsewhere.current('advanced').svc_maximum_requests, most);
    }
  });

  it('when nothing was edited, then a refresh sends one SQL statement', async () => {
    await settings.refresh();
    const statements: string[] = [];
    store.database.knex.on('query', ({ sql }: { sql: string }) => statements.push(sql));
    await settings.refresh();
    assert.equal(statements.length, 1);
    assert.match(statements[0] ?? '', /revisions/);
  });

  it('when the service is started, then a timer loads changes of other processes', async () => {
    await elsewhere.start();
    await settings.edit('advanced', { svc_maximum_requests: 9 }, 'tester');
    // The clock of the test stands still, so only the timer can load the change.
    await until(() => elsewhere.current('advanced').svc_maximum_requests === 9, 'the change to be known elsewhere');
  });

  it('when a stored value is no longer valid, then the default is used', async () => {
    await store.database.knex('settings').insert([
      { name: 'advanced.svc_maximum_requests', value: '9999', updated_at: 1 },
      { name: 'advanced.of_an_older_version', value: '1', updated_at: 1 },
    ]);
    assert.deepEqual(await settings.read('advanced'), ADVANCED_DEFAULTS);
  });

  it('when settings change, then the change is logged, and an edit without a change is not', async () => {
    await settings.edit('advanced', { svc_maximum_requests: 10 }, 'tester');
    await settings.edit('advanced', { svc_maximum_requests: 10, svc_minimum_delay: null }, 'tester');
    await settings.edit('advanced', { svc_maximum_requests: null }, 'tester');
    assert.deepEqual(await descriptions(), [
      'Settings changed: advanced.svc_maximum_requests = 10.',
      'Settings changed: advanced.svc_maximum_requests = default.',
    ]);
  });
});
