import assert from 'node:assert/strict';
import { readChangeLog } from '../../support/changes.ts';
import { fixedAnswerFault } from '../../support/frames.ts';
import { clearFaults } from '../../support/sites.ts';
import { startWorld, type World } from '../../support/world.ts';
import { setComments, statusOf, type SandboxStatus } from '../../support/comments.ts';

/** Result of each action for each status. Other combinations are invalid. The previous status in trash is approve. */
const FITTING: [action: string, from: SandboxStatus, to: SandboxStatus | undefined, told: string][] = [
  ['approve', 'hold', 'approve', 'approved'],
  ['approve', 'spam', 'approve', 'approved'],
  ['unapprove', 'approve', 'hold', 'pending'],
  ['spam', 'approve', 'spam', 'spam'],
  ['spam', 'hold', 'spam', 'spam'],
  ['unspam', 'spam', 'approve', 'approved'],
  ['trash', 'approve', 'trash', 'trash'],
  ['trash', 'hold', 'trash', 'trash'],
  ['trash', 'spam', 'trash', 'trash'],
  ['restore', 'trash', 'approve', 'approved'],
  ['delete', 'approve', undefined, 'deleted'],
  ['delete', 'hold', undefined, 'deleted'],
  ['delete', 'spam', undefined, 'deleted'],
  ['delete', 'trash', undefined, 'deleted'],
];
const ACTIONS = ['approve', 'unapprove', 'spam', 'unspam', 'trash', 'restore', 'delete'];
const STATUSES: SandboxStatus[] = ['approve', 'hold', 'spam', 'trash'];

