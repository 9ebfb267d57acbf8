import assert from 'node:assert/strict';
import { decodeCoreUpgrade, decodeUpgrades } from '../../src/connector/answers/upgrades.ts';
import { createKeyPairSource, type ChildLink } from '../../src/connector/index.ts';
import { ChildRefusedError } from '../../src/shared/child-call-errors.ts';
import { DomainError, InvalidError } from '../../src/shared/errors.ts';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { toFrame } from '../support/frames.ts';
import { createLink, makeConnector, startFakeServer, SERVER_URL, thrownBy, type TestConnector } from './support.ts';

const A = 'dummy-a/dummy-a.php';
const NO_CAUSE = { errorCode: null, message: null, rolledBack: false };
const updated = (slug: string, more: object) => ({ updated_data: { [slug]: { name: 'Dummy', slug, ...more } } });

describe('update responses', () => {
  it('when plugin and theme responses are read, then done, already current, not installed and failed differ', () => {
    const claimOf = (answer: unknown) => decodeUpgrades(answer)?.claims[0];
    const done = { old_version: '1.0.0', success: 1, version: '1.1.0' };
    assert.deepEqual(claimOf({ upgrades: { [A]: true }, other_data: updated(A, done), plugin_updates: { [A]: {} } }), {
      slug: A,
      success: true,
      oldVersion: '1.0.0',
      version: '1.1.0',
      ...NO_CAUSE,
    });
    const current = { old_version: '', success: 1, version: '1.1.0' };
    assert.equal(claimOf({ upgrades: { [A]: true }, other_data: updated(A, current) })?.oldVersion, '');
    const missing = claimOf({ upgrades: { [A]: true }, other_data: updated(A, { old_version: '', success: 1 }) });
    assert.deepEqual([missing?.success, missing?.version], [true, '']);
    const failed = {
      upgrades: [],
      upgrades_error: { [A]: 'Download failed.' },
      other_data: {
        ...updated(A, { old_version: '', success: 0, error: 'Download failed.', version: '1.0.0' }),
        upgrade_error_codes: { [A]: 'download_failed' },
      },
    };
    const { success, version, errorCode } = claimOf(failed) ?? {};
    assert.deepEqual([success, version, errorCode], [false, '1.0.0', 'download_failed']);
    const theme = { upgrades: { x: false }, other_data: updated('x', { success: 0, version: '1.0.0' }), sync: {} };
    assert.equal(claimOf(theme)?.success, false);
    assert.deepEqual(decodeUpgrades({ upgrades: [], other_data: { updated_data: [] } }), { claims: [] });
  });

  it('when a response contains the new state, then the state has no logs', () => {
    const sync = { version: '6.1', wpversion: '7.0', child_site_actions_data: { a: { created: 1, action: 'x' } } };
    const after = decodeUpgrades({ upgrades: { x: true }, sync })?.after;
    assert.deepEqual([after?.childVersion, after?.logs], ['6.1', undefined]);
  });

  it('when core responses are read, then done, current, refused, unreachable and unknown differ', () => {
    const claimOf = (answer: unknown) => decodeCoreUpgrade(answer)?.claims[0];
    assert.deepEqual(claimOf({ upgrade: 'SUCCESS', old_version: '7.0.3', version: '7.0.4' }), {
      slug: 'wordpress',
      success: true,
      oldVersion: '7.0.3',
      version: '7.0.4',
      ...NO_CAUSE,
    });
    assert.deepEqual([claimOf({ upgrade: 'SUCCESS' })?.success, claimOf({ upgrade: 'SUCCESS' })?.version], [true, '']);
    const refused = claimOf({ upgrade: 'WPERROR', other_data: { upgrade_error_codes: 'copy_failed' } });
    assert.deepEqual([refused?.success, refused?.errorCode], [false, 'copy_failed']);
    for (const answer of [{ upgrade: 'NORESPONSE' }, {}]) assert.equal(claimOf(answer)?.success, false);
  });

  it('when a response is hostile or malformed, then it is rejected or read safely', () => {
    for (const value of [null, '', 1, [], 'SUCCESS', { upgrades: 'yes' }, { upgrades: null }, { sync: {} }])
      assert.equal(decodeUpgrades(value), null, JSON.stringify(value));
    for (const value of [null, '', 1, [], { upgrade: 1 }, { upgrade: {} }])
      assert.equal(decodeCoreUpgrade(value), null);
    const hostile = JSON.parse(
      `{"upgrades": {"__proto__": true, "a|b": true, "x": 1, "y": true},
        "upgrades_error": {"y": "<b>no</b>"},
        "other_data": {"updated_data": {"x": {"success": 1, "version": {"a": 1}}, "y": {"success": 1}},
          "upgrade_error_codes": {"y": "a b<script>"}}}`,
    ) as unknown;
    assert.deepEqual(
      decodeUpgrades(hostile)?.claims.filter(({ slug }) => slug !== '__proto__'),
      [
        { slug: 'x', success: false, oldVersion: '', version: '', ...NO_CAUSE },
        { slug: 'y', success: false, oldVersion: '', version: '', ...NO_CAUSE, message: 'no' },
      ],
    );
    assert.equal(({} as { success?: unknown }).success, undefined);
  });
});

