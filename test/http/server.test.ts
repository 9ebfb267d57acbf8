import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HttpServer } from '../../src/http/server.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { checkResponse } from '../support/contract-check.ts';
import { bodyOf, openSocket, received } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { basic, bearer, startSmallApp, withSmallApp, type SmallApp } from './small-app.ts';

describe('connections of the server', () => {
  const calls: [path: string | undefined, response: ServerResponse][] = [];
  let http: HttpServer;
  let port: number;
  beforeEach(async () => {
    calls.length = 0;
    const app = ({ url }: IncomingMessage, response: ServerResponse): void => void calls.push([url, response]);
    http = new HttpServer(createLogger('silent'));
    http.serve(app);
    http.server.listen(0, '127.0.0.1');
    await once(http.server, 'listening');
    ({ port } = http.server.address() as AddressInfo);
  });
  afterEach(() => http.server.closeAllConnections());

  const asked = async (socket: Socket, path: string): Promise<ServerResponse> => {
    const before = calls.length;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    while (calls.length === before) await new Promise(setImmediate);
    return calls.at(-1)?.[1] ?? assert.fail();
  };

  it('when a request is running, then its response has Connection: close and no further request is read', async () => {
    const socket = await openSocket(port);
    const response = await asked(socket, '/first');
    const idle = await openSocket(port);
    (await asked(idle, '/idle')).end('done');
    await once(idle, 'data');
    const whole = received(socket);
    const drained = http.drain();
    await once(idle, 'close');
    socket.write('GET /second HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    response.end('first');
    const text = await whole;
    await drained;
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Connection: close\r\n/);
    assert.match(text, /first$/);
    assert.deepEqual(
      calls.map(([path]) => path),
      ['/first', '/idle'],
    );
  });

  it('when a response has already started, then its connection is closed after it', async () => {
    const socket = await openSocket(port);
    const response = await asked(socket, '/stream');
    response.write('begun ');
    await once(socket, 'data');
    const whole = received(socket);
    const drained = http.drain();
    response.end('ended');
    assert.match(await whole, /ended/);
    await drained;
  });

  it('when a body is sent only in part, then the call is refused, and the drain ends', async () => {
    const socket = await openSocket(port);
    const whole = received(socket);
    socket.write('POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"name"');
    while (calls.length === 0) await new Promise(setImmediate);
    await http.drain();
    const answer = await whole;
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.match(answer, /"code":"svc_stopping"/);
  });

  it('when a request is not complete in time, then the response is the documented 408', async () => {
    const [[atServer], socket] = await Promise.all([once(http.server, 'connection'), openSocket(port)]);
    const whole = received(socket);
    socket.write('POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"name"');
    while (calls.length === 0) await new Promise(setImmediate);
    // Node emits this after its time limit of minutes.
    http.server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), atServer);
    const error = bodyOf(await whole);
    assert.equal(error.code, 'svc_request_timeout');
    checkResponse('POST', '/api/v2/tags/add', 408, error);
    checkResponse('POST', '/abilities/v1/svc/add-tag-v1/run', 408, error);
    await http.drain();
  });

  it('when the body of a request with a response is broken, then the connection ends without a second one', async () => {
    const socket = await openSocket(port);
    const whole = received(socket);
    socket.write('POST /half HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n');
    while (calls.length === 0) await new Promise(setImmediate);
    calls[0]?.[1].end('early');
    socket.write('ZZZZZZ\r\n');
    assert.deepEqual((await whole).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200']);
  });

  it('when a connection is idle, then its last request is not kept in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const socket = await openSocket(port);
    const last = new WeakRef(await asked(socket, '/last'));
    calls[0]?.[1].end('done');
    await once(socket, 'data');
    calls.length = 0;
    await until(async () => (collect(), last.deref() === undefined), 'the end of the response');
    assert.equal(socket.destroyed, false);
  });

  it('when a connection had no request, then it is closed', async () => {
    const socket = await openSocket(port);
    await asked(await openSocket(port), '/other');
    const closed = once(socket, 'close');
    void http.drain();
    await closed;
  });
});

describe('requests and responses of Express', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  it('when a request is served, then Express changes no prototype, because that would double its cost', async () => {
    const set = Object.setPrototypeOf.bind(Object);
    let changes = 0;
    Object.setPrototypeOf = (target: object, prototype: object | null) => {
      if (Object.getPrototypeOf(target) !== prototype) changes++;
      return set(target, prototype) as object;
    };
    try {
      for (const [method, path, as] of [
        ['GET', '/healthz', null],
        ['GET', '/abilities/v1/svc/look-around-v1/run', basic('admin')],
        ['GET', '/api/v2/things', bearer('full')],
        ['GET', '/api/v2/nothing', null],
        ['DELETE', '/docs/', null],
        ['HEAD', '/docs/', null],
        ['GET', '/nowhere', null],
      ] as const)
        await app.call(method, path, { as });
      assert.equal(changes, 0);
    } finally {
      Object.setPrototypeOf = set;
    }
  });
});

