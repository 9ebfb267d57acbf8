import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { HttpServer } from '../../src/http/server.ts';
import { checkResponse } from '../support/contract-check.ts';
import { bodyOf, openSocket, received } from '../support/raw-http.ts';
import { withWorld, type World } from '../support/world.ts';

const INVALID = { abilities: 'ability_invalid_input', v2: 'rest_invalid_param' } as const;
const LIST = { abilities: '/abilities/v1/svc/list-tags-v1/run', v2: '/api/v2/tags' } as const;
const ADD = { abilities: '/abilities/v1/svc/add-tag-v1/run', v2: '/api/v2/tags/add' } as const;
const WRONG_METHOD = { abilities: 'rest_ability_invalid_method', v2: 'rest_invalid_method' } as const;

interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

describe('requests that no client library sends', () => {
  let world: World;
  let http: HttpServer;
  withWorld({ sites: 0 }, (started) => (world = started));
  before(async () => {
    http = new HttpServer(world.container.logger);
    http.serve(world.container.app);
    await once(http.server.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => http.drain());

  /** Sends a request without a library and checks the error against the contract. */
  async function refusal({ method = 'GET', path, headers = {}, body = '' }: RawRequest) {
    const socket = await openSocket((http.server.address() as AddressInfo).port);
    const answer = received(socket);
    const lines = Object.entries({
      Host: '127.0.0.1',
      Connection: 'close',
      Authorization: world.authorizations.admin ?? '',
      ...(body.length > 0 && { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.write(body);
    const text = await answer;
    const status = Number(/^HTTP\/1\.1 (\d+) /.exec(text)?.[1]);
    const error = bodyOf(text);
    assert.equal(error.data.status, status);
    return { status, error, text };
  }

  for (const surface of ['abilities', 'v2'] as const) {
    const [list, add] = [LIST[surface], ADD[surface]];
    const page = (value: string): string => `${list}?${surface === 'v2' ? 'page' : 'input[page]'}=${value}`;
    const named = (name: string): string => (surface === 'v2' ? `{"name":${name}}` : `{"input":{"name":${name}}}`);
    const notUtf8 = Buffer.concat([Buffer.from(named('"').slice(0, -1)), Buffer.from([0xff]), Buffer.from('"}}')]);
    const cases: [what: string, request: RawRequest, status: number, code: string][] = [
      [
        'a header above 16 KiB',
        { path: list, headers: { 'X-Long': 'x'.repeat(20_000) } },
        431,
        'svc_headers_too_large',
      ],
      ['an invalid Content-Length', { path: list, headers: { 'Content-Length': 'x' } }, 400, 'svc_malformed_request'],
      ['the parameter __proto__[x]', { path: `${list}?__proto__[x]=1` }, 400, INVALID[surface]],
      ['a page above the limit', { path: page('2147483648') }, 400, INVALID[surface]],
      ['a page of 30 digits', { path: page('9'.repeat(30)) }, 400, INVALID[surface]],
      ['a page of 1e999', { path: page('1e999') }, 400, INVALID[surface]],
      ['U+0000 in the query', { path: page('%00') }, 400, INVALID[surface]],
      ['U+0000 in the body', { method: 'POST', path: add, body: named('"a\\u0000"') }, 400, INVALID[surface]],
      ['half a surrogate pair', { method: 'POST', path: add, body: named('"a\\ud800"') }, 400, INVALID[surface]],
      ['a body that is not UTF-8', { method: 'POST', path: add, body: notUtf8 }, 400, 'rest_invalid_json'],
    ];
    for (const [what, request, status, code] of cases)
      it(`when ${surface} gets ${what}, then the response is ${status} as documented`, async () => {
        const answer = await refusal(request);
        assert.deepEqual([answer.status, answer.error.code], [status, code], answer.text);
        checkResponse(request.method ?? 'GET', request.path, status, answer.error);
      });

    it(`when ${surface} gets TRACE, then the response is 405 with the allowed methods`, async () => {
      const { status, error, text } = await refusal({ method: 'TRACE', path: list });
      assert.deepEqual([status, error.code], [405, WRONG_METHOD[surface]]);
      assert.match(text, /\r\nAllow: [^\r]*\bGET\b/i);
    });
  }
});
