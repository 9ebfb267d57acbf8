import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { lockedBy, addPeople, USER_AND_CONTENT_CASES } from './support/user-and-content-cases.ts';
import { callSigned, base64Json, sendSigned, connectedState, type Form } from './support/dashboard.ts';

const read = (name: string): string => readFileSync(new URL(`recordings/${name}`, import.meta.url), 'utf8');
const table = <T>(name: string): T => JSON.parse(read(name)) as T;
const ANSWERS = new Map(
  read('answers.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { case: string; answer: unknown })
    .map((each) => [each.case, each.answer]),
);

interface Texts {
  sent: string;
  stored: Record<string, string>;
}

function withOneSite(take: (site: SimulatedSite) => void): void {
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet({ sites: 1, seed: 3, primedKeys: connectedState });
    take(fleet.sites[0] as SimulatedSite);
  });
  after(() => fleet.close());
}

describe('texts stored by a simulated and a real site', () => {
  let site: SimulatedSite;
  withOneSite((started) => (site = started));

  for (const { sent, ...stored } of table<{ sent: string; title: string; excerpt: string; content: string }[]>(
    'newpost-filter.json',
  )) {
    it(`when a post has the text ${JSON.stringify(sent)}, then it is stored as recorded`, async () => {
      const post = { post_title: sent, post_content: sent, post_excerpt: sent, post_status: 'draft' };
      const made = await callSigned(site, 'newpost', { new_post: base64Json(post) });
      const id = Number(made['added_id']);
      const kept = (): object => {
        const { title, excerpt, content } = site.state.posts.get(id) ?? {};
        return { title, excerpt, content };
      };
      assert.deepEqual(kept(), stored);
      await callSigned(site, 'newpost', {
        new_post: base64Json({ ID: id, ...post, post_title: 'x', post_excerpt: 'x' }),
      });
      await callSigned(site, 'newpost', { new_post: base64Json({ ID: id, ...post }) });
      assert.deepEqual(kept(), stored);
      const data = made['other_data'] as { new_post_data: { post_title: string } };
      assert.equal(data.new_post_data.post_title, stored.title);
    });
  }

  it('when a post is updated, then the text is stored unchanged', async () => {
    const made = await callSigned(site, 'newpost', { new_post: base64Json({ post_title: 'x', post_content: 'x' }) });
    const id = Number(made['added_id']);
    const post_data = { ID: id, post_title: String.raw`A & <b>B</b> 5 < 6 > 4 \\x`, post_excerpt: 'A & B' };
    await callSigned(site, 'post_action', { action: 'update', id, post_data });
    const { title, excerpt } = site.state.posts.get(id) ?? {};
    assert.deepEqual([title, excerpt], [String.raw`A & <b>B</b> 5 < 6 > 4 \x`, 'A & B']);
  });

  const { update_user: updates, newuser: creations } =
    table<Record<'update_user' | 'newuser', Texts[]>>('user-texts.json');
  const url = 'http://example.com/?a=1&b=2';
  const keptOf = (login: string): Record<string, unknown> => {
    const user = site.state.users.find((each) => each.login === login);
    return {
      first_name: user?.firstName,
      last_name: user?.lastName,
      nickname: user?.nickname,
      display_name: user?.displayName,
      description: user?.description,
      user_url: user?.url,
    };
  };

  for (const { sent, stored } of updates)
    it(`when a user has the text ${JSON.stringify(sent)}, then it is stored as recorded`, async () => {
      addPeople(site);
      const editor = site.state.users[1];
      assert.ok(editor);
      editor.login = 'slash';
      const names = ['first_name', 'last_name', 'nickname', 'display_name', 'description'];
      const extra = { ...Object.fromEntries(names.map((name) => [name, sent])), url };
      await callSigned(site, 'user_action', { action: 'update_user', id: 2, extra });
      assert.deepEqual(keptOf('slash'), stored);
    });

  for (const { sent, stored } of creations)
    it(`when a new user has the text ${JSON.stringify(sent)}, then it is stored as recorded`, async () => {
      addPeople(site);
      const user_pass = String.raw`pw\x"'y`;
      const given = { user_login: 'new', user_pass, user_email: 'n@x.test', first_name: sent, last_name: sent };
      await callSigned(site, 'newuser', { new_user: base64Json({ ...given, user_url: url }) });
      assert.deepEqual({ ...keptOf('new'), ...stored }, keptOf('new'));
      assert.equal(site.state.users.find(({ login }) => login === 'new')?.password, user_pass);
    });
});

