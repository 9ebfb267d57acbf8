import assert from 'node:assert/strict';
import { appendChange } from '../../../src/sandbox/operations/logs.ts';
import { SECOND, toIso } from '../../../src/shared/clock.ts';
import { createUser, deleteUser, editUser, userOf } from '../../support/child-users.ts';
import { setComments } from '../../support/comments.ts';
import { readReport, refusedFields, type Report } from '../../support/pro-reports.ts';
import { editSettings, ManualClock } from '../../support/schedules.ts';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, addPendingUpdates, BETA, GAMMA } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

const NOW = '2026-11-22T08:00:00Z';
const DAYS = { start_date: '2026-11-22', end_date: '2026-11-22' };

describe('report segments from the change log', () => {
  const clock = new ManualClock(NOW);
  let world: World;
  let id: number;
  let theme: string;

  before(async () => {
    // Each clock read takes a second: a sync reads only entries that are later than the last sync.
    const now = (): number => (clock.time += SECOND);
    world = await startWorld({ sites: 2, connect: 0, fleet: { now }, overrides: { clock } });
    const fresh = await world.freshSite(addPendingUpdates);
    [id, theme] = [fresh.id, fresh.made];
  });
  after(() => world.close());

  const report = (segment: string, query: Record<string, string> = {}): Promise<Report> =>
    readReport(world, id, segment, { ...DAYS, ...query });
  const call = async (method: string, path: string, body?: object) =>
    (await world.request(method, `/api/v2/${path}`, body && { body })).body;
  const state = () => world.site(0).state;
  /** Returns these fields of the items, and the counts that are not 0. */
  const told = async (segment: string, ...fields: string[]) => {
    const { source, items, counts, total } = await report(segment);
    assert.equal(source, 'change-log');
    assert.equal(total, items.length);
    for (const { date } of items) assert.ok(String(date) >= NOW && String(date) <= toIso(clock.time), String(date));
    const happened = Object.entries(counts).filter(([, count]) => count > 0);
    return {
      items: items.map((item) => fields.map((field) => item[field])),
      counts: Object.fromEntries(happened),
    };
  };
  /** Sorts items, because entries of the same second have no fixed order. */
  const sorted = (items: unknown[][]): unknown[][] => [...items].sort((a, b) => (String(a) < String(b) ? -1 : 1));

  it('when plugins are changed here and in wp-admin, then each change is an item', async () => {
    const nameOf = (file: string): string => state().plugins.get(file)?.definition.name ?? '';
    const [alpha, beta, gamma] = [ALPHA, BETA, GAMMA].map(nameOf);
    const before = state().plugins.get(ALPHA)?.version;
    await call('POST', `updates/${id}/update/plugins`, { slug: [ALPHA] });
    await call('POST', `sites/${id}/plugins/activate`, { slug: ALPHA });
    await call('POST', `sites/${id}/plugins/deactivate`, { slug: ALPHA });
    const gone = state().plugins.get(BETA)?.version;
    await call('DELETE', `sites/${id}/plugins/delete?slug=${BETA}`);
    world.site(0).performWpAdminAction({ do: 'activate-plugin', plugin: GAMMA, by: 'admin' });
    await syncSites(world, id);
    const { items, counts } = await told('plugins', 'action', 'name', 'slug', 'old_version', 'new_version', 'author');
    const version = state().plugins.get(GAMMA)?.version;
    const newer = state().plugins.get(ALPHA)?.version;
    assert.deepEqual(
      sorted(items).map((item) => item.slice(0, 5)),
      sorted([
        ['updated', alpha, ALPHA, before, newer],
        ['activated', alpha, ALPHA, newer, newer],
        ['deactivated', alpha, ALPHA, newer, newer],
        ['deleted', beta, BETA, gone, null],
        ['activated', gamma, GAMMA, null, version],
      ]),
    );
    assert.deepEqual(counts, { updated: 1, activated: 2, deactivated: 1, deleted: 1 });
    assert.ok(items.every((item) => item[5] === 'admin'));
  });

  it('when an action is given, then only its items are returned, and the counts stay complete', async () => {
    const { items, total, counts } = await report('plugins', { action: 'activated' });
    assert.deepEqual(
      items.map(({ action }) => action),
      ['activated', 'activated'],
    );
    assert.equal(total, 2);
    assert.deepEqual([counts['updated'], counts['activated']], [1, 2]);
    const [field] = await refusedFields(world, id, 'plugins', { ...DAYS, action: 'eaten' });
    assert.match(String(field), /^query\.action must be equal to one of the allowed values: installed, activated/);
    await refusedFields(world, id, 'website', { ...DAYS, action: 'updated' });
  });

  it('when there are more items than the limit, then the newest are returned with the full total', async () => {
    await editSettings(world, 'pro-reports', { max_items_per_section: 2 });
    const { items, total } = await report('plugins');
    await editSettings(world, 'pro-reports', { max_items_per_section: null });
    assert.deepEqual([items.length, total], [2, 5]);
    const all = (await report('plugins')).items;
    assert.deepEqual(items, all.slice(0, 2));
  });

  it('when the format is tokens, then each row has the tokens of its action', async () => {
    const { sections_data, other_tokens_data } = await report('plugins', { format: 'tokens' });
    const [activated, ...others] = sections_data;
    assert.equal(others.length, 3);
    const [row] = activated ?? [];
    assert.deepEqual(Object.keys(row ?? {}).sort(), [
      '[plugin.action]',
      '[plugin.activated.author]',
      '[plugin.activated.date]',
      '[plugin.activated.slug]',
      '[plugin.activated.time]',
      '[plugin.activated.utime]',
      '[plugin.current.version]',
      '[plugin.name]',
      '[plugin.old.version]',
    ]);
    assert.match(row?.['[plugin.activated.utime]'] ?? '', /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
    assert.equal(other_tokens_data['[plugin.activated.count]'], '2');
    assert.equal(other_tokens_data['[plugin.installed.count]'], '0');
  });

  it('when themes are changed, then each change is an item', async () => {
    const [first = '', second = ''] = [...state().themes.keys()].filter((slug) => slug !== state().activeTheme);
    const nameOf = (slug: string): string => state().themes.get(slug)?.definition.name ?? '';
    const wanted = [
      ['updated', nameOf(theme), theme],
      ['activated', nameOf(first), first],
    ];
    await call('POST', `updates/${id}/update/themes`, { slug: [theme] });
    await call('POST', `sites/${id}/themes/activate`, { slug: first });
    if (second) {
      wanted.push(['deleted', nameOf(second), second]);
      await call('DELETE', `sites/${id}/themes/delete?slug=${second}`);
    }
    const { items } = await told('themes', 'action', 'name', 'slug');
    assert.deepEqual(sorted(items), sorted(wanted));
  });

  it('when WordPress is updated, then the item has both versions', async () => {
    const before = state().core.version;
    await call('POST', `updates/${id}/update/core`);
    const { items, counts } = await told('core', 'action', 'old_version', 'new_version');
    assert.deepEqual(items, [['updated', before, '9.0']]);
    assert.deepEqual(counts, { updated: 1 });
  });

  for (const [segment, kind] of [
    ['posts', 'post'],
    ['pages', 'page'],
  ] as const)
    it(`when ${segment} are created and changed, then each change is an item`, async () => {
      const content = {
        post_title: `A ${kind}`,
        post_content: 'Text.',
        post_status: 'publish',
        post_name: `a-${kind}`,
      };
      const { data } = await call('POST', `${segment}/${id}/create`, content);
      const at = `${segment}/${id}/${data.post_id ?? data.id}`;
      await call('PUT', `${at}/edit`, { post_title: `The ${kind}` });
      await call('PUT', `${at}/update-status`, { status: 'trash' });
      await call('PUT', `${at}/update-status`, { status: 'restore' });
      await call('DELETE', `${at}/delete?force=true`);
      const { items, counts } = await told(segment, 'action', 'title', 'author');
      assert.deepEqual(
        sorted(items.filter(([, title]) => String(title).endsWith(` ${kind}`)).map(([action]) => [action])),
        sorted([['created'], ['updated'], ['trashed'], ['restored'], ['deleted']]),
      );
      assert.deepEqual(counts, { created: 1, updated: 1, trashed: 1, restored: 1, deleted: 1 });
    });

  it('when users are created, changed and deleted here or in wp-admin, then each change is an item', async () => {
    const user = { username: 'dora', email: 'dora@example.com', role: 'editor', websites: [id] };
    await createUser(world, user);
    const dora = userOf(world.site(0), 'dora');
    assert.ok(dora);
    await editUser(world, id, dora.id, { role: 'author' });
    await deleteUser(world, id, dora.id);
    world.site(0).performWpAdminAction({ do: 'create-user', user: 'emil', role: 'subscriber' });
    world.site(0).performWpAdminAction({ do: 'log-in' });
    await syncSites(world, id);
    const { items } = await told('users', 'action', 'name', 'role');
    const ofDora = items.filter(([, name]) => name === 'dora');
    assert.deepEqual(sorted(ofDora.map(([action]) => [action])), sorted([['created'], ['updated'], ['deleted']]));
    assert.deepEqual(
      ofDora.find(([action]) => action === 'created'),
      ['created', 'dora', 'editor'],
    );
    assert.ok(items.some(([action, name]) => action === 'created' && name === 'emil'));
    // Logins are not part of the report.
    assert.ok(items.every(([action]) => ['created', 'updated', 'deleted'].includes(String(action))));
  });

  it('when comments are moderated, then each action is an item with the title of its post', async () => {
    const act = (comment: number, action: string) => call('PUT', `comments/${id}/${comment}/action`, { action });
    setComments(world.site(0), { 7: { status: 'hold' }, 8: { status: 'approve' } });
    for (const action of ['approve', 'unapprove', 'spam']) await act(7, action);
    for (const action of ['trash', 'restore', 'delete']) await act(8, action);
    const { items, counts } = await told('comments', 'action', 'title', 'author');
    assert.deepEqual(counts, { approved: 1, unapproved: 1, spam: 1, trashed: 1, restored: 1, deleted: 1 });
    assert.equal(items.length, 6);
    assert.ok(items.every(([, title, author]) => title !== '' && author === 'admin'));
  });

  it('when menus and files are changed in wp-admin, then each change is an item', async () => {
    const now = clock.time / SECOND;
    const logged = (typeId: number, context: string, action: string, meta: Record<string, unknown>): void =>
      appendChange(state(), now, { typeId, context, action, login: 'admin', meta });
    logged(1475, 'menu', 'created', { menuname: 'Main menu', menuid: '3' });
    logged(1490, 'menu', 'deleted', { menuname: 'Old menu', menuid: '2' });
    logged(1420, 'file', 'uploaded', { filename: 'harbour.jpg', attachmentid: '41' });
    logged(1425, 'file', 'deleted', { filename: 'old.jpg', attachmentid: '12' });
    await syncSites(world, id);
    assert.deepEqual(await told('menus', 'action', 'title', 'author').then(({ items }) => sorted(items)), [
      ['created', 'Main menu', 'admin'],
      ['deleted', 'Old menu', 'admin'],
    ]);
    assert.deepEqual(await told('media', 'action', 'name', 'author').then(({ items }) => sorted(items)), [
      ['deleted', 'old.jpg', 'admin'],
      ['uploaded', 'harbour.jpg', 'admin'],
    ]);
  });

  it('when changes are of other days, then the report does not have them', async () => {
    const past = { start_date: '2025-01-01', end_date: '2025-01-31' };
    for (const segment of ['plugins', 'themes', 'core', 'posts', 'users', 'comments']) {
      const { items, total, counts, sections_data, other_tokens_data } = await report(segment, past);
      assert.deepEqual([items, total, sections_data, other_tokens_data], [[], 0, [], {}]);
      assert.ok(Object.values(counts).every((count) => count === 0));
    }
  });

  it('when the time zone is not UTC, then a day begins at local midnight', async () => {
    const { knex } = world.container;
    const { id: other } = await world.freshSite(addPendingUpdates);
    await knex('changes').where({ site_id: other }).delete();
    const at = (time: string) => ({
      ...{ site_id: other, source: 'dashboard', external_id: null, type: 'plugin.updated', description: time },
      ...{ actor: 'admin', at: Date.parse(time), object_name: time, object_key: 'a/a.php' },
      ...{ old_values: null, new_values: null },
    });
    const times = ['2026-03-27T22:59:59Z', '2026-03-27T23:00:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z'];
    await knex('changes').insert(times.map(at));
    await editSettings(world, 'general', { timezone_string: 'Europe/Berlin' });
    // Daylight saving time begins on the 29th.
    const days = { start_date: '2026-03-28', end_date: '2026-03-29' };
    const { items, counts } = await readReport(world, other, 'plugins', days);
    await editSettings(world, 'general', { timezone_string: 'UTC' });
    assert.deepEqual(
      items.map(({ name }) => name),
      ['2026-03-29T21:59:59Z', '2026-03-27T23:00:00Z'],
    );
    assert.equal(counts['updated'], 2);
  });
});
