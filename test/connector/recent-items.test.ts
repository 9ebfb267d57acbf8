import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { decodeStateAfterAction, decodeStats } from '../../src/connector/answers/stats.ts';
import type { RecentItem } from '../../src/connector/child-site.ts';

const decode = (lists: Record<string, unknown>) => decodeStats({ version: '6.1', ...lists })?.recent;
const idsOf = (lists: Record<string, unknown>): number[] => decode(lists)?.items.map(({ id }) => id) ?? [];
const post = (over: Record<string, unknown>) => ({ id: 5, post_type: 'post', status: 'publish', title: 'A', ...over });

describe('lists of recent items in a report', () => {
  it('when a real site sends them, then comments, posts and pages are read', () => {
    const text = readFileSync(new URL('recordings/09-stats.json', import.meta.url), 'utf8');
    const { kinds, items } = decodeStats(JSON.parse(text))?.recent ?? { kinds: [], items: [] };
    assert.deepEqual(kinds, ['comment', 'post', 'page']);
    const of = (wanted: RecentItem['kind']) => items.filter(({ kind }) => kind === wanted);
    assert.deepEqual(
      of('comment').map(({ id, status }) => `${id} ${status}`),
      ['6 approved', '2 approved', '1 approved', '3 pending'],
    );
    assert.deepEqual(of('post')[0], {
      ...{ kind: 'post', id: 5, title: 'site4 post 2', status: 'publish', at: 1_795_235_214_000 },
    });
    assert.doesNotMatch(JSON.stringify(items), /Visitor|admin|@|Comment 4/);
  });

  it('when a list is missing or none, then it is unknown', () => {
    assert.equal(decode({}), undefined);
    assert.deepEqual(decode({ recent_posts: [] }), { kinds: ['post'], items: [] });
    assert.equal(decode({ recent_posts: false, recent_pages: 'none', recent_comments: null }), undefined);
  });

  for (const [what, over] of [
    ['no ID', { id: undefined }],
    ['a negative ID', { id: -5 }],
    ['a fraction as ID', { id: '5.5' }],
    ['an unsafe ID', { id: '9007199254740993' }],
    ['no status', { status: '' }],
    ['another type', { post_type: 'product' }],
  ] as const)
    it(`when an item has ${what}, then it is dropped`, () => {
      assert.deepEqual(idsOf({ recent_posts: [post(over), post({ id: 6 })] }), [6]);
    });

  it('when a comment has an unknown status, then it is dropped', () => {
    const comments = ['approved', 'spam', '__proto__', false].map((status, id) => ({ id: id + 1, status }));
    assert.deepEqual(idsOf({ recent_comments: comments }), [1]);
  });

  it('when a list is longer than the child can send, then the rest is dropped', () => {
    const many = Array.from({ length: 500 }, (_, index) => post({ id: index + 1, post_type: 'page' }));
    assert.equal(idsOf({ recent_pages: many }).length, 150);
    const comments = Array.from({ length: 50 }, (_, index) => ({ id: index + 1, status: 'approved' }));
    assert.equal(idsOf({ recent_comments: comments }).length, 10);
  });

  it('when a time is impossible, then it is unknown', () => {
    assert.deepEqual(
      decode({ recent_posts: [post({ dts: -62_169_984_000 }), post({ dts: 1e15 })] })?.items.map(({ at }) => at),
      [null, null],
    );
  });

  it('when the response to an action has the lists, then they are left to the next sync', () => {
    const { after } = decodeStateAfterAction({ sync: { version: '6.1', recent_posts: [post({})] } });
    assert.equal(after?.childVersion, '6.1');
    assert.equal(after?.recent, undefined);
  });
});
