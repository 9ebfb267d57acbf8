import assert from 'node:assert/strict';
import { recordCalls, maxConcurrentCalls, type RecordedCall } from '../support/calls.ts';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';
import { FLEET_TOOLS, RUN_IDS } from '../support/tools.ts';
import { until } from '../support/until.ts';

const SITES = 12;
/** The process that changes a setting, and the process that is called next. */
const BOTH_WAYS = [
  [0, 1],
  [1, 0],
] as const;

(sharedServer() ? describe : describe.skip)('settings of two processes with one MariaDB', function () {
  this.timeout(120_000);
  let services: ServiceFleet;
  before(async () => {
    services = await ServiceFleet.start({ sites: SITES, latencyMs: 300 });
  });
  after(() => services.close());

  const edit = (index: number, group: string, body: object) =>
    services.request(index, 'PUT', `/api/v2/settings/${group}/edit`, body);
  const seen = (work: () => Promise<unknown>, isMeant: (call: RecordedCall) => boolean) =>
    recordCalls(services.fleet.sites, work, isMeant);
  /** Returns the highest number of concurrent checks when a process checks all sites. */
  const checksAtOnce = async (index: number): Promise<number> => {
    const check = () => services.request(index, 'POST', '/abilities/v1/svc/check-sites-v1/run', { input: {} });
    return maxConcurrentCalls((await seen(check, ({ method }) => method === 'HEAD')).flat());
  };

  for (const [editor, other] of BOTH_WAYS)
    it(`when process ${editor} changes a limit, then both processes use it from the next call on`, async () => {
      for (const most of [2, 6, 3]) {
        await edit(editor, 'advanced', { svc_maximum_uptime_monitoring_requests: most });
        for (const index of [other, editor])
          await until(async () => {
            const atOnce = await checksAtOnce(index);
            assert.ok(atOnce <= most, `${atOnce} checks of process ${index} at the same time, and not ${most}`);
            // A busy machine may start fewer.
            return atOnce === most;
          }, `${most} checks at the same time`);
      }
    });

  for (const [editor, other] of BOTH_WAYS)
    it(`when process ${editor} changes the signature digest, then the other process signs its next call with it`, async () => {
      for (const [digest, number] of [
        ['sha512', '9'],
        ['sha384', '8'],
      ]) {
        await edit(editor, 'advanced', { svc_connect_signature_algo: digest });
        const calls = await seen(
          () => services.request(other, 'POST', '/api/v2/sites/1/sync'),
          ({ signed }) => signed,
        );
        assert.deepEqual([...new Set(calls.flat().map(({ fields }) => fields['sign_algo']))], [number]);
      }
    });

  for (const [editor, other] of BOTH_WAYS)
    it(`when process ${editor} changes a settings group, then the other process reads it and updates its schedule`, async () => {
      for (const time of ['5:10', '6:20']) {
        await edit(editor, 'general', { time_daily_update: time, frequency_daily_update: 1 });
        const { data } = await services.request(other, 'GET', '/api/v2/settings/general');
        assert.equal(data.time_daily_update, time);
        const [hour, minute] = time.split(':');
        const schedule = await services.request(other, 'GET', '/api/v2/schedules/daily-sync');
        assert.equal(schedule.data.pattern, `${minute} ${hour} * * *`);
      }
    });

  it('when both processes start one tool many times, then one run begins', async () => {
    for (const tool of FLEET_TOOLS) {
      const started = await Promise.all(
        Array.from({ length: 20 }, (_, at) => services.request(at % 2, 'POST', `/api/v2/settings/tools/${tool}`)),
      );
      const ids = new Set(started.map((answer) => answer[RUN_IDS[tool]] as string));
      assert.deepEqual(await services.knex('jobs').where({ kind: tool }).pluck('id'), [...ids]);
      await services.finishedJob(0, [...ids][0] ?? '');
    }
  });
});
