import assert from 'node:assert/strict';
import { createAuthority } from '../../support/certificates.ts';
import { runSchedule } from '../../support/schedules.ts';
import { moveSite, readCertificate } from '../../support/ssl-monitor.ts';
import { CLOSING_SERVERS, HOSTILE_HANDLERS, serveRaw, serveTls, type LocalServer } from '../../support/tls-servers.ts';
import { startUnansweringServer, type UnansweringServer } from '../../support/unanswering-server.ts';
import { startWorld, type World } from '../../support/world.ts';

// Runs on SQLite only: the test is about answers of other servers.

/** Long enough to distinguish the deadline from delays of a busy machine. */
const DEADLINE = 5_000;
const TOO_LONG = /^The TLS handshake timed out\.$/;
const CLOSED = /^The server closed the connection during the TLS handshake\.$/;
const OTHER = /^The server does not speak TLS\.$/;

/** Expected error of each hostile server: a timeout or an immediate fault. */
const ENDINGS: Readonly<Record<string, RegExp>> = {
  silent: TOO_LONG,
  ...Object.fromEntries([...CLOSING_SERVERS].map((name) => [name, CLOSED])),
  refusing: /^The TLS handshake failed\.$/,
  'plain HTTP': OTHER,
  'endless noise': OTHER,
  // Depends on which limit is reached first: that of OpenSSL or that of the probe.
  'endless records of a handshake':
    /^(The TLS handshake failed|The server sent more data than a TLS handshake allows)\.$/,
  'drop by drop': TOO_LONG,
};
/** Only an answer proves that a server lacks TLS. */
const STATES: Readonly<Record<string, string>> = {
  silent: 'unreachable',
  ...Object.fromEntries([...CLOSING_SERVERS].map((name) => [name, 'unreachable'])),
  'drop by drop': 'unreachable',
};
const NAMES = Object.keys(HOSTILE_HANDLERS);

describe('hostile TLS servers', function () {
  this.timeout(60_000);
  let world: World;
  let full: UnansweringServer;
  const servers: LocalServer[] = [];
  before(async () => {
    const trusted = await createAuthority('Trusted');
    const outbound = { certificateAuthorities: [trusted.root.cert] };
    // Enough slots for all sites, so that no check waits for another.
    const overrides = { outbound, deadlines: { checkMs: DEADLINE } };
    world = await startWorld({ sites: NAMES.length + 2, overrides });
    for (const name of NAMES) servers.push(await serveRaw(HOSTILE_HANDLERS[name] ?? assert.fail()));
    servers.push(await serveTls(await trusted.issue()));
    full = await startUnansweringServer();
    for (const [index, { url }] of [...servers, full].entries()) await moveSite(world, world.siteId(index), url);
  });
  after(async () => {
    await world.close();
    await full.close();
    for (const server of servers) await server.close();
  });

  it('when servers are hostile, then each costs one connection and one error item, and other sites are checked', async () => {
    const { data, items } = await runSchedule(world, 'ssl-checks');
    assert.deepEqual([data.total, data.succeeded, data.failed], [NAMES.length + 2, 1, NAMES.length + 1]);
    const messageOf = (siteId: number): string =>
      items.find(({ site_id }: { site_id: number }) => site_id === siteId).error?.message ?? '';
    for (const [index, name] of NAMES.entries()) {
      assert.match(messageOf(world.siteId(index)), ENDINGS[name] ?? assert.fail(), name);
      assert.equal((await readCertificate(world, world.siteId(index))).status, STATES[name] ?? 'no_tls', name);
      assert.equal(servers[index]?.connections(), 1, name);
      await servers[index]?.waitUntilIdle();
    }
    assert.equal((await readCertificate(world, world.siteId(NAMES.length))).status, 'valid');
    const overrun = world.siteId(NAMES.length + 1);
    assert.equal(messageOf(overrun), 'The connection timed out.');
    const { status, valid, error } = await readCertificate(world, overrun);
    assert.deepEqual([status, valid, error.code], ['unreachable', false, 'connect_timeout']);
  });
});
