import { appendAction, appendChange } from './operations/logs.ts';
import { CHILD_FILE, latest, pluginForPackage } from './state/catalogue.ts';
import { newPost } from './state/generate-content.ts';
import { clearConnection, findUser } from './state/connection.ts';
import type { Plugin, SiteState, Theme } from './state/types.ts';

/** What somebody does at the site itself, past the dashboard. `by` is a login, by default the first administrator's. */
export type VisitorAct = { by?: string } & (
  | { do: 'activate-plugin' | 'deactivate-plugin' | 'delete-plugin' | 'update-plugin'; plugin: string }
  | { do: 'install-plugin'; folder: string; version?: string }
  | { do: 'switch-theme' | 'delete-theme' | 'update-theme'; theme: string }
  | { do: 'update-core' }
  /** A new release appeared in the directory. */
  | { do: 'release-plugin'; plugin: string; version: string }
  | { do: 'release-theme'; theme: string; version: string }
  | { do: 'release-core'; version: string }
  | { do: 'publish-post'; title: string; type?: 'post' | 'page' }
  | { do: 'comment'; postId: number; content: string }
  | { do: 'log-in' }
  | { do: 'change-role'; user: string; role: string }
  | { do: 'delete-user'; user: string }
  | { do: 'set-unique-id'; uniqueId: string }
  | { do: 'set-password-auth'; user: string; on: boolean }
  /** Deactivating the child clears the connection; activating it again does not bring it back. */
  | { do: 'deactivate-child' }
  | { do: 'activate-child' }
);

export function actAsVisitor(state: SiteState, act: VisitorAct, now: number): void {
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
      const version = act.version ?? latest(definition.versions);
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
    case 'comment':
      addComment(state, act.postId, act.content, now);
      return;
    case 'log-in':
      appendChange(state, now, { typeId: 1570, context: 'user', action: 'logged-in', login, meta: {} });
      return;
    case 'change-role':
      changeRole(state, act.user, act.role, login, now);
      return;
    case 'delete-user':
      deleteUser(state, act.user, login, now);
      return;
    case 'set-unique-id':
      state.uniqueId = act.uniqueId;
      return;
    case 'set-password-auth':
      userOf(state, act.user).passwordAuth = act.on;
      return;
    case 'deactivate-child':
      state.childActive = false;
      pluginOf(state, CHILD_FILE).active = false;
      clearConnection(state);
      return;
    case 'activate-child':
      state.childActive = true;
      pluginOf(state, CHILD_FILE).active = true;
  }
}

type PluginVerb = 'activate-plugin' | 'deactivate-plugin' | 'delete-plugin' | 'update-plugin';

/** Deactivating and deleting go to log A, activating and updating to log B (protocol 4.9). */
function changePlugin(state: SiteState, verb: PluginVerb, plugin: Plugin, login: string, now: number): void {
  const { file, name } = plugin.definition;
  const logged = (action: string): void =>
    appendAction(state, now, {
      context: 'plugins',
      action,
      login,
      summary: `"${name}" plugin ${action} `,
      extra: { name, slug: file },
    });
  const changed = (typeId: number, action: string, meta: Record<string, unknown>): void =>
    appendChange(state, now, { typeId, context: 'plugin', action, login, meta });
  if (verb === 'activate-plugin') {
    plugin.active = true;
    changed(1461, 'activated', { slug: file, plugindata: { name, version: plugin.version } });
  } else if (verb === 'deactivate-plugin') {
    plugin.active = false;
    logged('deactivated');
  } else if (verb === 'delete-plugin') {
    state.plugins.delete(file);
    logged('deleted');
  } else {
    const oldversion = plugin.version;
    plugin.version = plugin.update ?? plugin.version;
    plugin.update = null;
    changed(1970, 'updated', { slug: file, oldversion, plugindata: { name, version: plugin.version } });
  }
}

function changeTheme(
  state: SiteState,
  verb: 'switch-theme' | 'delete-theme' | 'update-theme',
  theme: Theme,
  login: string,
  now: number,
): void {
  const { stylesheet, name } = theme.definition;
  if (verb === 'update-theme') {
    const oldversion = theme.version;
    theme.version = theme.update ?? theme.version;
    theme.update = null;
    const meta = { oldversion, themedata: { name, version: theme.version } };
    appendChange(state, now, { typeId: 1980, context: 'theme', action: 'updated', login, meta });
    return;
  }
  if (verb === 'switch-theme') state.activeTheme = stylesheet;
  else state.themes.delete(stylesheet);
  const action = verb === 'switch-theme' ? 'activated' : 'deleted';
  const summary = `&quot;${name}&quot; theme ${action}`;
  appendAction(state, now, { context: 'themes', action, login, summary, extra: { name } });
}

function updateCore(state: SiteState, login: string, now: number): void {
  const version = state.core.update;
  if (version === null) return;
  const extra = { old_version: state.core.version, new_version: version, auto_updated: false };
  state.core.version = version;
  state.core.update = null;
  const summary = `WordPress updated to ${version}`;
  appendAction(state, now, { context: 'wordpress', action: 'updated', login, summary, extra });
}

function publish(state: SiteState, title: string, type: string, login: string, now: number): void {
  const id = state.nextId.post;
  state.nextId.post += 1;
  const authorId = findUser(state, login)?.id ?? 1;
  state.posts.set(id, newPost({ id, type, status: 'publish', title, date: Math.floor(now), authorId }));
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

function changeRole(state: SiteState, user: string, role: string, login: string, now: number): void {
  const changed = userOf(state, user);
  const meta = { targetusername: changed.login, oldrole: changed.role, newrole: role };
  changed.role = role;
  appendChange(state, now, { typeId: 1615, context: 'user', action: 'modified', login, meta });
}

function deleteUser(state: SiteState, user: string, login: string, now: number): void {
  const doomed = userOf(state, user);
  state.users = state.users.filter((item) => item !== doomed);
  const meta = { targetusername: doomed.login };
  appendChange(state, now, { typeId: 1645, context: 'user', action: 'deleted', login, meta });
}

function pluginOf(state: SiteState, file: string): Plugin {
  return present(state.plugins.get(file), `plugin ${file}`);
}

function themeOf(state: SiteState, stylesheet: string): Theme {
  return present(state.themes.get(stylesheet), `theme ${stylesheet}`);
}

function userOf(state: SiteState, login: string): SiteState['users'][number] {
  return present(findUser(state, login), `user ${login}`);
}

/** A scripted act on something the site does not have is a mistake of the script. */
function present<T>(item: T | undefined, what: string): T {
  if (item === undefined) throw new Error(`the simulated site has no ${what}`);
  return item;
}
