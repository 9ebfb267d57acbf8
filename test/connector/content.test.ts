import assert from 'node:assert/strict';
import {
  decodeContentActionSuccess,
  decodeContent,
  decodeContentEntries,
  decodeWrittenContent,
} from '../../src/connector/answers/content.ts';
import { ConflictError } from '../../src/shared/errors.ts';
import { toFrame } from '../support/frames.ts';
import { readRecording } from './support.ts';
import { respondByFunction, UNSIGNED_CONNECTED_STATS, ConnectorBench } from './connector-bench.ts';

const QUERY = { type: 'post', statuses: ['publish', 'draft', 'pending'], maximum: 50 };
const BACKSLASH = String.raw`C:\new "it's" \\share \0`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const unbase64 = (text: string | null): string => Buffer.from(text ?? '', 'base64').toString('utf8');
const embedded = (value: unknown): string => base64(JSON.stringify(value));

describe('recorded posts', () => {
  it('when posts are listed, then they are ordered newest first, and the invalid date of a draft is null', () => {
    const entries = decodeContentEntries(readRecording('18-posts'), QUERY);
    assert.deepEqual(
      entries?.map(({ id, modifiedAt }) => [id, modifiedAt]),
      [
        [5, 1795235214_000],
        [4, 1795235214_000],
        [1, 1795235213_000],
        [6, null],
      ],
    );
    assert.deepEqual(entries?.[0], {
      id: 5,
      type: 'post',
      status: 'publish',
      title: 'site4 post 2',
      commentCount: 0,
      author: 'admin',
      authorEmail: 'admin@site4.test',
      categories: ['News'],
      tags: ['tag-a', 'tag-b'],
      modifiedAt: 1795235214_000,
      link: null,
    });
  });

  it('when there are more posts than the maximum, then the sum of all statuses is cut', () => {
    const two = decodeContentEntries(readRecording('18-posts'), { ...QUERY, maximum: 2 });
    assert.deepEqual(
      two?.map(({ id }) => id),
      [5, 4],
    );
  });

  it('when a post is read for an edit, then all fields are read, and a missing post is detected', () => {
    const content = decodeContent(readRecording('61-get-edit'));
    assert.deepEqual(
      [content?.id, content?.type, content?.title, content?.sticky, content?.categories, content?.tags],
      [10, 'post', "It's new back", true, ['Brand New', 'News'], ['t two', 't1']],
    );
    assert.equal(content?.content, '<p>Hello "quotes" slash <script>1</script></p>');
    assert.equal(content?.featuredImage, null);
    assert.deepEqual(content?.customFields.get('my_key'), ['v1']);
    assert.equal(decodeContent(readRecording('72b-get-edit-missing')), null);
  });

  it('when a post is locked or its author was deleted, then lock and missing author are read', () => {
    const content = decodeContent(readRecording('get_edit-takes-over-lock'));
    assert.deepEqual([content?.lock, content?.customFields], [{ userId: 3, at: 1_795_305_643 }, new Map()]);
    const entries = decodeContentEntries(readRecording('posts-missing-author'), QUERY);
    assert.deepEqual(
      entries?.map(({ author, authorEmail, title }) => [author, authorEmail, title]),
      [
        [null, null, "Nobody's \u201cpost\u201d &amp; <b>x</b>"],
        ['admin', 'admin8105@example.com', 'Hello world!'],
      ],
    );
    const namesake = { id: 1, author: 'removed', authorEmail: 'removed@example.com' };
    assert.equal(decodeContentEntries([namesake], QUERY)?.[0]?.author, 'removed');
  });

  it('when a post was changed, then the result of the change is read', () => {
    assert.deepEqual(decodeWrittenContent(readRecording('60-newpost')), {
      id: 10,
      status: 'publish',
      link: 'http://127.0.0.1:8154/its-new-back/',
    });
    assert.equal(decodeContentActionSuccess(readRecording('63-unpublish')), true);
    assert.equal(decodeContentActionSuccess(readRecording('68-publish-missing')), false);
    assert.equal(decodeContentActionSuccess(readRecording('69-trash-missing')), false);
  });
});

