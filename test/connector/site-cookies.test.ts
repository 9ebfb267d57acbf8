import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createSiteCookies } from '../../src/connector/cookies.ts';
import { eventually } from '../support/until.ts';
import { readRecording, type ReceivedRequest } from './support.ts';
import { STATS_REQUEST, respondByFunction, STATS, ConnectorBench } from './connector-bench.ts';

const SESSION = 'wordpress_logged_in_ab=admin%7C1; path=/; HttpOnly';
const ANSWERS = { stats: STATS, plugin_action: readRecording('40-plugin-deactivate') };
const flood = (tag: string): string[] =>
  Array.from({ length: 19 }, (_, index) => `junk${tag}${index}=${'x'.repeat(1_900)}; path=/`);
const sizes = (seen: ReceivedRequest[]): number[] => seen.map(({ headers }) => headers.cookie?.length ?? 0);

describe('cookies of a site that sends too many', () => {
  const rig = new ConnectorBench().install();
  const stats = () => rig.child.stats(rig.link(), STATS_REQUEST);
  const act = () => rig.child.pluginAction(rig.link(), 'deactivate', ['a/a.php']);
  const answering =
    (cookies: () => string[], refuses: (seen: ReceivedRequest) => number | null = () => null) =>
    (seen: ReceivedRequest, response: ServerResponse): void => {
      const status = refuses(seen);
      if (status !== null) return void response.writeHead(status).end('<html><h1>Request Header Too Large</h1></html>');
      response.setHeader('set-cookie', cookies());
      respondByFunction(ANSWERS)(seen, response);
    };

  it('when a site sends many cookies, then the Cookie header stays under its limit and keeps the session', async () => {
    let round = 0;
    rig.respond = answering(() => [SESSION, ...flood(String((round += 1)))].slice(0, 8));
    for (let call = 0; call < 30; call += 1) await stats();
    assert.ok(Math.max(...sizes(rig.server.requests)) <= 4_096, String(Math.max(...sizes(rig.server.requests))));
    assert.match(rig.server.requests.at(-1)?.headers.cookie ?? '', /wordpress_logged_in_ab=admin/);
  });

  for (const status of [400, 431])
    it(`when the web server rejects the cookies with ${status}, then they are dropped and the call is repeated`, async () => {
      rig.respond = answering(() => [SESSION]);
      await stats();
      rig.respond = answering(
        () => [SESSION],
        ({ headers }) => (headers.cookie === undefined ? null : status),
      );
      await act();
      assert.deepEqual(sizes(rig.server.requests).map(Boolean), [false, true, false]);
      // After the flood, the new session is used again in one call.
      rig.respond = answering(() => [SESSION]);
      await act();
      assert.deepEqual(sizes(rig.server.requests).map(Boolean), [false, true, false, true]);
    });

  it('when WordPress itself responds with 400, then the call is not repeated', async () => {
    rig.respond = answering(() => [SESSION]);
    await stats();
    rig.respond = (_seen, response) =>
      response.writeHead(400, { 'cache-control': 'no-cache, must-revalidate, max-age=0' }).end('<p>What is this?</p>');
    await assert.rejects(act());
    assert.equal(rig.server.requests.length, 2);
  });
});

describe('cookie jar of a site', () => {
  const url = new URL('http://site.test/');
  it('when cookies exceed the limit, then the jar drops the largest and the oldest and keeps the sessions', () => {
    const jars = createSiteCookies();
    jars.store(1, url, [`large=${'x'.repeat(2_100)}; path=/`, SESSION, `old=${'x'.repeat(1_900)}`, 'affinity=a']);
    assert.match(jars.headerFor(1, url) ?? '', /wordpress_logged_in_ab=.*; old=x+; affinity=a/);
    assert.doesNotMatch(jars.headerFor(1, url) ?? '', /large=/);
    jars.store(1, url, [`new=${'y'.repeat(1_900)}`, `newer=${'z'.repeat(1_900)}`]);
    const header = jars.headerFor(1, url) ?? '';
    assert.deepEqual(
      header.split('; ').map((pair) => pair.split('=')[0]),
      ['wordpress_logged_in_ab', 'affinity', 'new', 'newer'],
    );
  });

  it('when a cookie has expired or has another path, then it is not sent', async () => {
    const jars = createSiteCookies();
    jars.store(1, url, ['short=1; max-age=1; path=/', 'long=1; path=/', 'below=1; path=/wp-admin']);
    assert.equal(jars.headerFor(1, url), 'short=1; long=1');
    assert.equal(jars.headerFor(1, new URL('/wp-admin/', url)), 'below=1; short=1; long=1');
    assert.equal(jars.headerFor(1, url), 'short=1; long=1');
    await eventually(async () => jars.headerFor(1, url) === 'long=1', 'the cookie to end');
  });

  const sent = (address: string, ...answers: string[][]): string | null => {
    const jars = createSiteCookies();
    for (const lines of answers) jars.store(1, new URL(address), lines);
    return jars.headerFor(1, new URL(address));
  };
  const CASES: [what: string, address: string, answers: string[][], header: string | null][] = [
    ['a secure cookie on http', 'http://site.test/', [['a=1; Secure', 'b=2']], 'b=2'],
    ['a secure cookie on https', 'https://site.test/', [['a=1; Secure', 'b=2']], 'a=1; b=2'],
    ['a secure cookie on this machine', 'http://127.0.0.1:8080/', [['a=1; Secure']], 'a=1'],
    ['a prefix whose attributes are missing', 'https://site.test/', [['__Secure-a=1', '__Host-b=2; Secure']], null],
    ['a prefix with its attributes', 'https://site.test/', [['__Host-b=2; Secure; Path=/']], '__Host-b=2'],
    ['a cookie of another host', 'http://site.test/', [['a=1; Domain=other.test', 'b=2; Domain=site.test']], 'b=2'],
    ['a cookie that is set again', 'http://site.test/', [['a=1', 'b=2'], ['a=3']], 'a=3; b=2'],
    ['a cookie that is deleted', 'http://site.test/', [['a=1', 'b=2'], ['a=; Max-Age=0']], 'b=2'],
    ['a cookie without a path', 'http://site.test/x/y', [['a=1; Path=/', 'b=2']], 'b=2; a=1'],
  ];
  for (const [what, address, answers, header] of CASES)
    it(`when a site sets ${what}, then the header is ${header}`, () => {
      assert.equal(sent(address, ...answers), header);
    });
});
