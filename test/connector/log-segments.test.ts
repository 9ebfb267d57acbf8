import assert from 'node:assert/strict';
import { decodeActionsLog, decodeChangesLog } from '../../src/connector/answers/logs.ts';
import type { ChildLogEntry } from '../../src/connector/child-site.ts';
import { ACTIVITY_CHANGE_TYPES } from '../../src/domains/changes/index.ts';

const typeOf = ({ context, action }: ChildLogEntry): string => `${context}.${action}`;

/** Returns an entry from a record of the child. `own` is the context and action that the child uses for the type. */
function entryOf(typeId: number, own: [context: string, action: string], meta: object = {}, more: object = {}) {
  const record = {
    ...{ id: 7, log_type_id: typeId, created_on: '1795306216.5', context: own[0], action_name: own[1] },
    ...{ username: 'ann', user_id: 4, meta_data: meta, ...more },
  };
  const [entry] = decodeChangesLog({ 7: record }) ?? [];
  return entry ?? assert.fail(`type ${typeId} is lost`);
}

const post = { post_id: 5, post_type: 'post' };

describe('report types of child log entries', () => {
  const types: [typeId: number, own: [string, string], type: string][] = [
    [1200, ['post', 'created'], 'post.created'],
    [1205, ['post', 'modified'], 'post.published'],
    [1210, ['post', 'modified'], 'post.updated'],
    [1215, ['post', 'deleted'], 'post.deleted'],
    [1220, ['post', 'deleted'], 'post.deleted'],
    [1225, ['post', 'deleted'], 'post.trashed'],
    [1230, ['post', 'restored'], 'post.restored'],
    [1280, ['post', 'modified'], 'post.submitted'],
    [1285, ['post', 'modified'], 'post.scheduled'],
    [1300, ['post', 'modified'], 'post.updated'],
    [1330, ['post', 'added'], 'post.updated'],
    [1330, ['post', 'removed'], 'post.updated'],
    [1335, ['post', 'added'], 'post.updated'],
    [1310, ['post', 'opened'], 'post.opened'],
    [1315, ['post', 'viewed'], 'post.viewed'],
    [1340, ['post', 'modified'], 'post.taken_over'],
    [1420, ['file', 'uploaded'], 'file.uploaded'],
    [1425, ['file', 'deleted'], 'file.deleted'],
    [1455, ['file', 'modified'], 'plugin.edited'],
    [1465, ['file', 'modified'], 'theme.edited'],
    [1461, ['plugin', 'activated'], 'plugin.activated'],
    [1475, ['menu', 'created'], 'menu.created'],
    [1480, ['menu', 'modified'], 'menu.updated'],
    [1485, ['menu', 'modified'], 'menu.updated'],
    [1490, ['menu', 'deleted'], 'menu.deleted'],
    [1495, ['menu', 'enabled'], 'menu.updated'],
    [1495, ['menu', 'disabled'], 'menu.updated'],
    [1505, ['menu', 'modified'], 'menu.updated'],
    [1520, ['comment', 'modified'], 'comment.approved'],
    [1525, ['comment', 'modified'], 'comment.unapproved'],
    [1530, ['comment', 'created'], 'comment.replied'],
    [1535, ['comment', 'modified'], 'comment.edited'],
    [1540, ['comment', 'modified'], 'comment.spammed'],
    [1545, ['comment', 'modified'], 'comment.unspammed'],
    [1550, ['comment', 'deleted'], 'comment.trashed'],
    [1555, ['comment', 'modified'], 'comment.restored'],
    [1560, ['comment', 'deleted'], 'comment.deleted'],
    [1565, ['comment', 'created'], 'comment.created'],
    [1605, ['user', 'created'], 'user.created'],
    [1610, ['user', 'created'], 'user.created'],
    [1630, ['user', 'modified'], 'user.password_changed'],
    [1640, ['user', 'modified'], 'user.updated'],
    [1645, ['user', 'deleted'], 'user.deleted'],
    [1670, ['user', 'modified'], 'user.created'],
    [1720, ['user', 'added'], 'user.updated'],
    [1726, ['user', 'revoked'], 'user.updated'],
    [1960, ['wordpress', 'updated'], 'wordpress.updated'],
    [1965, ['plugin', 'installed'], 'plugin.installed'],
    [1970, ['plugin', 'updated'], 'plugin.updated'],
    [1975, ['theme', 'installed'], 'theme.installed'],
    [1980, ['theme', 'updated'], 'theme.updated'],
  ];

  it('when the child logs a type, then it is mapped to the type that reports count', () => {
    for (const [typeId, own, type] of types) assert.equal(typeOf(entryOf(typeId, own, {}, post)), type, `${typeId}`);
    const role = { changeuserid: '4', changeusername: 'ann', oldrole: 'editor', newrole: 'author' };
    assert.equal(typeOf(entryOf(1615, ['user', 'modified'], role)), 'user.role_changed');
  });

  it('when a report counts a type, then a child log can contain it, or the service logs it itself', () => {
    const told = new Set([...types.map(([, , type]) => type), 'user.role_changed', 'user.revoked']);
    const ofActions = ['plugin.deactivated', 'plugin.deleted', 'theme.activated', 'theme.deleted'];
    const known = new Set([...told, ...ofActions, ...[...told].map((type) => type.replace('post.', 'page.'))]);
    const counted = Object.values(ACTIVITY_CHANGE_TYPES).flatMap((actions) => Object.values(actions).flat());
    const ours = ['post.unpublished', 'page.unpublished', 'comment.updated', 'file.updated'];
    assert.deepEqual(counted.filter((type) => !known.has(type)).sort(), [...ours].sort());
    assert.equal(new Set(counted).size, counted.length, 'nothing is counted twice');
  });

  it('when a file was edited, then the entry names the plugin or theme and no absolute path', () => {
    const plugin = entryOf(1455, ['file', 'modified'], {
      ...{ file: 'rig-alpha/inc/a.php', plugin: 'rig-alpha/rig-alpha.php', name: 'Rig Alpha' },
    });
    assert.equal(plugin.summary, 'Plugin "Rig Alpha" edited: file "rig-alpha/inc/a.php"');
    const of = { name: 'Rig Alpha', key: 'rig-alpha/rig-alpha.php', before: {} };
    assert.deepEqual(plugin.thing, { ...of, after: { file: 'rig-alpha/inc/a.php' } });
    const meta = { file: '/var/www/wp-content/themes/rig/style.css', theme: '/var/www/wp-content/themes/rig' };
    const theme = entryOf(1465, ['file', 'modified'], meta);
    assert.deepEqual(theme.thing, { name: 'rig', key: 'rig', before: {}, after: { file: 'style.css' } });
    assert.equal(theme.summary, 'Theme "rig" edited: file "style.css"');
  });

  it('when WordPress, plugins or themes were installed or updated, then both versions are read', () => {
    const core = { old_version: '7.0.3', new_version: '7.0.4', auto_updated: true };
    const { thing } = entryOf(1960, ['wordpress', 'updated'], core);
    assert.deepEqual(thing, { name: null, key: null, before: { version: '7.0.3' }, after: { version: '7.0.4' } });
    const theme = { theme: { name: 'Rig', version: '1.2' }, oldversion: '1.1', auto_updated: '1' };
    const updated = { name: 'Rig', key: null, before: { version: '1.1' }, after: { version: '1.2' } };
    assert.deepEqual(entryOf(1980, ['theme', 'updated'], theme).thing, updated);
    const plugin = { plugindata: { name: 'Rig Alpha', version: '1.0', slug: 'rig-alpha' } };
    const installed = { name: 'Rig Alpha', key: 'rig-alpha', before: {}, after: { version: '1.0' } };
    assert.deepEqual(entryOf(1965, ['plugin', 'installed'], plugin).thing, installed);
  });

  it('when a menu is renamed, then both names are read', () => {
    const { thing, summary } = entryOf(1505, ['menu', 'modified'], { oldmenuname: 'Top', menuname: 'Main', menuid: 5 });
    assert.deepEqual(thing, { name: 'Main', key: '5', before: { name: 'Top' }, after: { name: 'Main' } });
    assert.equal(summary, 'Menu "Main" updated: name from "Top" to "Main"');
  });

  it('when posts have a custom type, then they are counted as custom posts and named by their type', () => {
    const of = (post_type: string): ChildLogEntry =>
      entryOf(1300, ['post', 'modified'], { posttitle: 'Hat' }, { post_id: 5, post_type });
    assert.deepEqual(
      ['post', 'page', '', 'product', 'plugin'].map((type) => typeOf(of(type))),
      [...['post.updated', 'page.updated', 'post.updated', 'custom_post.updated', 'custom_post.updated']],
    );
    assert.equal(of('shop_order').summary, 'Shop order "Hat" updated: content');
    assert.deepEqual([of('product').thing.name, of('product').thing.key], ['Hat', '5']);
  });

  it('when a user was created, then the role that follows belongs to the creation and is not a role change', () => {
    const record = (id: number, log_type_id: number, action_name: string, meta_data: object): object => ({
      ...{ id, log_type_id, created_on: `179530621${id}.5`, context: 'user', action_name, meta_data },
      ...{ username: 'admin', user_id: 1 },
    });
    const role = { changeuserid: '3', changeusername: 'ann', oldrole: '', newrole: 'Author' };
    const made = { newuserid: '3', newuserdata: { username: 'ann', userroles: '' } };
    const entries = decodeChangesLog({ 2: record(2, 1615, 'modified', role), 1: record(1, 1610, 'created', made) });
    assert.deepEqual(
      entries?.map((entry) => [typeOf(entry), entry.thing]),
      [
        ['user.created', { name: 'ann', key: '3', before: {}, after: { role: 'Author' } }],
        ['user.role_given', { name: 'ann', key: '3', before: {}, after: { role: 'Author' } }],
      ],
    );
  });

  it('when an event is unknown, then it keeps its own names', () => {
    const entry = entryOf(9999, ['shop-coupon', 'redeemed-twice'], { secret: 'x' });
    assert.deepEqual([typeOf(entry), entry.summary], ['shop_coupon.redeemed_twice', 'Shop coupon redeemed twice']);
    const created = { context: 'plugins', action: 'moved', created: 1_795_306_216.5, summary: 'Moved.', meta_data: {} };
    assert.deepEqual(
      decodeActionsLog({ 5: created })?.map((action) => [typeOf(action), action.summary]),
      [['plugin.moved', 'Moved.']],
    );
  });
});
