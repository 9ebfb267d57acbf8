import assert from 'node:assert/strict';
import type { FakeMailServer } from '../support/mail.ts';
import { sharedServer, withMailedFleet, type ServiceFleet } from '../support/service-fleet.ts';
import { eventually, until } from '../support/until.ts';

const SITES = 50;
/** Sites that are down, in the order of the checks. At the kill, some were recorded, some called, and some neither. */
const DOWN = [1, 4, 28, 31, 45];
const ASKED_BEFORE_KILL = 34;

/** On MariaDB one of two processes is killed. On SQLite the only process is restarted. */
describe('monitors of a killed process', function () {
  this.timeout(150_000);
  let mails: FakeMailServer;
  let services: ServiceFleet;
  withMailedFleet({ sites: SITES, latencyMs: 50 }, (started) => ({ services, mails } = started));

  const other = sharedServer() ? 1 : 0;
  const ask = (method: string, path: string, body?: object) => services.request(other, method, `/api/v2${path}`, body);
  const countOf = async (status: string): Promise<number> =>
    (await ask('GET', `/monitors/count?status=${status}`)).count;

  it('when the process dies during a run, then the checks continue and nothing is counted or mailed twice', async () => {
    const { fleet } = services;
    for (const index of DOWN) (fleet.sites[index] ?? assert.fail()).fault = { kind: 'raw', status: 503, body: '' };
    await ask('PUT', '/settings/emails/uptime/edit', { recipients: 'ops@example.com' });
    await services.request(0, 'PUT', '/api/v2/monitors/settings', { active: true, interval: 60 });
    fleet.gauge.reset();
    const { job_id: run } = await services.runSchedule(0, 'uptime-checks');
    await until(() => fleet.gauge.total >= ASKED_BEFORE_KILL, 'the first half of the sites to be asked', 30_000);
    await services.kill(0);
    if (!sharedServer()) await services.restart(0);
    const before = await countOf('first');
    assert.ok(before > 0 && before < SITES, `${before} monitors were unchecked`);
    // On MariaDB the other process waits for the lease of the dead process.
    await services.finishedJob(other, run);
    await eventually(async () => (await countOf('first')) === 0, 'all monitors to be checked');

    const isDown = (id: number): boolean => DOWN.includes(id - 1);
    for (let id = 1; id <= SITES; id++) {
      const { data } = await ask('GET', `/monitors/${id}`);
      const hours: { up: number; down: number }[] = data.uptime_24h;
      const [up, down] = [
        hours.reduce((sum, hour) => sum + hour.up, 0),
        hours.reduce((sum, hour) => sum + hour.down, 0),
      ];
      const expected = isDown(id) ? [1, 'down', 0, 1, 1] : [1, 'up', 1, 0, 0];
      const incidents = (await ask('GET', `/monitors/${id}/incidents`)).total;
      assert.deepEqual([data.heartbeats.length, data.last_status, up, down, incidents], expected, `monitor ${id}`);
    }

    if (sharedServer()) await services.restart(0);
    // Both processes write the alert mails at the same time.
    await Promise.all([0, other].map((index) => services.runSchedule(index, 'alert-mails')));
    const urls = new Map<string, number>();
    for (const index of DOWN) urls.set((await ask('GET', `/sites/${index + 1}`)).data.url, index);
    const told = (): number[] =>
      mails.received
        .flatMap(({ mail }) => (mail.text ?? '').split('\n').flatMap((line) => urls.get(line.trim()) ?? []))
        .sort((a, b) => a - b);
    await until(() => told().length >= DOWN.length, 'the mails');
    assert.equal((await ask('GET', '/outbox?type=uptime')).total, mails.received.length);
    assert.deepEqual(told(), DOWN);
  });
});