describe('user lists of a simulated and a real site', () => {
  let fleet: Fleet;
  const names = Object.keys(USER_AND_CONTENT_CASES).filter((name) => name.startsWith('users-'));
  before(async () => {
    fleet = await startFleet({ sites: names.length, seed: 3, primedKeys: connectedState });
  });
  after(() => fleet.close());

  const listed = (answer: unknown): unknown[] =>
    (answer as Form[]).map((user) => [user['id'], user['login'], user['role']]);
  for (const [index, name] of names.entries())
    it(`when the request is ${name}, then the list equals the recorded list`, async () => {
      const site = fleet.sites[index] as SimulatedSite;
      await USER_AND_CONTENT_CASES[name]?.prepare?.(site);
      const answer = await USER_AND_CONTENT_CASES[name]?.request(site);
      assert.deepEqual(listed(answer?.json), listed(ANSWERS.get(name)));
    });
});

describe('edit lock of a post on a simulated site', () => {
  let site: SimulatedSite;
  withOneSite((started) => (site = started));

  const lock = (): string | undefined => site.state.posts.get(5)?.meta['_edit_lock']?.[0];
  const write = (more: Form = {}, custom: Form = {}): Promise<Form> => {
    const post = { ID: 5, post_title: 'by us', post_content: 'c', post_status: 'draft', post_type: 'post', ...more };
    return callSigned(site, 'newpost', { new_post: base64Json(post), post_custom: base64Json(custom) });
  };

  it('when a user edits a post, then others are locked out for 150 seconds, and a write removes the lock', async () => {
    for (const [user, age, title] of [
      [3, 5, 'locked'],
      [3, 140, 'locked'],
      [3, 160, 'by us'],
      [1, 6, 'by us'],
    ] as const) {
      lockedBy(user, age)(site);
      const before = lock();
      await write();
      assert.deepEqual([site.state.posts.get(5)?.title, lock()], [title, title === 'locked' ? before : '']);
    }
  });

  it('when a post is read for an edit, then the lock is taken over and the old lock is returned', async () => {
    lockedBy(3, 5)(site);
    const before = lock();
    const answer = await callSigned(site, 'post_action', { action: 'get_edit', id: 5, post_type: 'post' });
    const { post_custom: custom } = answer['my_post'] as { post_custom: string };
    assert.deepEqual(JSON.parse(Buffer.from(custom, 'base64').toString()), { _edit_lock: [before] });
    assert.match(lock() ?? '', /^\d+:1$/);
  });

  it('when an action is run on a post, then the lock is ignored', async () => {
    for (const action of ['update', 'unpublish', 'publish', 'trash']) {
      lockedBy(3, 5)(site);
      const before = lock();
      const form = { action, id: 5, post_data: { ID: 5, post_title: 'x' } };
      assert.equal((await callSigned(site, 'post_action', form))['status'], 'SUCCESS');
      assert.equal(lock(), before);
    }
  });

  it('when a write matches no post, then it only checks the lock', async () => {
    const asking = [{ ID: Number.MAX_SAFE_INTEGER, post_type: '' }, { _mainwp_edit_post_id: ['5'] }] as const;
    lockedBy(3, 5)(site);
    assert.match(String((await write(...asking))['error']), /Zweite Person is currently editing/);
    lockedBy(3, 160)(site);
    const before = structuredClone(site.state.posts.get(5));
    assert.equal((await write(...asking))['error'], 'Empty post id');
    assert.deepEqual(site.state.posts.get(5), before);
  });

  it('when an administrator was deleted, then calls as that user are rejected', async () => {
    addPeople(site);
    assert.equal((await callSigned(site, 'user_action', { action: 'delete', id: 1 }))['status'], 'SUCCESS');
    assert.equal(
      site.state.users.some(({ id }) => id === 1),
      false,
    );
    assert.deepEqual((await sendSigned(site, 'stats')).json, ANSWERS.get('call-after-administrator-was-deleted'));
  });
});
