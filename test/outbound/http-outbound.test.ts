import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { startFleet } from '../../src/sandbox/index.ts';
import {
  createOutbound,
  OutboundError,
  RequestWithheldError,
  type Outbound,
  type OutboundRequest,
  type ResolvedAddress,
} from '../../src/outbound/index.ts';
import { issueCertificate } from '../support/certificates.ts';
import { startFakeServer, thrownBy, type FakeServer, type ReceivedRequest } from '../connector/support.ts';

const ask = { method: 'GET', connectTimeoutMs: 1000, deadlineMs: 2000, maxBytes: 100_000 } as const;

async function startRawServer(talk: (socket: Socket) => void): Promise<{ url: string; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function answer(seen: ReceivedRequest, response: ServerResponse): void {
  const [, action, detail = ''] = seen.path.split('/');
  switch (action) {
    case 'echo':
      response.end(JSON.stringify(seen));
      return;
    case 'status':
      response.writeHead(Number(detail), { 'x-a': ['1', '2'] }).end('body');
      return;
    case 'gzip':
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1000)));
      return;
    case 'size':
      response.end(Buffer.alloc(Number(detail), 'x'));
      return;
    case 'endless':
    case 'drip': {
      const chunk = action === 'drip' ? 'x' : Buffer.alloc(16_000);
      const timer = setInterval(() => response.write(chunk), action === 'drip' ? 30 : 1);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'cut':
      response.writeHead(200, { 'content-length': '1000' }).write('half');
      setTimeout(() => response.destroy(), 20);
      return;
    case 'loop':
      response.writeHead(302, { location: '/loop' }).end();
      return;
    case 'post':
      response.writeHead(Number(detail), { location: '/echo' }).end();
      return;
    case 'hang':
      return;
    default:
      response.end();
  }
}

