import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { refusedFields } from '../../support/refusals.ts';
import { clearFaults, suspendSite, unsuspendSite, updateSite } from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';
import { setComments } from '../../support/comments.ts';

const BASE = '/api/v2/comments';

interface Listed {
  comment_id: number;
}
const ids = (comments: Listed[] | undefined): number[] => (comments ?? []).map(({ comment_id }) => comment_id);

describe('v2 comment lists', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 4, overrides: { deadlines: { fanOutMs: 2_000 } } });
    setComments(world.site(0), {
      1: { status: 'approve', date: '2026-11-01T00:00:00Z', content: 'First <b>Refund</b>\nand "more" \\ 💥' },
      2: { status: 'hold', date: '2026-11-02T23:59:59Z', email: 'v2@example.test', url: 'https://v2.example/?a=1&b=2' },
      3: { status: 'spam', date: '2026-11-03T00:00:00Z', url: 'javascript:alert(1)' },
      4: { status: 'trash', date: '2026-11-04T12:00:00Z' },
      5: { status: 'approve', date: '2026-11-05T12:00:00Z', content: 'a refund, please' },
    });
    setComments(world.site(1), { 1: { status: 'hold', date: '2026-11-02T08:00:00Z' } });
    for (const index of [2, 3]) setComments(world.site(index), {});
  });
  after(() => world.close());
  afterEach(() => clearFaults(world));

  const list = async (query = '', site = 0): Promise<number[]> => {
    const { body } = await world.request('GET', `${BASE}/${world.siteId(site)}?${query}`);
    return ids(body.data[world.site(site).url]);
  };

  it('when comments of a site are listed, then its URL has them with all fields', async () => {
    const { url } = world.site(0);
    const { body } = await world.request('GET', `${BASE}/${world.siteId(0)}?status=pending`);
    const [post] = [...world.site(0).state.posts.values()];
    assert.deepEqual(body, {
      success: 1,
      data: {
        [url]: [
          {
            comment_id: 2,
            comment_author: 'Visitor 2',
            comment_author_email: 'v2@example.test',
            comment_author_url: 'https://v2.example/?a=1&b=2',
            comment_content: '',
            comment_status: 'pending',
            comment_date: '2026-11-02T23:59:59Z',
            post_id: post?.id,
            post_title: post?.title,
            website_id: world.siteId(0),
            website_url: url,
            website_name: (await world.ability('get-site-v1', { site_id_or_domain: world.siteId(0) })).name,
          },
        ],
      },
    });
    const { body: others } = await world.request('GET', `${BASE}/${new URL(url).host.replace(':', '%3A')}?status=all`);
    const [, , spam, , first] = others.data[url];
    assert.deepEqual([spam.comment_author_url, spam.comment_author_email], [null, null]);
    assert.equal(first.comment_content, 'First <b>Refund</b>\nand "more" \\ 💥');
  });

  it('when no status is given, then comments of all four are listed, newest first', async () => {
    assert.deepEqual(await list(), [5, 4, 3, 2, 1]);
    assert.deepEqual(await list('status=all'), [5, 4, 3, 2, 1]);
    assert.deepEqual(await list('status=approved'), [5, 1]);
    assert.deepEqual(await list('status=spam'), [3]);
    assert.deepEqual(await list('status=trash'), [4]);
  });

  it('when keyword or days are given, then they filter the list, and both days are included', async () => {
    assert.deepEqual(await list('keyword=refund'), [5, 1]);
    assert.deepEqual(await list('keyword=visitor'), []);
    assert.deepEqual(await list('keyword='), [5, 4, 3, 2, 1]);
    assert.deepEqual(await list('dtsstart=2026-11-01&dtsstop=2026-11-02'), [2, 1]);
    assert.deepEqual(await list('dtsstart=2026-11-03'), [5, 4, 3]);
    assert.deepEqual(await list('dtsstop=2026-11-01'), [1]);
  });

  it('when a maximum is given, then each site has at most that many comments over all statuses', async () => {
    assert.deepEqual(await list('maximum=2'), [5, 4]);
    const { body } = await world.request('GET', `${BASE}?maximum=1`);
    assert.deepEqual(ids(body.data[world.site(0).url]), [5]);
    assert.deepEqual(ids(body.data[world.site(1).url]), [1]);
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [n + 1, { status: 'spam' as const }]));
    setComments(world.site(2), many);
    assert.equal((await list('', 2)).length, 50);
    setComments(world.site(2), {});
  });

  it('when sites are selected, then only they are listed; by default all connected sites are', async () => {
    const tag = await createTag(world, 'Shops');
    const client = await createClient(world, 'Ada', { client_email: 'ada@example.com' });
    await updateSite(world, world.siteId(1), { tags: [tag], client_id: client });
    const sites = async (query: string): Promise<string[]> =>
      Object.keys((await world.request('GET', `${BASE}?${query}`)).body.data).sort();
    const [first = '', second = '', third = '', fourth = ''] = world.fleet.sites.map(({ url }) => url);
    assert.deepEqual(await sites(''), [first, second, third, fourth].sort());
    assert.deepEqual(await sites(`websites=${world.siteId(0)},${world.siteId(2)}`), [first, third].sort());
    for (const query of ['groups=Shops', `groups=${tag}`, 'clients=ada@example.com', `clients=${client}`])
      assert.deepEqual(await sites(query), [second]);
    assert.equal((await world.request('GET', `${BASE}?groups=999999`, { expect: 404 })).body.code, 'svc_tag_not_found');
    const unknown = await world.request('GET', `${BASE}?clients=no@example.com`, { expect: 404 });
    assert.equal(unknown.body.code, 'svc_client_not_found');
    const { body } = await world.request('GET', `${BASE}?groups=Shops&websites=1`, { expect: 400 });
    assert.deepEqual(
      [body.code, body.data.errors.map(({ path }: { path: string }) => path)],
      ['rest_invalid_param', ['query.websites', 'query.groups']],
    );
  });

  it('when sites cannot be read, then they are in the errors and the others are listed', async () => {
    world.site(3).fault = { kind: 'hang' };
    world.site(2).fault = { kind: 'forged', answer: { comments: [] } };
    const wanted = [...world.siteIds, 999_999].join(',');
    const { body } = await world.request('GET', `${BASE}?websites=${wanted}`);
    assert.deepEqual(Object.keys(body.data).sort(), [world.site(0).url, world.site(1).url].sort());
    const failures = body.errors.map(({ identifier, code }: { identifier: number; code: string }) => [
      Number(identifier),
      code,
    ]);
    assert.deepEqual(
      new Map(failures),
      new Map([
        [999_999, 'svc_site_not_found'],
        [world.siteId(2), 'svc_site_bad_answer'],
        [world.siteId(3), 'svc_site_unreachable'],
      ]),
    );
  });

  it('when the only selected site cannot be read, then the error has the reason', async () => {
    const ask = (site: string | number, expect: number) => world.request('GET', `${BASE}/${site}`, { expect });
    assert.equal((await ask('nowhere.example', 404)).body.code, 'svc_site_not_found');
    world.site(2).fault = { kind: 'forged', answer: 'no list' };
    assert.equal((await ask(world.siteId(2), 502)).body.code, 'svc_site_bad_answer');
    world.site(2).fault = { kind: 'refuse' };
    assert.equal((await ask(world.siteId(2), 503)).body.code, 'svc_site_unreachable');
    await suspendSite(world, world.siteId(2));
    assert.equal((await ask(world.siteId(2), 409)).body.code, 'svc_site_suspended');
    const { body } = await world.request('GET', BASE);
    assert.ok(!(world.site(2).url in body.data), 'a suspended site is not among all');
    await unsuspendSite(world, world.siteId(2));
  });

  it('when a filter is invalid, then the error names the field', async () => {
    for (const [query, path] of [
      ['status=hold', 'query.status'],
      ['maximum=0', 'query.maximum'],
      ['maximum=501', 'query.maximum'],
      ['dtsstart=2026-13-01', 'query.dtsstart'],
      ['dtsstop=yesterday', 'query.dtsstop'],
      ['dtsstart=2026-11-02&dtsstop=2026-11-01', 'query.dtsstop'],
      ['search=x', 'query.search'],
    ] as const)
      for (const address of [BASE, `${BASE}/${world.siteId(0)}`]) {
        const [first] = await refusedFields(world, 'GET', `${address}?${query}`);
        assert.equal(first, path);
      }
    const [first] = await refusedFields(world, 'GET', `${BASE}/${world.siteId(0)}?websites=1`);
    assert.equal(first, 'query.websites');
  });

  it('when the permission is missing or the module is off, then the request is rejected', async () => {
    await world.request('GET', BASE, { as: 'reader' });
    await world.request('GET', BASE, { as: 'writer', expect: 403 });
    await world.request('GET', BASE, { as: 'nobody', expect: 401 });
    const set = (active: boolean) => world.request('PUT', '/api/v2/modules/comments', { body: { active } });
    await set(false);
    const site = `${BASE}/${world.siteId(0)}`;
    const asked = world.site(0).countOf('get_all_comments');
    const body = { action: 'spam' };
    for (const [method, path, options] of [
      ['GET', BASE, {}],
      ['GET', site, {}],
      ['PUT', `${site}/1/action`, { body }],
      ['PUT', `${site}/bulk-action`, { body: { ...body, comment_ids: '1' } }],
    ] as const)
      assert.equal(
        (await world.request(method, path, { ...options, expect: 404 })).body.code,
        'svc_module_not_available',
      );
    assert.equal(world.site(0).countOf('get_all_comments'), asked);
    await set(true);
    assert.deepEqual(await list('status=trash'), [4]);
  });
});
