import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import {
  createOutbound,
  OutboundError,
  type ResolvedAddress,
  type Outbound,
  type OutboundRequest,
} from '../../src/outbound/index.ts';
import { emptyConnectionTimings } from '../../src/outbound/outbound.ts';
import { startFleet } from '../../src/sandbox/index.ts';
import { InvalidError } from '../../src/shared/errors.ts';
import { startFakeServer, thrownBy } from '../connector/support.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const DEADLINE = 5_000;

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error = await thrownBy(() => work);
  assert.ok(error instanceof OutboundError || error instanceof InvalidError, `${error.name}: ${error.message}`);
  return error instanceof OutboundError ? error.fault : error.code;
}

/** Returns an outbound client with these DNS records, which can change, and the lookups so far. */
function named(names: Record<string, ResolvedAddress[] | 'hangs'>) {
  const asked: string[] = [];
  const lookup = async (host: string): Promise<ResolvedAddress[]> => {
    asked.push(host);
    const found = names[host];
    if (found === 'hangs') return new Promise(() => undefined);
    if (!found) throw new Error('no such name');
    return found;
  };
  return { asked, outbound: createOutbound({ allowedNetworks: LOOPBACK, lookup }) };
}

const four = (address: string): ResolvedAddress => ({ address, family: 4 });

