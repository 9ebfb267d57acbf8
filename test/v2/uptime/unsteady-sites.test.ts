import assert from 'node:assert/strict';
import { FakeMonotonicClock } from '../../support/monotonic-time.ts';
import { alertsOf, incidentsIn } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

const M = '/api/v2/monitors';

/** Deadline for the response of a site, in milliseconds. */
const PATIENCE = 1_000;

describe('monitors of unstable sites', () => {
  let world: World;
  before(async () => {
    const deadlines = { confirmAfterMs: 0, checkMs: PATIENCE };
    world = await startWorld({ sites: 6, fleet: { requestLog: 200 }, overrides: { tickMs: null, deadlines } });
  });
  after(() => world.close());

  const set = (index: number, body: object) =>
    world.request('PUT', `${M}/${world.siteId(index)}/settings`, { body: { active: false, ...body } });
  const check = async (index: number) => (await world.request('POST', `${M}/${world.siteId(index)}/check`)).body.data;
  const checkOften = async (index: number, times: number): Promise<void> => {
    world.site(index).requests.length = 0;
    for (let round = 0; round < times; round++) await check(index);
  };
  const incidentsOf = async (index: number): Promise<{ resolved: boolean; down_count: number }[]> =>
    (await world.request('GET', `${M}/${world.siteId(index)}/incidents?per_page=200`)).body.data;
  const alertsAbout = async (index: number): Promise<string[]> => {
    const alerts = await alertsOf<{ state: string }>(world, 'uptime');
    return alerts.flatMap(({ site_id, facts }) => (site_id === world.siteId(index) ? [facts.state] : []));
  };
  /** Returns for each request if the site answered it with 200. */
  const answered = (index: number): boolean[] => world.site(index).requests.map(({ status }) => status === 200);

  for (const [index, maxretries] of [
    [0, 1],
    [1, 0],
  ] as const)
    it(`when connections drop and maxretries is ${maxretries}, then two failures in a row raise an alert`, async () => {
      await set(index, { maxretries });
      world.site(index).fault = { kind: 'drops', share: 0.4, seed: 17 };
      await checkOften(index, 50);
      const { opened, closed } = incidentsIn(answered(index));
      // The random faults must include single failures and failures in a row.
      assert.ok(opened.length >= 3 && isolatedFailures(answered(index)) >= 3);
      const incidents = await incidentsOf(index);
      assert.deepEqual(
        [incidents.length, incidents.filter(({ resolved }) => resolved).length],
        [opened.length, closed.length],
      );
      const alerts = await alertsAbout(index);
      assert.deepEqual(
        alerts,
        opened.flatMap((_, at) => (at < closed.length ? ['down', 'up'] : ['down'])),
      );
    });

  for (const [index, maxretries] of [
    [2, 1],
    [3, 0],
  ] as const)
    it(`when every other request fails and maxretries is ${maxretries}, then no alert is raised`, async () => {
      await set(index, { maxretries });
      world.site(index).fault = { kind: 'flapping' };
      await checkOften(index, 12);
      assert.ok(answered(index).filter((isUp) => !isUp).length >= 6);
      assert.deepEqual([await incidentsOf(index), await alertsAbout(index)], [[], []]);
    });

  it('when two of three requests fail, then each incident raises an alert at its start and its end', async () => {
    world.site(4).fault = { kind: 'flapping', lost: 2, through: 1 };
    await checkOften(4, 8);
    assert.deepEqual(await alertsAbout(4), ['down', 'up', 'down', 'up', 'down', 'up', 'down', 'up']);
    assert.deepEqual(
      (await incidentsOf(4)).map(({ down_count, resolved }) => [down_count, resolved]),
      Array(4).fill([1, true]),
    );
  });

  it('when the first byte is late, then the check times out, and two timeouts in a row raise an alert', async () => {
    const site = world.site(5);
    await FakeMonotonicClock.hold(async (time) => {
      time.passAt(site, 80);
      const slow = await check(5);
      assert.deepEqual([slow.uptime_status, slow.evidence.attempts[0].first_byte_ms], ['up', 80]);
    });
    const tooSlow = { kind: 'delay', ms: 20 * PATIENCE } as const;
    site.faultQueue.push(tooSlow);
    const once = await check(5);
    assert.deepEqual(findingsOf(once), ['timeout', 'status_accepted']);
    assert.equal(once.evidence.attempts[0].first_byte_ms, null);
    assert.deepEqual([once.uptime_status, await alertsAbout(5)], ['up', []]);
    site.faultQueue.push(tooSlow, tooSlow);
    assert.deepEqual(findingsOf(await check(5)), ['timeout', 'timeout']);
    assert.deepEqual(await alertsAbout(5), ['down']);
  });
});

const findingsOf = ({ evidence }: { evidence: { attempts: { finding: string }[] } }): string[] =>
  evidence.attempts.map(({ finding }) => finding);

const isolatedFailures = (attempts: readonly boolean[]): number =>
  attempts.filter((isUp, at) => !isUp && attempts[at - 1] !== false && attempts[at + 1] !== false).length;
