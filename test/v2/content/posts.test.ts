import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { newPost } from '../../../src/sandbox/state/generate-content.ts';
import { createClient } from '../../support/clients.ts';
import { refusedFields } from '../../support/refusals.ts';
import {
  countRunningCalls,
  clearFaults,
  suspendSite,
  syncSites,
  unsuspendSite,
  updateSite,
} from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/posts';
const DAY = 86_400;
const at = (time: string): number => Date.parse(time) / 1000;

/** Replaces all posts of a site. The IDs are 101, 102, … */
function addPosts(site: SimulatedSite, posts: Partial<Parameters<typeof newPost>[0]>[]): void {
  site.state.posts.clear();
  posts.forEach((post, index) => {
    const id = 101 + index;
    const date = at('2026-06-01T00:00:00Z') + index * DAY;
    site.state.posts.set(id, newPost({ id, type: 'post', status: 'publish', title: `Post ${id}`, date, ...post }));
  });
}

describe('v2 posts', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 4 });
    addPosts(world.site(0), [
      { title: 'Opening hours', content: 'We open at nine.' },
      { title: 'A party', content: 'See our opening hours.', status: 'draft', tags: ['team'], categories: ['News'] },
      { title: 'Gone', status: 'trash' },
      { title: 'A book', type: 'book' },
      { title: 'A page', type: 'page' },
    ]);
    addPosts(world.site(1), [{ title: 'Other' }]);
    addPosts(world.site(2), []);
    addPosts(world.site(3), []);
  });
  after(() => world.close());
  afterEach(() => clearFaults(world));

  const list = async (query = ''): Promise<Record<string, { id: number; title: string }[]>> =>
    (await world.request('GET', `${BASE}?${query}`)).body.data;
  const titles = async (query: string): Promise<string[]> =>
    (await list(`websites=${world.siteId(0)}&${query}`))[world.site(0).url]?.map(({ title }) => title) ?? [];
  const refused = async (query: string): Promise<string[]> => [
    ...new Set(await refusedFields(world, 'GET', `${BASE}?${query}`)),
  ];

  it('when posts are listed, then each site URL has its posts, or an empty list', async () => {
    const { body } = await world.request('GET', BASE);
    assert.deepEqual(Object.keys(body.data).sort(), world.fleet.sites.map(({ url }) => url).sort());
    assert.deepEqual([body.success, body.errors, body.data[world.site(2).url]], [1, [], []]);
    const [draft] = body.data[world.site(0).url].filter(({ status }: { status: string }) => status === 'draft');
    assert.deepEqual(draft, {
      id: 102,
      website_id: world.siteId(0),
      post_type: 'post',
      title: 'A party',
      post_title: 'A party',
      status: 'draft',
      post_status: 'draft',
      comment_count: 0,
      author: 'admin',
      author_email: world.site(0).state.users[0]?.email,
      post_category: 'News',
      post_tags: 'team',
      dts: '2026-06-02T00:00:00Z',
    });
  });

  it('when a text is searched, then search_on selects title, content or both', async () => {
    assert.deepEqual(await titles('search=opening&search_on=title'), ['Opening hours']);
    for (const where of ['body', 'content'])
      assert.deepEqual(await titles(`search=OPENING&search_on=${where}`), ['A party']);
    for (const where of ['both', 'Title%20and%20Body'])
      assert.deepEqual(await titles(`search=opening&search_on=${where}`), ['A party', 'Opening hours']);
  });

  it('when a status or type is given, then the list is filtered by it', async () => {
    assert.deepEqual(await titles(''), ['A party', 'Opening hours']);
    assert.deepEqual(await titles('status=any'), ['A party', 'Opening hours']);
    assert.deepEqual(await titles('status=publish'), ['Opening hours']);
    assert.deepEqual(await titles('status=trash,draft'), ['Gone', 'A party']);
    assert.deepEqual(await titles('status=publish,any,trash'), ['Gone', 'A party', 'Opening hours']);
    assert.deepEqual(await titles('post_type=book'), ['A book']);
    assert.deepEqual(await titles('post_type=any'), ['A page', 'A book', 'A party', 'Opening hours']);
  });

  it('when days are given, then the list is filtered by the last change, both days included', async () => {
    assert.deepEqual(await titles('dtsstart=2026-06-01&dtsstop=2026-06-02'), ['A party', 'Opening hours']);
    assert.deepEqual(await titles('dtsstart=2026-05-01&dtsstop=2026-06-01'), ['Opening hours']);
    assert.deepEqual(await titles('dtsstart=2026-06-02&dtsstop=2026-06-30'), ['A party']);
  });

  it('when a maximum is given, then each site has at most that many posts, even if the child sends more', async () => {
    assert.deepEqual(await titles('maximum=1&status=any'), ['A party']);
    assert.deepEqual(await titles('maximum=2&status=publish,draft,trash'), ['Gone', 'A party']);
    const many = Array.from({ length: 900 }, (_, index) => ({ id: index + 1, post_type: 'post', status: 'publish' }));
    world.site(0).fault = { kind: 'forged', answer: many };
    assert.equal((await titles('')).length, 50);
    assert.equal((await titles('maximum=500')).length, 500);
  });

  it('when sites are selected in one way, then they are listed; two ways are rejected', async () => {
    const sitesOf = async (query: string): Promise<string[]> => Object.keys(await list(query)).sort();
    const tag = await createTag(world, 'shops');
    const client = await createClient(world, 'Ada', { client_email: 'ada@example.com' });
    await updateSite(world, world.siteId(1), { tags: [tag], client_id: client });
    const second = [world.site(1).url];
    for (const query of [`groups=${tag}`, 'groups=shops', `clients=${client}`, 'clients=ada@example.com'])
      assert.deepEqual(await sitesOf(query), second);
    assert.deepEqual(await sitesOf(`websites=${world.siteId(1)}`), second);
    assert.deepEqual(await refused(`websites=1&groups=shops`), ['query.websites', 'query.groups']);
    assert.equal((await world.request('GET', `${BASE}?groups=nope`, { expect: 404 })).body.code, 'svc_tag_not_found');
    assert.equal((await world.request('GET', `${BASE}?clients=99`, { expect: 404 })).body.code, 'svc_client_not_found');
    const { body } = await world.request('GET', `${BASE}?websites=999`);
    assert.deepEqual([body.data, body.errors[0].code], [{}, 'svc_site_not_found']);
  });

  it('when a filter is invalid, then the error names the field', async () => {
    assert.deepEqual(await refused('search=x'), ['query.search_on']);
    assert.deepEqual(await refused('search_on=title'), ['query.search']);
    assert.deepEqual(await refused('dtsstart=2026-01-01'), ['query.dtsstop']);
    assert.deepEqual(await refused('dtsstop=2026-01-01'), ['query.dtsstart']);
    for (const day of ['2026-02-30', '2026-1-1', '21.11.2026', '2026-01-01 10:00:00', '0000-00-00'])
      assert.deepEqual(await refused(`dtsstart=${day}&dtsstop=2027-01-01`), ['query.dtsstart']);
    assert.deepEqual(await refused('dtsstart=2026-01-01&dtsstop=2026-01-01'), ['query.dtsstop']);
    assert.deepEqual(await refused('dtsstart=2026-01-02&dtsstop=2026-01-01'), ['query.dtsstop']);
    assert.deepEqual(await refused('search=x&search_on=author'), ['query.search_on']);
    assert.deepEqual(await refused('status=publish,nope'), ['query.status.1']);
    assert.deepEqual(await refused('maximum=0'), ['query.maximum']);
    assert.deepEqual(await refused('maximum=501'), ['query.maximum']);
    assert.deepEqual(await refused('post_type=a/b'), ['query.post_type']);
    assert.deepEqual(await refused('keyword=x'), ['query.keyword']);
  });

  it('when one post is read, then the response has all fields', async () => {
    const site = world.site(0);
    const { body } = await world.request('GET', `${BASE}/${world.siteId(0)}/101`);
    assert.deepEqual(body.data, {
      id: 101,
      website_id: world.siteId(0),
      post_type: 'post',
      post_title: 'Opening hours',
      post_content: 'We open at nine.',
      post_excerpt: '',
      post_name: 'opening-hours',
      post_status: 'publish',
      post_date: '2026-06-01 00:00:00',
      post_date_gmt: '2026-06-01 00:00:00',
      post_password: '',
      comment_status: 'open',
      ping_status: 'closed',
      is_sticky: 0,
      post_category: '',
      post_tags: '',
      post_featured_image: null,
      post_gallery_images: [],
      post_custom: {},
      link: `${site.siteUrl}/opening-hours/`,
      author: 'admin',
      modified: '2026-06-01T00:00:00Z',
      edit_lock: null,
    });
    const domain = encodeURIComponent(new URL(site.url).host);
    const { body: some } = await world.request('GET', `${BASE}/${domain}/101?_fields=post_title,link`);
    assert.deepEqual(some.data, { id: 101, post_title: 'Opening hours', link: `${site.siteUrl}/opening-hours/` });
    assert.equal((await world.request('GET', `${BASE}/${world.siteId(0)}/103`)).body.data.post_status, 'trash');
    assert.equal((await world.request('GET', `${BASE}/${world.siteId(0)}/104`)).body.data.post_type, 'book');
  });

  const calls = (site: number | string, id: number): [method: string, path: string, body?: object][] => [
    ['GET', `${BASE}/${site}/${id}`],
    ['PUT', `${BASE}/${site}/${id}/edit`, { post_title: 'x' }],
    ['PATCH', `${BASE}/${site}/${id}/update-status`, { status: 'trash' }],
    ['DELETE', `${BASE}/${site}/${id}/delete`],
  ];
  const expectAll = async (site: number | string, id: number, expect: number, code: string): Promise<void> => {
    for (const [method, path, body] of calls(site, id)) {
      const answer = await world.request(method, path, { expect, ...(body && { body }) });
      assert.equal(answer.body.code, code, `${method} ${path}`);
    }
  };

  it('when a post or site is unknown or the ID is a page, then the error is 404 and nothing changes', async () => {
    // A read leaves an empty lock, so the comparison ignores missing locks.
    const stored = (): unknown =>
      [...world.site(0).state.posts].map(([id, { meta, ...post }]) => [id, post, { _edit_lock: [''], ...meta }]);
    const before = structuredClone(stored());
    await expectAll(world.siteId(0), 999, 404, 'svc_post_not_found');
    await expectAll(world.siteId(0), 105, 404, 'svc_post_not_found');
    await expectAll('nowhere.example', 101, 404, 'svc_site_not_found');
    assert.deepEqual(stored(), before);
    await world.request('GET', `${BASE}/${world.siteId(0)}/abc`, { expect: 400 });
  });

  it('when the author was removed on the site, then the author is null', async () => {
    const { posts } = world.site(0).state;
    const post = posts.get(101);
    assert.ok(post);
    const { authorId } = post;
    post.authorId = 999;
    const { body: one } = await world.request('GET', `${BASE}/${world.siteId(0)}/101`);
    assert.equal(one.data.author, null);
    const { body } = await world.request('GET', `${BASE}?websites=${world.siteId(0)}&search=Opening&search_on=title`);
    const [listed] = body.data[world.site(0).url];
    assert.deepEqual([listed.id, listed.author, listed.author_email], [101, null, null]);
    post.authorId = authorId;
  });

  it('when a site fails, then the error has the reason', async () => {
    const site = world.site(1);
    site.fault = { kind: 'forged', answer: { status: 'SUCCESS', my_post: [] } };
    await expectAll(world.siteId(1), 101, 502, 'svc_site_bad_answer');
    site.fault = { kind: 'invalid-json' };
    await expectAll(world.siteId(1), 101, 502, 'svc_site_bad_answer');
    site.fault = { kind: 'raw', status: 200, body: '<html></html>' };
    await expectAll(world.siteId(1), 101, 502, 'svc_site_refused');
    site.fault = null;
    await suspendSite(world, world.siteId(1));
    await expectAll(world.siteId(1), 101, 409, 'svc_site_suspended');
    await unsuspendSite(world, world.siteId(1));
    // This comes last, because an unreachable site is not called for a while.
    site.fault = { kind: 'refuse' };
    await expectAll(world.siteId(1), 101, 503, 'svc_site_unreachable');
  });

  it('when the caller may only read, then posts are readable and changes are rejected', async () => {
    await world.request('GET', BASE, { as: 'reader' });
    await world.request('GET', `${BASE}/${world.siteId(0)}/101`, { as: 'reader' });
    const body = { post_title: 'x', post_content: 'x', post_status: 'draft', post_name: 'x' };
    const create: [string, string, object] = ['POST', `${BASE}/${world.siteId(0)}/create`, body];
    for (const [method, path, sent] of [...calls(world.siteId(0), 101).slice(1), create])
      for (const as of ['reader', 'viewer'] as const)
        assert.equal(
          (await world.request(method, path, { as, expect: 403, ...(sent && { body: sent }) })).body.code,
          'svc_permission_denied',
        );
    await world.request('GET', BASE, { as: 'writer', expect: 403 });
    await world.request('GET', BASE, { as: 'nobody', expect: 401 });
  });
});

