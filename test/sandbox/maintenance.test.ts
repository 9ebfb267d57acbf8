import assert from 'node:assert/strict';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE, putAlpha } from '../support/packages.ts';
import { until } from '../support/until.ts';
import { connectedState, encode, sendSigned, signedForm } from './support/dashboard.ts';

const UPGRADE = 'upgradeplugintheme';
const TEN_MINUTES = 600_000;

/** Expected values are those of WordPress 7.0.4 and 7.1 with MainWP Child 6.1. */
describe('maintenance mode that a cut update leaves', () => {
  let fleet: Fleet;
  let now = Date.now();
  let next = 0;

  before(async () => {
    fleet = await startFleet({ sites: 8, primedKeys: () => connectedState(), now: () => now });
  });
  after(() => fleet.close());

  const fresh = ({ active = true } = {}): SimulatedSite => {
    const site = fleet.sites[next++] ?? assert.fail();
    putAlpha(site, { active });
    return site;
  };
  const versionOn = (site: SimulatedSite): string | undefined => site.state.plugins.get(ALPHA_FILE)?.version;
  const frontOf = async (site: SimulatedSite): Promise<number> => (await fetch(site.url)).status;
  const signedStatus = async (site: SimulatedSite): Promise<number> => (await sendSigned(site, 'stats', {})).status;
  const form = { type: 'plugin', list: ALPHA_FILE };

  /** Sends an update, and hangs up after the site has replaced the files. */
  const cut = async (site: SimulatedSite): Promise<void> => {
    site.faultQueue.push({ kind: 'late', ms: 60_000, function: UPGRADE });
    const caller = new AbortController();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = fetch(new URL('wp-admin/admin-ajax.php', site.url), {
      ...{ method: 'POST', headers, body: encode(signedForm(UPGRADE, form)), signal: caller.signal },
    }).catch(() => undefined);
    await until(() => versionOn(site) === '1.2', 'the exchange of the files');
    const during = site.state.plugins.get(ALPHA_FILE)?.active ? 503 : 200;
    assert.equal(await frontOf(site), during);
    caller.abort();
    await sent;
    await until(() => site.requests.some((entry) => entry.function === UPGRADE && entry.finishedAt), 'the end');
  };

  it('when the caller of an update of an active plugin hangs up, then nothing answers for ten minutes', async () => {
    const site = fresh();
    await cut(site);
    now += TEN_MINUTES - 1_000;
    assert.deepEqual([versionOn(site), await frontOf(site), await signedStatus(site)], ['1.2', 503, 503]);
    now += 1_000;
    assert.deepEqual([await frontOf(site), await signedStatus(site)], [200, 200]);
  });

  it('when the next update runs after that, then it removes the file', async () => {
    const site = fresh();
    await cut(site);
    now += TEN_MINUTES;
    assert.notEqual(site.maintenanceFile, null);
    await sendSigned(site, UPGRADE, form);
    assert.equal(site.maintenanceFile, null);
  });

  it('when the plugin is inactive, then the update is complete, and the site is not in maintenance mode', async () => {
    const site = fresh({ active: false });
    await cut(site);
    assert.deepEqual([versionOn(site), await frontOf(site), site.maintenanceFile], ['1.2', 200, null]);
  });

  it('when the caller waits, then the site leaves maintenance mode with the response', async () => {
    const site = fresh();
    site.faultQueue.push({ kind: 'late', ms: 20, function: UPGRADE });
    assert.equal((await sendSigned(site, UPGRADE, form)).status, 200);
    assert.deepEqual([versionOn(site), await frontOf(site)], ['1.2', 200]);
  });

  it('when the site has a guard file, then WordPress ends the update although its caller has hung up', async () => {
    const site = fresh();
    const file = { id: 'a'.repeat(32), kind: 'plugin' as const, folder: 'rig-alpha', publicKey: '', expiresAt: 0 };
    const state = { lastSequence: '', activated: '', isActivationArmed: false, copy: null, restored: null };
    site.state.guardFiles.set('sitefleet-guard.php', { ...file, ...state });
    await cut(site);
    assert.deepEqual([versionOn(site), await frontOf(site), site.maintenanceFile], ['1.2', 200, null]);
  });

  it('when a gateway gives up, then the site is left in maintenance mode unless it ignores hang-ups', async () => {
    for (const [leavesMaintenance, status] of [
      [true, 503],
      [undefined, 200],
    ] as const) {
      const site = fresh();
      const fault = { kind: 'goes-on', doneMs: 10, function: UPGRADE } as const;
      site.faultQueue.push(leavesMaintenance ? { ...fault, leavesMaintenance } : fault);
      await sendSigned(site, UPGRADE, form).catch(() => undefined);
      await until(() => versionOn(site) === '1.2' && site.maintenance === 0, 'the exchange of the files');
      assert.equal(await frontOf(site), status);
    }
  });
});
