import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import type { User } from '../../../src/sandbox/state/site-state.ts';
import { readChangeLog, readChangesOf } from '../../support/changes.ts';
import { deleteUser, editUser } from '../../support/child-users.ts';
import { fixedAnswerFault } from '../../support/frames.ts';
import { refusedFields } from '../../support/refusals.ts';
import { clearFaults, suspendSite, syncSites, unsuspendSite } from '../../support/sites.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const PASSWORD = '/api/v2/users/update-admin-password';

describe('v2 users of a site', () => {
  let world: World;
  let site: SimulatedSite;
  before(async () => {
    world = await startWorld({ sites: 3 });
    site = world.site(0);
  });
  after(() => world.close());
  afterEach(() => clearFaults(world));

  const stateOf = (id: number) => site.state.users.find((user) => user.id === id);
  const edit = (id: number, changes: object, options: CallOptions = {}) => editUser(world, 1, id, changes, options);
  const remove = (id: number, options: CallOptions = {}) => deleteUser(world, 1, id, options);

  describe('edits', () => {
    it('when fields are sent, then only these change, and the response has the values stored on the site', async () => {
      const before = { ...stateOf(2) };
      const sent = { last_name: "O'Itor \\ Ünal", description: 'Writes & reads.', nickname: 'eddie' };
      const { body } = await edit(2, sent);
      assert.deepEqual(body.data, { website_id: 1, website_url: site.url, user_id: 2, updated_data: sent });
      assert.deepEqual(stateOf(2), {
        ...before,
        lastName: sent.last_name,
        // WordPress stores the text escaped for HTML.
        description: 'Writes &amp; reads.',
        nickname: sent.nickname,
      });
      assert.equal(body.warnings, undefined);
      const host = encodeURIComponent(new URL(site.url).host);
      const all = {
        first_name: 'Edith',
        display_name: 'Edith I.',
        user_url: 'https://ed.example/',
        email: 'edith@example.com',
        role: 'author',
      };
      const patched = await world.request('PATCH', `/api/v2/users/${host}/2/edit`, { body: all });
      assert.deepEqual(patched.body.data.updated_data, all);
      const changes = await readChangeLog(world, 1);
      assert.equal(changes[0]?.type, 'user.updated');
    });

    it('when a password is sent, then it is set and not returned', async () => {
      const { body } = await edit(2, { password: 'a new one, long', first_name: 'Ed' });
      assert.deepEqual(body.data.updated_data, { first_name: 'Ed' });
      assert.equal(stateOf(2)?.password, 'a new one, long');
      const { body: alone } = await edit(2, { password: 'another one, long' });
      assert.deepEqual(alone.data.updated_data, {});
    });

    it('when WordPress rejects the edit, then the error has its message', async () => {
      const taken = stateOf(3)?.email;
      const error = ' &lt;strong&gt;ERROR&lt;/strong&gt;: The email address isn&#8217;t correct.';
      site.faultQueue.push({ kind: 'delay', ms: 0, function: 'user_action' });
      site.faultQueue.push(fixedAnswerFault({ error }, 'user_action'));
      const { body } = await edit(2, { email: 'new@example.com' }, { expect: 409 });
      assert.equal(body.code, 'svc_site_user_refused');
      assert.equal(body.data.child_message, 'ERROR : The email address isn\u2019t correct.');
      site.faultQueue.push({ kind: 'delay', ms: 0, function: 'user_action' });
      site.faultQueue.push(fixedAnswerFault({ error }, 'user_action'));
      assert.equal((await edit(2, { email: taken }, { expect: 409 })).body.code, 'svc_already_exists');
      assert.equal((await world.ability('get-site-v1', { site_id_or_domain: 1 })).status, 'connected');
    });

    it('when the response to an edit is lost or wrong, then the values read back decide the result', async () => {
      const pass = { kind: 'delay', ms: 0, function: 'user_action' } as const;
      site.faultQueue.push(pass, { kind: 'fatal', when: 'after', function: 'user_action' });
      assert.equal((await edit(2, { nickname: 'rescued' })).body.data.updated_data.nickname, 'rescued');
      site.faultQueue.push({ ...pass }, { kind: 'fatal', when: 'before', function: 'user_action' });
      assert.equal((await edit(2, { nickname: 'lost' }, { expect: 502 })).body.code, 'svc_outcome_unknown');
      site.faultQueue.push({ ...pass }, fixedAnswerFault({ status: 'SUCCESS' }, 'user_action'));
      assert.equal((await edit(2, { role: 'contributor' }, { expect: 502 })).body.code, 'svc_site_bad_answer');
      assert.equal(stateOf(2)?.role, 'author');
    });

    it('when the site claims an edit but keeps the texts, then the edit fails and nothing is logged', async () => {
      const logged = await readChangesOf(world, world.siteId(0), 'user.%');
      site.faultQueue.push({ kind: 'delay', ms: 0, function: 'user_action' });
      site.faultQueue.push(fixedAnswerFault({ status: 'SUCCESS' }, 'user_action'));
      const { body } = await edit(2, { description: 'Writes about doors.' }, { expect: 502 });
      assert.deepEqual([body.code, body.data.outcome], ['svc_site_bad_answer', 'answered']);
      assert.deepEqual(await readChangesOf(world, world.siteId(0), 'user.%'), logged);
    });

    it('when an edit repeats stored values, then it succeeds and nothing is logged', async () => {
      const changes = { nickname: '<b>bold</b> one', role: 'author' };
      await edit(2, changes);
      const logged = await readChangesOf(world, world.siteId(0), 'user.%');
      assert.equal((await edit(2, changes)).body.data.updated_data.nickname, 'bold one');
      assert.deepEqual(await readChangesOf(world, world.siteId(0), 'user.%'), logged);
    });

    it('when texts have backslashes, quotes or newlines, then they are kept or a warning names the field', async () => {
      const kept = String.raw`a\b \\ it's "q" & <3 ü 😀`;
      const names = ['first_name', 'last_name', 'nickname', 'display_name'];
      const all = { ...Object.fromEntries(names.map((name) => [name, kept])), description: `${kept}\nmore` };
      const exact = await edit(3, { ...all, user_url: 'https://a.example/?a=1&b=2' });
      assert.deepEqual(exact.body.data.updated_data, { ...all, user_url: 'https://a.example/?a=1&b=2' });
      assert.equal(exact.body.warnings, undefined);
      const cut = await edit(3, { first_name: '5 < 6 > 4', last_name: '%41', nickname: '<b>b</b>', description: 'x' });
      const { updated_data: shown } = cut.body.data;
      assert.deepEqual(shown, { first_name: '5  4', last_name: '', nickname: 'b', description: 'x' });
      assert.deepEqual(
        cut.body.warnings,
        ['first name', 'last name', 'nickname'].map((name) => `WordPress did not store the ${name} as it was sent.`),
      );
    });

    it('when a role is set, then it replaces all roles, and an unknown role is rejected', async () => {
      const user = stateOf(3);
      assert.ok(user);
      user.furtherRoles = ['editor'];
      site.state.roles.push('shop_manager');
      assert.equal((await edit(3, { role: 'shop_manager' })).body.data.updated_data.role, 'shop_manager');
      assert.deepEqual([user.role, user.furtherRoles], ['shop_manager', []]);
      const { body } = await edit(3, { role: 'nonsense' }, { expect: 409 });
      assert.deepEqual([body.code, user.role], ['svc_site_user_refused', 'shop_manager']);
      // The child claims success but leaves a second role.
      user.furtherRoles = ['author'];
      site.faultQueue.push({ kind: 'delay', ms: 0, function: 'user_action' });
      site.faultQueue.push(fixedAnswerFault({ status: 'SUCCESS' }, 'user_action'));
      assert.equal((await edit(3, { role: 'shop_manager' }, { expect: 502 })).body.code, 'svc_site_bad_answer');
      Object.assign(user, { role: 'author', furtherRoles: [] });
    });

    it('when the user is the connected administrator, then the role is kept', async () => {
      const { body } = await edit(1, { role: 'editor' }, { expect: 409 });
      assert.equal(body.code, 'svc_connected_administrator');
      assert.equal(stateOf(1)?.role, 'administrator');
      await edit(1, { role: 'administrator', first_name: 'Ada' });
      await edit(2, { role: 'administrator' });
      await edit(2, { role: 'editor' });
      // If the site does not name the connected administrator, a change of role could cut the connection.
      site.fault = { kind: 'forged', answer: [], function: 'search_users' };
      assert.equal((await edit(1, { role: 'editor' }, { expect: 502 })).body.code, 'svc_site_bad_answer');
      assert.equal(stateOf(1)?.role, 'administrator');
    });

    it('when the user or site is unknown, or a field is invalid, then the error names the cause', async () => {
      assert.equal((await edit(99, { nickname: 'x' }, { expect: 404 })).body.code, 'svc_site_user_not_found');
      const nowhere = await editUser(world, 'nowhere.example', 2, { nickname: 'x' }, { expect: 404 });
      assert.equal(nowhere.body.code, 'svc_site_not_found');
      for (const [body, where] of [
        [{}, 'body'],
        [{ email: 'x@' }, 'body.email'],
        [{ user_url: 'ftp://x' }, 'body.user_url'],
        [{ nickname: '' }, 'body.nickname'],
        [{ nickname: null }, 'body.nickname'],
        [{ role: 'the king' }, 'body.role'],
        [{ role: 'none' }, 'body.role'],
        [{ username: 'other' }, 'body.username'],
        [{ password: '"' }, 'body.password'],
      ] as const)
        assert.equal((await edit(2, body, { expect: 400 })).body.data.errors[0].path, where, JSON.stringify(body));
      await world.request('PUT', '/api/v2/users/1/x/edit', { body: { nickname: 'x' }, expect: 400 });
      await edit(2, { nickname: 'x' }, { as: 'reader', expect: 403 });
    });

    it('when the site is down or suspended, then users are not edited or deleted', async () => {
      site.fault = { kind: 'refuse' };
      assert.equal((await edit(2, { nickname: 'x' }, { expect: 503 })).body.code, 'svc_site_unreachable');
      site.fault = null;
      await suspendSite(world, 1);
      assert.equal((await edit(2, { nickname: 'x' }, { expect: 409 })).body.code, 'svc_site_suspended');
      const gone = await remove(2, { expect: 409 });
      assert.equal(gone.body.code, 'svc_site_suspended');
      await unsuspendSite(world, 1);
    });
  });

  describe('deletions', () => {
    it('when a user is deleted, then the posts get another author', async () => {
      assert.ok(stateOf(3));
      await remove(3);
      assert.equal(stateOf(3), undefined);
      assert.equal(
        [...site.state.posts.values()].some(({ authorId }) => authorId === 3),
        false,
      );
      const changes = await readChangeLog(world, 1);
      assert.equal(changes[0]?.type, 'user.deleted');
      const again = await remove(3, { expect: 404 });
      assert.equal(again.body.code, 'svc_site_user_not_found');
    });

    it('when the user is the connected administrator, then no deletion is sent', async () => {
      const { body } = await remove(1, { expect: 409 });
      assert.equal(body.code, 'svc_connected_administrator');
      const sent = site.requests.filter((request) => request.fields['action'] === 'delete');
      assert.deepEqual([stateOf(1)?.login, sent.filter(({ fields }) => fields['id'] === '1')], ['admin', []]);
      // The child would have deleted the user.
      assert.equal((await world.ability('check-site-v1', { site_id_or_domain: 1 })).reachable, true);
    });

    it('when the site reports a deletion, then the call succeeds only if the user is gone', async () => {
      const pass = { kind: 'delay', ms: 0, function: 'user_action' } as const;
      site.faultQueue.push(pass, fixedAnswerFault({ status: 'SUCCESS' }, 'user_action'));
      const lied = await remove(2, { expect: 502 });
      assert.equal(lied.body.code, 'svc_site_bad_answer');
      site.faultQueue.push({ ...pass }, { kind: 'fatal', when: 'after', function: 'user_action' });
      await remove(2);
      assert.equal(stateOf(2), undefined);
    });

    it('when the site is part of a network, then the user is deleted as soon as it is no member of the site', async () => {
      const author = { ...site.state.users[1], id: 71, login: 'member', email: 'member@network.example' };
      const guest = { ...author, id: 72, login: 'guest', email: '', role: '', furtherRoles: [] };
      site.state.networkUsers = [];
      site.state.users.push(author as User, guest as User);
      site.touch();
      const before = site.requests.length;
      const pass = { kind: 'delay', ms: 0, function: 'user_action' } as const;
      site.faultQueue.push(pass, fixedAnswerFault({ status: 'SUCCESS' }, 'user_action'));
      // A member without a role looks like a user of the network, but the site lists it.
      assert.equal((await remove(72, { expect: 502 })).body.code, 'svc_site_bad_answer');
      for (const id of [71, 72]) {
        await remove(id);
        assert.equal(stateOf(id), undefined);
        assert.equal((await readChangeLog(world, 1))[0]?.type, 'user.deleted');
        assert.equal((await remove(id, { expect: 404 })).body.code, 'svc_site_user_not_found');
        assert.equal((await edit(id, { nickname: 'x' }, { expect: 404 })).body.code, 'svc_site_user_not_found');
      }
      const sent = site.requests.slice(before).filter(({ fields }) => fields['action'] === 'delete');
      assert.deepEqual(
        sent.map(({ fields }) => fields['id']),
        ['72', '71', '72'],
      );
      site.state.networkUsers = null;
    });

    it('when the caller lacks the right, or the site is unknown or down, then the user is kept', async () => {
      await remove(1, { as: 'reader', expect: 403 });
      await deleteUser(world, 'nowhere.example', 1, { expect: 404 });
      site.fault = { kind: 'refuse' };
      await remove(2, { expect: 503 });
    });
  });

  describe('administrator passwords', () => {
    it('when a password is set, then each site stores it and stays connected', async () => {
      const { body } = await world.request('PUT', PASSWORD, { body: { password: 'for all of us', websites: [1, 2] } });
      assert.deepEqual(
        [body.success, body.total_websites, body.success_count, body.failed_count, body.failed_websites],
        [1, 2, 2, 0, []],
      );
      assert.deepEqual(
        body.success_websites,
        [0, 1].map((index) => ({ id: world.siteId(index), url: world.site(index).url })),
      );
      const passwords = world.fleet.sites.map(({ state }) => state.users[0]?.password);
      assert.deepEqual(passwords.slice(0, 2), ['for all of us', 'for all of us']);
      assert.notEqual(passwords[2], 'for all of us');
      await syncSites(world, 1, 2);
      const changes = await readChangeLog(world, 1);
      assert.ok(changes.some(({ type }: { type: string }) => type === 'user.password_changed'));
    });

    it('when some sites fail, then each has its own error and the others succeed', async () => {
      await suspendSite(world, 2);
      world.site(2).fault = { kind: 'cut', function: 'newadminpassword' };
      const input = { password: 'another for all', websites: [1, 2, 3, 'nowhere.example'] };
      const { body } = await world.request('PATCH', PASSWORD, { body: input });
      assert.deepEqual([body.total_websites, body.success_count, body.failed_count], [4, 1, 3]);
      const codes = body.failed_websites.map(({ code }: { code: string }) => code).sort();
      assert.deepEqual(codes, ['svc_outcome_unknown', 'svc_site_not_found', 'svc_site_suspended']);
      await unsuspendSite(world, 2);
    });

    it('when the filter is empty, then the request is rejected and no site gets the password', async () => {
      const users = world.fleet.sites.map(({ state }) => state.users[0]?.password);
      for (const filter of [{}, { websites: [] }, { groups: [], clients: [] }]) {
        const [first] = await refusedFields(world, 'PUT', PASSWORD, { password: 'no one', ...filter });
        assert.equal(first, 'body.websites');
      }
      await world.request('PUT', PASSWORD, { body: { password: "it's", websites: [1] }, expect: 400 });
      await world.request('PUT', PASSWORD, { body: { websites: [1] }, expect: 400 });
      await world.request('PUT', PASSWORD, { body: { password: 'x', groups: ['none'] }, expect: 404 });
      await world.request('PUT', PASSWORD, { body: { password: 'x', websites: [1] }, as: 'reader', expect: 403 });
      assert.deepEqual(
        world.fleet.sites.map(({ state }) => state.users[0]?.password),
        users,
      );
    });
  });
});