describe('v2 posts with failing sites', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 6, overrides: { deadlines: { fanOutMs: 4_000 } } });
  });
  after(() => world.close());

  it('when sites fail or hang, then they are in the errors and the others are listed', async () => {
    await suspendSite(world, world.siteId(0));
    world.site(1).fault = { kind: 'refuse' };
    world.site(2).fault = { kind: 'scalar', value: 'x' };
    world.site(3).fault = { kind: 'hang' };
    world.site(5).setChildVersion('3.9');
    await syncSites(world, world.siteId(5));
    for (const route of ['posts', 'pages']) {
      const { body } = await world.request('GET', `/api/v2/${route}?websites=${world.siteIds.join(',')}`);
      assert.deepEqual(Object.keys(body.data), [world.site(4).url]);
      const codes = body.errors.map(({ site_id, code }: { site_id: number; code: string }) => [site_id, code]);
      assert.deepEqual(Object.fromEntries(codes), {
        [world.siteId(0)]: 'svc_site_suspended',
        [world.siteId(1)]: 'svc_site_unreachable',
        [world.siteId(2)]: 'svc_site_bad_answer',
        [world.siteId(3)]: 'svc_site_unreachable',
        [world.siteId(5)]: 'svc_child_outdated',
      });
    }
    assert.equal(await countRunningCalls(world), 0, 'the call to the site that hangs was ended');
    assert.equal(world.site(5).countOf('get_all_posts') + world.site(5).countOf('get_all_pages'), 0, 'it is not asked');
  });
});
