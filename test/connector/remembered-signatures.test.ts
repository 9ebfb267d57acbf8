import assert from 'node:assert/strict';
import { createKeyPairSource, type ChildLink } from '../../src/connector/index.ts';
import { ChildBadAnswerError, ChildRefusedError } from '../../src/shared/child-call-errors.ts';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { fixedAnswerFault, toFrame } from '../support/frames.ts';
import { until } from '../support/until.ts';
import { createLink, makeConnector, SERVER_URL, startFakeServer, thrownBy, type TestConnector } from './support.ts';

const keys = createKeyPairSource(1);
const ALL = { abandonedAfterDays: 730, actionsSince: 0, changesSince: 0, changesLimit: 100 };
const ALREADY_USED = { error: 'This request has already been used.', error_code: 'AUTH_ERROR2' };

describe('a child plugin that remembers signatures', () => {
  let fleet: Fleet;
  let connector: TestConnector;
  let site: SimulatedSite;
  let link: ChildLink;
  let now = Date.now();
  let next = 0;

  before(async () => {
    fleet = await startFleet({ sites: 6, now: () => now });
    connector = makeConnector();
  });
  beforeEach(async () => {
    const index = next++;
    const chosen = fleet.sites[index];
    assert.ok(chosen);
    site = chosen;
    site.setChildVersion('6.2');
    const pair = await keys.next();
    link = { ...createLink(site.url, pair, index + 1), admin: site.admin };
    await connector.child.register(link, {
      admin: site.admin,
      server: SERVER_URL,
      publicKeyPem: pair.publicKeyPem,
      password: site.adminPassword,
      uniqueId: null,
      regverify: null,
    });
  });
  after(async () => {
    await connector.close();
    await fleet.close();
  });

  const signedCalls = (name: string): SimulatedSite['requests'] =>
    site.requests.filter((entry) => entry.function === name && entry.signed);
  const refuseAsUsed = (times = 1): void => {
    site.faultQueue.push({ ...fixedAnswerFault(ALREADY_USED, 'plugin_action'), times });
  };
  const anActivePlugin = (): string => {
    const found = [...site.state.plugins].find(([slug, { active }]) => active && !slug.startsWith('mainwp-child'));
    assert.ok(found);
    return found[0];
  };

  it('when a response is lost and the second try comes 21 seconds later, then the try is accepted', async () => {
    let letThrough = (): void => undefined;
    const isLater = new Promise<void>((resolve) => (letThrough = resolve));
    site.faultQueue.push({ kind: 'cut', function: 'stats' });
    site.faultQueue.push({ kind: 'delay', ms: { until: isLater }, function: 'stats' });
    const stats = connector.child.stats(link, ALL);
    await until(() => signedCalls('stats').length === 2, 'the second try');
    now += 21_000;
    letThrough();
    assert.equal((await stats).childVersion, '6.2');
  });

  it('when a signature was used before, then the call is signed anew and sent again', async () => {
    const slug = anActivePlugin();
    refuseAsUsed();
    const { after } = await connector.child.pluginAction(link, 'deactivate', [slug]);
    assert.equal(after?.plugins?.find((plugin) => plugin.slug === slug)?.active, false);
    const nonces = signedCalls('plugin_action').map(({ fields }) => fields['nonce']);
    assert.equal(nonces.length, 2);
    assert.notEqual(nonces[0], nonces[1]);
  });

  it('when a fresh signature is refused as used too, then the error names neither the key nor the operation', async () => {
    refuseAsUsed(2);
    const error = await thrownBy(() => connector.child.pluginAction(link, 'deactivate', [anActivePlugin()]));
    assert.ok(error instanceof ChildBadAnswerError);
    assert.equal(error.message, 'The site refuses each signed request as one that it has already received.');
    assert.deepEqual(error.data, { layer: 'protocol', outcome: 'not_run', child_code: 'AUTH_ERROR2' });
    assert.equal(signedCalls('plugin_action').length, 2);
    assert.equal(
      site.requests.some(({ function: name, signed }) => name === 'stats' && !signed),
      false,
    );
  });

  it('when the key is refused in another language again and again, then the reason is the key each time', async () => {
    site.translated = true;
    site.replaceKey((await keys.next()).publicKeyPem);
    for (let call = 1; call <= 4; call += 1) {
      const error = await thrownBy(() => connector.child.stats(link, ALL));
      assert.equal(error instanceof ChildRefusedError && error.reason, 'key_mismatch', `call ${call}`);
      now += 30_000;
    }
  });

  it('when the administrator is unknown and the site is translated, then the reason is the user each time', async () => {
    site.translated = true;
    for (let call = 1; call <= 4; call += 1) {
      const error = await thrownBy(() => connector.child.stats({ ...link, admin: 'gone' }, ALL));
      assert.equal(error instanceof ChildRefusedError && error.reason, 'unknown_user', `call ${call}`);
      now += 30_000;
    }
  });
});

describe('signatures of repeated requests', () => {
  it('when a web server refuses large headers, then the request without cookies has a signature of its own', async () => {
    const server = await startFakeServer((seen, response) => {
      if (seen.headers.cookie) response.writeHead(431).end();
      else {
        response.setHeader('set-cookie', 'wordpress_logged_in_ab=x; path=/; HttpOnly');
        response.end(toFrame({ success: 1, data: [] }));
      }
    });
    const connector = makeConnector();
    try {
      const link = createLink(server.url, await keys.next());
      await connector.child.verifyKey(link);
      await connector.child.verifyKey(link);
      const signatures = server.requests.map(({ form }) => form.get('mainwpsignature'));
      assert.equal(signatures.length, 3);
      assert.equal(new Set(signatures).size, 3);
    } finally {
      await connector.close();
      await server.close();
    }
  });
});