describe('outbound requests', () => {
  let outbound: Outbound;
  let server: FakeServer;

  before(async () => {
    outbound = createOutbound({ allowedNetworks: ['127.0.0.0/8'] });
    server = await startFakeServer(answer);
  });
  after(async () => {
    await outbound.close();
    await server.close();
  });

  const get = (path: string, more: Partial<OutboundRequest> = {}) =>
    outbound.request({ ...ask, url: `${server.url}${path}`, ...more });
  async function faultOf(work: Promise<unknown>): Promise<[string, boolean]> {
    const error = await thrownBy(() => work);
    assert.ok(error instanceof OutboundError, `${error.name}: ${error.message}`);
    return [error.fault, error.sent];
  }

  it('when a request is sent, then it has method, headers and body and asks for an uncompressed response', async () => {
    const body = 'a=1&b=%20';
    const answer = await get('echo', { method: 'POST', body, headers: { 'X-One': '1', 'Accept-Encoding': 'gzip' } });
    assert.equal(answer.status, 200);
    const seen = JSON.parse(answer.body.toString()) as {
      method: string;
      body: string;
      headers: Record<string, string>;
    };
    assert.equal(seen.method, 'POST');
    assert.equal(seen.body, body);
    assert.equal(seen.headers['x-one'], '1');
    assert.equal(seen.headers['accept-encoding'], 'identity');
    assert.equal(seen.headers['content-length'], String(body.length));
  });

  it('when a response has any status, then status, headers and body are returned', async () => {
    for (const status of [200, 204, 301, 400, 404, 500, 503]) {
      const answer = await get(`status/${status}`);
      assert.equal(answer.status, status);
      assert.equal(answer.headers['x-a'], '1, 2');
      assert.equal(answer.body.toString(), status === 204 ? '' : 'body');
    }
    assert.equal((await get('status/200', { method: 'HEAD' })).body.length, 0);
    assert.equal((await get('status/200', { method: 'POST' })).status, 200);
  });

  it('when another request follows, then it uses the idle socket', async () => {
    const before = server.connections;
    for (let round = 0; round < 5; round += 1) await get('echo');
    assert.ok(server.connections - before <= 1);
  });

  it('when maySend returns false on an open connection, then nothing is sent on new and idle sockets', async () => {
    const fresh = createOutbound({ allowedNetworks: ['127.0.0.0/8'] });
    const seen = server.requests.length;
    const send = (maySend: () => boolean) =>
      fresh.request({ ...ask, url: `${server.url}echo`, method: 'POST', body: 'x', maySend });
    await assert.rejects(
      send(() => false),
      RequestWithheldError,
    );
    assert.equal((await send(() => true)).status, 200);
    await assert.rejects(
      send(() => false),
      RequestWithheldError,
    );
    assert.equal((await send(() => true)).status, 200);
    assert.equal(server.requests.length - seen, 2);
    await fresh.close();
  });

  it('when maySend returns false after the TLS handshake, then nothing is sent', async () => {
    let received = '';
    const { cert, key } = await issueCertificate();
    const tls = createTlsServer({ cert, key }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    });
    tls.listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const url = `https://127.0.0.1:${(tls.address() as AddressInfo).port}/`;
    const answers = [true, false];
    const maySend = () => answers.shift() ?? false;
    const wanted = { ...ask, url, method: 'POST', body: 'secret', verifyTls: false, maySend } as const;
    await assert.rejects(outbound.request(wanted), RequestWithheldError);
    await sleep(50);
    assert.equal(received, '');
    tls.close();
  });

  it('when a response is compressed or too large, then it is rejected', async () => {
    assert.deepEqual(await faultOf(get('gzip')), ['bad_encoding', true]);
    assert.equal((await get('size/100000')).body.length, 100_000);
    assert.deepEqual(await faultOf(get('size/100001')), ['body_too_large', true]);
    assert.deepEqual(await faultOf(get('endless')), ['body_too_large', true]);
  });

  it('when only IPv4 is allowed, then names resolve to IPv4 from the next call on, and IPv6-only hosts fail', async () => {
    let ipv4Only = false;
    const both = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ] as const;
    const lookup = async (host: string): Promise<ResolvedAddress[]> => (host === 'both.test' ? [...both] : [both[0]]);
    const allowedNetworks = ['127.0.0.0/8', '::1/128'];
    const picky = createOutbound({ allowedNetworks, lookup, ipv4Only: () => ipv4Only });
    const six = await picky.resolve('http://six.test/');
    assert.equal(six.address, '::1');
    ipv4Only = true;
    assert.equal((await picky.resolve('http://both.test/')).address, '127.0.0.1');
    for (const url of ['http://six.test/', 'http://[::1]/']) {
      assert.deepEqual(await faultOf(picky.resolve(url)), ['dns', false]);
      assert.deepEqual(await faultOf(picky.request({ ...ask, url, method: 'GET', resolved: six })), ['dns', false]);
    }
    await picky.close();
  });

  it('when a response hangs or drips, then the deadline ends it', async () => {
    for (const path of ['hang', 'drip'])
      assert.deepEqual(await faultOf(get(path, { deadlineMs: 200 })), ['timeout', true]);
  });

  it('when a signal aborts a request, then the fault is aborted', async () => {
    const abort = new AbortController();
    const hanging = await startFakeServer(() => abort.abort());
    assert.deepEqual(await faultOf(outbound.request({ ...ask, url: hanging.url, signal: abort.signal })), [
      'aborted',
      true,
    ]);
    assert.deepEqual(await faultOf(get('echo', { signal: abort.signal })), ['aborted', false]);
    await hanging.close();
  });

  it('when the lookup of an aborted call fails, then its error is handled', async () => {
    const lost = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      lookup: () => sleep(5).then(() => Promise.reject(new Error('ENOTFOUND'))),
    });
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
    try {
      const call = { url: 'http://gone.test/', deadlineMs: 1_000, signal: AbortSignal.abort() };
      assert.deepEqual(await faultOf(lost.request({ ...ask, ...call })), ['aborted', false]);
      assert.deepEqual(await faultOf(lost.resolve(call.url, call)), ['aborted', false]);
      assert.deepEqual(await faultOf(lost.resolve(call.url, { signal: call.signal })), ['aborted', false]);
      assert.deepEqual(await faultOf(lost.connect(call)), ['aborted', false]);
      await sleep(50);
    } finally {
      process.removeListener('unhandledRejection', note);
      for (const each of others) process.on('unhandledRejection', each);
      await lost.close();
    }
    assert.deepEqual(unhandled, []);
  });

  it('when a connection is refused, reset or cut, then each has its own fault', async () => {
    const gone = await startFakeServer(() => {});
    await gone.close();
    assert.deepEqual(await faultOf(outbound.request({ ...ask, url: gone.url })), ['connect', false]);
    assert.deepEqual(await faultOf(get('cut')), ['reset', true]);
    const hangsUp = await startRawServer((socket) => socket.once('data', () => socket.destroy()));
    assert.deepEqual(await faultOf(outbound.request({ ...ask, url: hangsUp.url })), ['reset', true]);
    hangsUp.close();
    const nonsense = await startRawServer((socket) => socket.once('data', () => socket.end('SSH-2.0-nope\r\n\r\n')));
    assert.deepEqual(await faultOf(outbound.request({ ...ask, url: nonsense.url })), ['reset', true]);
    nonsense.close();
  });

  it('when a TLS handshake does not finish, then the connect timeout ends it', async () => {
    const silent = await startRawServer(() => {});
    const url = silent.url.replace('http:', 'https:');
    const fault = await faultOf(outbound.request({ ...ask, url, connectTimeoutMs: 150 }));
    assert.deepEqual(fault, ['timeout', false]);
    silent.close();
    assert.deepEqual(await faultOf(outbound.request({ ...ask, url: server.url.replace('http:', 'https:') })), [
      'tls',
      false,
    ]);
  });

  it('when a response redirects, then it is followed only up to maxRedirects, and POST becomes GET', async () => {
    assert.equal((await get('loop')).status, 302);
    assert.deepEqual(await faultOf(get('loop', { maxRedirects: 3 })), ['too_many_redirects', true]);
    const post = { method: 'POST', body: 'a=1', maxRedirects: 2 } as const;
    const turned = JSON.parse((await get('post/302', post)).body.toString()) as { method: string; body: string };
    assert.deepEqual([turned.method, turned.body], ['GET', '']);
    const kept = JSON.parse((await get('post/307', post)).body.toString()) as { method: string; body: string };
    assert.deepEqual([kept.method, kept.body], ['POST', 'a=1']);
  });

  it('when a redirect leads to another origin, then credentials and body are not sent', async () => {
    const other = await startFakeServer((seen, response) => response.end(JSON.stringify(seen)), '127.0.0.3');
    const from = await startFakeServer((_seen, response) => response.writeHead(307, { location: other.url }).end());
    const headers = { Authorization: 'Basic c2VjcmV0', Cookie: 'a=secret', 'X-Keep': '1' };
    const answer = await outbound.request({
      ...ask,
      url: from.url,
      method: 'POST',
      body: 'secret=1',
      headers,
      maxRedirects: 1,
    });
    assert.equal(answer.body.includes('secret'), false);
    assert.equal(other.requests[0]?.headers['x-keep'], '1');
    await Promise.all([other.close(), from.close()]);
  });

  it('when the name server hangs, then the deadline ends the request', async () => {
    const stuck = createOutbound({ allowedNetworks: [], lookup: () => new Promise(() => {}) });
    assert.deepEqual(await faultOf(stuck.request({ ...ask, url: 'http://slow.test/', deadlineMs: 100 })), [
      'dns',
      false,
    ]);
    await stuck.close();
  });

  it('when the first address family cannot be connected, then the other one is tried', async () => {
    const both = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      lookup: async () => [
        { address: '127.9.9.9', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    });
    const answer = await both.request({ ...ask, url: `http://two.test:${server.port}/echo` });
    assert.equal(answer.status, 200);
    await both.close();
  });
});

