import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { ALPHA, BETA, GAMMA, installPluginsInMixedStates } from '../../support/inventory.ts';
import { readChangesOf } from '../../support/changes.ts';
import { createGate } from '../../queue/support.ts';
import {
  deleteSite,
  disconnectSite,
  reconnectSite,
  suspendSite,
  syncSites,
  unsuspendSite,
} from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import { withWorld, type CallOptions, type World } from '../../support/world.ts';

/** Several operations on one site at once. The site takes its calls one after another. */
describe('turns at a site', () => {
  let world: World;
  let id: number;
  let site: SimulatedSite;
  withWorld({ sites: 40, connect: 0 }, (started) => (world = started));
  beforeEach(async () => {
    ({ id, site } = await world.freshSite(installPluginsInMixedStates));
    await syncSites(world, id);
  });

  const status = async (): Promise<string> => (await world.ability('get-site-v1', { site_id_or_domain: id })).status;
  const waiting = (): number => world.container.child.schedulerStats().waiting;
  const reconnect = (options: CallOptions) => world.ability('reconnect-site-v1', { site_id_or_domain: id }, options);
  const runUpdates = (options: CallOptions = {}) =>
    world.ability('run-updates-v1', { site_ids_or_domains: [id], types: ['plugins'] }, options);
  const active = async (slug: string): Promise<boolean> => {
    const { plugins } = await world.ability('get-site-plugins-v1', { site_id_or_domain: id });
    return (plugins as { slug: string; active: boolean }[]).some((plugin) => plugin.slug === slug && plugin.active);
  };

  const releaseUpdates = (): void => {
    for (const plugin of [ALPHA, BETA, GAMMA])
      site.performWpAdminAction({ do: 'release-plugin', plugin, version: '3.0.0' });
  };

  /** Starts work whose call of this function is held at the site until `release`. */
  async function held<T>(name: string, begin: () => Promise<T>): Promise<{ release: () => void; ended: Promise<T> }> {
    let release = (): void => undefined;
    const opened = new Promise<void>((resolve) => (release = resolve));
    site.faultQueue.push({ kind: 'delay', ms: { until: opened }, function: name });
    const before = site.countOf(name);
    const ended = begin();
    ended.catch(() => undefined);
    await until(() => site.countOf(name) > before, `a call of ${name}`);
    return { release, ended };
  }

  /** Starts work whose next call waits for its turn at the site. */
  async function queued<T>(begin: () => Promise<T>): Promise<Promise<T>[]> {
    const before = waiting();
    const ended = begin();
    ended.catch(() => undefined);
    await until(() => waiting() > before, 'a call that waits for the site');
    return [ended];
  }

  describe('a key that is renewed', () => {
    it('when a sync waits for a reconnection, then it is signed with the new key', async () => {
      const reconnection = await held('register', () => reconnectSite(world, id));
      const [sync] = await queued(() => syncSites(world, id));
      reconnection.release();
      await reconnection.ended;
      assert.equal((await sync)?.total_synced, 1);
      assert.equal(await status(), 'connected');
      assert.deepEqual(await readChangesOf(world, id, 'site.disconnected'), []);
    });

    it('when keys are renewed during an update run, then the run continues with the new key', async () => {
      releaseUpdates();
      await syncSites(world, id);
      const run = await held('upgradeplugintheme', () => runUpdates());
      const [reconnection] = await queued(() => reconnectSite(world, id));
      run.release();
      const { updated, errors } = await run.ended;
      await reconnection;
      assert.deepEqual([updated.length, errors], [3, []]);
      assert.equal(await status(), 'connected');
    });

    it('when a site is reconnected again and again during an update run, then no call ends with an old key', async () => {
      releaseUpdates();
      await syncSites(world, id);
      site.latencyMs = 3;
      const run = runUpdates();
      await Promise.all(Array.from({ length: 4 }, () => reconnectSite(world, id)));
      const { updated, errors } = await run;
      assert.deepEqual([updated.length, errors], [3, []]);
      assert.equal(await status(), 'connected');
    });

    it('when the child refuses the key that is stored, then the site becomes disconnected', async () => {
      site.replaceKey('another key');
      assert.equal((await syncSites(world, id)).errors[0].code, 'svc_site_refused');
      assert.equal(await status(), 'disconnected');
      assert.equal((await readChangesOf(world, id, 'site.disconnected')).length, 1);
    });
  });

  describe('a reconnection', () => {
    it('when the site is suspended meanwhile, then it stays suspended, with the new key', async () => {
      const reconnection = await held('register', () => reconnect({ expect: 409 }));
      await suspendSite(world, id);
      reconnection.release();
      assert.equal((await reconnection.ended).code, 'svc_site_suspended');
      assert.equal(await status(), 'suspended');
      await unsuspendSite(world, id);
      assert.equal((await syncSites(world, id)).total_synced, 1);
    });

    it('when the site is disconnected meanwhile, then it stays disconnected', async () => {
      const reconnection = await held('register', () => reconnect({ expect: 409 }));
      await disconnectSite(world, id);
      reconnection.release();
      assert.equal((await reconnection.ended).code, 'svc_site_disconnected');
      assert.equal(await status(), 'disconnected');
      await reconnectSite(world, id);
      assert.equal(await status(), 'connected');
    });

    it('when the site is suspended while the registration waits, then the site is not called', async () => {
      const sync = await held('stats', () => syncSites(world, id));
      const [reconnection] = await queued(() => reconnect({ expect: 409 }));
      await suspendSite(world, id);
      const before = site.countOf('register');
      sync.release();
      assert.equal((await reconnection).code, 'svc_site_suspended');
      assert.equal(site.countOf('register'), before);
    });

    it('when the site is deleted meanwhile, then the deletion waits, and releases the child with the new key', async () => {
      const reconnection = await held('register', () => reconnectSite(world, id));
      const deletion = deleteSite(world, id);
      reconnection.release();
      assert.equal((await reconnection.ended).reconnected, true);
      const { child_notified: notified } = await deletion;
      assert.equal(notified, true);
      assert.equal(site.state.connection.publicKey, null);
    });
  });

  describe('a site that must not be called any more', () => {
    for (const [change, code, end] of [
      ['suspended', 'svc_site_suspended', suspendSite],
      ['disconnected', 'svc_site_disconnected', disconnectSite],
    ] as const) {
      it(`when it is ${change} while a call waits, then the call is not sent`, async () => {
        const sync = await held('stats', () => syncSites(world, id));
        const [action] = await queued(() =>
          world.ability('activate-site-plugins-v1', { site_id_or_domain: id, slugs: [ALPHA] }, { expect: 409 }),
        );
        await end(world, id);
        sync.release();
        assert.equal((await action).code, code);
        assert.equal(site.countOf('plugin_action'), 0);
        assert.equal(await status(), change);
      });

      it(`when it is ${change} during an update run, then the remaining steps are not sent`, async () => {
        releaseUpdates();
        await syncSites(world, id);
        const run = await held('upgradeplugintheme', () => runUpdates());
        await end(world, id);
        const before = site.requests.length;
        run.release();
        const { updated, errors } = await run.ended;
        assert.deepEqual(
          [...updated, ...errors].map((entry: { slug: string; code?: string }) => [entry.slug, entry.code ?? 'done']),
          [
            [ALPHA, 'svc_outcome_unknown'],
            [BETA, code],
            [GAMMA, code],
          ],
        );
        assert.equal(site.requests.length, before, 'no call after the answer');
      });
    }
  });

  describe('reports that are stored late', () => {
    /** Holds the next report between its receipt and its storing. */
    function holdStoring(): { open: () => void; arrived: () => Promise<void> } {
      const gate = createGate();
      const { sync } = world.container.services.sites;
      const store = sync.store.bind(sync);
      sync.store = async (...args) => {
        sync.store = store;
        await gate.pass();
        return store(...args);
      };
      return { open: () => gate.open(), arrived: () => until(() => gate.waiting() === 1, 'a report') };
    }

    const failSyncs = (): void => void (site.fault = { kind: 'scalar', value: 1, function: 'stats' });
    const endFault = (): void => void (site.fault = null);
    const syncErrorCodes = async (): Promise<string[]> => {
      const { body } = await world.request('GET', `/api/v2/sites/${id}`);
      return (body.data.sync_errors as { code: string }[]).map(({ code }) => code);
    };

    it('when an older report arrives after an action, then the action stays in the record', async () => {
      site.performWpAdminAction({ do: 'release-plugin', plugin: ALPHA, version: '3.0.0' });
      const storing = holdStoring();
      const sync = syncSites(world, id);
      await storing.arrived();
      await world.ability('deactivate-site-plugins-v1', { site_id_or_domain: id, slugs: [GAMMA] });
      storing.open();
      assert.equal((await sync).total_synced, 1);
      assert.equal(await active(GAMMA), false);
    });

    it('when the newer report equals what was stored before both, then it counts', async () => {
      const storing = holdStoring();
      const activation = world.ability('activate-site-plugins-v1', { site_id_or_domain: id, slugs: [ALPHA] });
      await storing.arrived();
      site.performWpAdminAction({ do: 'deactivate-plugin', plugin: ALPHA });
      assert.equal((await syncSites(world, id)).total_synced, 1);
      storing.open();
      await activation;
      assert.equal(await active(ALPHA), false);
    });

    it('when a sync fails late, then its error does not replace a newer success', async () => {
      const { sync } = world.container.services.sites;
      const pull = sync.pull.bind(sync);
      const gate = createGate();
      sync.pull = (...args) => {
        sync.pull = pull;
        return pull(...args).catch(async (error: unknown) => {
          await gate.pass();
          throw error;
        });
      };
      failSyncs();
      const failing = syncSites(world, id);
      await until(() => gate.waiting() === 1, 'an error');
      endFault();
      assert.equal((await syncSites(world, id)).total_synced, 1);
      gate.open();
      await failing;
      assert.deepEqual(await syncErrorCodes(), []);
      failSyncs();
      await syncSites(world, id);
      assert.deepEqual(await syncErrorCodes(), ['svc_site_bad_answer'], 'the next failure');
      endFault();
    });

    it('when an older report is stored late, then it does not remove the error of a newer sync', async () => {
      const storing = holdStoring();
      const sync = syncSites(world, id);
      await storing.arrived();
      failSyncs();
      await syncSites(world, id);
      endFault();
      storing.open();
      assert.equal((await sync).total_synced, 1);
      assert.deepEqual(await syncErrorCodes(), ['svc_site_bad_answer']);
      assert.equal((await syncSites(world, id)).total_synced, 1);
      assert.deepEqual(await syncErrorCodes(), [], 'after the next success');
    });

    it('when the site is deleted during an action, then the action answers that it does not exist', async () => {
      const { changeLog } = world.container.services.changes;
      const append = changeLog.append.bind(changeLog);
      changeLog.append = async (trx, ...changes) => {
        changeLog.append = append;
        await trx('sites').where({ id }).delete();
        return append(trx, ...changes);
      };
      const input = { site_id_or_domain: id, slugs: [ALPHA] };
      const action = await world.ability('activate-site-plugins-v1', input, { expect: 404 });
      assert.equal(action.code, 'svc_site_not_found');
    });

    it('when the site is deleted meanwhile, then the sync answers that it does not exist', async () => {
      site.performWpAdminAction({ do: 'release-plugin', plugin: ALPHA, version: '3.0.0' });
      const storing = holdStoring();
      const sync = world.request('POST', `/api/v2/sites/${id}/sync`, { expect: 404 });
      await storing.arrived();
      await deleteSite(world, id);
      storing.open();
      assert.equal((await sync).body.code, 'svc_site_not_found');
    });
  });
});
