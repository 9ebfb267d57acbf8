import assert from 'node:assert/strict';
import { decodeComments } from '../../src/connector/answers/comments.ts';
import { createKeyPairSource } from '../../src/connector/index.ts';
import { DomainError } from '../../src/shared/errors.ts';
import { toFrame } from '../support/frames.ts';
import { createLink, makeConnector, readRecording, startFakeServer, thrownBy } from './support.ts';

describe('comment responses', () => {
  it('when a recorded response is read, then comments have all their fields', () => {
    const comments = decodeComments(readRecording('20-comments'), 100);
    assert.deepEqual(comments?.[0], {
      id: 6,
      status: 'approved',
      author: 'Visitor 4',
      authorEmail: 'v4@example.test',
      authorUrl: null,
      content: 'Comment 4 on site4',
      postId: 4,
      postTitle: 'site4 post 1',
      at: 1_795_235_214_000,
    });
    const statuses = new Map(comments?.map(({ id, status }) => [id, status]));
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((id) => statuses.get(id)),
      ['approved', 'approved', 'pending', 'spam', 'trash', 'approved'],
    );
    assert.equal(comments?.find(({ id }) => id === 1)?.authorUrl, 'https://wordpress.org/');
  });

  it('when the child sends URLs with HTML entities, then they are decoded or omitted', () => {
    const [comment] = decodeComments(readRecording('comments-author-url'), 10) ?? [];
    assert.deepEqual(
      [comment?.author, comment?.authorUrl, comment?.authorEmail],
      ['Vis & "Q" <b>b</b>', 'http://example.com/?a=1&b=2', 'vis@example.com'],
    );
    const [odd] =
      decodeComments([{ id: 1, status: 'spam', author_url: 'https://x.test/it&#039;s?q=&quot;' }], 10) ?? [];
    assert.equal(odd?.authorUrl, null);
    const [quoted] = decodeComments([{ id: 1, status: 'spam', author_url: 'https://x.test/it&#039;s' }], 10) ?? [];
    assert.equal(quoted?.authorUrl, 'https://x.test/it%27s');
  });

  it('when a response is hostile or malformed, then it is rejected or read safely', () => {
    for (const value of [null, '', 'x', 1, {}, { 0: { id: 1, status: 'spam' } }, { comments: [] }])
      assert.equal(decodeComments(value, 10), null, JSON.stringify(value));
    assert.deepEqual(decodeComments([], 10), []);
    const none = [null, 1, 'x', [], {}, { id: 1 }, { id: 1, status: 'constructor' }, { id: 1, status: ['spam'] }];
    assert.deepEqual(decodeComments([...none, { id: 0, status: 'spam' }, { id: '1e3', status: 'spam' }], 100), []);
    assert.deepEqual(
      decodeComments(
        [
          { id: 1.5, status: 'spam' },
          { id: -1, status: 'spam' },
        ],
        100,
      ),
      [],
    );
    const [odd] =
      decodeComments(
        [
          {
            id: '9',
            status: 'unapproved',
            author: 'O&#039;Neil\u202e\n<b>',
            author_url: 'javascript:alert(1)',
            author_email: { a: 1 },
            content: `${'x'.repeat(70_000)}`,
            postId: 'no',
            postName: null,
            dts: -62_169_984_000,
          },
        ],
        10,
      ) ?? [];
    assert.deepEqual(
      { ...odd, content: odd?.content.length },
      {
        id: 9,
        status: 'pending',
        author: "O'Neil <b>",
        authorEmail: null,
        authorUrl: null,
        content: 65_535,
        postId: 0,
        postTitle: '',
        at: null,
      },
    );
    const many = Array.from({ length: 50 }, (_, n) => ({ id: n + 1, status: 'spam' }));
    assert.equal(decodeComments(many, 20)?.length, 20);
  });
});

describe('comment calls', () => {
  it('when comments are requested or changed, then the call has the fields of the protocol', async () => {
    const [pair, connector] = [await createKeyPairSource(1).next(), makeConnector()];
    const server = await startFakeServer((seen, response) =>
      response.end(
        toFrame(
          { get_all_comments: [], comment_action: { status: 'SUCCESS' }, comment_bulk_action: { success: 2 } }[
            seen.form.get('function') ?? ''
          ],
        ),
      ),
    );
    try {
      const link = createLink(server.url, pair, 5);
      await connector.child.comments(link, { statuses: ['approved', 'pending', 'spam', 'trash'], maximum: 50 });
      const narrow = { keyword: 'a "b"', after: '2026-11-01 00:00:00', before: '2026-11-02 00:00:00' };
      await connector.child.comments(link, { statuses: ['pending'], maximum: 1, ...narrow });
      await connector.child.commentAction(link, 'trash', [4]);
      await connector.child.commentAction(link, 'spam', [4, 6]);
      const names = ['status', 'maxRecords', 'keyword', 'dtsstart', 'dtsstop', 'action', 'id', 'ids'];
      assert.deepEqual(
        server.requests.map(({ form }) => names.map((name) => form.get(name)).filter((value) => value !== null)),
        [
          ['approve,hold,spam,trash', '50'],
          ['hold', '1', narrow.keyword, narrow.after, narrow.before],
          ['trash', '4'],
          ['spam', '4,6'],
        ],
      );
    } finally {
      await server.close();
      await connector.close();
    }
  });

  it('when a change gets an invalid response, then it fails and is not sent twice', async () => {
    const [pair, connector] = [await createKeyPairSource(1).next(), makeConnector()];
    let answer = '';
    const server = await startFakeServer((_seen, response) => response.end(answer));
    try {
      const link = createLink(server.url, pair, 6);
      for (const text of [toFrame({ status: 'FAIL' }), toFrame({}), toFrame([]), toFrame('x'), '<p>nothing</p>'])
        for (const ids of [[1], [1, 2]]) {
          answer = text;
          const sent = server.requests.length;
          const error = await thrownBy(() => connector.child.commentAction(link, 'spam', ids));
          assert.ok(error instanceof DomainError);
          assert.equal(error.data['outcome'], 'open');
          assert.equal(server.requests.length, sent + 1);
        }
    } finally {
      await server.close();
      await connector.close();
    }
  });
});
