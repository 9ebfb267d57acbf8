import assert from 'node:assert/strict';
import { decodeUserProfile, decodeUsers } from '../../src/connector/answers/users.ts';
import { asObject } from '../../src/connector/answers/json-values.ts';
import { createKeyPairSource, type ChildLink } from '../../src/connector/index.ts';
import { ConflictError } from '../../src/shared/errors.ts';
import { toFrame } from '../support/frames.ts';
import {
  createLink,
  makeConnector,
  readRecording,
  startFakeServer,
  thrownBy,
  type TestConnector,
  type FakeServer,
} from './support.ts';

describe('user responses', () => {
  it('when a recorded response is read, then users have all their fields', () => {
    const users = decodeUsers(readRecording('21-users'));
    assert.deepEqual(
      users?.map(({ id, login, role }) => [id, login, role]),
      [
        [1, 'admin', 'administrator'],
        [2, 'editor1', 'editor'],
        [3, 'author1', 'author'],
      ],
    );
    assert.deepEqual(users?.[0], {
      id: 1,
      login: 'admin',
      displayName: 'admin',
      email: 'admin@site4.test',
      role: 'administrator',
      posts: 3,
      registeredAt: Date.UTC(2026, 10, 21, 4, 26, 53),
    });
    assert.deepEqual(decodeUserProfile(asObject(readRecording('96-user-edit')) ?? {}, 2), {
      id: 2,
      email: 'editor1@site4.test',
      roles: ['editor'],
      firstName: 'Ed',
      lastName: 'Itor',
      nickname: 'editor1',
      displayName: 'Ed Itor',
      url: '',
      description: '',
    });
  });

  it('when a user has custom roles, no role or two, then the roles are read, and e-mail addresses have no entities', () => {
    assert.deepEqual(
      decodeUsers(readRecording('users-search-empty'))?.map(({ login, role }) => `${login} ${role}`.trim()),
      [
        'admin administrator',
        'custone customer',
        'editor1 editor',
        'norole',
        'shopone shop_manager',
        'subone subscriber',
        'tworoles editor',
        'zweiter administrator',
      ],
    );
    const rolesIn = (name: string) => decodeUserProfile(asObject(readRecording(name)) ?? {}, 6)?.roles;
    assert.deepEqual(rolesIn('user-edit-norole'), []);
    assert.deepEqual(rolesIn('user-edit-two-roles'), ['editor', 'author']);
    const { url } = decodeUserProfile(asObject(readRecording('user-edit-read')) ?? {}, 4) ?? {};
    assert.equal(url, 'http://example.com/?a=1&b=2');
    assert.equal(decodeUserProfile({ user_data: { user_email: '', role: false } }, 5)?.email, '');
  });

  it('when a user or a list is missing, then the result is null', () => {
    assert.equal(decodeUserProfile({ status: 'FAIL', other_data: { users_data: [] } }, 9), null);
    assert.equal(decodeUserProfile({ status: 'SUCCESS', user_data: [] }, 9), null);
    assert.equal(decodeUserProfile(asObject(readRecording('user-delete-missing')) ?? {}, 9), null);
    for (const value of [null, 'x', 3]) assert.equal(decodeUsers(value), null);
    assert.deepEqual(decodeUsers([]), []);
  });

  it('when texts have hidden characters or there are too many users, then they are cut', () => {
    const profile = decodeUserProfile(
      {
        user_data: {
          user_email: 'a@b.c',
          first_name: 'x\u202ey\u0007',
          last_name: { a: 1 },
          description: 'a\nb &amp; c',
        },
      },
      1,
    );
    assert.deepEqual([profile?.firstName, profile?.lastName, profile?.description], ['xy', '', 'a\nb & c']);
    const many = Array.from({ length: 10_001 }, (_, at) => ({ id: at + 1, login: 'x'.repeat(500) }));
    const users = decodeUsers(many);
    assert.deepEqual([users?.length, users?.[0]?.login.length], [10_000, 60]);
  });
});

