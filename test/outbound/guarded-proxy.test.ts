import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { openGuardedProxy, type GuardedProxy, type GuardedProxyOptions } from '../../src/outbound/index.ts';
import { until } from '../support/until.ts';

const REFUSED = [
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200', '0.0.0.0'],
  ...['100.64.0.1', '[::1]', '[::]', '[fe80::1]', '[fd00:ec2::254]', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]'],
  ...['[64:ff9b::7f00:1]', '[2002:c0a8:101::1]', '[2001:0:7f00:1::]', '2130706433', '0x7f.1', '017700000001'],
];

describe('proxy in front of a browser', () => {
  let origin: Server;
  let port: number;
  let proxy: GuardedProxy;
  before(async () => {
    origin = createServer((asked, response) => {
      const size = Number(/^\/bytes\/(\d+)/.exec(asked.url ?? '')?.[1] ?? 0);
      response.writeHead(200, 'Fine', [
        ...['set-cookie', 'a=1', 'set-cookie', 'b=2', 'x-seen', JSON.stringify(asked.headers)],
        ...['x-method', asked.method ?? '', 'keep-alive', 'timeout=5'],
      ]);
      if (size > 0) response.end(Buffer.alloc(size, 'x'));
      else asked.pipe(response);
    }).listen(0, '127.0.0.1');
    await once(origin, 'listening');
    ({ port } = origin.address() as AddressInfo);
  });
  after(() => origin.close());
  afterEach(() => proxy.close());

  const open = async (options: Partial<GuardedProxyOptions> = {}): Promise<void> => {
    proxy = await openGuardedProxy({
      allowedNetworks: ['127.0.0.0/8'],
      ipv4Only: false,
      maxBytes: 10_000_000,
      maxConnections: 50,
      connectTimeoutMs: 2000,
      ...options,
    });
  };

  /** Requests a URL through the proxy. */
  async function ask(url: string, method = 'GET', body = ''): Promise<IncomingMessage & { body: string }> {
    const headers = { host: new URL(url).host, 'proxy-connection': 'keep-alive', te: 'trailers', 'x-own': '1' };
    const asked = request({ host: '127.0.0.1', port: proxy.port, path: url, method, headers, agent: false });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return Object.assign(answer, { body: await text(answer) });
  }

  /** Opens a tunnel. Returns the status line and the socket. */
  async function tunnel(authority: string): Promise<{ line: string; socket: Socket }> {
    const socket = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    return { line: first.toString().split('\r\n')[0] ?? '', socket };
  }

  it('when a page is requested over http, then the response is passed on without connection headers', async () => {
    await open();
    const answer = await ask(`http://127.0.0.1:${port}/a?b=c`, 'POST', 'sent');
    assert.deepEqual([answer.statusCode, answer.statusMessage, answer.body], [200, 'Fine', 'sent']);
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
    const seen = JSON.parse(String(answer.headers['x-seen'])) as Record<string, string>;
    assert.deepEqual([seen['host'], seen['x-own'], seen['te']], [`127.0.0.1:${port}`, '1', undefined]);
    assert.ok(!('proxy-connection' in seen));
    assert.ok(proxy.stats().bytes > 0);
  });

  it('when a tunnel is opened, then bytes flow in both directions', async () => {
    await open();
    const { line, socket } = await tunnel(`127.0.0.1:${port}`);
    assert.equal(line, 'HTTP/1.1 200 Connection established');
    socket.write('GET /bytes/5 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    assert.match(await text(socket), /^HTTP\/1\.1 200 Fine[^]*xxxxx/);
  });

  it('when an address is forbidden, then no form of it is connected, over http or a tunnel', async () => {
    await open({ allowedNetworks: [] });
    for (const host of REFUSED) {
      assert.equal((await ask(`http://${host}:${port}/`)).statusCode, 403, host);
      const { line, socket } = await tunnel(`${host}:${port}`);
      assert.equal(line, 'HTTP/1.1 403 Refused', host);
      socket.destroy();
    }
    assert.equal(proxy.stats().refused, 2 * REFUSED.length);
    assert.equal(proxy.stats().bytes, 0);
  });

  it('when one address of a name is forbidden, then the name is rejected, even if another address is public', async () => {
    const lookup = async () => [
      { address: '93.184.215.14', family: 4 as const },
      { address: '10.0.0.1', family: 4 as const },
    ];
    await open({ lookup });
    assert.equal((await ask(`http://rebound.example:${port}/`)).statusCode, 403);
    assert.equal((await tunnel(`rebound.example:${port}`)).line, 'HTTP/1.1 403 Refused');
  });

  it('when a name is resolved, then the connection uses the checked address', async () => {
    const asked: string[] = [];
    const lookup = async (host: string) => (asked.push(host), [{ address: '127.0.0.1', family: 4 as const }]);
    await open({ lookup });
    assert.equal((await ask(`http://shop.example:${port}/`)).statusCode, 200);
    assert.deepEqual(asked, ['shop.example']);
  });

  it('when the port belongs to mail, shells or databases, or the scheme is not http, then the request is rejected', async () => {
    await open();
    for (const url of [
      'http://127.0.0.1:25/',
      'http://127.0.0.1:6379/',
      'ftp://127.0.0.1/',
      `http://a:b@127.0.0.1:${port}/`,
    ])
      assert.equal((await ask(url)).statusCode, 403, url);
    assert.match((await tunnel('127.0.0.1:22')).line, /403/);
    assert.match((await tunnel('no_host:notaport')).line, /400|403|502/);
  });

  it('when no server is listening, then the browser gets 502', async () => {
    await open();
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port: free } = closed.address() as AddressInfo;
    closed.close();
    assert.equal((await ask(`http://127.0.0.1:${free}/`)).statusCode, 502);
    assert.equal((await tunnel(`127.0.0.1:${free}`)).line, 'HTTP/1.1 502 Refused');
  });

  it('when a page exceeds its byte limit, then open connections are closed and no new one is opened', async () => {
    await open({ maxBytes: 100_000 });
    await assert.rejects(ask(`http://127.0.0.1:${port}/bytes/50000000`));
    assert.equal(proxy.stats().exceeded, true);
    assert.ok(proxy.stats().bytes < 5_000_000);
    assert.equal((await ask(`http://127.0.0.1:${port}/`)).statusCode, 502);
  });

  it('when a page opens too many connections, then the next one is rejected', async () => {
    await open({ maxConnections: 6 });
    const tunnels = await Promise.all(Array.from({ length: 3 }, () => tunnel(`127.0.0.1:${port}`)));
    assert.ok(tunnels.every(({ line }) => line.includes('200')));
    assert.equal((await ask(`http://127.0.0.1:${port}/`)).statusCode, 502);
    for (const { socket } of tunnels) socket.destroy();
    await until(async () => (await ask(`http://127.0.0.1:${port}/`)).statusCode === 200, 'room');
  });
});
