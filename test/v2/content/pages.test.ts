import assert from 'node:assert/strict';
import { newPost } from '../../../src/sandbox/state/generate-content.ts';
import { readChangeLog } from '../../support/changes.ts';
import { refusedFields } from '../../support/refusals.ts';
import { disconnectSite } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/pages';
const NEW = { post_title: 'A page', post_content: 'text', post_status: 'publish', post_name: 'a-page' };

describe('v2 pages', () => {
  let world: World;
  let root: string;
  before(async () => {
    world = await startWorld({ sites: 2 });
    root = `${BASE}/${world.siteId(0)}`;
    const { posts } = world.site(0).state;
    posts.clear();
    const date = Date.parse('2026-06-01T00:00:00Z') / 1000;
    const add = (id: number, type: string, title: string, status = 'publish'): void =>
      void posts.set(id, newPost({ id, type, status, title, date: date + id }));
    add(11, 'page', 'About us');
    add(12, 'page', 'Privacy', 'draft');
    add(13, 'post', 'About posts');
    add(14, 'book', 'About books');
  });
  after(() => world.close());

  const create = async (body: object = {}): Promise<number> =>
    (await world.request('POST', `${root}/create`, { body: { ...NEW, ...body } })).body.data.post_id;

  it('when pages are listed, then the URL of the site has its pages and no other types', async () => {
    const { body } = await world.request('GET', `${BASE}?websites=${world.siteId(0)}`);
    assert.deepEqual(Object.keys(body.data), [world.site(0).url]);
    const [draft, about] = body.data[world.site(0).url];
    assert.deepEqual([draft.id, about.id, body.data[world.site(0).url].length], [12, 11, 2]);
    assert.deepEqual(about, {
      id: 11,
      website_id: world.siteId(0),
      post_type: 'page',
      title: 'About us',
      post_title: 'About us',
      status: 'publish',
      post_status: 'publish',
      comment_count: 0,
      author: 'admin',
      author_email: world.site(0).state.users[0]?.email,
      dts: '2026-06-01T00:00:11Z',
    });
    const query = 'status=draft,publish&search=ABOUT&search_on=title&dtsstart=2026-06-01&dtsstop=2026-06-02&maximum=5';
    const { body: found } = await world.request('GET', `${BASE}?websites=${world.siteId(0)}&${query}`);
    assert.deepEqual(
      found.data[world.site(0).url].map(({ id }: { id: number }) => id),
      [11],
    );
  });

  it('when a filter is invalid or a field is only for posts, then the error names the field', async () => {
    for (const [query, path] of [
      ['search=x', 'query.search_on'],
      ['dtsstart=2026-01-01', 'query.dtsstop'],
      ['maximum=501', 'query.maximum'],
      ['post_type=page', 'query.post_type'],
    ] as const)
      assert.equal((await refusedFields(world, 'GET', `${BASE}?${query}`))[0], path);
    for (const field of ['post_tags', 'post_category', 'is_sticky']) {
      const [first] = await refusedFields(world, 'POST', `${root}/create`, { ...NEW, [field]: 'x' });
      assert.equal(first, `body.${field}`);
    }
  });

  it('when a page is created, edited and deleted, then each response has the values read back', async () => {
    const content = String.raw`<p>"It's" \ 😀</p>`;
    const id = await create({ post_content: content, post_custom: { k: 'v' } });
    const { body } = await world.request('GET', `${root}/${id}`);
    assert.deepEqual(
      { ...body.data, post_date: '', post_date_gmt: '', modified: null },
      {
        id,
        website_id: world.siteId(0),
        ...NEW,
        post_type: 'page',
        post_content: content,
        post_excerpt: '',
        post_date: '',
        post_date_gmt: '',
        post_password: '',
        comment_status: 'open',
        ping_status: 'closed',
        post_featured_image: null,
        post_gallery_images: [],
        post_custom: { k: ['v'] },
        link: `${world.site(0).siteUrl}/a-page/`,
        author: 'admin',
        modified: null,
        edit_lock: null,
      },
    );
    for (const method of ['PUT', 'PATCH']) {
      const change = { post_excerpt: method, post_featured_image: `https://images.example/${method}.jpg` };
      const { body: edited } = await world.request(method, `${root}/${id}/edit`, { body: change });
      assert.deepEqual(
        { ...edited.data, modified: null },
        {
          ...body.data,
          post_excerpt: method,
          post_featured_image: `${world.site(0).siteUrl}/wp-content/uploads/${method}.jpg`,
          modified: null,
        },
      );
    }
    const status = { post_id: id, post_status: 'draft', deleted: false };
    const walk = await world.request('PUT', `${root}/${id}/update-status`, { body: { status: 'unpublish' } });
    assert.deepEqual([walk.body.success, walk.body.data], [1, status]);
    const { body: again } = await world.request('PATCH', `${root}/${id}/update-status`, {
      body: { status: 'approve' },
    });
    assert.equal(again.data.post_status, 'publish');
    const path = `${root}/${id}/update-status`;
    const { body: refused } = await world.request('PUT', path, { body: { status: 'restore' }, expect: 409 });
    assert.equal(refused.code, 'svc_post_invalid_state');
    assert.equal((await world.request('DELETE', `${root}/${id}/delete?force=0`)).body.data.post_status, 'trash');
    assert.equal((await world.request('DELETE', `${root}/${id}/delete`)).body.data.deleted, true);
    assert.equal(world.site(0).state.posts.has(id), false);
    const changes = await readChangeLog(world, world.siteId(0));
    const types = changes.map(({ type }: { type: string }) => type).filter((type: string) => /^page/.test(type));
    assert.deepEqual(types.slice(0, 3), ['page.deleted', 'page.trashed', 'page.published']);
  });

  it('when a page or site is unknown or the ID is not a page, then the error is 404', async () => {
    const calls: [method: string, path: string, body?: object][] = [
      ['GET', ''],
      ['PUT', '/edit', { post_title: 'x' }],
      ['PUT', '/update-status', { status: 'trash' }],
      ['DELETE', '/delete'],
    ];
    for (const [method, path, body] of calls) {
      for (const id of [999, 13, 14]) {
        const sent = { expect: 404, ...(body && { body }) };
        const answer = await world.request(method, `${root}/${id}${path}`, sent);
        assert.equal(answer.body.code, 'svc_page_not_found');
      }
      const sent = { expect: 404, ...(body && { body }) };
      assert.equal(
        (await world.request(method, `${BASE}/nowhere.example/11${path}`, sent)).body.code,
        'svc_site_not_found',
      );
      if (method === 'GET') continue;
      const forbidden = { as: 'reader' as const, expect: 403, ...(body && { body }) };
      assert.equal((await world.request(method, `${root}/11${path}`, forbidden)).body.code, 'svc_permission_denied');
    }
    assert.equal(world.site(0).state.posts.get(13)?.title, 'About posts');
    const { body } = await world.request('POST', `${BASE}/999/create`, { body: NEW, expect: 404 });
    assert.equal(body.code, 'svc_site_not_found');
  });

  it('when a site fails, then the error has the reason', async () => {
    const path = `${BASE}/${world.siteId(1)}/create`;
    world.site(1).fault = { kind: 'scalar', value: true };
    assert.equal((await world.request('POST', path, { body: NEW, expect: 502 })).body.code, 'svc_site_bad_answer');
    world.site(1).fault = { kind: 'refuse' };
    assert.equal((await world.request('POST', path, { body: NEW, expect: 503 })).body.code, 'svc_site_unreachable');
    await disconnectSite(world, world.siteId(1));
    assert.equal((await world.request('POST', path, { body: NEW, expect: 409 })).body.code, 'svc_site_disconnected');
  });
});
