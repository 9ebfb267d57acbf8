import assert from 'node:assert/strict';
import {
  createKeyPairSource,
  type ChildLink,
  type ChildTarget,
  type RegistrationResult,
} from '../../src/connector/index.ts';
import { callOutcomeOf, ChildBadAnswerError, ChildRefusedError } from '../../src/shared/child-call-errors.ts';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { createLink, makeConnector, SERVER_URL, thrownBy, type TestConnector } from './support.ts';

const keys = createKeyPairSource(1);
const ALL = { abandonedAfterDays: 730, actionsSince: 0, changesSince: 0, changesLimit: 100 };

describe('connector against the simulated fleet', () => {
  let fleet: Fleet;
  let connector: TestConnector;

  before(async () => {
    fleet = await startFleet({ sites: 12 });
    connector = makeConnector();
  });
  after(async () => {
    await connector.close();
    await fleet.close();
  });

  const siteAt = (index: number): SimulatedSite => {
    const site = fleet.sites[index];
    assert.ok(site);
    return site;
  };
  const targetOf = (site: SimulatedSite): ChildTarget => ({
    siteId: site.index + 1,
    url: site.url,
    httpAuth: null,
    verifyTls: true,
  });

  async function connect(site: SimulatedSite): Promise<{ link: ChildLink; registered: RegistrationResult }> {
    const pair = await keys.next();
    const registered = await connector.child.register(targetOf(site), {
      admin: site.admin,
      server: SERVER_URL,
      publicKeyPem: pair.publicKeyPem,
      password: site.adminPassword,
      uniqueId: null,
      regverify: null,
    });
    return { link: { ...createLink(site.url, pair, site.index + 1), admin: site.admin }, registered };
  }

  it('when a site is new, then it is probed, registered and synced', async () => {
    const site = siteAt(0);
    const hello = await connector.child.probe(targetOf(site), site.admin);
    assert.equal(hello.state, 'unconnected');
    const { link, registered } = await connect(site);
    assert.match(registered.regverify ?? '', /^[0-9a-f]{40}-[0-9a-f]{40}$/);
    assert.equal(registered.siteUrl, site.siteUrl);
    assert.deepEqual(await connector.child.probe(targetOf(site), site.admin), { state: 'connected' });
    const stats = await connector.child.stats(link, ALL);
    assert.equal(stats.siteUrl, site.siteUrl);
    assert.equal(stats.plugins?.length, site.state.plugins.size);
    assert.equal(stats.plugins?.filter(({ isChildPlugin }) => isChildPlugin).length, 1);
    assert.equal(stats.themes?.length, site.state.themes.size);
    const outdated = [...site.state.plugins.values()].filter(({ update }) => update !== null);
    assert.equal(stats.updates?.filter(({ type }) => type === 'plugin').length, outdated.length);
    assert.ok(stats.health && stats.security && stats.abandoned && stats.logs);
  });

  it('when a site answers a change with an error and then refuses the next call, then the change may have run', async () => {
    const site = siteAt(11);
    const { link } = await connect(site);
    const [active] = [...site.state.plugins].filter(([slug, plugin]) => plugin.active && !/mainwp/.test(slug));
    assert.ok(active);
    const [slug, plugin] = active;
    for (const name of ['stats', 'get_all_plugins'])
      for (const fault of [
        { kind: 'raw', status: 429, body: '' },
        { kind: 'raw', status: 503, body: '<title>Maintenance</title>' },
        { kind: 'refuse' },
      ] as const) {
        plugin.active = true;
        site.faultQueue.push({ kind: 'forged', answer: { error: 'Etwas ging schief.' }, function: 'plugin_action' });
        site.fault = { ...fault, function: name };
        const error = await thrownBy(() => connector.child.pluginAction(link, 'deactivate', [slug]));
        site.fault = null;
        assert.equal(plugin.active, false);
        assert.ok(error instanceof ChildBadAnswerError, `${name} ${fault.kind}: ${error.message}`);
        assert.deepEqual([callOutcomeOf(error), error.data['child_message']], ['open', 'Etwas ging schief.']);
      }
  });

  it('when plugins are activated, deactivated or deleted, then the response has the new state', async () => {
    const site = siteAt(1);
    const { link } = await connect(site);
    const { plugins = [] } = await connector.child.stats(link, ALL);
    const active = plugins.find((plugin) => plugin.active && !plugin.isChildPlugin && !plugin.mustUse);
    assert.ok(active);
    const off = await connector.child.pluginAction(link, 'deactivate', [active.slug]);
    assert.deepEqual(off.claimed, [active.slug]);
    assert.equal(off.after?.plugins?.find(({ slug }) => slug === active.slug)?.active, false);
    const on = await connector.child.pluginAction(link, 'activate', [active.slug]);
    assert.equal(on.after?.plugins?.find(({ slug }) => slug === active.slug)?.active, true);
    const gone = await connector.child.pluginAction(link, 'delete', [active.slug]);
    // The child built the list of the response before the deletion.
    assert.equal(gone.after?.plugins?.find(({ slug }) => slug === active.slug)?.active, false);
    const after = await connector.child.stats(link, ALL);
    assert.equal(
      after.plugins?.some(({ slug }) => slug === active.slug),
      false,
    );
    assert.equal(site.state.plugins.has(active.slug), false);
  });

  it('when a plugin is missing, then the child reports success and the new state lacks the plugin', async () => {
    const { link } = await connect(siteAt(2));
    const answer = await connector.child.pluginAction(link, 'activate', ['nope/nope.php']);
    assert.deepEqual(answer.claimed, ['nope/nope.php']);
    assert.equal(
      answer.after?.plugins?.some(({ slug }) => slug === 'nope/nope.php'),
      false,
    );
  });

  it('when themes change, then the other theme is activated and the active theme is not deleted', async () => {
    const { link } = await connect(siteAt(3));
    const { themes = [] } = await connector.child.stats(link, ALL);
    const active = themes.find((theme) => theme.active);
    const other = themes.find((theme) => !theme.active && !theme.parentOfActive);
    assert.ok(active && other);
    const refused = await connector.child.themeAction(link, 'delete', [active.slug]);
    assert.deepEqual(refused.refusals, [{ slug: active.slug, reason: 'active_theme' }]);
    const switched = await connector.child.themeAction(link, 'activate', [other.slug]);
    assert.equal(switched.after?.themes?.find(({ slug }) => slug === other.slug)?.active, true);
  });

  it('when a site reconnects with its token, then the old key is rejected afterwards', async () => {
    const site = siteAt(4);
    const { link, registered } = await connect(site);
    const pair = await keys.next();
    const again = await connector.child.register(targetOf(site), {
      admin: site.admin,
      server: SERVER_URL,
      publicKeyPem: pair.publicKeyPem,
      password: null,
      uniqueId: null,
      regverify: registered.regverify,
    });
    assert.equal(again.regverify, null, 'a valid token stays good and no new one is made');
    const renewed = { ...link, keyId: pair.keyId, privateKeyPem: pair.privateKeyPem };
    assert.equal(await connector.child.verifyKey(renewed), true);
    assert.equal(await connector.child.verifyKey(link), false);
    const error = await thrownBy(() => connector.child.stats(link, ALL));
    assert.ok(error instanceof ChildRefusedError);
    assert.equal(error.reason, 'key_mismatch');
    assert.match((await connector.child.renewToken(renewed)) ?? '', /^[0-9a-f]{40}-[0-9a-f]{40}$/);
  });

  it('when a site lost its key, then the error differs from that of a replaced key', async () => {
    const site = siteAt(5);
    const { link } = await connect(site);
    site.loseKey();
    assert.equal(
      ((await thrownBy(() => connector.child.stats(link, ALL))) as ChildRefusedError).reason,
      'not_connected',
    );
    site.replaceKey((await keys.next()).publicKeyPem);
    assert.equal(
      ((await thrownBy(() => connector.child.stats(link, ALL))) as ChildRefusedError).reason,
      'key_mismatch',
    );
  });

  it('when a session is open, then a new token is still returned', async () => {
    const { link } = await connect(siteAt(6));
    await connector.child.stats(link, ALL);
    await connector.child.stats(link, ALL);
    assert.notEqual(await connector.child.renewToken(link), null);
  });

  it('when both logs were read, then the next read starts where the last one ended', async () => {
    const site = siteAt(7);
    const { link } = await connect(site);
    const first = await connector.child.stats(link, ALL);
    const plugin = first.plugins?.find((one) => one.active && !one.isChildPlugin && !one.mustUse);
    assert.ok(plugin);
    site.performWpAdminAction({ do: 'deactivate-plugin', plugin: plugin.slug });
    site.performWpAdminAction({ do: 'activate-plugin', plugin: plugin.slug });
    const cursor = Math.max(0, ...(first.logs ?? []).map((entry) => entry.cursor ?? 0));
    const changes = (first.logs ?? []).filter((entry) => entry.source === 'child_changes');
    const second = await connector.child.stats(link, {
      ...ALL,
      actionsSince: cursor,
      changesSince: Math.max(0, ...changes.map(({ at }) => at / 1000)),
    });
    const known = new Set(changes.map(({ externalId }) => externalId));
    const fresh = (second.logs ?? []).filter(
      (entry) => entry.source === 'child_actions' || !known.has(entry.externalId),
    );
    assert.deepEqual(
      fresh.map(({ context, action }) => `${context}.${action}`),
      ['plugin.deactivated', 'plugin.activated'],
    );
    assert.equal(fresh[1]?.summary, `Plugin "${plugin.name}" activated`);
  });

  it('when the child plugin is deactivated, then later calls fail with plugin_missing', async () => {
    const site = siteAt(8);
    const { link } = await connect(site);
    await connector.child.deactivate(link);
    assert.deepEqual(await connector.child.probe(targetOf(site), site.admin), { state: 'plugin_missing' });
    const error = await thrownBy(() => connector.child.stats(link, ALL));
    assert.equal((error as ChildRefusedError).reason, 'plugin_missing');
  });

  it('when a call fails, then a writing call is not repeated and a reading call tries the front page', async () => {
    const site = siteAt(9);
    const { link } = await connect(site);
    site.fault = { kind: 'fatal', when: 'after', function: 'plugin_action' };
    const slug = [...site.state.plugins.keys()][0] ?? '';
    const error = await thrownBy(() => connector.child.pluginAction(link, 'activate', [slug]));
    assert.equal((error as ChildRefusedError).reason, 'site_fatal');
    assert.equal((error as ChildRefusedError).data['outcome'], 'open');
    assert.equal(site.countOf('plugin_action'), 1);
    site.fault = null;
    site.faultQueue.push({ kind: 'challenge', function: 'stats' });
    await connector.child.stats(link, ALL);
    assert.equal(site.countOf('stats'), 2);
  });

  it('when a response has noise, two frames or a redirect, then only the genuine frame is read', async () => {
    const site = siteAt(10);
    const { link } = await connect(site);
    site.faultQueue.push({ kind: 'noise', text: '\ufeff<b>Notice</b>: <mainwp>no</mainwp>\n', function: 'stats' });
    await connector.child.stats(link, ALL);
    site.faultQueue.push({ kind: 'two-frames', forged: { version: '0', wpversion: '0' }, function: 'stats' });
    assert.notEqual((await connector.child.stats(link, ALL)).childVersion, '0');
    site.fault = { kind: 'redirect', status: 307, location: 'https://evil.example/x', function: 'stats' };
    const error = await thrownBy(() => connector.child.stats(link, ALL));
    assert.ok(error instanceof ChildRefusedError);
    assert.equal(error.reason, 'redirected');
    assert.equal(error.data['location_host'], 'evil.example');
  });
});
