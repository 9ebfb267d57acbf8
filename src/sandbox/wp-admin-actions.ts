import { appendAction, appendChange } from './operations/logs.ts';
import { CHILD_PLUGIN_FILE, latestVersion, pluginForPackage } from './state/catalogue.ts';
import { newPost } from './state/generate-content.ts';
import { findUser } from './state/connection.ts';
import type { Plugin, SiteState, Theme } from './state/site-state.ts';
import { changePassword, changeRole, changeSetting, createUser, deleteUser } from './wp-admin-users.ts';

/** An action at the site itself, without the dashboard. `by` is a login. Default: the first administrator. */
export type WpAdminAction = { by?: string } & (
  | { do: 'activate-plugin' | 'deactivate-plugin' | 'delete-plugin' | 'update-plugin'; plugin: string }
  | { do: 'install-plugin'; folder: string; version?: string }
  | { do: 'switch-theme' | 'delete-theme' | 'update-theme'; theme: string }
  | { do: 'update-core' }
  | { do: 'release-plugin'; plugin: string; version: string }
  | { do: 'release-theme'; theme: string; version: string }
  | { do: 'release-core'; version: string }
  | { do: 'publish-post'; title: string; type?: 'post' | 'page' }
  /**
   * Inserts a post as a program does through the REST API. The child does not log that a post was created, only that
   * its category was set. For a page, it logs nothing. With `silent`, a script on the command line inserts the post,
   * and the child logs nothing. Default: a published post.
   */
  | {
      do: 'insert-post';
      title: string;
      type?: 'post' | 'page';
      status?: 'publish' | 'draft' | 'private';
      date?: number;
      silent?: boolean;
    }
  | { do: 'comment'; postId: number; content: string }
  | { do: 'log-in' }
  | { do: 'create-user'; user: string; role: string }
  | { do: 'change-role'; user: string; role: string }
  | { do: 'change-password'; user: string; password: string }
  | { do: 'delete-user'; user: string }
  /** Changes the setting that has this type number in the changes log. */
  | { do: 'change-setting'; typeId: number; action: 'enabled' | 'disabled' | 'modified'; meta?: Record<string, string> }
  | { do: 'set-unique-id'; uniqueId: string }
  | { do: 'set-password-auth'; user: string; on: boolean }
  /** Deactivates the child plugin in wp-admin. All data is kept, so the old key is valid again after activation. */
  | { do: 'deactivate-child' }
  | { do: 'activate-child' }
);

export function performWpAdminAction(state: SiteState, act: WpAdminAction, now: number): void {
  const login = act.by ?? state.users.find((user) => user.role === 'administrator')?.login ?? 'admin';
  switch (act.do) {
    case 'activate-plugin':
    case 'deactivate-plugin':
    case 'delete-plugin':
    case 'update-plugin':
      changePlugin(state, act.do, pluginOf(state, act.plugin), login, now);
      return;
    case 'install-plugin': {
      const definition = pluginForPackage(act.folder, act.version ?? '1.0.0');
      const version = act.version ?? latestVersion(definition.versions);
      state.plugins.set(definition.file, { definition, version, active: false, update: null, mu: false });
      return;
    }
    case 'switch-theme':
    case 'delete-theme':
    case 'update-theme':
      changeTheme(state, act.do, themeOf(state, act.theme), login, now);
      return;
    case 'update-core':
      updateCore(state, login, now);
      return;
    case 'release-plugin':
      pluginOf(state, act.plugin).update = act.version;
      return;
    case 'release-theme':
      themeOf(state, act.theme).update = act.version;
      return;
    case 'release-core':
      state.core.update = act.version;
      return;
    case 'publish-post':
      publish(state, act.title, act.type ?? 'post', login, now);
      return;
    case 'insert-post':
      insertByProgram(state, act, login, now);
      return;
    case 'comment':
      addComment(state, act.postId, act.content, now);
      return;
    case 'log-in':
      appendChange(state, now, { typeId: 1570, context: 'user', action: 'logged-in', login, meta: {} });
      return;
    case 'create-user':
      createUser(state, act.user, act.role, login, now);
      return;
    case 'change-role':
      changeRole(state, userOf(state, act.user), act.role, login, now);
      return;
    case 'change-password':
      changePassword(state, userOf(state, act.user), act.password, login, now);
      return;
    case 'delete-user':
      deleteUser(state, userOf(state, act.user), login, now);
      return;
    case 'change-setting':
      changeSetting(state, act, login, now);
      return;
    case 'set-unique-id':
      state.uniqueId = act.uniqueId;
      return;
    case 'set-password-auth':
      userOf(state, act.user).passwordAuth = act.on;
      return;
    case 'deactivate-child':
      state.childActive = false;
      pluginOf(state, CHILD_PLUGIN_FILE).active = false;
      return;
    case 'activate-child':
      state.childActive = true;
      pluginOf(state, CHILD_PLUGIN_FILE).active = true;
  }
}

type PluginVerb = 'activate-plugin' | 'deactivate-plugin' | 'delete-plugin' | 'update-plugin';

/**
 * Changes a plugin in wp-admin. Deactivation and deletion are recorded in log A, with different escaping of quotes.
 * Activation and update are recorded in log B (protocol 4.9).
 */