describe('user calls', () => {
  let connector: TestConnector;
  let server: FakeServer;
  let link: ChildLink;
  let answers: unknown[] = [];

  before(async () => {
    connector = makeConnector();
    server = await startFakeServer(
      (_request, response) => void response.end(toFrame(answers.shift() ?? { error: 'nothing' })),
    );
    link = createLink(server.url, await createKeyPairSource(1).next());
  });
  after(async () => {
    await connector.close();
    await server.close();
  });
  /** Returns the form that a call sends, with these responses of the site. */
  const sent = async (call: () => Promise<unknown>, ...given: unknown[]): Promise<URLSearchParams> => {
    const from = server.requests.length;
    answers = [...given];
    await call();
    const form = server.requests[from]?.form;
    assert.ok(form);
    return form;
  };

  it('when users are read or changed, then the call has the fields of the protocol', async () => {
    const user = {
      login: 'u',
      email: 'u@x.test',
      password: 'pw ü',
      role: 'author',
      firstName: 'a\\b',
      lastName: '',
      url: '',
    } as const;
    const made = await sent(() => connector.child.createUser(link, user, true), readRecording('97-newuser'));
    assert.deepEqual([made.get('function'), made.get('send_password')], ['newuser', '1']);
    const payload = JSON.parse(Buffer.from(made.get('new_user') ?? '', 'base64').toString('utf8')) as object;
    assert.deepEqual(payload, {
      user_login: 'u',
      user_pass: 'pw ü',
      user_email: 'u@x.test',
      role: 'author',
      first_name: 'a\\\\b',
      last_name: '',
      user_url: '',
    });
    const set = await sent(() => connector.child.setAdminPassword(link, 'pw ü'), readRecording('97c-newadminpassword'));
    assert.equal(Buffer.from(set.get('new_password') ?? '', 'base64').toString('utf8'), 'pw ü');
    const edited = await sent(() => connector.child.updateUser(link, 3, { password: 'pw', firstName: 'Ann' }), {
      status: 'SUCCESS',
    });
    const extra = [...edited].filter(([name]) => name.startsWith('extra'));
    assert.deepEqual(extra, [
      ['extra[first_name]', 'Ann'],
      ['extra[pass1]', 'pw'],
      ['extra[pass2]', 'pw'],
    ]);
    const gone = await sent(() => connector.child.deleteUser(link, 3), readRecording('96d-user-delete'));
    assert.deepEqual([gone.get('action'), gone.get('id')], ['delete', '3']);
    const slashed = await sent(() => connector.child.updateUser(link, 3, { nickname: 'a\\b', description: '\\' }), {
      status: 'SUCCESS',
    });
    assert.deepEqual(
      ['nickname', 'description'].map((name) => slashed.get(`extra[${name}]`)),
      ['a\\\\b', '\\\\'],
    );
    const search = { search: '', columns: ['user_login'] } as const;
    const listed = await sent(() => connector.child.searchUsers(link, { ...search, roles: ['editor', 'author'] }), []);
    assert.deepEqual([listed.get('function'), listed.get('role')], ['search_users', 'editor,author']);
    const all = await sent(() => connector.child.searchUsers(link, search), []);
    assert.deepEqual([all.get('search'), all.has('role')], ['', false]);
  });

  it('when WordPress refuses a change, then the error has its message without the password', async () => {
    const connected = { error: 'connected already' };
    const user = {
      login: 'u',
      email: 'u@x.test',
      password: 'tell nobody',
      role: 'author',
      firstName: '',
      lastName: '',
      url: '',
    } as const;
    answers = [readRecording('97b-newuser-dup'), connected, []];
    const refused = await thrownBy(() => connector.child.createUser(link, user, false));
    assert.ok(refused instanceof ConflictError);
    assert.deepEqual(
      [refused.code, refused.data['child_message']],
      ['svc_site_user_refused', 'Sorry, that username already exists!'],
    );
    answers = [readRecording('96c-user-update'), connected, []];
    const update = await thrownBy(() => connector.child.updateUser(link, 3, { email: 'no address' }));
    assert.ok(update instanceof ConflictError);
    assert.equal(update.data['child_message'], 'ERROR : The email address isn’t correct.');
    for (const call of [
      () => connector.child.createUser(link, user, false),
      () => connector.child.updateUser(link, 3, { password: user.password }),
      () => connector.child.setAdminPassword(link, user.password),
    ]) {
      answers = [{ error: `"${user.password}" is weak` }, connected, []];
      const error = await thrownBy(call);
      assert.ok(error instanceof ConflictError);
      assert.equal(JSON.stringify(error.data).includes(user.password), false);
    }
  });

  it('when a response does not confirm success, then it is invalid, and FAIL is a refusal', async () => {
    answers = [{ added: 1 }];
    await assert.rejects(connector.child.setAdminPassword(link, 'x'), { code: 'svc_site_bad_answer' });
    answers = [{}];
    await assert.rejects(connector.child.deleteUser(link, 3), { code: 'svc_site_bad_answer' });
    answers = [{ status: 'FAIL' }];
    await assert.rejects(connector.child.deleteUser(link, 3), { code: 'svc_site_user_refused' });
    answers = [{ role: 'x' }];
    await assert.rejects(connector.child.userProfile(link, 3), { code: 'svc_site_bad_answer' });
  });
});