describe('outbound TLS', () => {
  it('when certificates are invalid, then they are rejected unless verification is off, and can be inspected', async () => {
    const defects = [undefined, 'expired', 'wrong-name'] as const;
    const fleet = await startFleet({ sites: 3, tls: true, certificateDefects: (index) => defects[index] });
    const urls = fleet.sites.map((site) => site.url);
    const outbound = createOutbound({ allowedNetworks: ['127.0.0.0/8'] });
    const trusting = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      certificateAuthorities: [fleet.certificate ?? ''],
    });
    const good = urls[0] ?? '';
    assert.equal((await trusting.request({ ...ask, url: good })).status, 200);
    assert.equal((await outbound.request({ ...ask, url: good, verifyTls: false })).status, 200);
    for (const url of urls) {
      const error = await thrownBy(() => outbound.request({ ...ask, url }));
      assert.equal((error as OutboundError).fault, 'tls', url);
    }
    const probes = await Promise.all(urls.map((url) => trusting.probeTls({ url, deadlineMs: 2000 })));
    assert.deepEqual(
      probes.map(({ coversHost, chainFault }) => [coversHost, chainFault]),
      [
        [true, null],
        [true, null],
        [false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ],
    );
    await Promise.all([outbound.close(), trusting.close(), fleet.close()]);
  });
});