describe('TCP connect probe', () => {
  let server: Server;
  let port: number;
  const opened: { received: Promise<number> }[] = [];
  before(async () => {
    server = createServer((socket) => {
      let bytes = 0;
      socket.on('data', (chunk) => (bytes += chunk.length));
      socket.on('error', () => undefined);
      opened.push({ received: once(socket, 'close').then(() => bytes) });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => void (opened.length = 0));

  const connect = (outbound: Outbound, host: string, more = {}) =>
    outbound.connect({ url: `http://${host}:${port}/`, deadlineMs: DEADLINE, ...more });

  it('when a host accepts the connection, then nothing is sent and the timings are recorded', async () => {
    const { outbound } = named({ 'a.test': [four('127.0.0.1')] });
    const observation = emptyConnectionTimings();
    const { elapsedMs } = await connect(outbound, 'a.test', { observation });
    const { address, dnsMs, connectMs, tlsMs, firstByteMs } = observation;
    assert.deepEqual([address, tlsMs, firstByteMs], ['127.0.0.1', null, null]);
    assert.ok(dnsMs !== null && connectMs !== null && elapsedMs >= connectMs);
    assert.equal(await opened[0]?.received, 0);
    await outbound.close();
  });

  it('when no server is listening, then the address is recorded', async () => {
    const { outbound } = named({ 'a.test': [four('127.0.0.77')] });
    const observation = emptyConnectionTimings();
    assert.equal(await faultOf(connect(outbound, 'a.test', { observation })), 'connect');
    assert.deepEqual([observation.address, observation.connectMs], ['127.0.0.77', null]);
    await outbound.close();
  });

  it('when the first address refuses, then the next one is tried', async () => {
    const { outbound } = named({
      'a.test': [four('127.0.0.77'), four('127.0.0.78')],
      'b.test': [four('127.0.0.77'), four('127.0.0.1')],
    });
    const observation = emptyConnectionTimings();
    assert.equal(await faultOf(connect(outbound, 'a.test', { observation })), 'connect');
    assert.equal(observation.address, '127.0.0.78');
    await connect(outbound, 'b.test', { observation });
    assert.deepEqual([observation.address, opened.length], ['127.0.0.1', 1]);
    await outbound.close();
  });

  it('when a name resolves to a forbidden network, then no connection is opened', async () => {
    const { outbound } = named({ 'a.test': [four('127.0.0.1'), four('10.0.0.1')] });
    assert.equal(await faultOf(connect(outbound, 'a.test')), 'svc_address_refused');
    assert.equal(await faultOf(connect(outbound, '169.254.169.254')), 'svc_address_refused');
    assert.equal(opened.length, 0);
    await outbound.close();
  });

  it('when a name does not exist or the name server hangs, then the fault is dns within the deadline', async () => {
    const { outbound } = named({ 'slow.test': 'hangs' });
    assert.equal(await faultOf(connect(outbound, 'nowhere.test')), 'dns');
    assert.equal(await faultOf(connect(outbound, 'slow.test', { deadlineMs: 50 })), 'dns');
    await outbound.close();
  });

  it('when a signal aborts the probe, then the fault is aborted', async () => {
    const { outbound } = named({ 'a.test': [four('127.0.0.1')], 'slow.test': 'hangs' });
    assert.equal(await faultOf(connect(outbound, 'a.test', { signal: AbortSignal.abort() })), 'aborted');
    const ending = new AbortController();
    const given = faultOf(connect(outbound, 'slow.test', { signal: ending.signal }));
    ending.abort();
    assert.equal(await given, 'aborted');
    assert.equal(opened.length, 0);
    await outbound.close();
  });
});

describe('fresh lookup of a name', () => {
  it('when a fresh lookup is requested, then the cached addresses are replaced, also for the next call', async () => {
    const names = { 'a.test': [four('127.0.0.1')] };
    const { outbound, asked } = named(names);
    const addressOf = async (options = {}): Promise<string> =>
      (await outbound.resolve('http://a.test/', options)).address;
    assert.deepEqual([await addressOf(), await addressOf()], ['127.0.0.1', '127.0.0.1']);
    assert.equal(asked.length, 1);
    names['a.test'] = [four('127.0.0.2')];
    assert.equal(await addressOf(), '127.0.0.1');
    assert.equal(await addressOf({ fresh: true }), '127.0.0.2');
    assert.equal(await addressOf(), '127.0.0.2');
    assert.equal(asked.length, 2);
    await outbound.close();
  });

  it('when several callers request it at the same time, then the name server is asked once', async () => {
    const { outbound, asked } = named({ 'a.test': [four('127.0.0.1')] });
    await Promise.all(Array.from({ length: 5 }, () => outbound.resolve('http://a.test/', { fresh: true })));
    assert.equal(asked.length, 1);
    await outbound.close();
  });

  it('when the name now resolves to a forbidden network, then it is rejected at once', async () => {
    const names = { 'a.test': [four('127.0.0.1')] };
    const { outbound } = named(names);
    await outbound.resolve('http://a.test/');
    names['a.test'] = [four('10.0.0.1')];
    assert.equal(await faultOf(outbound.resolve('http://a.test/', { fresh: true })), 'svc_address_refused');
    await outbound.close();
  });

  it('when the name server hangs, then the deadline or a signal ends the lookup', async () => {
    const { outbound } = named({ 'slow.test': 'hangs' });
    const look = (options: object) => faultOf(outbound.resolve('http://slow.test/', { fresh: true, ...options }));
    assert.equal(await look({ deadlineMs: 50 }), 'dns');
    assert.equal(await look({ deadlineMs: DEADLINE, signal: AbortSignal.abort() }), 'aborted');
    await outbound.close();
  });
});

describe('request with its own connection', () => {
  const ask = { method: 'GET', connectTimeoutMs: DEADLINE, deadlineMs: DEADLINE, maxBytes: 1_000 } as const;

  it('when such a request is sent, then no idle socket is used or left behind', async () => {
    const server = await startFakeServer((_, response) => response.end('well'));
    const outbound = createOutbound({ allowedNetworks: LOOPBACK });
    const get = (more: Partial<OutboundRequest> = {}) => outbound.request({ ...ask, url: server.url, ...more });
    await get();
    await get();
    assert.equal(server.connections, 1);
    for (let round = 0; round < 3; round++) {
      const observation = emptyConnectionTimings();
      const { status, body } = await get({ ownConnection: true, observation });
      assert.deepEqual([status, body.toString()], [200, 'well']);
      assert.notEqual(observation.connectMs, null);
    }
    assert.equal(server.connections, 4);
    const kept = emptyConnectionTimings();
    await get({ observation: kept });
    assert.deepEqual([server.connections, kept.connectMs], [4, null]);
    await Promise.all([outbound.close(), server.close()]);
  });

  it('when such a request uses TLS, then each one has a full handshake', async () => {
    const fleet = await startFleet({ sites: 1, tls: true });
    const certificateAuthorities = [fleet.certificate ?? ''];
    const outbound = createOutbound({ allowedNetworks: LOOPBACK, certificateAuthorities });
    for (let round = 0; round < 2; round++) {
      const observation = emptyConnectionTimings();
      const url = fleet.sites[0]?.url ?? '';
      await outbound.request({ ...ask, url, ownConnection: true, observation });
      assert.ok(observation.tlsMs !== null && observation.connectMs !== null && observation.firstByteMs !== null);
    }
    const untrusting = createOutbound({ allowedNetworks: LOOPBACK });
    const wanted = { ...ask, url: fleet.sites[0]?.url ?? '', ownConnection: true };
    assert.equal(await faultOf(untrusting.request(wanted)), 'tls');
    assert.equal((await untrusting.request({ ...wanted, verifyTls: false })).status, 200);
    await Promise.all([outbound.close(), untrusting.close(), fleet.close()]);
  });
});
