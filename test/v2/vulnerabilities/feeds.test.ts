import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { syncSites } from '../../support/sites.ts';
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
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Respond =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** 20 MB, which any compression makes small. */
const BLANKS = Buffer.alloc(20 * 1024 * 1024, ' ');
const COMPRESSED = /compressed response that was not requested/;

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
  'is compressed': [say(200, 'x', { 'content-encoding': 'gzip' }), COMPRESSED],
  'is a gzip bomb': [say(200, gzipSync(BLANKS), { 'content-encoding': 'gzip' }), COMPRESSED],
  'is a deflate bomb': [say(200, deflateSync(BLANKS), { 'content-encoding': 'deflate' }), COMPRESSED],
  'is a Brotli bomb': [say(200, brotliCompressSync(BLANKS), { 'content-encoding': 'br' }), COMPRESSED],
  'is a bomb in a bomb': [
    say(200, gzipSync(gzipSync(BLANKS)), { 'content-encoding': 'identity, gzip, GZIP' }),
    COMPRESSED,
  ],
  'is a bomb by its transfer encoding': [
    ({ socket }) => {
      const body = gzipSync(BLANKS);
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n');
      socket.write(`${body.length.toString(16)}\r\n`);
      socket.write(body);
      socket.end('\r\n0\r\n\r\n');
    },
    /not a JSON object/,
  ],
  'is compressed and does not say so': [say(200, gzipSync(FEED)), /not a JSON object/],
  'is UTF-16': [say(200, Buffer.from(FEED, 'utf16le')), /not valid JSON|not a JSON object/],
  'nests without end': [say(200, '{"a":'.repeat(200_000)), /not valid JSON, or it is incomplete/],
  'nests deeply': [say(200, `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`), /1 of 1 records of the feed do not/],
  'has one endless key': [say(200, `{"${'k'.repeat(900_000)}`), /not valid JSON, or it is incomplete/],
  'has one endless number': [say(200, `{"a":${'1'.repeat(900_000)}}`), /1 of 1 records of the feed do not/],
  'has too many records': [
    say(200, `{${Array.from({ length: 70_000 }, (_, index) => `"${index}":{}`).join(',')}}`),
    /70000 of 70000 records of the feed do not/,
  ],
  'goes on after its end': [say(200, `${FEED}<script>alert(1)</script>`), /not valid JSON, or it is incomplete/],
  'comes twice': [say(200, FEED + FEED), /not valid JSON, or it is incomplete/],
  'has software of other types': [
    say(200, JSON.stringify({ a: { id: 'a', software: { length: 5000 } }, b: { id: { toString: 1 }, software: 'x' } })),
    /2 of 2 records of the feed do not/,
  ],
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

    it('when a feed is cut at any place, then its job item fails and the known data stays', async () => {
      const cut = Array.from({ length: 24 }, (_, index) => Math.floor(((index + 0.5) * FEED.length) / 24));
      for (const length of [...cut, 1, FEED.length - 1, FEED.indexOf('},"00000000') + 1]) {
        // The end of the response is proper, so that only the JSON shows that a part is missing.
        feed.respond = say(200, FEED.slice(0, length));
        const [item] = await refreshFeeds(world);
        assert.deepEqual([item.state, item.error?.code], ['failed', 'svc_feed_failed'], `${length} bytes`);
      }
      assert.equal((await summaryOf(world)).feeds[0].records, 2);
      assert.deepEqual(await slugsOpen(), ['alpha']);
    });

    it('when the response has another type or odd names, then the feed is read and nothing else changes', async () => {
      const [record] = Object.values(wordfenceFeed({ slug: 'alpha', upTo: '5.3' })) as Record<string, unknown>[];
      const names = ['__proto__', 'constructor', 'toString'].map(
        (name) => `"${name}":${JSON.stringify({ ...record, id: name })}`,
      );
      const { software, ...rest } = record ?? {};
      const inherited = `"x":{"__proto__":${JSON.stringify({ software })},${JSON.stringify({ ...rest, id: 'x' }).slice(1)}`;
      feed.respond = say(200, `{${[...names, inherited].join(',')}}`, { 'content-type': 'text/html' });
      const [item] = await refreshFeeds(world);
      assert.equal(item.state, 'succeeded', JSON.stringify(item.error));
      assert.equal(({} as { software?: unknown }).software, undefined);
      assert.ok([3, 4].includes(item.result.feed.records), String(item.result.feed.records));
      feed.respond = say(200, FEED);
      await refreshFeeds(world);
      assert.deepEqual([(await summaryOf(world)).feeds[0].records, await slugsOpen()], [2, ['alpha']]);
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
        await useWordfenceFeed(world, { url: address });
        const failed = (await refreshFeeds(world)).filter(({ state }) => state === 'failed');
        assert.deepEqual(
          failed.map(({ error }) => error.code),
          ['svc_address_refused'],
          address,
        );
      }
      await useWordfenceFeed(world, feed);
      feed.respond = say(302, '', { location: 'http://169.254.169.254/' });
      const [item] = await refreshFeeds(world);
      assert.equal(item.error.code, 'svc_address_refused');
    });

    it('when the URL gets another host, then the key must be sent again, except for the default URL and a file', async () => {
      const edit = (body: object, expect = 200) =>
        world.request('PUT', '/api/v2/settings/vulnerabilities/edit', { body, expect });
      const url = 'https://feeds.example/wordfence.json';
      for (const before of [{}, { wordfence_url: 'wordfence.json' }, { wordfence_url: null }]) {
        if (Object.keys(before).length > 0) await edit(before);
        const { data } = (await edit({ wordfence_url: url }, 400)).body;
        assert.deepEqual(data.errors, [
          { path: 'body.wordfence_api_key', message: 'must be sent with a URL of another host' },
        ]);
      }
      await edit({ wordfence_url: url, wordfence_api_key: 'another-key' });
      await edit({ wordfence_url: 'https://feeds.example/other.json' });
      await useWordfenceFeed(world, feed);
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
        'https://user:password@feeds.example/osv.json',
      ])
        await settings({ osv_sources: [location] }, 400);
      const { body } = await world.request('PATCH', '/api/v2/settings/vulnerabilities/edit', {
        body: { osv_sources: [join(folder, 'feeds', 'link.json')] },
        expect: 400,
      });
      const demand =
        'must be an http or https URL without a user and password, or a relative path without .. in SITEFLEET_FEED_DIR';
      assert.deepEqual(body.data.errors, [{ path: 'body.osv_sources.0', message: demand }]);
      assert.match(await failureOf('link.json'), /outside of SITEFLEET_FEED_DIR/);
      assert.match(await failureOf('missing.json'), /not a readable file or folder/);
      assert.match(await failureOf('many/../link.json').catch(() => 'refused'), /outside|refused/);
    });

    it('when a folder has links, then targets below SITEFLEET_FEED_DIR are loaded and others are rejected', async () => {
      // The folders of a mounted Kubernetes ConfigMap.
      await mkdir(join(folder, 'feeds', 'linked', '..2026'), { recursive: true });
      await write('feeds/linked/..2026/a.json', osvRecord('alpha', '99'));
      await symlink('..2026', join(folder, 'feeds', 'linked', '..data'));
      await symlink('..data/a.json', join(folder, 'feeds', 'linked', 'a.json'));
      await useOsvFeeds(world, 'linked');
      const [loaded] = await refreshFeeds(world);
      assert.deepEqual([loaded.state, loaded.result.feed.records], ['succeeded', 1]);
      await write('outside.json', osvRecord('beta', '99'));
      await symlink(join(folder, 'outside.json'), join(folder, 'feeds', 'linked', 'b.json'));
      assert.match(await failureOf('linked'), /outside of SITEFLEET_FEED_DIR/);
      await rm(join(folder, 'feeds', 'linked', 'b.json'));
      await symlink('nothing', join(folder, 'feeds', 'linked', 'c.json'));
      assert.match(await failureOf('linked'), /not a readable file or folder/);
      assert.deepEqual(await slugsOpen(), ['alpha']);
    });

    it('when the files of a folder are larger than allowed together, then none is loaded', async () => {
      await mkdir(join(folder, 'feeds', 'large'));
      for (const name of ['a', 'b'])
        await write(`feeds/large/${name}.json`, [osvRecord(name, '1', { details: 'x'.repeat(600_000) })]);
      await settings({ max_feed_megabytes: 1 });
      assert.match(await failureOf('large'), /larger than the settings allow/);
      await settings({ max_feed_megabytes: 2 });
      assert.equal(await failureOf('large'), '');
      await settings({ max_feed_megabytes: null });
    });

    it('when a Wordfence feed is a file, then it is read without a key', async () => {
      await write('feeds/wordfence.json', FEED);
      await settings({ wordfence_api_key: null, wordfence_url: 'wordfence.json' });
      const { data } = (await world.request('GET', '/api/v2/settings/vulnerabilities')).body;
      assert.equal(data.wordfence_api_key_set, false);
      const [item] = await refreshFeeds(world);
      assert.deepEqual([item.state, item.result.feed.records], ['succeeded', 2]);
      const { source, feeds } = await summaryOf(world);
      assert.deepEqual([source, feeds[0].location, feeds[0].records], ['wordfence', 'wordfence.json', 2]);
      assert.deepEqual(await slugsOpen(), ['alpha']);
      await settings({ wordfence_url: null });
      assert.equal((await summaryOf(world)).source, 'none', 'the URL of Wordfence needs a key');
      await refreshFeeds(world);
      assert.deepEqual(await slugsOpen(), []);
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

describe('a feed folder that is a symbolic link', () => {
  it('when its target changes, then the feed of the new target is loaded, and files beside it are rejected', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
    const link = join(folder, 'current');
    for (const [release, slug] of [
      ['one', 'alpha'],
      ['two', 'beta'],
    ] as const) {
      await mkdir(join(folder, release));
      await writeFile(join(folder, release, 'feed.json'), JSON.stringify([osvRecord(slug, '99')]));
    }
    await symlink('one', link);
    await symlink(join(folder, 'two', 'feed.json'), join(folder, 'one', 'beside.json'));
    const world = await startWorld({ sites: 1, connect: 0, env: { SITEFLEET_FEED_DIR: link } });
    try {
      await world.freshSite(removeItemsWithUpdates);
      await syncSites(world, world.siteId(0));
      await useOsvFeeds(world, 'feed.json', 'beside.json');
      const [read, refused] = await refreshFeeds(world);
      assert.deepEqual([read.state, refused.state], ['succeeded', 'failed']);
      assert.match(refused.error.message, /outside of SITEFLEET_FEED_DIR/);
      const slugs = async () => (await listExposures(world)).data.map(({ slug }: { slug: string }) => slug);
      assert.deepEqual(await slugs(), ['alpha']);
      await rm(link);
      await symlink('two', link);
      await useOsvFeeds(world, 'feed.json');
      await refreshFeeds(world);
      assert.deepEqual(await slugs(), ['beta']);
    } finally {
      await world.close();
      await rm(folder, { recursive: true });
    }
  });
});
