import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, OutgoingMessage, ServerResponse, type IncomingMessage } from 'node:http';
import { bearer, startSmallApp, type SmallApp } from './small-app.ts';

const ORIGIN = 'https://console.test';
/** Sent with every JSON response to an allowed origin, by the service and by Node. */
const ALWAYS = [
  ...['Content-Security-Policy', 'Cross-Origin-Opener-Policy', 'Cross-Origin-Resource-Policy', 'Referrer-Policy'],
  ...['Strict-Transport-Security', 'X-Content-Type-Options', 'X-Frame-Options', 'X-Request-Id'],
  ...['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Vary'],
  ...['Content-Length', 'Content-Type', 'Date', 'Connection', 'Keep-Alive'],
];
const SET_BY_CORS = ['Vary', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];

interface Received {
  status: number | undefined;
  /** In alphabetical order. A name is listed as often as it was received. */
  names: string[];
  valuesOf: (name: string) => string[];
  body: string;
  /** Names of the headers that the response set one by one. */
  set: string[];
}

type SetOne = (this: OutgoingMessage, name: string, value: unknown) => OutgoingMessage;

const prototype = OutgoingMessage.prototype as unknown as Record<'setHeader' | 'appendHeader', SetOne>;

describe('headers of responses', () => {
  const { setHeader, appendHeader } = prototype;
  let app: SmallApp;
  let set: string[];
  beforeEach(async () => {
    set = [];
    const recorded = (method: SetOne): SetOne =>
      function (name, value) {
        if (this instanceof ServerResponse) set.push(name);
        return method.call(this, name, value);
      };
    Object.assign(prototype, { setHeader: recorded(setHeader), appendHeader: recorded(appendHeader) });
    app = await startSmallApp({
      corsOrigins: [ORIGIN],
      credentialLimits: {
        allowsAddress: () => true,
        callsPerMinute: ({ credential }) => (credential === 'key:2' ? 1 : null),
      },
      handlers: {
        things_list: async () => ({
          status: 200,
          body: { things: [] },
          headers: { 'X-WP-Total': '21', Link: '<a>; rel="next"', Vary: 'Accept', 'Set-Cookie': ['a=1', 'b=2'] },
        }),
        things_get: async () => ({ status: 200, body: {}, headers: { 'Referrer-Policy': 'same-origin' } }),
        things_basic: async () => ({
          status: 200,
          body: Array.from({ length: 60 }, (_, index) => index),
          headers: { 'X-WP-Total': '60' },
        }),
      },
      responseChecks: 'off',
    });
  });
  afterEach(() => {
    Object.assign(prototype, { setHeader, appendHeader });
    return app.close();
  });

  async function send(path: string, key = 'full'): Promise<Received> {
    const headers = { authorization: bearer(key), origin: ORIGIN, 'x-request-id': 'request-1' };
    const [response] = (await once(get(app.url + path, { headers }), 'response')) as [IncomingMessage];
    let body = '';
    for await (const text of response.setEncoding('utf8')) body += text;
    const { statusCode: status, rawHeaders: raw } = response;
    const names = raw.filter((_, at) => at % 2 === 0);
    const valuesOf = (name: string): string[] => raw.filter((_, at) => at % 2 === 1 && raw[at - 1] === name);
    return { status, names: names.toSorted(), valuesOf, body, set: set.splice(0) };
  }

  it('when a call succeeds, then each header is sent once, and only those of CORS were set', async () => {
    const { status, names, body, valuesOf, set } = await send('/abilities/v1/svc/look-around-v1/run');
    assert.equal(status, 200);
    assert.deepEqual(names, ALWAYS.toSorted());
    assert.deepEqual(valuesOf('Content-Length'), [String(body.length)]);
    assert.deepEqual(valuesOf('X-Request-Id'), ['request-1']);
    assert.deepEqual(set, SET_BY_CORS);
  });

  it('when a list has headers, then they are sent beside the others, and each cookie has its line', async () => {
    const { names, valuesOf, set } = await send('/api/v2/things');
    const own = ['X-WP-Total', 'Link', 'Set-Cookie'];
    assert.deepEqual(names, [...ALWAYS, ...own, 'Set-Cookie'].toSorted());
    assert.deepEqual(valuesOf('Set-Cookie'), ['a=1', 'b=2']);
    assert.deepEqual(valuesOf('Link'), ['<a>; rel="next"']);
    assert.deepEqual(new Set(set), new Set([...SET_BY_CORS, ...own]));
  });

  it('when a long list is sent in pieces, then each header is sent once', async () => {
    const { names, valuesOf, body } = await send('/api/v2/things/basic');
    assert.deepEqual(names, [...ALWAYS, 'X-WP-Total'].toSorted());
    assert.deepEqual(valuesOf('Content-Length'), [String(body.length)]);
  });

  it('when a handler returns a header that is fixed, then its own value is sent alone', async () => {
    const { names, valuesOf } = await send('/api/v2/things/1');
    assert.deepEqual(names, ALWAYS.toSorted());
    assert.deepEqual(valuesOf('Referrer-Policy'), ['same-origin']);
  });

  it('when a call is refused, then the error has the headers of a success and its own', async () => {
    const invalid = await send('/api/v2/things?page=0');
    assert.equal(invalid.status, 400);
    assert.deepEqual(invalid.names, ALWAYS.toSorted());
    assert.deepEqual(invalid.set, SET_BY_CORS);
    const unknown = await send('/api/v2/things', 'unknown');
    assert.equal(unknown.status, 401);
    assert.deepEqual(unknown.names, [...ALWAYS, 'WWW-Authenticate'].toSorted());
    assert.deepEqual(unknown.set, [...SET_BY_CORS, 'WWW-Authenticate']);
  });

  it('when a credential calls too often, then the 429 has the limit and the time to wait once', async () => {
    const own = ['RateLimit', 'RateLimit-Policy'];
    const allowed = await send('/api/v2/things/1', 'reads');
    assert.deepEqual([allowed.status, allowed.names], [200, [...ALWAYS, ...own].toSorted()]);
    const refused = await send('/api/v2/things/1', 'reads');
    assert.deepEqual([refused.status, refused.names], [429, [...ALWAYS, ...own, 'Retry-After'].toSorted()]);
    const { data } = JSON.parse(refused.body) as { data: { retry_after_seconds: number } };
    assert.deepEqual(refused.valuesOf('Retry-After'), [String(data.retry_after_seconds)]);
    assert.deepEqual(new Set(refused.set), new Set([...SET_BY_CORS, ...own, 'Retry-After']));
  });
});
