import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as tcpConnect } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  createOutbound,
  openGuardedProxy,
  OutboundError,
  type Outbound,
  type ResolvedAddress,
} from '../../src/outbound/index.ts';
import { startFakeServer, type FakeServer } from '../connector/support.ts';
import { divertConnections, ForbiddenListener } from '../safety/forbidden-listener.ts';

const PUBLIC = '93.184.215.14';
/** Local address of the server that stands for the public one. */
const STAND_IN = '127.60.0.1';
const PRIVATE = '127.0.0.1';
const HOST = 'rebind.example';
const TIMES = { connectTimeoutMs: 1_000, deadlineMs: 2_000 };

/** Ways out of the process to a host name. */
const WAYS: Record<string, (outbound: Outbound, port: number) => Promise<unknown>> = {
  'an http request': (outbound, port) =>
    outbound.request({ ...TIMES, url: `http://${HOST}:${port}/`, method: 'GET', maxBytes: 1_000 }),
  'an http request on its own connection': (outbound, port) =>
    outbound.request({ ...TIMES, url: `http://${HOST}:${port}/`, method: 'GET', maxBytes: 1_000, ownConnection: true }),
  'an https request': (outbound, port) =>
    outbound.request({ ...TIMES, url: `https://${HOST}:${port}/`, method: 'POST', body: 'secret', maxBytes: 1_000 }),
  'an https request without verification': (outbound, port) =>
    outbound.request({ ...TIMES, url: `https://${HOST}:${port}/`, method: 'GET', maxBytes: 1_000, verifyTls: false }),
  'a request to the result of an earlier lookup': async (outbound, port) => {
    const url = `http://${HOST}:${port}/`;
    const resolved = await outbound.resolve(url);
    return outbound.request({ ...TIMES, url, method: 'GET', maxBytes: 1_000, resolved });
  },
  'a TCP connection': (outbound, port) => outbound.connect({ url: `http://${HOST}:${port}/`, deadlineMs: 1_000 }),
  'a TLS probe': (outbound, port) => outbound.probeTls({ url: `https://${HOST}:${port}/`, deadlineMs: 1_000 }),
  'a text query': (outbound, port) =>
    outbound.query({ host: HOST, port, text: 'a.example\r\n', deadlineMs: 1_000, maxBytes: 1_000 }),
};

describe('DNS rebinding', () => {
  let far: FakeServer;
  let inside: ForbiddenListener;
  let watch: ReturnType<typeof divertConnections>;
  let questions: string[];
  /** A name server that answers the public address first, and the private one from then on. */
  const lookup = async (host: string): Promise<ResolvedAddress[]> => {
    questions.push(host);
    return [{ address: questions.length === 1 ? PUBLIC : PRIVATE, family: 4 }];
  };

  before(async () => {
    far = await startFakeServer((_seen, response) => response.end('public'), STAND_IN);
    inside = await ForbiddenListener.start(PRIVATE, far.port);
  });
  after(async () => {
    await far.close();
    inside.close();
  });
  beforeEach(() => {
    questions = [];
    far.connections = 0;
    watch = divertConnections(PUBLIC, STAND_IN);
  });
  afterEach(() => watch.stop());

  for (const [way, go] of Object.entries(WAYS))
    it(`when ${way} is made, then it goes to the checked address, and the next answer of the name server is rejected`, async () => {
      let clock = 0;
      const outbound = createOutbound({ allowedNetworks: [], lookup, now: () => clock });
      try {
        // The stand-in does not speak TLS, so some ways fail there.
        await go(outbound, far.port).catch((error: unknown) => assert.ok(error instanceof OutboundError));
        assert.deepEqual([questions, watch.dialled, far.connections], [[HOST], [PUBLIC], 1]);
        clock = 60_000;
        await assert.rejects(go(outbound, far.port), { code: 'svc_address_refused' });
        assert.deepEqual([questions.length, watch.dialled.length, inside.connections], [2, 1, 0]);
      } finally {
        await outbound.close();
      }
    });

  it('when a host redirects to itself, then each hop goes to a checked address', async () => {
    const hops = await startFakeServer(({ path }, response) => {
      if (path === '/end') response.end('end');
      else response.writeHead(302, { location: `http://${HOST}:${hops.port}/end` }).end();
    }, STAND_IN);
    let clock = 0;
    // The cache expires between the two hops.
    const outbound = createOutbound({ allowedNetworks: [], lookup, now: () => (clock += 60_000) });
    const url = `http://${HOST}:${hops.port}/`;
    await assert.rejects(outbound.request({ ...TIMES, url, method: 'GET', maxBytes: 1_000, maxRedirects: 3 }), {
      code: 'svc_address_refused',
    });
    assert.deepEqual([questions.length, watch.dialled, hops.requests.length], [2, [PUBLIC], 1]);
    await Promise.all([outbound.close(), hops.close()]);
  });

  it('when one answer has both addresses in any order, then nothing is dialled', async () => {
    for (const order of [
      [PUBLIC, PRIVATE],
      [PRIVATE, PUBLIC],
    ]) {
      const both = async (): Promise<ResolvedAddress[]> => order.map((address) => ({ address, family: 4 }));
      const outbound = createOutbound({ allowedNetworks: [], lookup: both });
      for (const [way, go] of Object.entries(WAYS))
        await assert.rejects(go(outbound, far.port), { code: 'svc_address_refused' }, way);
      await outbound.close();
    }
    assert.deepEqual(watch.dialled, []);
  });

  it('when a browser opens a page or a tunnel, then its proxy dials the checked address', async () => {
    const options = { allowedNetworks: [], ipv4Only: false, maxBytes: 10_000, maxConnections: 10 };
    for (const isTunnel of [false, true]) {
      questions = [];
      const proxy = await openGuardedProxy({ ...options, connectTimeoutMs: 1_000, lookup });
      const toProxy = { host: '127.0.0.1', port: proxy.port };
      watch.dialled.length = 0;
      if (isTunnel) {
        const socket = tcpConnect(toProxy);
        socket.write(`CONNECT ${HOST}:${far.port} HTTP/1.1\r\n\r\n`);
        const [line] = (await once(socket, 'data')) as [Buffer];
        assert.match(line.toString(), /^HTTP\/1\.1 200 /);
        socket.destroy();
      } else {
        const asked = httpRequest({ ...toProxy, path: `http://${HOST}:${far.port}/`, agent: false }).end();
        const [response] = (await once(asked, 'response')) as [IncomingMessage];
        assert.equal(await text(response), 'public');
      }
      await proxy.close();
      // The first connection is the one to the proxy itself.
      assert.deepEqual([questions, watch.dialled], [[HOST], [PRIVATE, PUBLIC]]);
    }
    assert.equal(inside.connections, 0);
  });
});
