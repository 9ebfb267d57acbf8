import assert from 'node:assert/strict';
import { startFleet, type Fleet, type Plugin, type SimulatedSite } from '../../src/sandbox/index.ts';
import { callSigned, base64Json, sendSigned, connectedState, send, type Form } from './support/dashboard.ts';

const CHILD = 'mainwp-child/mainwp-child.php';

describe('state of a simulated site', () => {
  let fleet: Fleet;
  let site: SimulatedSite;
  let outdated: Plugin;

  beforeEach(async () => {
    fleet = await startFleet({ sites: 1, primedKeys: connectedState });
    site = fleet.sites[0] as SimulatedSite;
    outdated = site.state.plugins.get('hello.php') as Plugin;
    outdated.update = '2.0.0';
    outdated.active = true;
  });
  afterEach(() => fleet.close());

  const pluginNow = async (file: string): Promise<Form | undefined> =>
    ((await callSigned(site, 'stats'))['plugins'] as Form[]).find((plugin) => plugin['slug'] === file);
  const offered = async (): Promise<unknown> =>
    ((await callSigned(site, 'stats'))['plugin_updates'] as Form)['hello.php'];
  const upgrade = (list: string): Promise<Form> => callSigned(site, 'upgradeplugintheme', { type: 'plugin', list });
  const updatedData = (answer: Form, slug: string): unknown =>
    ((answer['other_data'] as Form)['updated_data'] as Form)[slug];

  it('when a plugin is updated, then its version rises, its update disappears and no cached response is returned', async () => {
    assert.ok(await offered());
    assert.deepEqual(updatedData(await upgrade('hello.php'), 'hello.php'), {
      name: 'Hello Dolly',
      old_version: '1.7.2',
      slug: 'hello.php',
      success: 1,
      version: '2.0.0',
    });
    assert.equal(await offered(), undefined);
    assert.equal((await pluginNow('hello.php'))?.['version'], '2.0.0');
    const again = updatedData(await upgrade('hello.php'), 'hello.php') as Form;
    assert.deepEqual([again['success'], again['old_version']], [1, '']);
  });

  it('when a plugin is updated, then HTML precedes the frame', async () => {
    const { body } = await sendSigned(site, 'upgradeplugintheme', { type: 'plugin', list: 'hello.php' });
    assert.ok(body.indexOf('<mainwp>') >= 600);
  });

  it('when an item is missing or a plugin cannot be updated, then the response still reports success', async () => {
    const missing = updatedData(await upgrade('nope/nope.php'), 'nope/nope.php') as Form;
    assert.deepEqual([missing['success'], 'version' in missing], [1, false]);
    site.defects.falseSuccesses.add('hello.php');
    const claimed = updatedData(await upgrade('hello.php'), 'hello.php') as Form;
    assert.deepEqual([claimed['success'], claimed['version']], [1, '2.0.0']);
    assert.equal((await pluginNow('hello.php'))?.['version'], '1.7.2');
    await callSigned(site, 'plugin_action', { action: 'deactivate', plugin: 'hello.php' });
    assert.equal((await pluginNow('hello.php'))?.['active'], 1);
  });

  it('when the package of a plugin fails, then the plugin stays unchanged', async () => {
    site.defects.failingPackages.add('hello.php');
    const answer = await upgrade('hello.php');
    assert.deepEqual([answer['upgrades'], answer['upgrades_error']], [[], { 'hello.php': 'Download failed.' }]);
    assert.ok(await offered());
  });

  it('when plugins are activated, deactivated or deleted, then the state changes, except for the child plugin', async () => {
    await callSigned(site, 'plugin_action', { action: 'deactivate', plugin: 'hello.php' });
    assert.equal((await pluginNow('hello.php'))?.['active'], 0);
    const both = `hello.php||${CHILD}`;
    const answer = await callSigned(site, 'plugin_action', { action: 'delete', plugin: both });
    assert.deepEqual(Object.keys((answer['other_data'] as Form)['plugin_action_data'] as Form), ['hello.php']);
    assert.equal(await pluginNow('hello.php'), undefined);
    assert.equal((await pluginNow(CHILD))?.['active'], 1);
    site.defects.fatalOnActivation.add('hello.php');
    assert.equal((await sendSigned(site, 'plugin_action', { action: 'activate', plugin: 'hello.php' })).status, 500);
  });

  it('when themes are activated or deleted, then the active theme and its parent are kept', async () => {
    const [spare] = [...site.state.themes.keys()].filter((stylesheet) => stylesheet !== site.state.activeTheme);
    assert.ok(spare !== undefined);
    const before = site.state.activeTheme;
    await callSigned(site, 'theme_action', { action: 'activate', theme: spare });
    assert.equal(site.state.activeTheme, spare);
    assert.deepEqual(await callSigned(site, 'theme_action', { action: 'delete', theme: spare }), {
      error: { is_activated_theme: spare },
    });
    await callSigned(site, 'theme_action', { action: 'delete', theme: before });
    assert.equal(site.state.themes.has(before), false);
  });

  it('when a missing theme is activated, then the response reports success and no theme is active', async () => {
    const answer = await callSigned(site, 'theme_action', { action: 'activate', theme: 'nope' });
    assert.equal(answer['status'], 'SUCCESS');
    const { site_info: info, themes } = answer['sync'] as { site_info: Form; themes: Form[] };
    assert.equal(info['themeactivated'], 'nope');
    assert.ok(themes.every((theme) => theme['active'] === 0));
  });

  it('when core is updated, then the response has the old and the new version', async () => {
    site.performWpAdminAction({ do: 'release-core', version: '9.9' });
    const { old_version, version, upgrade: outcome } = await callSigned(site, 'upgrade');
    assert.deepEqual([outcome, version, typeof old_version], ['SUCCESS', '9.9', 'string']);
    assert.equal((await callSigned(site, 'stats'))['wp_updates'], null);
    assert.equal('version' in (await callSigned(site, 'upgrade')), false);
    site.state.core.update = '10.0';
    site.defects.failingPackages.add('core');
    assert.equal((await callSigned(site, 'upgrade'))['upgrade'], 'WPERROR');
    site.state.core.locked = true;
    assert.match(String((await callSigned(site, 'upgrade'))['error']), /^Another update/);
  });

  it('when a translation is updated, then all its languages are updated', async () => {
    const item = { type: 'plugin' as const, slug: 'akismet', version: '5.7', name: 'Akismet' };
    site.state.translations = [
      { ...item, language: 'de_DE' },
      { ...item, language: 'it_IT' },
      { ...item, slug: 'other', language: 'it_IT' },
    ];
    const answer = await callSigned(site, 'upgradetranslation', { type: 'translation', list: 'akismet' });
    assert.deepEqual(answer['upgrades'], { akismet: true });
    const left = (answer['sync'] as Form)['translation_updates'] as Form[];
    assert.deepEqual(
      left.map((translation) => translation['slug']),
      ['other'],
    );
  });

  it('when a package is installed, then its file name sets the slug, and an existing plugin needs the overwrite option', async () => {
    site.defects.namedPackages = true;
    const install = (url: string, more: Form = {}): Promise<Form> =>
      callSigned(site, 'installplugintheme', { type: 'plugin', url: JSON.stringify([url]), ...more });
    await install('https://p.test/my-tool.1.2.zip', { activatePlugin: 'yes' });
    assert.deepEqual((await pluginNow('my-tool/my-tool.php'))?.['version'], '1.2');
    assert.equal((await pluginNow('my-tool/my-tool.php'))?.['active'], 1);
    assert.equal((await install('https://p.test/my-tool.1.3.zip'))['error_code'], 'folder_exists');
    await install('https://p.test/my-tool.1.3.zip', { overwrite: 1 });
    assert.equal((await pluginNow('my-tool/my-tool.php'))?.['version'], '1.3');
  });

  it('when the child is deactivated, then the site has no child, and after activation it is not connected', async () => {
    assert.deepEqual(await callSigned(site, 'deactivate'), { deactivated: true });
    const gone = await sendSigned(site, 'stats');
    assert.deepEqual([gone.status, gone.body], [400, '0']);
    assert.equal((await send(site.url, 'function=stats', { path: '/' })).status, 200);
    site.performWpAdminAction({ do: 'activate-child' });
    assert.match(String((await callSigned(site, 'stats'))['error']), /^Authentication failed/);
  });

  it('when users act on the site, then their actions are logged, and those of the dashboard are not', async () => {
    site.performWpAdminAction({ do: 'deactivate-plugin', plugin: 'hello.php' });
    await callSigned(site, 'plugin_action', { action: 'activate', plugin: 'hello.php' });
    site.performWpAdminAction({ do: 'update-plugin', plugin: 'hello.php', by: 'editor1' });
    const answer = await callSigned(site, 'stats', { params_logs: { events_count: 10 } });
    const actions = Object.values(answer['child_site_actions_data'] as Record<string, Form>);
    assert.deepEqual(
      actions.map((action) => [action['context'], action['action'], action['action_user']]),
      [['plugins', 'deactivated', 'admin']],
    );
    const changes = Object.values(answer['changes_logs_data'] as Record<string, Form>);
    assert.deepEqual(
      changes.map((change) => [change['log_type_id'], change['username']]),
      [[1970, 'editor1']],
    );
    const cursor = Number(actions[0]?.['created']).toFixed(4);
    assert.deepEqual(
      (await callSigned(site, 'stats', { child_actions_last_created: cursor }))['child_site_actions_data'],
      [],
    );
    assert.equal((await callSigned(site, 'stats'))['changes_logs_data'], '');
    await callSigned(site, 'delete_actions');
    assert.deepEqual((await callSigned(site, 'stats'))['child_site_actions_data'], []);
  });

  it('when the fraction in created_on has leading zeros, then they are lost as on a real site', async () => {
    const change = { id: 1, typeId: 1570, context: 'user', action: 'logged-in', login: 'admin', postId: 0, meta: {} };
    site.state.changes = [{ ...change, created: 1_795_235_477.052_72 }];
    site.touch();
    const answer = await callSigned(site, 'stats', { params_logs: { events_count: 10 } });
    assert.equal((answer['changes_logs_data'] as Record<string, Form>)['1']?.['created_on'], '1795235477.5272');
  });

  it('when the days of the abandoned cache change, then the list is empty until the next request', async () => {
    site.state.abandoned = { days: 365, pluginsChecked: true, themesChecked: true };
    const ask30 = async (): Promise<string[]> =>
      Object.keys(
        (await callSigned(site, 'stats', { numberdaysOutdatePluginTheme: 730 }))['plugins_outdate_info'] as Form,
      );
    assert.deepEqual(await ask30(), []);
    assert.ok((await ask30()).includes('hello.php'));
  });

  it('when posts are created, edited or moved, then the state has the change', async () => {
    const write = async (fields: Form, more: Form = {}): Promise<number> =>
      Number((await callSigned(site, 'newpost', { new_post: base64Json(fields), ...more }))['added_id']);
    const picture = { post_featured_image: Buffer.from('https://p.test/a.png').toString('base64') };
    const category = { post_category: Buffer.from('Brand%20New').toString('base64') };
    const id = await write(
      { post_title: '<b>T</b> a\\\\b', post_content: 'c', post_status: 'publish' },
      { ...picture, ...category },
    );
    const post = site.state.posts.get(id);
    assert.deepEqual(
      [post?.title, post?.featuredImage, post?.categories],
      ['T a\\b', `${site.siteUrl}/wp-content/uploads/a.png`, ['Brand New']],
    );
    assert.ok(site.state.categories.some((item) => item.name === 'Brand New'));
    await write({ ID: id, post_title: 'Two' });
    assert.deepEqual([post?.title, post?.featuredImage, post?.categories], ['Two', '', ['Brand New']]);
    await callSigned(site, 'post_action', { action: 'trash', id });
    await callSigned(site, 'post_action', { action: 'restore', id });
    assert.equal(post?.status, 'draft');
    await callSigned(site, 'post_action', { action: 'delete', id });
    assert.equal(site.state.posts.has(id), false);
  });

  it('when comments are moderated, then their status changes, and approving a missing comment dies', async () => {
    const move = (action: string): Promise<unknown> => callSigned(site, 'comment_action', { action, id: 1 });
    await move('spam');
    assert.equal(site.state.comments.get(1)?.status, 'spam');
    await move('unspam');
    assert.equal(site.state.comments.get(1)?.status, 'approve');
    assert.equal(
      (await sendSigned(site, 'comment_bulk_action', { action: 'unapprove', ids: '1,99999,2' })).status,
      500,
    );
    assert.equal(site.state.comments.get(1)?.status, 'hold');
  });

  it('when users are edited or deleted, then the state changes and posts of a deleted user are reassigned', async () => {
    await callSigned(site, 'user_action', {
      action: 'update_user',
      id: 2,
      extra: { first_name: 'Edna', role: 'donotupdate' },
    });
    const editor = site.state.users.find((user) => user.id === 2);
    assert.deepEqual([editor?.firstName, editor?.lastName, editor?.role], ['Edna', 'Itor', 'editor']);
    const [post] = site.state.posts.values();
    assert.ok(post !== undefined);
    post.authorId = 3;
    await callSigned(site, 'user_action', { action: 'delete', id: 3 });
    assert.equal(post.authorId, 1);
  });
});