describe('v2 actions on comments', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 1 });
  });
  after(() => world.close());
  afterEach(() => clearFaults(world));

  const act = (id: number, action: string, options: object = {}) =>
    world.request('PUT', `/api/v2/comments/${world.siteId(0)}/${id}/action`, { body: { action }, ...options });
  const bulk = (action: string, comment_ids: unknown, options: object = {}) =>
    world.request('PUT', `/api/v2/comments/${world.siteId(0)}/bulk-action`, {
      body: { action, comment_ids },
      ...options,
    });
  const sent = (): number => world.site(0).countOf('comment_action') + world.site(0).countOf('comment_bulk_action');

  for (const [action, from, to, told] of FITTING)
    it(`when a comment has the status ${from}, then ${action} sets the status ${told}`, async () => {
      setComments(world.site(0), { 7: { status: from }, 8: { status: 'hold' } });
      const { body } = await act(7, action);
      assert.deepEqual([body.success, body.data], [1, { comment_id: 7, comment_status: told }]);
      assert.deepEqual([statusOf(world.site(0), 7), statusOf(world.site(0), 8)], [to, 'hold']);
    });

  it('when the status does not allow an action, then the request is rejected and nothing is sent', async () => {
    const before = sent();
    for (const action of ACTIONS)
      for (const status of STATUSES) {
        if (FITTING.some(([fitting, from]) => fitting === action && from === status)) continue;
        setComments(world.site(0), { 7: { status } });
        const { body } = await act(7, action, { expect: 409 });
        assert.equal(body.code, 'svc_comment_invalid_state', `${action} from ${status}`);
        assert.equal(
          body.data.comment_status,
          { approve: 'approved', hold: 'pending', spam: 'spam', trash: 'trash' }[status],
        );
        assert.equal(statusOf(world.site(0), 7), status);
      }
    assert.equal(sent(), before);
  });

  it('when the comment does not exist, then nothing is sent, because some actions crash the site', async () => {
    setComments(world.site(0), { 7: { status: 'hold' } });
    const before = sent();
    for (const action of ACTIONS)
      assert.equal((await act(8, action, { expect: 404 })).body.code, 'svc_comment_not_found');
    assert.equal(sent(), before);
    const unknown = await world.request('PUT', '/api/v2/comments/999999/7/action', {
      body: { action: 'spam' },
      expect: 404,
    });
    assert.equal(unknown.body.code, 'svc_site_not_found');
  });

  it('when action or IDs are invalid, then the request is rejected', async () => {
    for (const body of [{}, { action: 'hold' }, { action: 'spam', extra: 1 }, { action: null }])
      await world.request('PUT', `/api/v2/comments/${world.siteId(0)}/7/action`, { body, expect: 400 });
    await act(0, 'spam', { expect: 400 });
    for (const ids of ['', ',', 'a', '1,', '1;2', [], ['1'], [0], 7, Array.from({ length: 501 }, (_, n) => n + 1)])
      assert.equal((await bulk('spam', ids, { expect: 400 })).body.data.errors[0].path, 'body.comment_ids');
    await bulk('hold', '1', { expect: 400 });
  });

  it('when the key may write, then actions are executed and logged; other keys are rejected', async () => {
    setComments(world.site(0), { 7: { status: 'hold' }, 8: { status: 'hold' } });
    for (const as of ['reader', 'viewer'] as const) {
      await act(7, 'approve', { as, expect: 403 });
      await bulk('approve', '7', { as, expect: 403 });
    }
    await act(7, 'approve', { as: 'writer' });
    await bulk('spam', '7,8,9');
    const changes = await readChangeLog(world, world.siteId(0));
    const types = changes
      .map(({ type }: { type: string }) => type)
      .filter((type: string) => type.startsWith('comment.'));
    assert.deepEqual(types.slice(0, 3), ['comment.spammed', 'comment.spammed', 'comment.approved']);
    assert.ok(world.logLines.some((line) => line.includes('"audit":true') && line.includes('comments_act_bulk')));
  });

  it('when the site reports success, then the call succeeds only if the comment has the new status', async () => {
    setComments(world.site(0), { 7: { status: 'hold' } });
    world.site(0).faultQueue.push(fixedAnswerFault({ status: 'SUCCESS' }, 'comment_action'));
    assert.equal((await act(7, 'approve', { expect: 502 })).body.code, 'svc_site_bad_answer');
    assert.equal(statusOf(world.site(0), 7), 'hold');
  });

  it('when an action fails, then the comment is read back, and nothing is sent twice', async () => {
    const site = world.site(0);
    setComments(site, { 7: { status: 'hold' }, 8: { status: 'hold' } });
    const before = sent();
    site.faultQueue.push({ kind: 'fatal', when: 'after', function: 'comment_action' });
    assert.equal((await act(7, 'approve')).body.data.comment_status, 'approved');
    site.faultQueue.push({ kind: 'fatal', when: 'before', function: 'comment_action' });
    const { body } = await act(8, 'approve', { expect: 502 });
    assert.deepEqual([body.code, body.data.reason], ['svc_site_refused', 'site_fatal']);
    // A request that was blocked before it ran is repeated at the other address of the site.
    for (let address = 0; address < 2; address++)
      site.faultQueue.push({ kind: 'challenge', function: 'comment_action' });
    assert.equal((await act(8, 'approve', { expect: 502 })).body.data.reason, 'blocked');
    assert.equal(sent() - before, 4);
    assert.equal(statusOf(site, 8), 'hold');
  });

  it('when an action is for several comments, then the response has the result of each', async () => {
    setComments(world.site(0), {
      1: { status: 'hold' },
      2: { status: 'approve' },
      3: { status: 'spam' },
      4: { status: 'trash' },
      5: { status: 'hold' },
    });
    const before = sent();
    const { body } = await bulk('approve', ' 1, 2,3 ,4,99,5,1');
    assert.deepEqual([body.success, body.message], [1, '3 of 6 comments were approved.']);
    assert.deepEqual(body.data.updated, [1, 3, 5]);
    assert.deepEqual(
      body.data.errors.map(({ comment_id, code }: { comment_id: number; code: string }) => [comment_id, code]),
      [
        [2, 'svc_comment_invalid_state'],
        [4, 'svc_comment_invalid_state'],
        [99, 'svc_comment_not_found'],
      ],
    );
    assert.equal(sent() - before, 1);
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((id) => statusOf(world.site(0), id)),
      ['approve', 'approve', 'approve', 'trash', 'approve'],
    );
    assert.deepEqual((await bulk('delete', [4, 5])).body.data, { updated: [4, 5], errors: [] });
    const { body: none } = await bulk('restore', [1, 0 + 98]);
    assert.deepEqual([none.success, none.data.updated, none.data.errors.length], [1, [], 2]);
  });

  it('when a deleted comment crashes the bulk request, then the other comments are changed', async () => {
    const site = world.site(0);
    setComments(site, { 1: { status: 'hold' }, 2: { status: 'hold' }, 3: { status: 'hold' } });
    const seen = [1, 9, 2, 3].map((id) => ({ id: String(id), status: 'unapproved', dts: 1_795_200_000 }));
    site.faultQueue.push({ kind: 'forged', function: 'get_all_comments', answer: seen });
    const { body } = await bulk('approve', '1,9,2,3');
    assert.deepEqual(body.data.updated, [1, 2, 3]);
    assert.deepEqual(
      body.data.errors.map(({ comment_id, code }: { comment_id: number; code: string }) => [comment_id, code]),
      [[9, 'svc_comment_not_found']],
    );
    assert.deepEqual(
      [1, 2, 3].map((id) => statusOf(site, id)),
      ['approve', 'approve', 'approve'],
    );
  });

  it('when a comment times out, then the comments after it are not sent', async () => {
    const site = world.site(0);
    setComments(site, { 1: { status: 'hold' }, 2: { status: 'hold' }, 3: { status: 'hold' } });
    site.faultQueue.push({ kind: 'fatal', when: 'before', function: 'comment_bulk_action' });
    site.fault = { kind: 'raw', status: 504, body: '', function: 'comment_action' };
    const before = site.countOf('comment_action');
    const { body } = await bulk('approve', '1,2,3');
    // Only the first comment was sent.
    assert.deepEqual(body.data.errors.map(({ code }: { code: string }) => code).sort(), [
      'svc_outcome_unknown',
      'svc_site_refused',
      'svc_site_refused',
    ]);
    assert.equal(site.countOf('comment_action') - before, 1);
  });

  it('when the call with all comments times out, then none is sent again, and the outcome is unknown', async () => {
    const site = world.site(0);
    setComments(site, { 1: { status: 'hold' }, 2: { status: 'hold' } });
    site.faultQueue.push({ kind: 'raw', status: 504, body: '', function: 'comment_bulk_action' });
    const before = site.countOf('comment_action');
    const { body } = await bulk('approve', '1,2');
    assert.deepEqual(
      body.data.errors.map(({ comment_id, code }: { comment_id: number; code: string }) => [comment_id, code]),
      [1, 2].map((id) => [id, 'svc_outcome_unknown']),
    );
    assert.equal(site.countOf('comment_action') - before, 0);
  });

  it('when comments cannot be read back, then the outcome is unknown', async () => {
    const site = world.site(0);
    setComments(site, { 1: { status: 'hold' }, 2: { status: 'hold' }, 3: { status: 'trash' } });
    site.faultQueue.push({ kind: 'delay', ms: 1, function: 'get_all_comments' });
    site.faultQueue.push({ kind: 'forged', function: 'get_all_comments', answer: {} });
    const { body } = await bulk('approve', '1,2,3');
    assert.deepEqual(body.data.updated, []);
    assert.deepEqual(
      body.data.errors.map(({ code }: { code: string }) => code),
      ['svc_outcome_unknown', 'svc_outcome_unknown', 'svc_comment_invalid_state'],
    );
    site.fault = { kind: 'refuse' };
    assert.equal((await bulk('approve', '1', { expect: 503 })).body.code, 'svc_site_unreachable');
  });

  it('when thousands of comments are newer, then a limited number of reads finds the comment', async () => {
    const site = world.site(0);
    const hour = (n: number): string => new Date(Date.parse('2026-11-20T00:00:00Z') - n * 3_600_000).toISOString();
    const pile = Object.fromEntries(
      Array.from({ length: 4_500 }, (_, n) => [5_000 - n, { status: 'spam' as const, date: hour(n) }]),
    );
    setComments(site, { ...pile, 6_000: { status: 'hold', date: hour(0) } });
    const reads = async (work: () => Promise<unknown>): Promise<number> => {
      const before = site.countOf('get_all_comments');
      await work();
      return site.countOf('get_all_comments') - before;
    };
    assert.equal(await reads(() => act(6_000, 'approve')), 2);
    const oldest = await reads(async () => {
      assert.equal((await act(501, 'unspam')).body.data.comment_status, 'approved');
    });
    assert.ok(oldest <= 6, `${oldest} reads`);
    assert.equal(statusOf(site, 501), 'approve');
    await act(502, 'delete');
    assert.ok((await reads(() => act(9_999, 'approve', { expect: 404 }))) <= 5);
  });

  it('when a site has too many comments or wrong times, then the search stops', async () => {
    const site = world.site(0);
    const liar = Array.from({ length: 2_000 }, (_, n) => ({ id: n + 10, status: 'spam', dts: 1_795_200_000 }));
    site.fault = { kind: 'forged', function: 'get_all_comments', answer: liar };
    const before = site.countOf('get_all_comments');
    assert.equal((await act(5, 'approve', { expect: 404 })).body.code, 'svc_comment_not_found');
    site.fault = {
      kind: 'forged',
      function: 'get_all_comments',
      answer: liar.map(({ id }) => ({ id, status: 'spam' })),
    };
    assert.equal((await act(5, 'approve', { expect: 404 })).body.code, 'svc_comment_not_found');
    assert.ok(site.countOf('get_all_comments') - before <= 6);
  });
});