describe('updates through the connector', () => {
  const keys = createKeyPairSource(1);
  let fleet: Fleet;
  let connector: TestConnector;
  before(async () => {
    fleet = await startFleet({ sites: 4 });
    connector = makeConnector();
  });
  after(async () => {
    await connector.close();
    await fleet.close();
  });

  async function connect(index: number): Promise<{ site: SimulatedSite; link: ChildLink }> {
    const site = fleet.sites[index] as SimulatedSite;
    const pair = await keys.next();
    const target = { siteId: index + 1, url: site.url, httpAuth: null, verifyTls: true };
    const { admin, adminPassword: password } = site;
    const registration = { admin, server: SERVER_URL, publicKeyPem: pair.publicKeyPem, password, uniqueId: null };
    await connector.child.register(target, { ...registration, regverify: null });
    return { site, link: { ...createLink(site.url, pair, index + 1), admin } };
  }

  it('when updates of each type are sent, then they are installed', async () => {
    const { site, link } = await connect(0);
    const [plugin = ''] = [...site.state.plugins.keys()];
    const [theme = ''] = [...site.state.themes.keys()];
    site.performWpAdminAction({ do: 'release-plugin', plugin, version: '9.1' });
    site.performWpAdminAction({ do: 'release-theme', theme, version: '9.2' });
    site.performWpAdminAction({ do: 'release-core', version: '9.0' });
    site.state.translations = [{ type: 'plugin', slug: 'hello', language: 'de_DE', version: '2', name: 'Hello' }];
    const plugins = await connector.child.upgradePlugins(link, [plugin]);
    assert.deepEqual([plugins.claims[0]?.success, plugins.claims[0]?.version, plugins.after], [true, '9.1', undefined]);
    const themes = await connector.child.upgradeThemes(link, [theme]);
    assert.equal(themes.claims[0]?.version, '9.2');
    assert.equal(themes.after?.themes?.find(({ slug }) => slug === theme)?.version, '9.2');
    const core = await connector.child.upgradeCore(link);
    assert.deepEqual([core.claims[0]?.slug, core.claims[0]?.version], ['wordpress', '9.0']);
    const translations = await connector.child.upgradeTranslations(link, ['hello']);
    assert.deepEqual(
      [translations.claims[0]?.success, translations.after?.updates?.some(({ slug }) => slug === 'hello')],
      [true, false],
    );
    assert.deepEqual(
      [
        site.state.plugins.get(plugin)?.version,
        site.state.themes.get(theme)?.version,
        site.state.core.version,
        site.state.translations,
      ],
      ['9.1', '9.2', '9.0', []],
    );
  });

  it('when an update gets any faulty response, then it is not sent twice', async () => {
    const { site, link } = await connect(1);
    const [plugin = ''] = [...site.state.plugins.keys()];
    for (const fault of [
      { kind: 'fatal', when: 'after' },
      { kind: 'fatal', when: 'before' },
      { kind: 'cut' },
      { kind: 'invalid-json' },
      { kind: 'scalar', value: 5 },
    ] as const) {
      const sent = site.countOf('upgradeplugintheme');
      site.faultQueue.push({ ...fault, function: 'upgradeplugintheme' });
      const error = await thrownBy(() => connector.child.upgradePlugins(link, [plugin]));
      assert.ok(error instanceof DomainError);
      assert.equal(error.data['outcome'], 'open', fault.kind);
      assert.equal(site.countOf('upgradeplugintheme'), sent + 1, fault.kind);
    }
    site.faultQueue.push({ kind: 'challenge', function: 'upgrade', times: 2 });
    const blocked = await thrownBy(() => connector.child.upgradeCore(link));
    assert.ok(blocked instanceof ChildRefusedError);
    assert.equal(blocked.data['outcome'], 'not_run');
  });

  it('when the site refuses all updates, then the error differs from a rejected key', async () => {
    const { site, link } = await connect(2);
    site.state.core.locked = true;
    const { claims } = await connector.child.upgradeCore(link);
    const { success, errorCode, message } = claims[0] ?? {};
    assert.deepEqual([success, errorCode, message], [false, 'locked', 'Another update is currently in progress.']);
  });

  it('when slugs are invalid, then the call is rejected, and valid slugs are encoded for their list', async () => {
    const server = await startFakeServer((_seen, response) => response.end(toFrame({ upgrades: { x: true } })));
    try {
      const link = createLink(server.url, await keys.next(), 77);
      for (const slugs of [[], ['a,b'], ['a|b'], [' a']])
        assert.ok((await thrownBy(() => connector.child.upgradePlugins(link, slugs))) instanceof InvalidError);
      assert.equal(server.requests.length, 0);
      await connector.child.upgradePlugins(link, ['a+b/50%.php', 'c/c.php']);
      await connector.child.upgradeThemes(link, ['a+b']);
      await connector.child.upgradeTranslations(link, ['a+b']);
      assert.deepEqual(
        server.requests.map(({ form }) => ['function', 'type', 'list'].map((name) => form.get(name))),
        [
          ['upgradeplugintheme', 'plugin', 'a%2Bb/50%25.php,c/c.php'],
          ['upgradeplugintheme', 'theme', 'a+b'],
          ['upgradetranslation', 'translation', 'a%2Bb'],
        ],
      );
    } finally {
      await server.close();
    }
  });

  it('when an update takes long, then the longer update deadline applies', async () => {
    const patient = makeConnector({ deadlines: { readMs: 60, updateMs: 5_000 } });
    const server = await startFakeServer(
      (_seen, response) => void setTimeout(() => response.end(toFrame({ upgrade: 'SUCCESS' })), 250),
    );
    try {
      const link = createLink(server.url, await keys.next(), 78);
      assert.equal((await patient.child.upgradeCore(link)).claims[0]?.success, true);
    } finally {
      await server.close();
      await patient.close();
    }
  });
});