describe('hostile post responses', () => {
  it('when a response has another format, then it is rejected', () => {
    for (const value of ['', null, 7, {}, { 0: {} }]) assert.equal(decodeContentEntries(value, QUERY), null);
    for (const value of ['', null, [], { status: 'SUCCESS' }, { status: 'SUCCESS', my_post: [] }])
      assert.equal(decodeContent(value), undefined);
    const damaged = { status: 'SUCCESS', my_post: { new_post: '*' } };
    assert.equal(decodeContent(damaged), undefined);
    for (const value of [null, [], {}, { added: true }, { added: 'yes', added_id: 1 }])
      assert.equal(decodeWrittenContent(value), null);
    for (const value of [null, [], {}, { status: 'MAYBE' }]) assert.equal(decodeContentActionSuccess(value), null);
  });

  it('when entries have an invalid ID or URL, then the entry or the URL is dropped', () => {
    const entries = decodeContentEntries(
      [{ id: 'x' }, { id: -1 }, 5, { id: '7', '[post.url]': 'javascript:alert(1)' }],
      QUERY,
    );
    assert.deepEqual(
      entries?.map(({ id, link }) => [id, link]),
      [[7, null]],
    );
    const post = { edit_id: '3', post_type: 'post', post_date: '0000-00-00 00:00:00' };
    const parts = { new_post: embedded(post), post_featured_image: base64('file:///etc/passwd'), post_custom: 'W10=' };
    const content = decodeContent({ status: 'SUCCESS', my_post: parts });
    assert.deepEqual([content?.featuredImage, content?.date, content?.customFields.size], [null, null, 0]);
  });

  it('when fields are nested deeply, then they are dropped', () => {
    const deep = `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const parts = { new_post: embedded({ edit_id: 1 }), post_custom: base64(deep) };
    assert.equal(decodeContent({ status: 'SUCCESS', my_post: parts })?.customFields.size, 0);
  });
});

describe('post requests', () => {
  const rig = new ConnectorBench().install();
  const form = (at = 0): URLSearchParams => rig.server.requests[at]?.form ?? new URLSearchParams();

  it('when dates or filters are given, then whole days and only these filters are sent', async () => {
    rig.respond = respondByFunction({ get_all_posts: [], get_all_pages: [] });
    await rig.child.listContent(rig.link(), { type: 'any', statuses: ['any'], maximum: 7 });
    assert.deepEqual(
      ['post_type', 'status', 'maxRecords', 'keyword', 'dtsstart'].map((name) => form().get(name)),
      ['any', 'any', '7', null, null],
    );
    await rig.child.listContent(rig.link(), {
      type: 'page',
      statuses: ['draft', 'trash'],
      maximum: 7,
      search: { text: 'a+b', where: 'content' },
      changed: { from: '2026-03-01', to: '2026-12-31' },
    });
    assert.deepEqual(
      ['function', 'status', 'keyword', 'search_on', 'dtsstart', 'dtsstop'].map((name) => form(1).get(name)),
      ['get_all_pages', 'draft,trash', 'a+b', 'content', '2026-02-28 23:59:59', '2027-01-01 00:00:00'],
    );
  });

  it('when a text has backslashes, then they are doubled, because WordPress strips one level', async () => {
    rig.respond = respondByFunction({ newpost: readRecording('60-newpost') });
    await rig.child.createContent(rig.link(), {
      type: 'post',
      title: 'T',
      content: BACKSLASH,
      status: 'draft',
      tags: ['a & b', 'ü'],
      categories: ['News, old'.replace(',', '')],
      customFields: new Map([['k', BACKSLASH]]),
      sticky: true,
      featuredImage: 'https://p.test/ü.png',
    });
    const doubled = BACKSLASH.replaceAll('\\', '\\\\');
    const post = JSON.parse(unbase64(form().get('new_post'))) as Record<string, string>;
    assert.deepEqual(post, {
      post_title: 'T',
      post_content: doubled,
      post_status: 'draft',
      post_type: 'post',
      post_tags: 'a%20%26%20b%2C%C3%BC',
    });
    assert.deepEqual(JSON.parse(unbase64(form().get('post_custom'))), { k: [doubled], _sticky: [base64('sticky')] });
    assert.equal(unbase64(form().get('post_category')), 'News%20old');
    assert.equal(unbase64(form().get('post_featured_image')), 'https://p.test/ü.png');
    assert.equal(form().has('mainwp_upload_dir'), false);
  });

  it('when a post is updated, then only the given fields are sent', async () => {
    rig.respond = respondByFunction({ post_action: readRecording('63-unpublish') });
    await rig.child.updateContent(rig.link(), 10, { content: BACKSLASH });
    const sent = [...form()].filter(([name]) => name.startsWith('post_data'));
    assert.deepEqual(sent, [
      ['post_data[ID]', '10'],
      ['post_data[post_content]', BACKSLASH.replaceAll('\\', '\\\\')],
    ]);
    await rig.child.updateContent(rig.link(), 10, { tags: [], date: '2026-01-01 00:00:00' }, true);
    assert.deepEqual(
      ['tags_input', 'edit_date', 'post_category][0', 'post_title'].map((name) => form(1).get(`post_data[${name}]`)),
      ['', '1', '0', null],
    );
  });

  it('when a text has invalid characters, then the JSON sent can still be read by PHP', async () => {
    rig.respond = respondByFunction({ post_action: readRecording('63-unpublish') });
    await rig.child.updateCustomFields(rig.link(), 10, new Map([['k', 'half \ud83d pair']]));
    assert.deepEqual(JSON.parse(unbase64(form().get('values'))), {
      meta_key: ['k'],
      meta_value: ['half \ufffd pair'],
      check_prev: [0],
    });
    assert.doesNotMatch(unbase64(form().get('values')), /\\ud83d/);
  });

  it('when the edit lock is checked, then one call is made that cannot change a post', async () => {
    rig.respond = respondByFunction({ newpost: { error: 'Empty post id' } });
    const before = rig.server.requests.length;
    await rig.child.checkEditLock(rig.link(), 10);
    assert.equal(rig.server.requests.length, before + 1);
    const { ID, post_type } = JSON.parse(unbase64(form().get('new_post')));
    assert.deepEqual([ID, post_type], [Number.MAX_SAFE_INTEGER, '']);
    assert.deepEqual(JSON.parse(unbase64(form().get('post_custom'))), { _mainwp_edit_post_id: ['10'] });
    rig.respond = respondByFunction({
      newpost: readRecording('newpost-locked'),
      'stats?': UNSIGNED_CONNECTED_STATS,
      get_all_plugins: { data: [] },
    });
    await assert.rejects(rig.child.checkEditLock(rig.link(), 10), {
      code: 'svc_post_locked',
      data: {
        child_message: 'This content is currently locked. Zweite Person is currently editing.',
        retry_after_seconds: 150,
      },
    });
  });

  it('when a write is refused, then it is not sent twice, and a lock is detected in any language', async () => {
    const whole = { type: 'post', content: 'c', status: 'draft' };
    const refusing = (error: string): void => {
      rig.respond = respondByFunction({
        newpost: { error },
        'stats?': UNSIGNED_CONNECTED_STATS,
        get_all_plugins: { data: [] },
      });
    };
    refusing('Dieser Inhalt ist gesperrt. Eva Muster bearbeitet ihn gerade.');
    await assert.rejects(rig.child.rewriteContent(rig.link(), 10, whole, 'eva'), (error: unknown) => {
      assert.ok(error instanceof ConflictError);
      const child_message = 'Dieser Inhalt ist gesperrt. Eva Muster bearbeitet ihn gerade.';
      assert.deepEqual([error.code, error.data], ['svc_post_locked', { child_message, retry_after_seconds: 150 }]);
      return true;
    });
    assert.equal(JSON.parse(unbase64(form().get('new_post'))).custom_post_author, 'eva');
    assert.equal(rig.server.requests.filter((each) => each.form.get('function') === 'newpost').length, 1);
    refusing('Empty post id');
    await assert.rejects(rig.child.rewriteContent(rig.link(), 10, whole, null), { code: 'svc_site_bad_answer' });
    rig.respond = (_seen, response) => response.writeHead(500).end(toFrame('').slice(0, 5));
    const before = rig.server.requests.length;
    await assert.rejects(rig.child.createContent(rig.link(), whole), { code: 'svc_site_refused' });
    assert.equal(rig.server.requests.length, before + 1);
  });
});
