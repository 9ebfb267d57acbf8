import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { OutboundError } from '../../../src/outbound/outbound.ts';
import {
  checkDomain,
  runDomainChecks,
  readProfile,
  FakeRegistries,
  seedDomain,
  useRegistries,
  type RdapResponse,
  type WhoisResponse,
} from '../../support/domain-monitor.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';
import { createLookup, DNS_RECORDS, REFUSED_ADDRESSES } from '../../safety/address-forms.ts';
import { ForbiddenListener, watchConnections } from '../../safety/forbidden-listener.ts';
import { comRecord } from './rdap-samples.ts';

// Runs on SQLite only: the test is about answers of other servers.

/** Long enough to distinguish the deadline from delays of a busy machine. */
const DEADLINE = 5_000;

/** Writes until the other side closes. */
function writeForever(to: ServerResponse | Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => to.writableNeedDrain || to.write(text), everyMs);
  to.on('close', () => clearInterval(timer)).on('error', () => clearInterval(timer));
}

const RDAP: Record<string, { answer: RdapResponse; code: string }> = {
  silent: { answer: () => undefined, code: 'timeout' },
  endless: { answer: (response) => writeForever(response.writeHead(200), ' ', 20), code: 'timeout' },
  'endless-head': {
    answer: ({ socket }) => (socket?.write('HTTP/1.1 200 OK\r\n'), socket && writeForever(socket, 'x-a: b\r\n', 20)),
    code: 'timeout',
  },
  huge: { answer: (response) => writeForever(response.writeHead(200), 'x'.repeat(256 * 1024), 1), code: 'parse_error' },
  'promised-huge': {
    answer: (response) => void response.writeHead(200, { 'content-length': '99999999999' }).write('{'),
    code: 'parse_error',
  },
  bomb: { answer: { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'x' }, code: 'parse_error' },
  html: { answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hi</h1>' }, code: 'parse_error' },
  number: { answer: { status: 200, body: '7' }, code: 'parse_error' },
  types: { answer: { record: { ldhName: ['a.com'], events: 7, entities: 'x', status: {} } }, code: 'parse_error' },
  deep: { answer: { status: 200, body: '['.repeat(200_000) }, code: 'parse_error' },
  other: { answer: { record: comRecord('another.com') }, code: 'parse_error' },
  cut: { answer: ({ socket }) => void socket?.destroy(), code: 'unreachable' },
  half: {
    answer: (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
      setTimeout(() => response.socket?.destroy(), 20);
    },
    code: 'unreachable',
  },
  empty: { answer: { status: 204 }, code: 'refused' },
  forbidden: { answer: { status: 403, body: '<html>' }, code: 'refused' },
  'lost-page': { answer: { status: 404, body: '<html><h1>404 Not Found</h1></html>' }, code: 'refused' },
  'lost-text': { answer: { status: 404, body: '404 page not found' }, code: 'refused' },
  round: { answer: { status: 302, headers: { location: 'hostile-round.com' } }, code: 'refused' },
  nowhere: { answer: { status: 302, headers: { location: 'ftp://a.example/' } }, code: 'refused' },
};

/** Replaces every text of a record by an object that has no text, except those that make it a record. */
function textlessRecord(name: string): object {
  const kept = new Set(['domain', name.toUpperCase(), 'registrar', 'abuse']);
  const text = JSON.stringify(comRecord(name), (_key, value: unknown) =>
    typeof value === 'string' && !kept.has(value) ? { toString: 1, valueOf: 1 } : value,
  );
  return JSON.parse(text) as object;
}

const WHOIS: Record<string, { answer: WhoisResponse; code: string }> = {
  silent: { answer: () => undefined, code: 'timeout' },
  endless: { answer: (socket) => writeForever(socket, 'a: b\n', 20), code: 'timeout' },
  huge: { answer: (socket) => writeForever(socket, 'x'.repeat(64 * 1024), 1), code: 'parse_error' },
  lines: { answer: '\n'.repeat(65_000), code: 'parse_error' },
  labels: { answer: 'a:\n b\n'.repeat(10_000), code: 'parse_error' },
  prototype: { answer: '__proto__: a\nconstructor: b\ntoString: c\n', code: 'parse_error' },
  empty: { answer: '', code: 'parse_error' },
  html: { answer: '<!doctype html><title>Hi</title>', code: 'parse_error' },
  cut: { answer: (socket) => socket.resetAndDestroy(), code: 'unreachable' },
};

describe('hostile registries', function () {
  this.timeout(60_000);
  let world: World;
  let registries: FakeRegistries;
  before(async () => {
    registries = await FakeRegistries.start();
    world = await startWorld({ overrides: { deadlines: { lookupMs: DEADLINE } } });
    await useRegistries(world, registries);
  });
  after(async () => {
    await world.close();
    await registries.close();
  });

  it('when registries are hostile, then each costs one deadline and is one error item', async () => {
    const expected: Record<string, string> = {};
    const ids: Record<string, number> = {};
    const seed = async (domain: string, code: string): Promise<void> => {
      ids[domain] = await seedDomain(world, `www.${domain}`);
      expected[domain] = code;
    };
    for (const [name, { answer, code }] of Object.entries(RDAP)) {
      registries.rdap[`hostile-${name}.com`] = answer;
      await seed(`hostile-${name}.com`, code);
    }
    for (const [name, { answer, code }] of Object.entries(WHOIS)) {
      registries.whois[`hostile-${name}.pl`] = answer;
      await seed(`hostile-${name}.pl`, code);
    }
    registries.rdap['good.com'] = { record: comRecord('good.com') };
    const good = await seedDomain(world, 'good.com');
    const job = await runDomainChecks(world);
    const items: { identifier: string; error: { code: string; message: string } | null }[] = job.items;
    const found = Object.fromEntries(
      items.flatMap(({ identifier, error }) =>
        error ? [[identifier, /\((\w+)\)$/.exec(error.message)?.[1] ?? error.code]] : [],
      ),
    );
    assert.deepEqual(found, expected);
    assert.equal((await readProfile(world, good)).status, 'active');
    for (const [domain, id] of Object.entries(ids)) {
      const { status, error } = await readProfile(world, id);
      assert.deepEqual([status, error.code], ['lookup_failed', expected[domain]], domain);
    }
    // Each domain was requested once. There is no automatic retry, and a redirect is followed three times.
    for (const domain of Object.keys(RDAP).map((name) => `hostile-${name}.com`)) {
      const times = registries.rdapRequests.filter((each) => each === domain).length;
      assert.equal(times, domain === 'hostile-round.com' ? 4 : 1, domain);
    }
  });

  it('when no value of an RDAP record is a text, then the domain has no data and the check does not fail', async () => {
    const id = await seedDomain(world, 'textless.com');
    registries.rdap['textless.com'] = { record: textlessRecord('textless.com') };
    const { error, status, expiry_date: expiresAt, registrar, name_servers: servers } = await checkDomain(world, id);
    assert.deepEqual([error, expiresAt, registrar, servers], [null, null, null, []]);
    assert.notEqual(status, 'lookup_failed');
  });

  it('when an RDAP response does not end, then its own deadline ends it and not the signal of the caller', async () => {
    const id = await seedDomain(world, 'caller.com');
    registries.rdap['caller.com'] = () => undefined;
    const { outbound } = world.container;
    const request = outbound.request.bind(outbound);
    const ends: unknown[] = [];
    outbound.request = (question) =>
      request(question).catch((error: OutboundError) => {
        ends.push([question.deadlineMs, question.signal?.aborted ?? false, error.fault, error.sent]);
        throw error;
      });
    const { error } = await checkDomain(world, id).finally(() => (outbound.request = request));
    assert.equal(error.code, 'timeout');
    // The request had been sent and had the whole deadline. No shorter limit ended it.
    assert.deepEqual(ends, [[DEADLINE, false, 'timeout', true]]);
  });
});

describe('forbidden addresses of registries', function () {
  this.timeout(60_000);
  let world: World;
  let registries: FakeRegistries;
  let trap: ForbiddenListener;
  /** Answers of the name server, which a test can change. */
  const names: Record<string, string[]> = { ...DNS_RECORDS };
  let clock = 0;
  before(async () => {
    trap = await ForbiddenListener.start();
    registries = await FakeRegistries.start('127.10.0.1');
    const overrides = { outbound: { lookup: createLookup(names), now: () => clock } };
    world = await startWorld({ env: { SITEFLEET_ALLOWED_NETWORKS: '127.10.0.0/16' }, overrides });
    await useRegistries(world, registries);
  });
  after(async () => {
    await world.close();
    await registries.close();
    trap.close();
  });

  const forms = (): string[] => REFUSED_ADDRESSES.map((form) => form.replace('P', String(trap.port)));

  it('when an RDAP server redirects to a forbidden address in any form, then no connection is opened', async () => {
    const id = await seedDomain(world, 'redirected.com');
    for (const form of forms().filter((each) => /^[!-~]+$/.test(each))) {
      registries.rdap['redirected.com'] = {
        status: 302,
        headers: { location: form },
      };
      const { error } = await checkDomain(world, id, '?force=true');
      assert.equal(error.code, 'refused', form);
    }
    assert.equal(trap.connections, 0);
  });

  it('when the RDAP server list names a forbidden address in any form, then no connection is opened', async () => {
    const id = await seedDomain(world, 'listed.com');
    for (const form of forms()) {
      registries.bootstrap = { status: 200, body: JSON.stringify({ services: [[['com'], [form]]] }) };
      await world.container.knex('rdap_bootstrap').delete();
      const { error } = await checkDomain(world, id, '?force=true');
      assert.equal(error.code, 'refused', form);
    }
    registries.bootstrap = null;
    assert.equal(trap.connections, 0);
  });

  it('when the server of that list redirects to a forbidden address, then it is not followed', async () => {
    const id = await seedDomain(world, 'moved.com');
    const before = registries.bootstrapLoads;
    const locations = forms().filter((each) => /^[!-~]+$/.test(each));
    for (const [index, form] of locations.entries()) {
      registries.bootstrap = { status: 302, headers: { location: form } };
      await world.container.knex('rdap_bootstrap').delete();
      await editSettings(world, 'domain-monitor', { rdap_bootstrap_url: `${registries.url}/dns.json/${index}` });
      await checkDomain(world, id, '?force=true');
    }
    registries.bootstrap = null;
    await useRegistries(world, registries);
    assert.deepEqual([registries.bootstrapLoads - before, trap.connections], [locations.length, 0]);
  });

  it('when the first of two redirects is allowed, then the second is still checked', async () => {
    const id = await seedDomain(world, 'chain.com');
    const second = { status: 307, headers: { location: `http://loop.example:${trap.port}/` } };
    registries.rdap['second.com'] = second;
    registries.rdap['chain.com'] = { status: 301, headers: { location: `${registries.url}/rdap/domain/second.com` } };
    registries.rdapRequests.length = 0;
    const { error } = await checkDomain(world, id, '?force=true');
    assert.deepEqual([error.code, registries.rdapRequests], ['refused', ['chain.com', 'second.com']]);
    assert.equal(trap.connections, 0);
  });

  it('when a record refers to another server, then that server is not called', async () => {
    const id = await seedDomain(world, 'linked.com');
    const href = `http://127.0.0.1:${trap.port}/domain/linked.com`;
    const related = ['related', 'self', 'alternate', 'about'].map((rel) => ({
      rel,
      href,
      type: 'application/rdap+json',
    }));
    const beside = { links: related, port43: `127.0.0.1:${trap.port}`, notices: [{ title: 'More', links: related }] };
    registries.rdap['linked.com'] = { record: comRecord('linked.com', '2027-03-01T09:12:00Z', beside) };
    assert.equal((await checkDomain(world, id, '?force=true')).error, null);
    const referred = await seedDomain(world, 'thick.pl');
    registries.whois['thick.pl'] = [
      ...['Domain Name: THICK.PL', 'Registry Expiry Date: 2027-02-28T23:59:59.0Z', `refer: 127.0.0.1:${trap.port}`],
      ...[`whois: 127.0.0.1`, `Registrar WHOIS Server: 127.0.0.1:${trap.port}`, `Registrar URL: ${href}`],
      `ReferralServer: rwhois://127.0.0.1:${trap.port}`,
    ].join('\r\n');
    assert.equal((await checkDomain(world, referred, '?force=true')).error, null);
    assert.equal(trap.connections, 0);
  });

  it('when the WHOIS root refers to an address or a port, then nothing is called', async () => {
    const id = await seedDomain(world, 'root.pl');
    await editSettings(world, 'domain-monitor', { whois_servers: [], whois_root: registries.whoisAddress });
    const watch = watchConnections(new Set([trap.port, 43]));
    for (const referral of [
      ...[
        `127.0.0.1:${trap.port}`,
        `loop.example:${trap.port}`,
        '127.0.0.1',
        '[::1]',
        '2130706433',
        '0x7f.1',
        'localhost',
      ],
      ...[
        'loop.example',
        'LOOP.EXAMPLE.',
        'inner.example',
        'metadata.example',
        'mapped.example',
        '١٢٧.٠.٠.١',
        '127。0。0。1',
      ],
    ]) {
      await world.container.knex('whois_servers').delete();
      registries.whois['pl'] = `domain: PL\r\nwhois: ${referral}\r\n`;
      const { error } = await checkDomain(world, id, '?force=true');
      assert.match(error.code, /^(refused|unsupported_tld|unreachable)$/, referral);
    }
    watch.stop();
    await useRegistries(world, registries);
    assert.deepEqual([watch.dialled, trap.connections], [[], 0]);
  });

  it('when a stored WHOIS referral resolves to a forbidden address later, then it is refused', async () => {
    const id = await seedDomain(world, 'later.pl');
    await editSettings(world, 'domain-monitor', { whois_servers: [], whois_root: registries.whoisAddress });
    await world.container.knex('whois_servers').delete();
    registries.whois['pl'] = 'domain: PL\r\nwhois: whois.later.example\r\n';
    const watch = watchConnections(new Set([43]));
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254']) {
      names['whois.later.example'] = [address];
      clock += 60_000;
      assert.equal((await checkDomain(world, id, '?force=true')).error.code, 'refused', address);
    }
    watch.stop();
    await useRegistries(world, registries);
    assert.deepEqual(watch.dialled, []);
  });

  it('when a WHOIS server has a forbidden address, or refers to one, then no connection is opened', async () => {
    const id = await seedDomain(world, 'referred.pl');
    const code = async () => (await checkDomain(world, id, '?force=true')).error.code;
    for (const server of [
      `127.0.0.1:${trap.port}`,
      `localhost:${trap.port}`,
      `2130706433:${trap.port}`,
      `0:${trap.port}`,
    ]) {
      await editSettings(world, 'domain-monitor', { whois_servers: [`pl=${server}`] });
      assert.equal(await code(), 'refused', server);
    }
    await editSettings(world, 'domain-monitor', { whois_servers: [], whois_root: registries.whoisAddress });
    for (const host of Object.keys(DNS_RECORDS).filter((name) => name !== 'public.example' && name !== 'localhost')) {
      await world.container.knex('whois_servers').delete();
      registries.whois['pl'] = `domain: PL\nwhois: ${host}\n`;
      assert.equal(await code(), 'refused', host);
    }
    assert.equal(trap.connections, 0);
  });
});
