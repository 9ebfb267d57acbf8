import assert from 'node:assert/strict';
import { readChangeLog, readChangesOf } from '../../support/changes.ts';
import { createUser, userOf } from '../../support/child-users.ts';
import { fixedAnswerFault } from '../../support/frames.ts';
import { addPeople } from '../../sandbox/support/user-and-content-cases.ts';
import { newestJob, readNewestJob } from '../../support/jobs.ts';
import { refusedFields } from '../../support/refusals.ts';
import { clearFaults, suspendSite, syncSites, unsuspendSite } from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

interface Listed {
  id: number;
  website_id: number;
  username: string;
  role: string;
}

const CREATE = '/api/v2/users/create';

describe('v2 users of sites', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 4, overrides: { deadlines: { readMs: 1_000 } } });
  });
  after(() => world.close());
  afterEach(() => clearFaults(world));

  const create = (user: object, options: CallOptions = {}) => createUser(world, user, options);

  describe('lists', () => {
    const logins = (data: Record<string, Listed[]>): string[][] =>
      world.fleet.sites.map(({ url }) => (data[url] ?? []).map(({ username }) => username));

    it('when users are listed, then each site URL has its users with all fields', async () => {
      const { body } = await world.request('GET', '/api/v2/users');
      assert.deepEqual(body.errors, []);
      assert.deepEqual(Object.keys(body.data).sort(), world.fleet.sites.map(({ url }) => url).sort());
      const site = world.site(1);
      const [admin, editor] = site.state.users;
      const shown = (body.data[site.url] as Listed[]).find(({ username }) => username === editor?.login);
      assert.deepEqual(shown, {
        id: 2,
        website_id: world.siteId(1),
        username: 'editor1',
        name: 'Ed Itor',
        email: editor?.email,
        role: 'editor',
        posts: [...site.state.posts.values()].filter(
          ({ authorId, type, status }) => authorId === 2 && type === 'post' && status === 'publish',
        ).length,
        registered: new Date((admin?.registered ?? 0) * 1000).toISOString().replace('.000', ''),
      });
    });

    it('when a name part or a role is searched, then the matching users are listed', async () => {
      const found = await world.request('GET', '/api/v2/users?search=itor');
      assert.deepEqual(logins(found.body.data), Array(4).fill(['editor1']));
      const admins = await world.request('GET', '/api/v2/users?roles=administrator,author');
      assert.deepEqual(logins(admins.body.data), Array(4).fill(['admin', 'author1']));
      const both = await world.request('GET', '/api/v2/users?roles=author&search=1');
      assert.deepEqual(logins(both.body.data), Array(4).fill(['author1']));
    });

    it('when users have custom roles, no role or two roles, then each user is listed once', async () => {
      const site = world.site(0);
      const { users } = site.state;
      addPeople(site);
      const shown = async (query = ''): Promise<string[]> => {
        const { body } = await world.request('GET', `/api/v2/users?websites=${world.siteId(0)}${query}`);
        return body.data[site.url].map(({ username, role }: Listed) => `${username} ${role}`.trim());
      };
      assert.deepEqual(await shown(), [
        'admin administrator',
        'custone customer',
        'editor1 editor',
        'norole',
        'shopone shop_manager',
        'subone subscriber',
        'tworoles editor',
        'zweiter administrator',
      ]);
      assert.deepEqual(await shown('&roles=shop_manager,customer'), ['custone customer', 'shopone shop_manager']);
      assert.deepEqual(await shown('&roles=author'), ['tworoles editor']);
      assert.deepEqual(await shown('&roles=none'), ['norole']);
      assert.deepEqual(await shown('&roles=author,none'), ['tworoles editor', 'norole']);
      assert.deepEqual(await shown('&roles=none&search=one'), []);
      assert.deepEqual(await shown('&roles=unheard_of'), []);
      assert.deepEqual(await shown('&search=one'), ['custone customer', 'shopone shop_manager', 'subone subscriber']);
      site.state.users = users;
    });

    it('when a tag selects sites, then their users are listed and suspended sites are in the errors', async () => {
      await createTag(world, 'two', world.siteId(1), world.siteId(2));
      await suspendSite(world, world.siteId(2));
      const tagged = await world.request('GET', '/api/v2/users?groups=two');
      assert.deepEqual(Object.keys(tagged.body.data), [world.site(1).url]);
      assert.deepEqual(
        tagged.body.errors.map(({ code, site_id }: { code: string; site_id: number }) => [code, site_id]),
        [['svc_site_suspended', world.siteId(2)]],
      );
      await unsuspendSite(world, world.siteId(2));
    });

    it('when a site is down or unknown, then the site is in the errors and the others are listed', async () => {
      world.site(1).fault = { kind: 'refuse' };
      const named = await world.request(
        'GET',
        `/api/v2/users?websites=${world.siteId(0)},${world.siteId(1)},nowhere.example`,
      );
      assert.deepEqual(Object.keys(named.body.data), [world.site(0).url]);
      assert.deepEqual(named.body.errors.map(({ code }: { code: string }) => code).sort(), [
        'svc_site_not_found',
        'svc_site_unreachable',
      ]);
    });

    it('when the filter is invalid or the permission is missing, then the list is rejected', async () => {
      for (const [query, path] of [
        ['websites=1&groups=two', 'query.websites'],
        ['roles=the king', 'query.roles.0'],
        ['nope=1', 'query.nope'],
        ['roles[a]=editor', 'query.roles'],
      ] as const)
        assert.equal((await refusedFields(world, 'GET', `/api/v2/users?${query}`))[0], path);
      assert.equal(
        (await world.request('GET', '/api/v2/users?groups=none', { expect: 404 })).body.code,
        'svc_tag_not_found',
      );
      await world.request('GET', '/api/v2/users?clients=none@example.com', { expect: 404 });
      await world.request('GET', '/api/v2/users', { as: 'writer', expect: 403 });
    });

    it('when a site sends malformed values, then they are sanitized or replaced by defaults', async () => {
      const hostile = {
        id: '7',
        login: 'x\u202e\u0000y',
        email: { a: 1 },
        display_name: '<b>&lt;i&gt;</b>\n',
        role: ['administrator'],
        post_count: '-5',
        registered: '2026-99-99 99:99:99',
      };
      const answer = [hostile, { id: 0, login: 'zero' }, { id: 1 }, 'text', null, { ...hostile, id: '1e3' }];
      world.site(3).fault = { kind: 'forged', answer, function: 'search_users' };
      const { body } = await world.request('GET', `/api/v2/users?websites=${world.siteId(3)}`);
      assert.deepEqual(body.data[world.site(3).url], [
        {
          id: 7,
          website_id: world.siteId(3),
          username: 'xy',
          name: '<b><i></b>',
          email: '',
          role: '',
          posts: 0,
          registered: null,
        },
      ]);
      world.site(3).fault = { kind: 'scalar', value: 7, function: 'search_users' };
      const broken = await world.request('GET', `/api/v2/users?websites=${world.siteId(3)}`);
      assert.equal(broken.body.errors[0].code, 'svc_site_bad_answer');
    });
  });

  describe('creation', () => {
    it('when a user is created, then all selected sites have the user and the change log has an entry', async () => {
      const password = 'four brave otters sing';
      const given = {
        first_name: "Mary \\ O'Neill",
        last_name: 'Ünal',
        user_url: 'https://mary.example/',
        role: 'author',
      };
      const websites = [world.siteId(0), world.site(1).url];
      const { body } = await create({ username: 'mary.o', email: 'mary@example.com', password, ...given, websites });
      assert.equal(body.success, 1);
      const { user_info: info, created_sites: made, ...counts } = body.data;
      assert.deepEqual(info, {
        username: 'mary.o',
        email: 'mary@example.com',
        ...given,
        send_password: false,
        password_generated: false,
      });
      assert.deepEqual(counts, { total_sites: 2, total_success: 2, total_failed: 0, failed_sites: [] });
      for (const index of [0, 1]) {
        const user = userOf(world.site(index), 'mary.o');
        assert.ok(user);
        assert.deepEqual(
          [user.email, user.password, user.firstName, user.lastName, user.url, user.role],
          ['mary@example.com', password, given.first_name, given.last_name, given.user_url, 'author'],
        );
        assert.deepEqual(made[world.siteId(index)], {
          url: world.site(index).url,
          user_id: user.id,
          role: 'author',
          message: 'The user was created.',
        });
      }
      assert.equal(userOf(world.site(2), 'mary.o'), undefined);
      const changes = await readChangeLog(world, world.siteId(0));
      assert.deepEqual([changes[0]?.type, changes[0]?.user], ['user.created', 'admin']);
      assert.match(JSON.stringify(changes[0]), /mary\.o/);
    });

    it('when role and password are omitted, then the user is a subscriber with a strong, secret password', async () => {
      const { body } = await create({ username: 'quiet', websites: [1, 2] });
      assert.deepEqual([body.data.user_info.role, body.data.user_info.password_generated], ['subscriber', true]);
      const passwords = [0, 1].map((index) => userOf(world.site(index), 'quiet')?.password ?? '');
      for (const password of passwords) {
        assert.ok(password.length >= 24);
        assert.equal(JSON.stringify(body).includes(password), false);
      }
      assert.notEqual(passwords[0], passwords[1]);
    });

    it('when send_password is true, then the site mails the password; by default it does not', async () => {
      const asked = (): unknown =>
        world
          .site(0)
          .requests.filter((each) => each.function === 'newuser')
          .at(-1)?.fields['send_password'];
      await create({ username: 'mailed', send_password: true, websites: [1] });
      assert.equal(asked(), '1');
      await create({ username: 'unmailed', websites: [1] });
      assert.equal(asked(), '0');
    });

    it('when some sites fail, then the user is created on the others', async () => {
      world.site(1).fault = { kind: 'refuse' };
      await suspendSite(world, world.siteId(2));
      await create({ username: 'partly', email: 'partly@example.com', websites: [world.siteId(3)] });
      const websites = [...world.siteIds, 'nowhere.example'];
      const { body } = await create({ username: 'partly', email: 'other@example.com', websites });
      assert.deepEqual(Object.keys(body.data.created_sites), [String(world.siteId(0))]);
      const codes = body.data.failed_sites.map((each: { code: string; site_id?: number }) => [each.site_id, each.code]);
      assert.deepEqual(
        new Map(codes),
        new Map<unknown, string>([
          [undefined, 'svc_site_not_found'],
          [world.siteId(2), 'svc_site_suspended'],
          [world.siteId(1), 'svc_site_unreachable'],
          [world.siteId(3), 'svc_already_exists'],
        ]),
      );
      assert.deepEqual([body.data.total_sites, body.data.total_success, body.data.total_failed], [5, 1, 4]);
      await unsuspendSite(world, world.siteId(2));
      const none = await create({ username: 'nobody', websites: ['nowhere.example'] });
      assert.deepEqual([none.body.success, none.body.data.total_success], [1, 0]);
    });

    it('when a tag or client without sites is selected, then the response is 400 and names websites', async () => {
      await world.request('POST', '/api/v2/tags/add', { body: { name: 'unused' } });
      await world.request('POST', '/api/v2/clients/add', { body: { name: 'New', client_email: 'new@example.com' } });
      const nobody = { username: 'nobody', email: 'nobody@example.com' };
      for (const filter of [{ groups: ['unused'] }, { clients: ['new@example.com'] }]) {
        assert.deepEqual(await refusedFields(world, 'POST', CREATE, { ...nobody, ...filter }), ['body.websites']);
        const password = { password: 'for nobody', ...filter };
        assert.deepEqual(await refusedFields(world, 'PUT', '/api/v2/users/update-admin-password', password), [
          'body.websites',
        ]);
      }
    });

    it('when the e-mail address is taken, then the error of the site is svc_already_exists', async () => {
      const email = world.site(0).state.users[1]?.email;
      const { body } = await create({ username: 'second', email, websites: [1] });
      assert.equal(body.data.failed_sites[0].code, 'svc_already_exists');
    });

    it('when a site does not know the role, then only this site fails', async () => {
      const site = world.site(0);
      site.state.roles.push('shop_manager');
      const websites = [world.siteId(0), world.siteId(1)];
      const { body } = await create({ username: 'keeper', role: 'shop_manager', websites });
      assert.deepEqual(Object.keys(body.data.created_sites), [String(world.siteId(0))]);
      assert.equal(body.data.created_sites[world.siteId(0)].role, 'shop_manager');
      const [{ code, message }] = body.data.failed_sites;
      assert.equal(code, 'svc_site_user_refused');
      assert.match(message, /does not have the role shop_manager\. The user was created with the role subscriber/);
      assert.equal(userOf(world.site(1), 'keeper')?.role, 'subscriber');
    });

    it('when WordPress stores other names than were sent, then the response has a warning', async () => {
      const names = { first_name: '5 < 6 > 4', last_name: '%41' };
      const { body } = await create({ username: 'cut', ...names, websites: [1] });
      assert.deepEqual(body.data.created_sites['1'].warnings, [
        'WordPress did not store the first or last name as it was sent.',
      ]);
      const job = await readNewestJob(world);
      assert.equal(job.items[0].result.user.warnings.length, 1);
    });

    it('when WordPress rejects a user, then the error does not repeat its message', async () => {
      const answer = { error: 'Sorry &lt;b&gt;the password four brave otters&lt;/b&gt; is weak' };
      world.site(0).fault = fixedAnswerFault(answer, 'newuser');
      const { body } = await create({ username: 'refused', password: 'four brave otters', websites: [1] });
      assert.equal(body.data.failed_sites[0].code, 'svc_site_user_refused');
      assert.equal(JSON.stringify(body).includes('otters'), false);
      const site = await world.ability('get-site-v1', { site_id_or_domain: 1 });
      assert.equal(site.status, 'connected');
    });

    it('when a site reports a creation, then the call succeeds only if the user exists there', async () => {
      world.site(0).fault = fixedAnswerFault({ added: true }, 'newuser');
      const lied = await create({ username: 'phantom', websites: [1] });
      assert.equal(lied.body.data.failed_sites[0].code, 'svc_site_bad_answer');
      world.site(0).fault = { kind: 'goes-on', doneMs: 1_500, function: 'newuser' };
      const lost = await create({ username: 'slow', websites: [1] });
      assert.equal(lost.body.data.failed_sites[0].code, 'svc_outcome_unknown', 'the site may still create the user');
      world.site(0).fault = { kind: 'fatal', when: 'after', function: 'newuser' };
      const done = await create({ username: 'rescued', websites: [1] });
      assert.equal(done.body.data.total_success, 1);
      assert.equal(world.site(0).state.users.filter(({ login }) => login === 'rescued').length, 1);
    });

    it('when the response is lost and the site goes down, then the outcome is unknown', async () => {
      world.site(0).faultQueue.push(
        // The first search succeeds. The search after the creation fails.
        { kind: 'delay', ms: 0, function: 'search_users' },
        { kind: 'cut', function: 'newuser' },
        { kind: 'refuse', function: 'search_users', times: 2 },
      );
      const { body } = await create({ username: 'lost', websites: [1] });
      assert.equal(body.data.failed_sites[0].code, 'svc_outcome_unknown');
    });

    it('when the filter is empty or a field is invalid, then the error names the field', async () => {
      const cases: [object, string][] = [
        [{}, 'body.websites'],
        [{ websites: [] }, 'body.websites'],
        [{ websites: [], groups: [], clients: [] }, 'body.websites'],
        [{ websites: [1], groups: ['two'] }, 'body.websites'],
        [{ websites: [1], username: 'näme' }, 'body.username'],
        [{ websites: [1], username: ' a' }, 'body.username'],
        [{ websites: [1], email: 'no address' }, 'body.email'],
        [{ websites: [1], role: 'the king' }, 'body.role'],
        [{ websites: [1], role: 'none' }, 'body.role'],
        [{ websites: [1], user_url: 'javascript:alert(1)' }, 'body.user_url'],
        [{ websites: [1], nope: 1 }, 'body.nope'],
        ...["it's", 'a"b', 'a\\b', ' a', 'a ', 'a%41', '<b>', 'a\nb'].map((password): [object, string] => [
          { websites: [1], password },
          'body.password',
        ]),
      ];
      const users = world.fleet.sites.map(({ state }) => state.users.length);
      for (const [input, path] of cases) {
        const { body } = await create({ username: 'never', ...input }, { expect: 400 });
        assert.deepEqual([body.code, body.data.errors[0].path], ['rest_invalid_param', path], JSON.stringify(input));
      }
      const missing = await refusedFields(world, 'POST', CREATE, { websites: [1] });
      assert.deepEqual(missing.sort(), ['body.email', 'body.username']);
      await create({ username: 'never', websites: [1] }, { as: 'reader', expect: 403 });
      await create({ username: 'never', clients: ['none@example.com'] }, { expect: 404 });
      assert.deepEqual(
        world.fleet.sites.map(({ state }) => state.users.length),
        users,
      );
    });

    it('when a creation is retried with its idempotency key, then the user is created once', async () => {
      const headers = { 'idempotency-key': 'create-once-0001' };
      const body = { username: 'once', email: 'once@example.com', password: 'some words', websites: [1] };
      const first = await create(body, { headers });
      const again = await create(body, { headers });
      assert.deepEqual(again.body, first.body);
      assert.equal(first.body.data.total_success, 1);
      await create({ ...body, password: 'other words' }, { headers, expect: 409 });
    });

    describe('jobs', () => {
      interface StoredJob {
        kind: string;
        input: string;
      }

      it('when users are created, then the job stores the result of each site, but not the password', async () => {
        const password = 'the job keeps quiet';
        const websites = [world.siteId(0), world.siteId(1)];
        await create({ username: 'recorded', password, websites });
        const job = await newestJob(world);
        assert.deepEqual([job.type, job.status, job.requested_by], ['create-user', 'completed', 'admin']);
        const { body } = await world.request('GET', `/api/v2/jobs/${job.job_id}`);
        const results = body.items.map(({ result }: { result: { id: number; user: { id: number } } }) => [
          result.id,
          result.user.id,
        ]);
        assert.deepEqual(
          results,
          [0, 1].map((index) => [world.siteId(index), userOf(world.site(index), 'recorded')?.id]),
        );
        assert.equal(JSON.stringify(body).includes(password), false);
        const stored = await world.container.database.knex('jobs').where({ id: job.job_id }).first<StoredJob>('input');
        assert.match(stored.input, /^\{"all":"v1\./);
        assert.equal(stored.input.includes(password), false);
      });

      /** Resets a job on site 0 to the state that a killed process leaves, and returns the item of the resumed job. */
      async function interrupted(jobId: string): Promise<{ state: string; error: { code: string } | null }> {
        const { knex } = world.container.database;
        const lost = { state: 'running', lease_owner: 'gone', lease_until: 1, attempt: 1, completed_at: null };
        await knex('job_items')
          .where({ job_id: jobId })
          .update({ ...lost, result: null, error_code: null });
        const open = { state: 'processing', processed: 0, succeeded: 0, failed: 0, completed_at: null };
        await knex('jobs').where({ id: jobId }).update(open);
        const { items } = await world.finishedJob(jobId);
        return items[0];
      }
      const creations = (): number => world.site(0).countOf('newuser');
      const loggedCreations = async (username: string): Promise<number> =>
        (await readChangesOf(world, world.siteId(0), 'user.created')).filter(({ description }) =>
          description.includes(`user ${username} `),
        ).length;

      it('when a creation was interrupted, then the job first checks if the user exists', async () => {
        await create({ username: 'resumed', websites: [world.siteId(0)] });
        const { job_id: id } = await newestJob(world);
        const made = creations();
        assert.equal((await interrupted(id)).state, 'succeeded');
        assert.equal(creations(), made, 'it was there');
        assert.equal(await loggedCreations('resumed'), 1);
        const { state } = world.site(0);
        state.users = state.users.filter(({ login }) => login !== 'resumed');
        assert.equal((await interrupted(id)).state, 'succeeded');
        assert.equal(creations(), made + 1, 'it was not there');
        const namesake = userOf(world.site(0), 'resumed');
        assert.ok(namesake);
        namesake.email = 'somebody.else@example.com';
        assert.equal((await interrupted(id)).error?.code, 'svc_already_exists');
      });

      it('when the process died before it looked for an existing user, then the user does not count as created', async () => {
        const email = userOf(world.site(0), 'editor1')?.email;
        const made = creations();
        await create({ username: 'editor1', email, websites: [world.siteId(0)] });
        assert.equal((await interrupted((await newestJob(world)).job_id)).error?.code, 'svc_already_exists');
        assert.equal(creations(), made);
        assert.equal(await loggedCreations('editor1'), 0);
      });

      it('when a creation with an unknown outcome is retried, then the created user counts and is logged once', async () => {
        const user = { username: 'unsure', email: 'unsure@example.com', websites: [world.siteId(0)] };
        world.site(0).faultQueue.push({ kind: 'fatal', when: 'after', function: 'newuser' });
        world.site(0).faultQueue.push({ kind: 'delay', ms: 1, function: 'search_users' });
        world.site(0).faultQueue.push({ kind: 'fatal', when: 'before', function: 'search_users', times: 2 });
        const { body } = await create(user);
        assert.equal(body.data.failed_sites[0].code, 'svc_outcome_unknown');
        clearFaults(world);
        const retried = await world.request('POST', `/api/v2/jobs/${(await newestJob(world)).job_id}/retry-failed`);
        const { items } = await world.finishedJob(retried.body.data.job_id);
        assert.deepEqual([items[0].state, items[0].result.user.id], ['succeeded', userOf(world.site(0), 'unsure')?.id]);
        assert.equal(await loggedCreations('unsure'), 1);
        // A new call for the same user is no retry, even if it is interrupted.
        await create(user);
        assert.equal((await interrupted((await newestJob(world)).job_id)).error?.code, 'svc_already_exists');
      });

      it('when a password change was interrupted, then the outcome is unknown and nothing is sent again', async () => {
        const body = { password: 'three quiet rivers', websites: [world.siteId(0)] };
        await world.request('PUT', '/api/v2/users/update-admin-password', { body });
        const { job_id: id, type } = await newestJob(world);
        assert.equal(type, 'admin-password');
        const sent = world.site(0).countOf('newadminpassword');
        assert.equal(sent, 1);
        assert.equal((await interrupted(id)).error?.code, 'svc_outcome_unknown');
        assert.equal(world.site(0).countOf('newadminpassword'), sent);
      });
    });

    it('when the child plugin is too old, then the error of the site is svc_child_outdated', async () => {
      world.site(3).setChildVersion('3.9');
      await syncSites(world, world.siteId(3));
      const { body } = await create({ username: 'old', websites: [world.siteId(3)] });
      assert.equal(body.data.failed_sites[0].code, 'svc_child_outdated');
    });
  });
});

describe('v2 users on a slow site', () => {
  it('when the deadline passes, then the slow site is reported as still running and finishes in the job', async () => {
    const world = await startWorld({ sites: 2, env: { SITEFLEET_INLINE_DEADLINE: '1' } });
    world.site(1).fault = { kind: 'delay', ms: 2_500, function: 'newuser' };
    const body = { username: 'slow', email: 'slow@example.com', websites: world.siteIds };
    const { data } = (await world.request('POST', '/api/v2/users/create', { body })).body;
    assert.deepEqual(Object.keys(data.created_sites), [String(world.siteId(0))]);
    const [{ code, job_id: jobId }] = data.failed_sites;
    assert.equal(code, 'svc_still_running');
    assert.equal((await world.finishedJob(jobId)).data.succeeded, 2);
    assert.ok(world.site(1).state.users.some(({ login }) => login === 'slow'));
    await world.close();
  });
});
