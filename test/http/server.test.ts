import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { HttpServer } from '../../src/http/server.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { checkResponse } from '../support/contract-check.ts';
import { bodyOf, openSocket, received } from '../support/raw-http.ts';
import { basic, bearer, withSmallApp, type SmallApp } from './small-app.ts';

describe('drain of the server', () => {
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
