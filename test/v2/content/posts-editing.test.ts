import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { readChangesOf } from '../../support/changes.ts';
import { refusedFields } from '../../support/refusals.ts';
import { withContentWorld } from '../../support/content.ts';
import type { World } from '../../support/world.ts';

const HOSTILE_CONTENT =
  String.raw`It's "quoted" \ \\ \" C:\new\0 ` + '<p class="a">&amp; <script>1</script></p>\r\n\t😀 ü 日本 %41 +';
const LATER = { post_date: '2031-05-06 07:08:09', post_date_gmt: '2031-05-06 05:08:09' };
const NEW = { post_title: 'A title', post_content: 'text', post_status: 'draft', post_name: 'a-title' };

// Responses are validated against the contract before this point.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

describe('v2 post edits', () => {
  let world: World;
  let site: SimulatedSite;
  let root: string;
  withContentWorld({ sites: 2 }, (started) => ({ world, site, root } = started));

  const create = async (body: object = {}): Promise<number> =>
    (await world.request('POST', `${root}/create`, { body: { ...NEW, ...body } })).body.data.post_id;
  const read = async (id: number): Promise<Json> => (await world.request('GET', `${root}/${id}`)).body.data;
  const edit = async (id: number, body: object, method = 'PUT'): Promise<Json> =>
    (await world.request(method, `${root}/${id}/edit`, { body })).body.data;
  const refused = (method: string, path: string, body: object) => refusedFields(world, method, `${root}/${path}`, body);
  const status = async (id: number, action: string, method = 'PUT'): Promise<Json> =>
    (await world.request(method, `${root}/${id}/update-status`, { body: { status: action } })).body.data;
  /** Omits the fields that every edit changes. */
  const lasting = ({ modified: _, ...rest }: Json): Json => rest;

  it('when a post is created, then a read returns all fields as sent', async () => {
    const body = {
      post_title: 'A title',
      post_content: HOSTILE_CONTENT,
      post_status: 'publish',
      post_name: 'a-name',
      post_excerpt: String.raw`An "excerpt" \ 😀`,
      post_password: String.raw`p\w'`,
      comment_status: 'closed',
      ping_status: 'open',
      post_date: '2026-01-02 03:04:05',
      post_date_gmt: '2026-01-02 03:04:05',
      is_sticky: 1,
      post_category: 'Häuser & more, News',
      post_tags: 'a b, 50 %',
      post_custom: { plain: HOSTILE_CONTENT, listed: ['one'] },
      post_featured_image: 'https://images.example/a%20b.jpg',
    };
    const { body: answer } = await world.request('POST', `${root}/create`, { body });
    const { post_id: id } = answer.data;
    assert.deepEqual(answer.data, {
      post_id: id,
      post_status: 'publish',
      link: `${site.siteUrl}/a-name/`,
      post_title: body.post_title,
      post_excerpt: body.post_excerpt,
      post_name: 'a-name',
    });
    assert.equal(answer.warnings, undefined);
    const post = await read(id);
    assert.deepEqual(
      { ...post, modified: null },
      {
        ...body,
        id,
        website_id: world.siteId(0),
        post_type: 'post',
        post_tags: '50 %, a b',
        post_custom: { plain: [HOSTILE_CONTENT], listed: ['one'] },
        post_featured_image: `${site.siteUrl}/wp-content/uploads/a%20b.jpg`,
        post_gallery_images: [],
        link: `${site.siteUrl}/a-name/`,
        author: 'admin',
        modified: null,
        edit_lock: null,
      },
    );
  });

  it('when options are omitted, then comments are open, pings closed and the slug is from the title', async () => {
    const post = await read(await create({ post_status: 'publish', post_name: '', post_title: 'Over There' }));
    assert.deepEqual([post.comment_status, post.ping_status, post.post_name], ['open', 'closed', 'over-there']);
    assert.equal((await read(await create({ post_name: null }))).post_name, '');
  });

  it('when the content has a megabyte, then it is stored unchanged', async () => {
    const post_content = HOSTILE_CONTENT.repeat(Math.ceil(1_048_576 / Buffer.byteLength(HOSTILE_CONTENT)));
    const id = await create({ post_content });
    assert.equal((await read(id)).post_content, post_content);
    const turned = [...post_content].reverse().join('');
    assert.equal((await edit(id, { post_content: turned })).post_content, turned);
  });

  it('when a post is scheduled, then it has the status future and keeps its date', async () => {
    const { body } = await world.request('POST', `${root}/create`, {
      body: { ...NEW, post_status: 'future', ...LATER },
    });
    assert.equal(body.data.post_status, 'future');
    const post = await read(body.data.post_id);
    assert.equal(post.post_date, LATER.post_date);
    const ahead = await world.request('POST', `${root}/create`, { body: { ...NEW, post_status: 'publish', ...LATER } });
    assert.equal(ahead.body.data.post_status, 'future');
  });

  it('when a scheduled post is published by either route, then its date is now', async () => {
    for (const publish of [
      async (id: number) => status(id, 'publish'),
      async (id: number) => edit(id, { post_status: 'publish' }),
    ]) {
      const id = await create({ post_status: 'future', ...LATER });
      assert.equal((await publish(id)).post_status, 'publish');
      assert.notEqual((await read(id)).post_date, LATER.post_date);
    }
  });

  it('when a draft has no date, then an edit can set the date', async () => {
    const id = await create();
    assert.equal((await read(id)).post_date_gmt, null);
    const dates = { post_date: '2025-02-03 04:05:06', post_date_gmt: '2025-02-03 04:05:06' };
    const post = await edit(id, dates);
    assert.deepEqual([post.post_date, post.post_date_gmt, post.post_status], [...Object.values(dates), 'draft']);
  });

  it('when a field is missing or invalid, then the error names the field', async () => {
    for (const missing of Object.keys(NEW)) {
      const { [missing]: _, ...rest } = NEW as Record<string, string>;
      assert.deepEqual(await refused('POST', 'create', rest), [`body.${missing}`]);
    }
    const id = await create();
    const cases: [object, string][] = [
      [{ post_status: 'future' }, 'body.post_date'],
      [{ post_date: '2026-01-01 00:00:00' }, 'body.post_date_gmt'],
      [{ post_date_gmt: '2026-01-01 00:00:00' }, 'body.post_date'],
      [{ post_date: '2026-02-30 00:00:00', post_date_gmt: '2026-02-01 00:00:00' }, 'body.post_date'],
      [{ post_date: '2026-02-01', post_date_gmt: '2026-02-01 00:00:00' }, 'body.post_date'],
      [{ post_status: 'nope' }, 'body.post_status'],
      [{ post_title: ' ' }, 'body.post_title'],
      [{ post_title: null }, 'body.post_title'],
      [{ is_sticky: 2 }, 'body.is_sticky'],
      [{ comment_status: 'maybe' }, 'body.comment_status'],
      [{ post_featured_image: 'file:///etc/passwd' }, 'body.post_featured_image'],
      [{ post_featured_image: 'https://user:secret@example.com/a.jpg' }, 'body.post_featured_image'],
      [{ post_featured_image: 'a.jpg' }, 'body.post_featured_image'],
      [{ post_featured_image: null, featured_image_data: { alt: 'x' } }, 'body.featured_image_data'],
      [{ post_gallery_images: [{ id: 1, src: 'ftp://x/y' }] }, 'body.post_gallery_images.0.src'],
      [{ post_custom: { _thumbnail_id: '7' } }, 'body.post_custom._thumbnail_id'],
      [{ post_custom: { _edit_lock: '7' } }, 'body.post_custom._edit_lock'],
      [{ post_custom: { k: { deep: 1 } } }, 'body.post_custom.k'],
      [{ unknown: 1 }, 'body.unknown'],
    ];
    for (const [body, path] of cases) {
      assert.ok((await refused('PUT', `${id}/edit`, body)).includes(path), `edit ${path}`);
      assert.ok((await refused('POST', 'create', { ...NEW, ...body })).includes(path), `create ${path}`);
    }
    assert.deepEqual(await refused('PUT', `${id}/edit`, { featured_image_data: { alt: 'x' } }), [
      'body.featured_image_data',
    ]);
    assert.deepEqual(await refused('PUT', `${id}/edit`, {}), ['body']);
    assert.deepEqual(await refused('PUT', `${id}/update-status`, { status: 'spam' }), ['body.status']);
  });

  it('when a field is sent, then only this field changes', async () => {
    const editor = site.state.users.find(({ role }) => role === 'editor') ?? site.state.users[1];
    assert.ok(editor);
    const whole = {
      post_content: HOSTILE_CONTENT,
      post_status: 'publish',
      post_excerpt: 'An excerpt',
      post_password: 'secret',
      post_category: 'News',
      post_tags: 'one, two',
      post_custom: { kept: 'value', other: 'more' },
      post_featured_image: 'https://images.example/a.jpg',
    };
    const id = await create(whole);
    const stored = site.state.posts.get(id);
    assert.ok(stored);
    stored.authorId = editor.id;
    // WordPress accepts titles that the child plugin would change.
    stored.title = '<b>Bold</b> title';
    const changes: object[] = [
      { post_title: 'New <b>title</b>' },
      { post_content: 'new \\ content' },
      { post_excerpt: null },
      { post_password: 'p' },
      { post_password: null },
      { post_name: 'new-name' },
      { comment_status: 'closed' },
      { ping_status: 'open' },
      { post_status: 'private' },
      { post_date: '2020-01-02 03:04:05', post_date_gmt: '2020-01-02 03:04:05' },
      { post_tags: 'three' },
      { post_tags: null },
      { post_category: 'Events, News' },
      { post_category: null },
      { post_custom: { kept: 'a \\ b' } },
      { post_custom: { kept: null } },
      { post_featured_image: 'https://images.example/b.jpg' },
      { featured_image_data: { alt: 'A door' } },
      { post_gallery_images: [{ id: 1, src: 'https://images.example/g.jpg' }] },
      { is_sticky: 1 },
      { post_featured_image: null },
    ];
    const EXPECTED: Record<string, (value: Json, before: Json) => unknown> = {
      post_custom: (value, before) => ({ ...before, kept: [value.kept ?? ''] }),
      post_featured_image: (value) =>
        value && value.replace('https://images.example', `${site.siteUrl}/wp-content/uploads`),
      post_category: (value) => value ?? 'Uncategorized',
      post_gallery_images: () => [],
    };
    for (const [at, change] of changes.entries()) {
      const before = lasting(await read(id));
      const after = lasting(await edit(id, change, at % 2 === 0 ? 'PUT' : 'PATCH'));
      const wanted = { ...before };
      for (const [field, value] of Object.entries<Json>(change))
        if (field !== 'featured_image_data') wanted[field] = EXPECTED[field]?.(value, before[field]) ?? value ?? '';
      if ('post_featured_image' in change && change.post_featured_image === null) wanted.post_featured_image = null;
      if ('post_name' in change) wanted.link = `${site.siteUrl}/new-name/`;
      if ('post_status' in change) wanted.link = `${site.siteUrl}/?p=${id}`;
      assert.deepEqual(after, wanted, JSON.stringify(change));
    }
  });

  it('when content and its gallery are edited together, then one call sends both, and nothing overwrites the content', async () => {
    const id = await create();
    site.requests.length = 0;
    const post_content = 'Look: [gallery ids="1"]';
    await edit(id, { post_content, post_gallery_images: [{ id: 1, src: 'https://images.example/g.jpg' }] });
    const names = site.requests.map((request) => [request.function, request.fields['action']].join(' ').trim());
    assert.ok(names.includes('newpost') && !names.includes('post_action update'), names.join(', '));
    assert.equal((await read(id)).post_content, post_content);
  });

  it('when content and gallery are emptied together, then the post has neither', async () => {
    const id = await create({ post_content: 'Look: [gallery ids="1"]' });
    await edit(id, { post_content: '', post_gallery_images: [] });
    assert.equal((await read(id)).post_content, '');
  });

  it('when fields can be updated singly, then the whole post is written only once', async () => {
    const id = await create({ post_featured_image: 'https://images.example/a.jpg', post_category: 'News' });
    const { post_featured_image, post_category } = await read(id);
    site.requests.length = 0;
    await edit(id, { post_title: 'x', post_custom: { k: 'v' }, post_tags: 'a', post_featured_image, post_category });
    const names = site.requests.map((request) => [request.function, request.fields['action']].join(' ').trim());
    assert.deepEqual(names, [
      'newpost',
      'post_action get_edit',
      'post_action update',
      'post_action update_meta',
      'post_action get_edit',
      'get_all_posts',
      'post_action update_meta',
    ]);
  });

  it('when texts are random, then reads return them unchanged, and an edit changes one field', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((value) => !value.includes('\0'));
    const slug = fc.stringMatching(/^[a-z]([a-z0-9]{0,8}-)?[a-z0-9]{1,8}$/);
    const name = fc
      .stringMatching(/^[A-Za-z0-9ü&%+][A-Za-z0-9 ü&%+]{0,8}[a-z]$/)
      .map((value) => value.replace(/ +/g, ' '));
    const names = fc.uniqueArray(name, { minLength: 1, maxLength: 3 }).map((all) => [...all].sort().join(', '));
    const fields = {
      // WordPress trims the title.
      post_title: text.map((value) => `t${value}t`),
      post_content: text,
      post_excerpt: text,
      post_password: text,
      post_name: slug,
      post_status: fc.constantFrom('publish', 'draft', 'pending', 'private'),
      comment_status: fc.constantFrom('open', 'closed'),
      ping_status: fc.constantFrom('open', 'closed'),
      post_tags: names,
      post_category: names,
      post_custom: fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), text, { minKeys: 1, maxKeys: 3 }),
    };
    await fc.assert(
      fc.asyncProperty(
        fc.record(fields),
        fc.record(fields),
        fc.constantFrom(...(Object.keys(fields) as (keyof typeof fields)[])),
        async (first, second, field) => {
          const id = await create(first);
          const listed = (custom: Record<string, string>): Record<string, string[]> =>
            Object.fromEntries(Object.entries(custom).map(([key, value]) => [key, [value]]));
          const created = await read(id);
          const wanted = { ...first, post_custom: listed(first.post_custom) };
          assert.deepEqual({ ...created, ...wanted }, created);
          const edited = await edit(id, { [field]: second[field] });
          const value =
            field === 'post_custom' ? { ...created.post_custom, ...listed(second.post_custom) } : second[field];
          const apart = { modified: null, link: null, post_date: null, post_date_gmt: null };
          assert.deepEqual({ ...edited, ...apart }, { ...created, ...apart, [field]: value });
        },
      ),
      { numRuns: 25, seed: 20_261_121 },
    );
  });

  it('when a plugin defines the post type, then edits keep the type', async () => {
    const id = await create();
    const stored = site.state.posts.get(id);
    assert.ok(stored);
    stored.type = 'book';
    const book = await edit(id, { post_featured_image: 'https://images.example/a.jpg', post_title: 'A book' });
    assert.deepEqual([book.post_type, book.post_title, site.state.posts.get(id)?.type], ['book', 'A book', 'book']);
    assert.equal((await status(id, 'trash')).post_status, 'trash');
  });

  it('when the site cannot fetch the image, then the response has a warning', async () => {
    const address = 'https://images.example/missing.jpg';
    site.defects.failingPackages.add(address);
    const { body } = await world.request('POST', `${root}/create`, { body: { ...NEW, post_featured_image: address } });
    assert.deepEqual(body.warnings, ['The site could not fetch the featured image.']);
    const path = `${root}/${body.data.post_id}/edit`;
    const { body: edited } = await world.request('PATCH', path, { body: { post_featured_image: address } });
    assert.deepEqual([edited.data.post_featured_image, edited.warnings], [null, body.warnings]);
  });

  it('when the status of a post changes, then the site stores each status', async () => {
    const id = await create();
    const walk: [action: string, now: string | null][] = [
      ['publish', 'publish'],
      ['publish', 'publish'],
      ['unpublish', 'draft'],
      ['approve', 'publish'],
      ['trash', 'trash'],
      ['trash', 'trash'],
      ['restore', 'draft'],
      ['trash', 'trash'],
      ['publish', 'publish'],
    ];
    for (const [at, [action, now]] of walk.entries()) {
      const data = await status(id, action, at % 2 === 0 ? 'PUT' : 'PATCH');
      assert.deepEqual(data, { post_id: id, post_status: now, deleted: false });
      assert.equal(site.state.posts.get(id)?.status, now);
    }
    const { body } = await world.request('PUT', `${root}/${id}/update-status`, {
      body: { status: 'restore' },
      expect: 409,
    });
    assert.equal(body.code, 'svc_post_invalid_state');
    assert.deepEqual(await status(id, 'delete'), { post_id: id, post_status: null, deleted: true });
    assert.equal(site.state.posts.has(id), false);
    await world.request('PUT', `${root}/${id}/update-status`, { body: { status: 'delete' }, expect: 404 });
  });

  it('when the site has no trash, then it deletes the post, and the response and the change log say so', async () => {
    const [id, edited] = [await create(), await create()];
    site.state.hasTrash = false;
    try {
      const { body: gone } = await world.request('DELETE', `${root}/${id}/delete?force=false`);
      assert.deepEqual(gone.data, { post_id: id, post_status: null, deleted: true });
      const { body: refusal } = await world.request('PUT', `${root}/${edited}/edit`, {
        body: { post_status: 'trash' },
        expect: 404,
      });
      assert.match(refusal.message, /trash of the site is switched off/);
    } finally {
      site.state.hasTrash = true;
    }
    const changes = await readChangesOf(world, world.siteId(0), 'post.deleted');
    const logged = changes.slice(-2).map(({ description }) => description);
    assert.deepEqual(logged, [`The post ${id} was deleted.`, `The post ${edited} was deleted.`]);
  });

  it('when a post is deleted, then it is removed; with force=false it is moved to the trash', async () => {
    const id = await create();
    const { body: trashed } = await world.request('DELETE', `${root}/${id}/delete?force=false`);
    assert.deepEqual(trashed.data, { post_id: id, post_status: 'trash', deleted: false });
    const { body: refused } = await world.request('PUT', `${root}/${id}/edit`, {
      body: { post_title: 'x' },
      expect: 409,
    });
    assert.equal(refused.code, 'svc_post_invalid_state');
    const { body: gone } = await world.request('DELETE', `${root}/${id}/delete`);
    assert.deepEqual(gone.data, { post_id: id, post_status: null, deleted: true });
    assert.equal(site.state.posts.has(id), false);
  });

  it('when is_sticky is reset to 0, then the edit is rejected, because the child plugin cannot do it', async () => {
    const id = await create({ is_sticky: 1 });
    const path = `${root}/${id}/edit`;
    const { body } = await world.request('PUT', path, { body: { is_sticky: 0, post_title: 'x' }, expect: 409 });
    assert.equal(body.code, 'svc_post_invalid_state');
    assert.equal((await read(id)).post_title, NEW.post_title);
  });

  for (const [action, was] of [
    ['publish', 'draft'],
    ['unpublish', 'publish'],
    ['trash', 'publish'],
    ['restore', 'trash'],
    ['delete', 'publish'],
  ] as const)
    it(`when the site claims ${action} but does not carry it out, then the call fails and nothing is logged`, async () => {
      const id = await create({ post_status: 'publish' });
      const post = site.state.posts.get(id);
      assert.ok(post);
      post.status = was;
      const logged = await readChangesOf(world, world.siteId(0), 'post.%');
      site.defects.falseSuccesses.add(`post ${id}`);
      const { body } = await world.request('PUT', `${root}/${id}/update-status`, {
        body: { status: action },
        expect: 502,
      });
      assert.deepEqual([body.code, body.data.outcome], ['svc_site_bad_answer', 'answered']);
      assert.deepEqual(await readChangesOf(world, world.siteId(0), 'post.%'), logged);
    });

  it('when the response to an action is lost, then the status that the site has decides, and the change is logged', async () => {
    const id = await create({ post_status: 'publish' });
    site.fault = { kind: 'fatal', when: 'after', function: 'post_action', times: 1 };
    const { body } = await world.request('DELETE', `${root}/${id}/delete`);
    assert.deepEqual(body.data, { post_id: id, post_status: null, deleted: true });
    assert.equal(
      (await readChangesOf(world, world.siteId(0), 'post.deleted')).at(-1)?.description,
      `The post ${id} was deleted.`,
    );
  });

  it('when a creation is lost or retried with its idempotency key, then the post is created once', async () => {
    const before = site.state.posts.size;
    site.fault = { kind: 'fatal', when: 'after', function: 'newpost' };
    await world.request('POST', `${root}/create`, { body: NEW, expect: 502 });
    assert.equal(site.state.posts.size, before + 1);
    site.fault = null;
    const headers = { 'idempotency-key': 'one-post' };
    const first = await world.request('POST', `${root}/create`, { body: NEW, headers });
    const second = await world.request('POST', `${root}/create`, { body: NEW, headers });
    assert.deepEqual(second.body, first.body);
    assert.equal(site.state.posts.size, before + 2);
  });

  it('when edits arrive at the same time, then all of them are applied', async () => {
    const id = await create();
    const changes = [
      { post_featured_image: 'https://images.example/a.jpg' },
      { post_content: 'new content' },
      { post_category: 'Events' },
      { post_status: 'private' },
    ];
    await Promise.all(changes.map((change) => edit(id, change)));
    const post = await read(id);
    assert.deepEqual(
      [post.post_content, post.post_category, post.post_status, post.post_featured_image],
      ['new content', 'Events', 'private', `${site.siteUrl}/wp-content/uploads/a.jpg`],
    );
  });

  it('when a post changes, then the change log has an entry for each change', async () => {
    const id = await create();
    await edit(id, { post_title: 'x' });
    await status(id, 'publish');
    await status(id, 'delete');
    const { changes } = await world.ability('get-site-changes-v1', { site_id_or_domain: world.siteId(0), per_page: 4 });
    assert.deepEqual(
      changes.map(({ type, description }: { type: string; description: string }) => [type, description]),
      [
        ['post.deleted', `The post ${id} was deleted.`],
        ['post.published', `The post ${id} was published.`],
        ['post.updated', `The post ${id} was changed.`],
        ['post.created', `The post ${id} was created.`],
      ],
    );
  });
});
