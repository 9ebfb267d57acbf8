import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ChildLogEntry } from '../../src/connector/child-site.ts';
import { decodeActionsLog, decodeChangesLog } from '../../src/connector/answers/logs.ts';

const recorded = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../sandbox/recordings/${name}.json`, import.meta.url), 'utf8')) as never;

const records = recorded('log-b-one-of-each')['records'] as { id: number; log_type_id: number }[];

/** Returns the entry of one recorded type. */
function entryOf(typeId: number): ChildLogEntry {
  const record = records.find(({ log_type_id }) => log_type_id === typeId);
  assert.ok(record, `no record of type ${typeId}`);
  const [entry] = decodeChangesLog({ [record.id]: record }) ?? [];
  assert.ok(entry);
  return entry;
}

function readLogEntry(typeId: number): { type: string; summary: string; user: string } {
  const entry = entryOf(typeId);
  return { type: `${entry.context}.${entry.action}`, summary: entry.summary, user: entry.user };
}

describe('recorded logs of a child', () => {
  it('when a post got its first categories, then the entry has the status with which it was inserted', () => {
    assert.equal(entryOf(1235).insertedStatus, 'draft');
    const others = records.filter(({ log_type_id }) => log_type_id !== 1235);
    const entries = decodeChangesLog(Object.fromEntries(others.map((record) => [record.id, record]))) ?? [];
    assert.deepEqual(
      entries.filter(({ insertedStatus }) => insertedStatus !== undefined),
      [],
    );
  });

  it('when a record names a user in any field, then the summary has the user name', () => {
    assert.deepEqual(
      [1610, 1615, 1630, 1640, 1645, 1695, 1710, 1680].map((id) => Object.values(readLogEntry(id)).slice(0, 2)),
      [
        ['user.created', 'User "handmade" created'],
        ['user.role_given', 'User "formuser" role given "Author"'],
        ['user.password_changed', 'User "handmade" password changed'],
        ['user.updated', 'User "handmade" updated: e-mail address'],
        ['user.deleted', 'User "handmade" deleted'],
        ['user.updated', 'User "handmade" updated: first name'],
        ['user.updated', 'User "handmade" updated: display name'],
        ['user.opened', 'User "handmade" opened'],
      ],
    );
    assert.deepEqual(readLogEntry(1570), {
      type: 'user.logged_in',
      summary: 'User "editor1" logged in',
      user: 'editor1',
    });
    assert.equal(readLogEntry(1600).type, 'user.password_reset_requested');
  });

  it('when a setting changed, then the entry has its name and the recorded old and new values', () => {
    const settings: [number, string, string][] = [
      [1785, 'enabled', 'Setting "Anyone can register" enabled'],
      [1805, 'enabled', 'Setting "Discourage search engines" enabled'],
      [1815, 'disabled', 'Setting "Comment author must give name and e-mail" disabled'],
      [1835, 'enabled', 'Setting "Comments are approved by hand" enabled'],
      [1840, 'disabled', 'Setting "Comment author needs an approved comment" disabled'],
      [1850, 'updated', 'Setting "Words that hold a comment back" updated'],
      [1855, 'updated', 'Setting "Words that are not allowed in comments" updated'],
      [1790, 'updated', 'Setting "Default role of new users" updated from "subscriber" to "author"'],
      [1800, 'updated', 'Setting "Permalinks" updated from "/%postname%/" to "/%year%/%postname%/"'],
      [1830, 'updated', 'Setting "Days until comments close" updated from "14" to "0"'],
      [1885, 'updated', 'Setting "Timezone" updated from "Europe/Berlin" to "Europe/London"'],
      [1910, 'updated', 'Setting "Site title" updated from "Rig 8104" to "New title"'],
    ];
    for (const [id, action, summary] of settings)
      assert.deepEqual(readLogEntry(id), { type: `system_setting.${action}`, summary, user: 'admin' });
  });

  it('when tokens or profile fields changed, then their values are omitted', () => {
    for (const id of [1685, 1690])
      assert.deepEqual(readLogEntry(id), {
        type: 'user.connection_changed',
        summary: 'User "admin" connection changed',
        user: 'admin',
      });
    const meta = { changeusername: 'ann', custom_meta_name: 'phone', new_value: 'secret', old_value: 'older' };
    const record = { id: 1, log_type_id: 1685, created_on: '1795306216.5', context: 'user', action_name: 'modified' };
    const [entry] = decodeChangesLog({ 1: { ...record, username: 'ann', user_id: 4, meta_data: meta } }) ?? [];
    assert.equal(entry?.summary, 'User "ann" updated: profile field phone');
  });

  it('when plugins, posts or comments changed, then the summary has no HTML entities', () => {
    assert.deepEqual(
      [1461, 1970, 1460, 1205, 1225, 1215, 1335, 1305, 1520, 1540, 1550, 1560, 1385, 1405].map((id) => {
        const { type, summary } = readLogEntry(id);
        return [type, summary];
      }),
      [
        ['plugin.activated', 'Plugin "Rig Beta “quoted” & Söhne" activated'],
        ['plugin.updated', 'Plugin "Rig Alpha" updated'],
        ['plugin.auto_updates_enabled', 'Plugin "Rig Alpha" auto updates enabled'],
        ['post.published', 'Post "Hand made 2" published'],
        ['post.trashed', 'Post "Hand made 2" trashed'],
        ['post.deleted', 'Post "Hand made 2" deleted'],
        ['post.updated', 'Post "Hand made 2" updated: featured image'],
        ['post.updated', 'Post "Hand made 2" updated: title from "Hand made" to "Hand made 2"'],
        ['comment.approved', 'Comment "Hand made 2" approved'],
        ['comment.spammed', 'Comment "Hand made 2" spammed'],
        ['comment.trashed', 'Comment "Hand made 2" trashed'],
        ['comment.deleted', 'Comment "Hand made 2" deleted'],
        ['category.updated', 'Category "Cat two" updated: name from "Cat one" to "Cat two"'],
        ['tag.updated', 'Tag "Tag two" updated: name from "Tag one" to "Tag two"'],
      ],
    );
  });

  it('when a record names an object, then the entry has its name, key, old and new values', () => {
    const things: [typeId: number, name: string, key: string | null, before: object, after: object][] = [
      [1970, 'Rig Alpha', 'rig-alpha', { version: '1.0' }, { version: '1.1' }],
      [1305, 'Hand made 2', '14', { title: 'Hand made' }, { title: 'Hand made 2' }],
      [1250, 'Hand made 2', '14', { status: 'publish' }, { status: 'private' }],
      [1520, 'Hand made 2', '3', {}, {}],
      [1375, 'Cat two', '2', {}, {}],
      [1390, 'Cat two', null, { slug: 'cat-one' }, { slug: 'cat-two' }],
      [1420, 'pic.png', '18', {}, {}],
      [1475, 'Menu one', '5', {}, {}],
      [1615, 'formuser', '4', {}, { role: 'Author' }],
      [1645, 'handmade', '3', { role: 'editor' }, {}],
      [1640, 'handmade', '3', {}, {}],
      [1885, null as never, null, { timezone: 'Europe/Berlin' }, { timezone: 'Europe/London' }],
    ];
    assert.deepEqual(
      things.map(([typeId]) => {
        const { name, key, before, after } = entryOf(typeId).thing;
        return [typeId, name, key, before, after];
      }),
      things,
    );
  });

  it('when the action log names a plugin or theme, then the entry has its name and key', () => {
    const actions = decodeActionsLog(recorded('log-a')['child_site_actions_data']) ?? [];
    assert.deepEqual(
      actions.map(({ thing }) => [thing.name, thing.key]),
      [
        ['Rig Beta “quoted” & Söhne', 'rig-beta/rig-beta.php'],
        ['Hello Dolly', 'hello.php'],
        ['Hello Dolly', 'hello.php'],
        ['Rig Theme', null],
        ['Twenty Twenty-Five', null],
        ['rig-theme-two', null],
      ],
    );
    const updated = { context: 'themes', action: 'updated', created: 1_795_306_216.5, meta_data: {} as object };
    updated.meta_data = { extra_info: { name: 'Rig', slug: 'rig', old_version: '1.0', new_version: '1.1' } };
    assert.deepEqual(decodeActionsLog({ 5: updated })?.[0]?.thing, {
      name: 'Rig',
      key: 'rig',
      before: { version: '1.0' },
      after: { version: '1.1' },
    });
  });

  it('when both logs report the same event, then type and summary have the same format', () => {
    const actions = decodeActionsLog(recorded('log-a')['child_site_actions_data']) ?? [];
    assert.deepEqual(
      actions.map(({ context, action, summary }) => [`${context}.${action}`, summary]),
      [
        ['plugin.deactivated', '"Rig Beta “quoted” & Söhne" plugin deactivated'],
        ['plugin.deactivated', '"Hello Dolly" plugin deactivated'],
        ['plugin.deleted', '"Hello Dolly" plugin deleted'],
        ['theme.activated', '"Rig Theme" theme activated'],
        ['theme.activated', '"Twenty Twenty-Five" theme activated'],
        ['theme.deleted', '"rig-theme-two" theme deleted'],
      ],
    );
  });

  it('when entries have types, then the contract lists these types', () => {
    const contract = parse(readFileSync(new URL('../../openapi/shared/changes.yaml', import.meta.url), 'utf8')) as {
      ChangeType: { description: string };
    };
    const known = new Set(
      contract.ChangeType.description.split(';').flatMap((line) => {
        const actions = /:([^:]*)$/.exec(line)?.[1]?.match(/\w+/g) ?? [];
        return [...line.matchAll(/`(\w+)`/g)].flatMap(([, context]) => actions.map((action) => `${context}.${action}`));
      }),
    );
    assert.ok(known.has('plugin.activated') && known.has('site.reconnected'));
    const entries = [
      ...(decodeChangesLog(Object.fromEntries(records.map((record) => [record.id, record]))) ?? []),
      ...(decodeActionsLog(recorded('log-a')['child_site_actions_data']) ?? []),
    ];
    const unknown = entries.map(({ context, action }) => `${context}.${action}`).filter((type) => !known.has(type));
    assert.deepEqual([...new Set(unknown)], []);
  });

  it('when entries share an ID, then the second is added to it, and a deleted user has no name', () => {
    const record = { id: 7, log_type_id: 1305, context: 'post', action_name: 'modified', user_id: null };
    const entries = ['1795306216.1', '1795306217.1'].map(
      (created_on) => decodeChangesLog({ 7: { ...record, created_on, username: 'removed', meta_data: {} } })?.[0],
    );
    assert.deepEqual(
      entries.map((entry) => [entry?.externalId, entry?.user]),
      [
        ['7.1795306216', ''],
        ['7.1795306217', ''],
      ],
    );
  });
});
