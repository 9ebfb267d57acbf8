import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALPHA, removeItemsWithUpdates } from '../../support/updates.ts';
import {
  setPluginVersion,
  FeedServer,
  listExposures,
  osvRecord,
  useOsvFeeds,
  useWordfenceFeed,
  refreshFeeds,
  summaryOf,
  wordfenceFeed,
} from '../../support/vulnerabilities.ts';
import { startWorld, type World } from '../../support/world.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

const FEED = JSON.stringify(wordfenceFeed({ slug: 'alpha', upTo: '5.3' }, { slug: 'beta', upTo: '0.1' }));

/** Writes chunks until the client disconnects. Writes no chunk if it is null. */
function writeForever(response: ServerResponse, first: string, chunk: string | null): void {
  response.write(first);
  const more = (): void => {
    while (chunk !== null && !response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

const say =
  (status: number, body = '', headers: Record<string, string> = {}): Respond =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** Faults of a feed, and the expected message of the job item. */
const HOSTILE: Record<string, [Respond, RegExp]> = {
  'returns HTML': [say(200, '<!doctype html><title>Sign in</title>'), /not a JSON object/],
  'is empty': [say(200), /not a JSON object/],
  'has no record': [say(200, '{}'), /no records/],
  'ends inside a record': [say(200, FEED.slice(0, -200)), /not valid JSON, or it is incomplete/],
  'ends after a record': [
    say(200, FEED.slice(0, FEED.indexOf('},"00000000') + 1)),
    /not valid JSON, or it is incomplete/,
  ],
  'is a list': [say(200, '[1,2]'), /not a JSON object/],
  'has values of other types': [say(200, '{"a":1,"b":[],"c":"x","d":null}'), /4 of 4 records of the feed do not/],
  'closes the connection': [
    (_request, response) => {
      response.writeHead(200, { 'content-length': '100000' }).write(FEED.slice(0, 100));
      setTimeout(() => response.destroy(), 20);
    },
    /could not be loaded: The connection was interrupted/,
  ],
  'never answers': [() => undefined, /could not be loaded: The host did not answer in time/],
  'sends single bytes': [
    (_request, response) => {
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    },
    /could not be loaded: The host did not answer in time/,
  ],
  'has no end': [(_request, response) => writeForever(response, '{"a":"', 'x'.repeat(65_536)), /larger than allowed/],
  'announces a huge size': [say(200, '{', { 'content-length': '9000000' }), /larger than allowed/],
  'is compressed': [say(200, 'x', { 'content-encoding': 'gzip' }), /compressed response that was not requested/],
  'rejects the key': [say(401, '{}'), /rejected the key \(401\)/],
  'rejects the call': [say(403, '{}'), /rejected the call \(403\)/],
  'returns 429': [say(429, '{}'), /limits the number of requests \(429\)/],
  'returns 503': [say(503, FEED), /status 503/],
  'returns an unexpected 304': [say(304), /status 304/],
  'redirects in a loop': [say(302, '', { location: '/feed' }), /redirects too often/],
};

const REFUSED = [
  ...['http://10.0.0.1/feed', 'http://169.254.169.254/latest/meta-data', 'http://[::1]/feed', 'http://0x0a000001/'],
  ...['http://[::ffff:10.0.0.1]/', 'http://[64:ff9b::a00:1]/', 'http://192.168.1.1/', 'http://[fd00:ec2::254]/'],
];

describe('vulnerability feeds', () => {
  let world: World;
  let feed: FeedServer;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
    await mkdir(join(folder, 'feeds', 'many'), { recursive: true });
    feed = await FeedServer.start();
    const env = { SITEFLEET_FEED_DIR: join(folder, 'feeds') };
    world = await startWorld({ sites: 1, connect: 0, env, overrides: { deadlines: { feedMs: 3_000 } } });
    await world.freshSite(removeItemsWithUpdates);
    await setPluginVersion(world, 0, ALPHA, '5.3');
  });
  after(async () => {
    await world.close();
    await feed.close();
    await rm(folder, { recursive: true });
  });

  const write = (name: string, content: unknown): Promise<void> =>
    writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  const settings = (body: object, expect = 200) =>
    world.request('PUT', '/api/v2/settings/vulnerabilities/edit', { body, expect });
  const slugsOpen = async (): Promise<string[]> =>
    (await listExposures(world)).data.map(({ slug }: { slug: string }) => slug);

  describe('over HTTP', () => {
    before(async () => {
      feed.respond = say(200, FEED);
      await settings({ max_feed_megabytes: 1 });
      await useWordfenceFeed(world, feed);
      await refreshFeeds(world);
    });
    after(async () => {
      feed.respond = null;
      await settings({ wordfence_api_key: null, max_feed_megabytes: null });
    });

    for (const [name, [talk, message]] of Object.entries(HOSTILE))
      it(`when a feed ${name}, then its job item fails and the known data stays`, async () => {
        feed.respond = talk;
        const items = await refreshFeeds(world);
        assert.equal(items.length, 1);
        assert.deepEqual([items[0].state, items[0].error.code], ['failed', 'svc_feed_failed']);
        assert.match(items[0].error.message, message);
        const [told] = (await summaryOf(world)).feeds;
        assert.deepEqual([told.error, told.records], [items[0].error.message, 2]);
        assert.deepEqual(await slugsOpen(), ['alpha']);
      });

    it('when the feed is valid again, then its error is removed, and redirects do not send the key', async () => {
      feed.respond = say(200, FEED);
      await refreshFeeds(world);
      assert.equal((await summaryOf(world)).feeds[0].error, null);
      const other = await FeedServer.start();
      other.respond = say(200, FEED);
      feed.respond = say(302, '', { location: other.url });
      await refreshFeeds(world);
      assert.deepEqual([other.requests.length, other.requests[0]?.authorization], [1, undefined]);
      await other.close();
    });

    it('when a feed is in a private network or redirects there, then it is not loaded', async () => {
      for (const address of REFUSED) {
        await settings({ wordfence_url: address });
        const failed = (await refreshFeeds(world)).filter(({ state }) => state === 'failed');
        assert.deepEqual(
          failed.map(({ error }) => error.code),
          ['svc_address_refused'],
          address,
        );
      }
      await settings({ wordfence_url: feed.url });
      feed.respond = say(302, '', { location: 'http://169.254.169.254/' });
      const [item] = await refreshFeeds(world);
      assert.equal(item.error.code, 'svc_address_refused');
    });

    it('when the settings are read, then they show only that a key is set, and no log has the key', async () => {
      const { data } = (await world.request('GET', '/api/v2/settings/vulnerabilities')).body;
      assert.deepEqual([data.wordfence_api_key_set, 'wordfence_api_key' in data], [true, false]);
      assert.doesNotMatch(world.logLines.join(''), /a-key-of-the-feed/);
    });
  });

  describe('from files', () => {
    beforeEach(() => settings({ osv_sources: [] }));
    const failureOf = async (location: string): Promise<string> => {
      await useOsvFeeds(world, location);
      const item = (await refreshFeeds(world)).find(({ state }) => state === 'failed');
      return item?.error.message ?? '';
    };

    it('when a source is a record, list, object or folder, then it is loaded, and changes are loaded too', async () => {
      await write('feeds/one.json', osvRecord('alpha', '5.4'));
      await write('feeds/list.json', [osvRecord('beta', '99'), osvRecord('other', '1', { affected: [] })]);
      await write('feeds/vulns.json', { vulns: [osvRecord('gamma', '99')] });
      await write('feeds/many/a.json', osvRecord('mainwp-child', '99'));
      await write('feeds/many/readme.txt', 'not a feed');
      await useOsvFeeds(world, 'one.json', 'list.json', 'vulns.json', 'many');
      const items = await refreshFeeds(world);
      assert.deepEqual(
        items.map(({ state }) => state),
        ['succeeded', 'succeeded', 'succeeded', 'succeeded'],
      );
      assert.deepEqual((await slugsOpen()).sort(), ['alpha', 'beta', 'gamma', 'mainwp-child']);
      assert.equal((await summaryOf(world)).source, 'osv');
      await write('feeds/list.json', []);
      const again = await refreshFeeds(world);
      assert.deepEqual(
        again.map(({ result }) => result.feed.withdrawn),
        [0, 1, 0, 0],
      );
      assert.deepEqual((await slugsOpen()).sort(), ['alpha', 'gamma', 'mainwp-child']);
    });

    it('when a file is outside of the folder, by its path or a symbolic link, then it is rejected', async () => {
      await write('secret.json', osvRecord('alpha', '99'));
      await symlink(join(folder, 'secret.json'), join(folder, 'feeds', 'link.json'));
      for (const location of [
        '../secret.json',
        'many/../../secret.json',
        '/etc/passwd',
        'file:///etc/passwd',
        'ftp://a/b',
      ])
        await settings({ osv_sources: [location] }, 400);
      const { body } = await world.request('PATCH', '/api/v2/settings/vulnerabilities/edit', {
        body: { osv_sources: [join(folder, 'feeds', 'link.json')] },
        expect: 400,
      });
      const demand = 'must be an http or https URL, or a relative path, without .., in SITEFLEET_FEED_DIR';
      assert.deepEqual(body.data.errors, [{ path: 'body.osv_sources.0', message: demand }]);
      assert.match(await failureOf('link.json'), /outside of SITEFLEET_FEED_DIR/);
      assert.match(await failureOf('missing.json'), /not a readable file or folder/);
      assert.match(await failureOf('many/../link.json').catch(() => 'refused'), /outside|refused/);
    });

    it('when a file is no feed, then the error has the reason', async () => {
      await write('feeds/bad.json', '{"id": ');
      assert.match(await failureOf('bad.json'), /not valid JSON, or it is incomplete/);
      await write('feeds/text.json', 'hello');
      assert.match(await failureOf('text.json'), /neither a JSON object nor a list/);
      await write('feeds/long.json', `[{"id":"a","details":"${'x'.repeat(9_000_000)}"}]`);
      assert.match(await failureOf('long.json'), /longer than 8 MB/);
      await write('feeds/odd.json', [1, null, 'x', osvRecord('alpha', '99')]);
      assert.match(await failureOf('odd.json'), /3 of 4 records of the feed do not have its format/);
    });
  });
});
