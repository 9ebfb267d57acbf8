import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Endpoint } from '../../src/connector/index.ts';
import { ChildUnreachableError, callOutcomeOf, type ChildRefusedError } from '../../src/shared/child-call-errors.ts';
import type { DomainError } from '../../src/shared/errors.ts';
import { toFrame } from '../support/frames.ts';
import { readRecording, thrownBy, type ReceivedRequest } from './support.ts';
import { STATS_REQUEST, respondByFunction, reasonOf, STATS, ConnectorBench } from './connector-bench.ts';

const AJAX = '/wp-admin/admin-ajax.php';
const ACTION_RESULT = readRecording('40-plugin-deactivate');
const ANSWERS = { stats: STATS, plugin_action: ACTION_RESULT, 'stats?': readRecording('01-stats-noauth') };

describe('the two endpoints of a site', () => {
  const rig = new ConnectorBench().install();
  const act = (more = {}) => rig.child.pluginAction(rig.link(more), 'activate', ['a/a.php']);
  const paths = (): string[] => rig.server.requests.splice(0).map(({ path }) => path);
  /** Rejects requests to one endpoint, and responds normally on the other. */
  const closed =
    (path: string, refuse: (response: ServerResponse) => void) =>
    (seen: ReceivedRequest, response: ServerResponse): void =>
      seen.path === path ? refuse(response) : respondByFunction(ANSWERS)(seen, response);
  const status =
    (code: number, headers = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(code, headers).end('<html><center><h1>no</h1></center></html>');

  for (const code of [301, 401, 403, 404, 405, 429])
    it(`when the web server rejects a writing call with ${code}, then both endpoints are tried`, async () => {
      rig.respond = closed(AJAX, status(code, code === 301 ? { location: 'https://x.test/' } : {}));
      await act();
      assert.deepEqual(paths(), [AJAX, '/']);
      assert.deepEqual(rig.storedEndpoints, [[rig.siteId, 'front']]);
      await act();
      await rig.child.stats(rig.link(), STATS_REQUEST);
      assert.deepEqual(paths(), ['/', '/'], 'the one that works is gone to at once');
    });

  const ran: [string, (response: ServerResponse) => void][] = [
    ['fails with 500', status(500)],
    ['times out behind the gateway', status(504)],
    ['fails behind the gateway', status(502)],
    ['loses its connection', (response) => response.destroy()],
    ['gets a page', status(200)],
    ['gets an empty response', (response) => response.end()],
    ['is refused by WordPress itself', status(403, { 'cache-control': 'no-cache, must-revalidate, max-age=0' })],
    ['has logged in', status(404, { 'set-cookie': 'wordpress_logged_in_x=y; path=/' })],
    ['gets a damaged frame', (response) => response.end('<mainwp>!</mainwp>')],
  ];
  for (const [what, refuse] of ran)
    it(`when a writing call ${what}, then only one endpoint is tried`, async () => {
      rig.respond = closed(AJAX, refuse);
      await thrownBy(() => act());
      assert.deepEqual(paths(), [AJAX]);
      assert.deepEqual(rig.storedEndpoints, []);
    });

  it('when the error holds for the whole site, then only one endpoint is tried', async () => {
    const bare = { 'cache-control': 'no-cache, must-revalidate, max-age=0', 'retry-after': '600' };
    for (const [code, headers] of [
      [413, {}],
      [503, bare],
    ] as const) {
      rig.respond = closed(AJAX, status(code, headers));
      await thrownBy(() => rig.child.stats(rig.link(), STATS_REQUEST));
      assert.deepEqual(paths(), [AJAX], String(code));
    }
  });

  it('when a reading call fails, then both endpoints are tried for any error', async () => {
    for (const [, refuse] of ran.slice(0, 6)) {
      rig.nextSite();
      rig.respond = closed(AJAX, refuse);
      assert.equal((await rig.child.stats(rig.link(), STATS_REQUEST)).plugins?.length, 8);
      assert.deepEqual(paths(), [AJAX, '/']);
    }
  });

  it('when both endpoints fail, then the usual reason is returned, and an outcome stays open if the second may have run', async () => {
    rig.respond = (seen, response) => status(seen.path === '/' ? 200 : 403)(response);
    const error = (await thrownBy(() => act())) as ChildRefusedError;
    assert.deepEqual([error.reason, callOutcomeOf(error)], ['blocked', 'open']);
    assert.equal(await reasonOf(() => rig.child.stats(rig.link(), STATS_REQUEST)), 'blocked');
    rig.respond = (seen, response) => (seen.path === '/' ? response.destroy() : status(403)(response));
    const broken = (await thrownBy(() => act())) as DomainError;
    assert.ok(broken instanceof ChildUnreachableError);
    assert.equal(callOutcomeOf(broken), 'open');
    rig.respond = (seen, response) =>
      void response.writeHead(seen.path === '/' ? 200 : 400).end(seen.path === '/' ? '<html>' : '0');
    assert.equal(await reasonOf(() => rig.child.stats(rig.link(), STATS_REQUEST)), 'plugin_missing');
  });

  it('when an endpoint is stored, then it is tried first and is replaced when it fails', async () => {
    const remembered = { endpoint: 'front' as Endpoint };
    rig.respond = closed(AJAX, status(403));
    await act(remembered);
    assert.deepEqual(paths(), ['/']);
    assert.deepEqual(rig.storedEndpoints, []);
    // A writing call that gets a page may have run. It is not repeated, but the next call uses the other endpoint.
    rig.respond = closed('/', status(200));
    await thrownBy(() => act(remembered));
    assert.deepEqual(paths(), ['/']);
    assert.deepEqual(rig.storedEndpoints, [[rig.siteId, 'ajax']]);
    await act(remembered);
    assert.deepEqual(paths(), [AJAX]);
    rig.nextSite();
    rig.respond = closed('/', status(403));
    await act(remembered);
    assert.deepEqual(paths(), ['/', AJAX]);
    assert.deepEqual(rig.storedEndpoints.at(-1), [rig.siteId, 'ajax']);
  });

  it('when a request is too large, then the reason differs from a missing plugin', async () => {
    const large = new Map([['k', 'x'.repeat(200_000)]]);
    const write = () => rig.child.updateCustomFields(rig.link(), 10, large);
    const drops = (limit: number) => (seen: ReceivedRequest, response: ServerResponse) => {
      if (seen.body.length > limit) response.writeHead(400).end('0');
      else response.end(toFrame(ANSWERS['stats?']));
    };
    rig.respond = drops(100_000);
    const error = (await thrownBy(write)) as ChildRefusedError;
    assert.deepEqual([error.reason, callOutcomeOf(error)], ['request_too_large', 'not_run']);
    assert.ok(Number(error.data['bytes_sent']) > 200_000);
    assert.deepEqual(
      rig.server.requests.map(({ form }) => form.get('function')),
      ['post_action', 'stats'],
    );
    rig.respond = drops(0);
    assert.equal(await reasonOf(write), 'plugin_missing');
  });
});