describe('unusual HTTP', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));
  beforeEach(() => void (app.logs.length = 0));

  const AUTHORIZED = `Authorization: ${bearer('full')}\r\n`;
  const requestLines = () =>
    app.logs.filter(({ msg }) => msg === 'request').map(({ status, request_id }) => [status, request_id]);

  async function responseTo(...parts: string[]): Promise<string> {
    const socket = await openSocket(Number(new URL(app.url).port));
    const answer = received(socket);
    for (const part of parts) {
      socket.write(part);
      await sleep(30);
    }
    return answer;
  }

  it('when an HTTP/1.1 request has no Host, then the response is an error in the standard format', async () => {
    const text = await responseTo(
      `GET /api/v2/things HTTP/1.1\r\nConnection: close\r\n${AUTHORIZED}X-Request-Id: without-host\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /\r\nX-Request-Id: without-host\r\n/);
    assert.match(text, /\r\nContent-Type: application\/json/);
    assert.equal(bodyOf(text).code, 'svc_malformed_request');
    assert.ok(app.logs.some(({ request_id }) => request_id === 'without-host'));
    assert.match(await responseTo(`GET /api/v2/things HTTP/1.0\r\n${AUTHORIZED}\r\n`), /^HTTP\/1\.1 200 /);
  });

  it('when a request has an unknown expectation, then it is answered as without it', async () => {
    const text = await responseTo(
      `GET /api/v2/things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${AUTHORIZED}Expect: nonsense\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.match(text, /\r\nX-Request-Id: /);
  });

  for (const [target, status] of [
    ['http://api.example/api/v2/things?page=2', 200],
    ['HTTPS://api.example:8443/healthz', 200],
    ['http://api.example', 404],
    ['http://api.example?page=2', 404],
    ['ftp://api.example/healthz', 200],
  ] as const)
    it(`when the target of a request is ${target}, then the status is ${status}`, async () => {
      const text = await responseTo(
        `GET ${target} HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n${AUTHORIZED}\r\n`,
      );
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `));
      if (target.includes('things')) assert.match(text, /"query":\{"page":2[,}]/);
    });

  it('when the host of an absolute target is foreign, then it counts instead of the header', async () => {
    const metrics = (target: string, host: string): Promise<string> =>
      responseTo(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(await metrics('/metrics', 'localhost'), /^HTTP\/1\.1 200 /);
    for (const scheme of ['http', 'ftp'])
      assert.match(await metrics(`${scheme}://foreign.example/metrics`, 'localhost'), /^HTTP\/1\.1 401 /);
    assert.match(await metrics('http://localhost/metrics', 'foreign.example'), /^HTTP\/1\.1 200 /);
  });

  const HALF = `POST /api/v2/things HTTP/1.1\r\nHost: a\r\n${AUTHORIZED}Content-Type: application/json\r\n`;

  it('when a chunk of a body is broken, then there is one response, and its ID is in all lines', async () => {
    const text = await responseTo(`${HALF}Transfer-Encoding: chunked\r\n\r\n5\r\n{"na`, 'me"ZZ\r\nmore', 'and more');
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.equal(bodyOf(text).code, 'svc_malformed_request');
    const [, requestId] = /\r\nX-Request-Id: ([0-9a-f-]{36})\r\n/.exec(text) ?? assert.fail(text);
    await until(() => requestLines().length > 0, 'the line');
    assert.deepEqual(requestLines(), [[400, requestId]]);
    assert.deepEqual(
      app.logs.map(({ msg, request_id }) => [msg, request_id]),
      [
        ['refused request', requestId],
        ['request', requestId],
      ],
    );
  });

  it('when a caller hangs up during an upload, then its line has the status 499', async () => {
    const socket = await openSocket(Number(new URL(app.url).port));
    socket.write(`${HALF}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n{"name"`);
    // The server asks for the body.
    await once(socket, 'data');
    socket.resetAndDestroy();
    await until(() => requestLines().length > 0, 'the line');
    assert.deepEqual(
      requestLines().map(([status]) => status),
      [499],
    );
  });

  it('when a caller ends its side of the connection within a body, then it gets the error', async () => {
    const socket = await openSocket(Number(new URL(app.url).port));
    const answer = received(socket);
    socket.end(`${HALF}Content-Length: 100\r\n\r\n{"name"`);
    assert.match(await answer, /^HTTP\/1\.1 400 /);
    assert.equal(bodyOf(await answer).message, 'The request is incomplete.');
  });

  const READ = `GET /api/v2/things HTTP/1.1\r\nHost: a\r\n${AUTHORIZED}\r\n`;
  const CLOSING = READ.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const UNAUTHORIZED = 'POST /api/v2/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  for (const [what, parts, statuses] of [
    ['text that is not HTTP follows a request', [`${READ}HELLO\r\n\r\n`], [200, 400]],
    [
      'text that is not HTTP follows two requests in parts',
      [READ, READ, 'HELLO', ' there', '\r\n\r\n'],
      [200, 200, 400],
    ],
    ['text that is not HTTP follows the last request', [`${CLOSING}HELLO\r\n\r\n`], [200]],
    ['a broken body follows a request', [READ, `${HALF}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`], [200, 400]],
    [
      'a body is broken after its request was refused',
      [READ, `${UNAUTHORIZED}Transfer-Encoding: chunked\r\n\r\n3\r\n`, 'ZZZZZZ\r\n', 'more'],
      [200, 401],
    ],
    ['CONNECT is sent', ['CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n'], [400]],
    ['CONNECT follows a request', [`${READ}CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n`], [200, 400]],
    ['a request has two hosts', [CLOSING.replace('Host: a', 'Host: a\r\nHost: b')], [400]],
  ] as const)
    it(`when ${what}, then the statuses are ${statuses.join(', ')} in this order`, async () => {
      const text = await responseTo(...parts);
      assert.deepEqual(
        text.match(/HTTP\/1\.1 \d+/g),
        statuses.map((status) => `HTTP/1.1 ${status}`),
      );
      assert.equal(text.match(/\r\nX-Request-Id: /g)?.length, statuses.length);
    });

  /** Starts an app whose list waits for `end`, and connects to it. */
  async function slowRead(): Promise<{ own: SmallApp; socket: Socket; end: () => void }> {
    let end = (): void => undefined;
    const slow = new Promise<void>((resolve) => (end = resolve));
    const list = async () => (await slow, { status: 200, body: { path: {}, query: {}, body: {} } });
    const own = await startSmallApp({ handlers: { things_list: list } });
    return { own, socket: await openSocket(Number(new URL(own.url).port)), end: () => end() };
  }

  it('when a slow request is followed by a broken one, then it still gets its response', async () => {
    const { own, socket, end } = await slowRead();
    const answer = received(socket);
    socket.write(`${READ}${UNAUTHORIZED}Transfer-Encoding: chunked\r\n\r\n3\r\n`);
    await sleep(100);
    socket.write('ZZZZZZ\r\n');
    await sleep(100);
    end();
    assert.deepEqual((await answer).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401']);
    await own.close();
  });

  it('when a caller sends CONNECT during a request and hangs up, then the service continues', async () => {
    const { own, socket, end } = await slowRead();
    socket.write(`${READ}CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n`);
    await sleep(100);
    socket.resetAndDestroy();
    await until(async () => own.logs.some(({ status }) => status === 499), 'the line');
    end();
    assert.equal((await own.call('GET', '/healthz')).status, 200);
    await own.close();
  });

  it('when a caller hangs up while requests wait for their turn, then each has one line', async () => {
    const { own, socket, end } = await slowRead();
    const lines = () => own.logs.filter(({ msg }) => msg === 'request');
    socket.write(READ + 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
    await sleep(200);
    socket.resetAndDestroy();
    await until(() => lines().length >= 4, 'the lines');
    end();
    await sleep(100);
    assert.deepEqual(
      lines().map(({ status }) => status),
      [499, 499, 499, 499],
    );
    await own.close();
  });

  for (const path of ['/abilities/v1/svc/look-around-v1/run', '/api/v2/things/1', '/api/v2/things/1/touch', '/healthz'])
    it(`when ${path} gets a method that it does not have, then Allow is that of OPTIONS`, async () => {
      const options = await app.call('OPTIONS', path, { as: null });
      const refused = await app.call('TRACE', path, {
        as: path.startsWith('/abilities') ? basic('admin') : bearer('full'),
      });
      assert.deepEqual([options.status, refused.status], [204, 405]);
      assert.equal(refused.headers.allow, options.headers.allow);
    });
});

describe('malformed HTTP', () => {
  let app: SmallApp;
  withSmallApp((started) => (app = started));

  for (const [what, text, status, code] of [
    ['a header above 16 KiB', `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'svc_headers_too_large'],
    ['a URL above 16 KiB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'svc_headers_too_large'],
    ['text that is not HTTP', 'HELLO\r\n\r\n', 400, 'svc_malformed_request'],
    ['an invalid Content-Length', 'POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n', 400, 'svc_malformed_request'],
  ] as const)
    it(`when the server receives ${what}, then the response is an error in the standard format`, async () => {
      const socket = await openSocket(Number(new URL(app.url).port));
      const answer = received(socket);
      socket.write(text);
      const whole = await answer;
      assert.match(whole, new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
      assert.match(whole, /\r\nContent-Type: application\/json/);
      const [, requestId] = /\r\nX-Request-Id: ([0-9a-f-]{36})\r\n/.exec(whole) ?? assert.fail(whole);
      const body = bodyOf(whole);
      assert.deepEqual([body.code, body.data], [code, { status }]);
      const line = app.logs.find((each) => each['request_id'] === requestId);
      assert.deepEqual([line?.msg, line?.['status']], ['unreadable request', status]);
    });
});
