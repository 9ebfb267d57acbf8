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
import { emptyObservation } from '../../src/outbound/outbound.ts';
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

/** An outbound whose names lead where the test says at that moment, and how often they were asked for. */
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

describe('a TCP connection that is opened and closed', () => {
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

  it('when a host takes it, then nothing is sent, and what was seen on the way is told', async () => {
    const { outbound } = named({ 'a.test': [four('127.0.0.1')] });
    const observation = emptyObservation();
    const { elapsedMs } = await connect(outbound, 'a.test', { observation });
    const { address, dnsMs, connectMs, tlsMs, firstByteMs } = observation;
    assert.deepEqual([address, tlsMs, firstByteMs], ['127.0.0.1', null, null]);
    assert.ok(dnsMs !== null && connectMs !== null && elapsedMs >= connectMs);
    assert.equal(await opened[0]?.received, 0);
    await outbound.close();
  });

  it('when nobody listens, then the address that was dialled is told', async () => {
    const { outbound } = named({ 'a.test': [four('127.0.0.77')] });
    const observation = emptyObservation();
    assert.equal(await faultOf(connect(outbound, 'a.test', { observation })), 'connect');
    assert.deepEqual([observation.address, observation.connectMs], ['127.0.0.77', null]);
    await outbound.close();
  });

  it('when the first address does not take it, then another one is tried', async () => {
    const { outbound } = named({
      'a.test': [four('127.0.0.77'), four('127.0.0.78')],
      'b.test': [four('127.0.0.77'), four('127.0.0.1')],
    });
    const observation = emptyObservation();
    assert.equal(await faultOf(connect(outbound, 'a.test', { observation })), 'connect');
    assert.equal(observation.address, '127.0.0.78');
    await connect(outbound, 'b.test', { observation });
    assert.deepEqual([observation.address, opened.length], ['127.0.0.1', 1]);
    await outbound.close();
  });

  it('when the name leads into a network that is not called, then no connection is opened', async () => {
    const { outbound } = named({ 'a.test': [four('127.0.0.1'), four('10.0.0.1')] });
    assert.equal(await faultOf(connect(outbound, 'a.test')), 'svc_address_refused');
    assert.equal(await faultOf(connect(outbound, '169.254.169.254')), 'svc_address_refused');
    assert.equal(opened.length, 0);
    await outbound.close();
  });

  it('when the name leads nowhere or the name server hangs, then that is told, by the deadline', async () => {
    const { outbound } = named({ 'slow.test': 'hangs' });
    assert.equal(await faultOf(connect(outbound, 'nowhere.test')), 'dns');
    assert.equal(await faultOf(connect(outbound, 'slow.test', { deadlineMs: 50 })), 'dns');
    await outbound.close();
  });

  it('when a signal ends it, then it is given up', async () => {
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

describe('a fresh look-up of a name', () => {
  it('when it is asked for, then what was heard before does not count, nor for the next call', async () => {
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

  it('when several ask at the same moment, then the name server is asked once', async () => {
    const { outbound, asked } = named({ 'a.test': [four('127.0.0.1')] });
    await Promise.all(Array.from({ length: 5 }, () => outbound.resolve('http://a.test/', { fresh: true })));
    assert.equal(asked.length, 1);
    await outbound.close();
  });

  it('when the name has moved into a network that is not called, then it is refused at once', async () => {
    const names = { 'a.test': [four('127.0.0.1')] };
    const { outbound } = named(names);
    await outbound.resolve('http://a.test/');
    names['a.test'] = [four('10.0.0.1')];
    assert.equal(await faultOf(outbound.resolve('http://a.test/', { fresh: true })), 'svc_address_refused');
    await outbound.close();
  });

  it('when the name server hangs, then the deadline or a signal ends it', async () => {
    const { outbound } = named({ 'slow.test': 'hangs' });
    const look = (options: object) => faultOf(outbound.resolve('http://slow.test/', { fresh: true, ...options }));
    assert.equal(await look({ deadlineMs: 50 }), 'dns');
    assert.equal(await look({ deadlineMs: DEADLINE, signal: AbortSignal.abort() }), 'aborted');
    await outbound.close();
  });
});

describe('a request over a connection of its own', () => {
  const ask = { method: 'GET', connectTimeoutMs: DEADLINE, deadlineMs: DEADLINE, maxBytes: 1_000 } as const;

  it('when it is made, then no kept socket is taken and none is left behind', async () => {
    const server = await startFakeServer((_, response) => response.end('well'));
    const outbound = createOutbound({ allowedNetworks: LOOPBACK });
    const get = (more: Partial<OutboundRequest> = {}) => outbound.request({ ...ask, url: server.url, ...more });
    await get();
    await get();
    assert.equal(server.connections, 1);
    for (let round = 0; round < 3; round++) {
      const observation = emptyObservation();
      const { status, body } = await get({ ownConnection: true, observation });
      assert.deepEqual([status, body.toString()], [200, 'well']);
      assert.notEqual(observation.connectMs, null);
    }
    assert.equal(server.connections, 4);
    const kept = emptyObservation();
    await get({ observation: kept });
    assert.deepEqual([server.connections, kept.connectMs], [4, null]);
    await Promise.all([outbound.close(), server.close()]);
  });

  it('when it speaks TLS, then each time there is a whole handshake', async () => {
    const fleet = await startFleet({ sites: 1, tls: true });
    const certificateAuthorities = [fleet.certificate ?? ''];
    const outbound = createOutbound({ allowedNetworks: LOOPBACK, certificateAuthorities });
    for (let round = 0; round < 2; round++) {
      const observation = emptyObservation();
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