function changePlugin(state: SiteState, verb: PluginVerb, plugin: Plugin, login: string, now: number): void {
  const { file, name } = plugin.definition;
  const logged = (action: string, summary: string): void =>
    appendAction(state, now, { context: 'plugins', action, login, summary, extra: { name, slug: file } });
  const changed = (typeId: number, action: string, meta: Record<string, unknown>): void =>
    appendChange(state, now, { typeId, context: 'plugin', action, login, meta });
  if (verb === 'activate-plugin') {
    plugin.active = true;
    changed(1461, 'activated', {
      slug: file,
      plugindata: { name: escapeHtmlAttribute(name), version: plugin.version },
    });
  } else if (verb === 'deactivate-plugin') {
    plugin.active = false;
    logged('deactivated', `"${name}" plugin deactivated `);
  } else if (verb === 'delete-plugin') {
    state.plugins.delete(file);
    logged('deleted', escapeHtmlAttribute(`"${name}" plugin deleted`));
  } else {
    const oldversion = plugin.version;
    plugin.version = plugin.update ?? plugin.version;
    plugin.update = null;
    const slug = file.split('/', 1)[0];
    const plugindata = {
      name: escapeHtmlAttribute(name),
      version: plugin.version,
      slug,
      title: escapeHtmlAttribute(name),
    };
    changed(1970, 'updated', { plugindata, oldversion, auto_updated: '0' });
  }
}

/**
 * Changes a theme in wp-admin. A manual theme update is recorded in neither log. A deleted theme is recorded under its
 * folder name.
 */
function changeTheme(
  state: SiteState,
  verb: 'switch-theme' | 'delete-theme' | 'update-theme',
  theme: Theme,
  login: string,
  now: number,
): void {
  const { stylesheet, name } = theme.definition;
  if (verb === 'update-theme') {
    theme.version = theme.update ?? theme.version;
    theme.update = null;
    return;
  }
  if (verb === 'switch-theme') state.activeTheme = stylesheet;
  else state.themes.delete(stylesheet);
  const [action, shown] = verb === 'switch-theme' ? ['activated', name] : ['deleted', stylesheet];
  const summary = escapeHtmlAttribute(`"${shown}" theme ${action}`);
  appendAction(state, now, { context: 'themes', action, login, summary, extra: { name: shown } });
}

/**
 * Updates WordPress in wp-admin. The update is recorded in both logs. Log A contains the old version as the new
 * version, because the new version is not loaded yet (protocol 4.9).
 */
function updateCore(state: SiteState, login: string, now: number): void {
  const { version: old_version, update: new_version } = state.core;
  if (new_version === null) return;
  state.core.version = new_version;
  state.core.update = null;
  const extra = { old_version, new_version: old_version, auto_updated: false };
  const summary = `WordPress updated to ${old_version}`;
  appendAction(state, now, { context: 'wordpress', action: 'updated', login, summary, extra });
  const meta = { old_version, new_version, auto_updated: '0' };
  appendChange(state, now, { typeId: 1960, context: 'wordpress', action: 'updated', login, meta });
}

/**
 * Inserts a post. WordPress uses the date of a new post as its modification date, and stores no modification date for a
 * draft.
 */
function insertPost(state: SiteState, post: WpAdminAction & { do: 'insert-post' }, now: number, authorId = 1): number {
  const id = state.nextId.post;
  state.nextId.post += 1;
  const { title, type = 'post', status = 'publish', date = Math.floor(now) } = post;
  const modified = status === 'draft' ? null : date;
  state.posts.set(id, newPost({ id, type, status, title, date, modified, dated: status !== 'draft', authorId }));
  return id;
}

function insertByProgram(
  state: SiteState,
  post: WpAdminAction & { do: 'insert-post' },
  login: string,
  now: number,
): void {
  const id = insertPost(state, post, now, findUser(state, login)?.id ?? 1);
  if (post.type === 'page' || post.silent === true) return;
  const meta = { posttitle: post.title, oldcategories: 'no categories', newcategories: 'Uncategorized' };
  appendChange(state, now, { typeId: 1235, context: 'post', action: 'modified', login, postId: id, meta });
}

function publish(state: SiteState, title: string, type: 'post' | 'page', login: string, now: number): void {
  const id = insertPost(state, { do: 'insert-post', title, type }, now, findUser(state, login)?.id ?? 1);
  appendChange(state, now, {
    typeId: 1205,
    context: 'post',
    action: 'modified',
    login,
    postId: id,
    meta: { posttitle: title },
  });
}

function addComment(state: SiteState, postId: number, content: string, now: number): void {
  const id = state.nextId.comment;
  state.nextId.comment += 1;
  const date = Math.floor(now);
  const person = { author: 'A visitor', email: 'visitor@example.test', url: '', ip: '203.0.113.9' };
  state.comments.set(id, { id, postId, ...person, content, status: 'hold', previous: 'hold', date });
}

const escapeHtmlAttribute = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function pluginOf(state: SiteState, file: string): Plugin {
  return requirePresent(state.plugins.get(file), `plugin ${file}`);
}

function themeOf(state: SiteState, stylesheet: string): Theme {
  return requirePresent(state.themes.get(stylesheet), `theme ${stylesheet}`);
}

function userOf(state: SiteState, login: string): SiteState['users'][number] {
  return requirePresent(findUser(state, login), `user ${login}`);
}

function requirePresent<T>(item: T | undefined, what: string): T {
  if (item === undefined) throw new Error(`the simulated site has no ${what}`);
  return item;
}
