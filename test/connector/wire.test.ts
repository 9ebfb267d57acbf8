import assert from 'node:assert/strict';
import { toFrame } from '../support/frames.ts';
import { readRecording, SERVER_URL } from './support.ts';
import {
  STATS_REQUEST,
  respondByFunction,
  UNSIGNED_CONNECTED_STATS,
  UNCONNECTED_STATS,
  reasonOf,
  STATS,
  ConnectorBench,
} from './connector-bench.ts';

describe('requests to a child', () => {
  const rig = new ConnectorBench().install();

  it('when a sync is sent, then the request equals the protocol', async () => {
    rig.respond = respondByFunction({ stats: STATS });
    const stats = await rig.child.stats(rig.link({ httpAuth: { user: 'ü', pass: 'p:w' } }), STATS_REQUEST);
    assert.equal(stats.updates?.length, 3);
    const [seen] = rig.server.requests;
    assert.ok(seen);
    assert.equal(seen.method, 'POST');
    assert.equal(seen.path, '/wp-admin/admin-ajax.php');
    assert.equal(seen.headers['user-agent'], 'Mozilla/5.0 (compatible; MainWP/6.1.2; +http://mainwp.com)');
    assert.equal(seen.headers['content-type'], 'application/x-www-form-urlencoded');
    assert.equal(seen.headers['accept-encoding'], 'identity');
    assert.equal(seen.headers['authorization'], `Basic ${Buffer.from('ü:p:w').toString('base64')}`);
    const { mainwpsignature, nonce, syncdata, ...fields } = Object.fromEntries(seen.form);
    assert.match(mainwpsignature ?? '', /^[A-Za-z0-9+/]{342}==$/);
    assert.match(nonce ?? '', /^\d+$/);
    const wanted = JSON.parse(syncdata ?? '') as Record<string, number>;
    assert.deepEqual(
      [wanted['plugins'], wanted['plugin_updates'], wanted['recent_posts'], wanted['users']],
      [1, 1, 1, 0],
    );
    assert.deepEqual(fields, {
      user: 'admin',
      function: 'stats',
      mainwpver: '6.1.2',
      optimize: '0',
      server: SERVER_URL,
      numberdaysOutdatePluginTheme: '730',
      recent_number: '30',
      child_actions_last_created: '1795235477.0888',
      'params_logs[events_count]': '100',
      'params_logs[newer_than]': '1795235477',
      'params_logs[ignore_sync_changes_logs]': '-1',
      'params_logs[ignore_sync_nonmainwp_actions]': '-1',
      sign_algo: '7',
    });
  });

  it('when the process stands still after a lease was confirmed, then a change is sent once, after a new look', async () => {
    rig.respond = respondByFunction({ upgradeplugintheme: { upgrades: { 'a/a.php': true } } });
    const confirmed: string[] = [];
    const confirmLease = async (): Promise<() => boolean> => {
      confirmed.push('confirmed');
      const isFirst = confirmed.length === 1;
      return () => !isFirst;
    };
    await rig.child.upgradePlugins({ ...rig.link(), confirmLease }, ['a/a.php']);
    assert.equal(confirmed.length, 2);
    assert.deepEqual(
      rig.server.requests.map(({ form }) => form.get('function')),
      ['upgradeplugintheme'],
    );
  });

  it('when the lease of a change is lost, then nothing is sent, and reads need no lease', async () => {
    rig.respond = respondByFunction({ stats: STATS });
    const confirmLease = () => Promise.reject(new Error('lost'));
    await assert.rejects(rig.child.upgradePlugins({ ...rig.link(), confirmLease }, ['a/a.php']), /lost/);
    assert.equal(rig.server.requests.length, 0);
    await rig.child.stats({ ...rig.link(), confirmLease }, STATS_REQUEST);
    assert.equal(rig.server.requests.length, 1);
  });

  it('when a report differs only in values that always change, then it is known and is not parsed', async () => {
    const textWith = (address: string, size = '0.84'): string =>
      JSON.stringify({
        ...(STATS as object),
        db_size: size,
        recent_comments: [{ id: 1, author_email: 'ADDRESS' }],
      }).replace('ADDRESS', address);
    const send = (text: string): void =>
      void (rig.respond = (_seen, response) =>
        response.end(`<mainwp>${Buffer.from(text).toString('base64')}</mainwp>`));
    send(textWith('&#97;&#64;b.example'));
    const first = await rig.child.report(rig.link(), STATS_REQUEST, () => false);
    assert.deepEqual([first.isKnown, first.read().updates?.length], [false, 3]);
    const again = () => rig.child.report(rig.link(), STATS_REQUEST, (digest) => digest === first.digest);
    for (const text of [textWith('a%40b.example'), textWith('\\u00fc&#64;b.example'), textWith('a', '0.91')]) {
      send(text);
      const report = await again();
      assert.deepEqual([report.isKnown, report.read()], [true, first.read()]);
    }
    send(textWith('&#97;').replace('"wpversion":"', '"wpversion":"9'));
    assert.equal((await again()).isKnown, false);
    // What is no valid JSON is never equal to valid JSON.
    for (const address of ['\\x', '\n', '\\']) {
      send(textWith(address));
      await assert.rejects(again(), { code: 'svc_site_bad_answer' });
    }
  });

  it('when a site is in a subfolder, then the endpoint path contains it', async () => {
    rig.respond = respondByFunction({ stats: STATS });
    await rig.child.stats(rig.link({ url: `${rig.server.url}blog/` }), { ...STATS_REQUEST, changesLimit: 0 });
    assert.equal(rig.server.requests[0]?.path, '/blog/wp-admin/admin-ajax.php');
    assert.equal(rig.server.requests[0]?.form.has('params_logs[events_count]'), false);
  });

  it('when an unsigned probe is sent, then the result has the state of the child', async () => {
    rig.respond = respondByFunction({ 'stats?': UNCONNECTED_STATS });
    assert.deepEqual(await rig.child.probe(rig.link(), 'admin'), {
      ...{ state: 'unconnected', childVersion: '6.1', wpVersion: '7.0.4' },
    });
    assert.deepEqual([...(rig.server.requests[0]?.form.keys() ?? [])], ['user', 'function', 'mainwpver']);
    rig.respond = respondByFunction({ 'stats?': UNSIGNED_CONNECTED_STATS });
    assert.deepEqual(await rig.child.probe(rig.link(), 'admin'), { state: 'connected' });
    rig.respond = (_seen, response) => response.writeHead(400).end('0');
    assert.deepEqual(await rig.child.probe(rig.link(), 'admin'), { state: 'plugin_missing' });
    rig.respond = (_seen, response) => response.writeHead(403).end('no');
    assert.equal(await reasonOf(() => rig.child.probe(rig.link(), 'admin')), 'blocked');
    rig.respond = respondByFunction({ 'stats?': null });
    assert.equal(await reasonOf(() => rig.child.probe(rig.link(), 'admin')), 'svc_site_bad_answer');
  });

  it('when a site is registered, then the password is encoded twice and missing fields are omitted', async () => {
    rig.respond = respondByFunction({ 'register?': readRecording('07-register-ok') });
    const registered = await rig.child.register(rig.link(), rig.registration({ password: 'a +%', uniqueId: 'u1' }));
    assert.equal(registered.stats.childVersion, '6.1');
    const { pubkey, ...fields } = Object.fromEntries(rig.server.requests[0]?.form ?? []);
    assert.equal(pubkey, rig.pair.publicKeyPem);
    assert.deepEqual(fields, {
      ...{
        user: 'admin',
        function: 'register',
        server: SERVER_URL,
        uniqueId: 'u1',
        userpwd: 'a%20%2B%25',
        recent_number: '30',
        mainwpver: '6.1.2',
      },
    });
    await rig.child.register(rig.link(), rig.registration({ password: null, regverify: 'aa-bb' }));
    assert.equal(rig.server.requests[1]?.form.get('regverify'), 'aa-bb');
    assert.equal(rig.server.requests[1]?.form.has('userpwd'), false);
  });

  it('when a password has quotes, then it is tried again with slashes', async () => {
    const refusal = readRecording('04-register-wrongpw');
    rig.respond = (seen, response) =>
      response.end(toFrame(seen.form.get('userpwd') === 'it%5C%27s' ? readRecording('07-register-ok') : refusal));
    await rig.child.register(rig.link(), rig.registration({ password: "it's" }));
    assert.deepEqual(
      rig.server.requests.map(({ form }) => form.get('userpwd')),
      ['it%27s', 'it%5C%27s'],
    );
    rig.server.requests.length = 0;
    rig.respond = respondByFunction({ 'register?': refusal });
    assert.equal(
      await reasonOf(() => rig.child.register(rig.link(), rig.registration({ password: 'plain' }))),
      'bad_password',
    );
    assert.equal(rig.server.requests.length, 1);
    const none = rig.registration({ password: null });
    assert.equal(await reasonOf(() => rig.child.register(rig.link(), none)), 'password_required');
  });

  it('when sessions are destroyed, then the cookies of the site are dropped for any result', async () => {
    for (const outcome of [{ success: 1 }, { error: 'Cannot destroy sessions' }]) {
      rig.nextSite();
      rig.respond = (seen, response) => {
        response.setHeader('set-cookie', 'wordpress_logged_in_ab=x; path=/; HttpOnly');
        respondByFunction({
          stats: STATS,
          settings_tools: outcome,
          get_all_plugins: { data: [] },
          'stats?': UNSIGNED_CONNECTED_STATS,
        })(seen, response);
      };
      await rig.child.stats(rig.link(), STATS_REQUEST);
      await rig.child.destroySessions(rig.link()).catch(() => undefined);
      const called = rig.server.requests.findLast(({ form }) => form.get('function') === 'settings_tools');
      assert.equal(called?.form.get('action'), 'force_destroy_sessions');
      assert.ok(called?.headers.cookie, 'our own session is ended as well, and no new one begun');
      await rig.child.stats(rig.link(), STATS_REQUEST);
      assert.equal(rig.server.requests.at(-1)?.headers.cookie, undefined);
    }
  });

  it('when a site sets cookies, then only its signed calls send them, until the site is forgotten', async () => {
    const cookies = ['wordpress_ab=one%7C2; path=/wp-admin; HttpOnly', 'wordpress_logged_in_ab=x; path=/; HttpOnly'];
    rig.respond = (seen, response) => {
      response.setHeader('set-cookie', [...cookies, 'foreign=1; domain=example.com', `long=${'x'.repeat(5000)}`]);
      respondByFunction({ stats: STATS, 'stats?': UNCONNECTED_STATS, 'register?': readRecording('07-register-ok') })(
        seen,
        response,
      );
    };
    const cookieOf = async (work: Promise<unknown>): Promise<string | undefined> => {
      await work;
      return rig.server.requests.at(-1)?.headers.cookie;
    };
    assert.equal(await cookieOf(rig.child.stats(rig.link(), STATS_REQUEST)), undefined);
    assert.equal(
      await cookieOf(rig.child.stats(rig.link(), STATS_REQUEST)),
      'wordpress_ab=one%7C2; wordpress_logged_in_ab=x',
    );
    assert.equal(await cookieOf(rig.child.stats(rig.link({ siteId: rig.siteId + 1000 }), STATS_REQUEST)), undefined);
    assert.equal(await cookieOf(rig.child.renewToken(rig.link())), undefined);
    assert.equal(await cookieOf(rig.child.probe(rig.link(), 'admin')), undefined);
    rig.child.forget(rig.siteId);
    assert.equal(await cookieOf(rig.child.stats(rig.link(), STATS_REQUEST)), undefined);
    assert.equal(await cookieOf(rig.child.register(rig.link(), rig.registration())), undefined);
    assert.equal(await cookieOf(rig.child.stats(rig.link(), STATS_REQUEST)), undefined);
  });

  it('when a call is rejected, then the reasons for key, connection, plugin and operation differ', async () => {
    const refused = readRecording('10-badsig');
    const translated = { error: 'Authentifizierung fehlgeschlagen!' };
    const stats = () => rig.child.stats(rig.link(), STATS_REQUEST);
    rig.respond = respondByFunction({ stats: refused, 'stats?': UNSIGNED_CONNECTED_STATS });
    assert.equal(await reasonOf(stats), 'key_mismatch');
    rig.respond = respondByFunction({ stats: refused, 'stats?': UNCONNECTED_STATS });
    assert.equal(await reasonOf(stats), 'not_connected');
    rig.respond = respondByFunction({ stats: refused });
    assert.equal(await reasonOf(stats), 'plugin_missing');
    rig.respond = respondByFunction({
      stats: translated,
      'stats?': UNSIGNED_CONNECTED_STATS,
      get_all_plugins: translated,
    });
    assert.equal(await reasonOf(stats), 'key_mismatch');
    rig.respond = respondByFunction({
      stats: { error: 'Irgendetwas' },
      'stats?': UNSIGNED_CONNECTED_STATS,
      get_all_plugins: { data: [] },
    });
    assert.equal(await reasonOf(stats), 'svc_site_bad_answer');
    rig.respond = respondByFunction({
      deactivate: { error: 'Plugin still active' },
      'stats?': UNSIGNED_CONNECTED_STATS,
      get_all_plugins: { data: [] },
    });
    assert.equal(await reasonOf(() => rig.child.deactivate(rig.link())), 'svc_site_bad_answer');
    rig.respond = respondByFunction({ stats: readRecording('13-wrong-user') });
    assert.equal(await reasonOf(stats), 'unknown_user');
    rig.respond = respondByFunction({ stats: { error: 'User not administrator. Please use an administrator.' } });
    assert.equal(await reasonOf(stats), 'not_admin');
    rig.respond = respondByFunction({ stats: readRecording('12-unknown-function') });
    assert.equal(await reasonOf(stats), 'svc_site_bad_answer');
  });

  it('when a key is verified, then the result is true if the site knows the key', async () => {
    const verify = () => rig.child.verifyKey(rig.link());
    rig.respond = respondByFunction({ get_all_plugins: { data: [] } });
    assert.equal(await verify(), true);
    rig.respond = respondByFunction({ get_all_plugins: readRecording('12-unknown-function') });
    assert.equal(await verify(), true);
    for (const hello of [UNCONNECTED_STATS, UNSIGNED_CONNECTED_STATS]) {
      rig.respond = respondByFunction({ get_all_plugins: readRecording('10-badsig'), 'stats?': hello });
      assert.equal(await verify(), false);
    }
    rig.respond = (_seen, response) => response.writeHead(403).end();
    assert.equal(await reasonOf(verify), 'blocked');
  });

  it('when a token is requested, then it is returned, or null if the child has none', async () => {
    rig.respond = respondByFunction({ stats: { ...(STATS as object), regverify_info: 'aa-bb' } });
    assert.equal(await rig.child.renewToken(rig.link()), 'aa-bb');
    assert.equal(rig.server.requests[0]?.form.get('sync_regverify'), '1');
    rig.respond = respondByFunction({ stats: { ...(STATS as object), regverify_info: false } });
    assert.equal(await rig.child.renewToken(rig.link()), null);
  });

  it('when slugs are sent, then they are joined with ||, and invalid slugs are rejected', async () => {
    rig.respond = respondByFunction({ plugin_action: readRecording('40-plugin-deactivate') });
    await rig.child.pluginAction(rig.link(), 'deactivate', ['a/a.php', 'b/b.php']);
    assert.equal(rig.server.requests[0]?.form.get('plugin'), 'a/a.php||b/b.php');
    for (const slugs of [[], ['a||b'], ['a,b'], ['a\0'], ['']]) {
      await assert.rejects(rig.child.pluginAction(rig.link(), 'delete', slugs), { code: 'invalid_input' });
    }
    assert.equal(rig.server.requests.length, 1);
  });

  it('when settings were just read for the link, then only a later call refreshes them', async () => {
    rig.respond = respondByFunction({ stats: STATS });
    const ask = (msAgo: number) =>
      rig.child.stats({ ...rig.link(), rulesSeenAt: performance.now() - msAgo }, { ...STATS_REQUEST, changesLimit: 0 });
    await ask(0);
    assert.equal(rig.settingsRefreshes, 0);
    await ask(200);
    await rig.child.stats(rig.link(), STATS_REQUEST);
    assert.equal(rig.settingsRefreshes, 2);
  });
});
