import { createPublicKey, verify } from 'node:crypto';
import type { Defects } from './operations/defects.ts';
import { textField, type PhpFormFields } from './protocol/form.ts';
import type { GuardFile, Plugin, SiteState, Theme } from './state/site-state.ts';

/**
 * This file simulates guard files: must-use plugins that copy a plugin or theme before its update, and put the copy
 * back after a fatal error or when asked. For an activation, they deactivate the plugin instead. They answer before the
 * child plugin is loaded (recorded from real sites).
 */

interface GuardedSite {
  readonly state: SiteState;
  readonly defects: Defects;
  touch(): void;
  now(): number;
}

const FOLDER = 'wp-content/mu-plugins';
/** Bytes before a raw Ed25519 public key in the DER format, which Node reads. In hexadecimal. */
const SPKI_PREFIX = '302a300506032b6570032100';

/**
 * Adds a PHP file to the must-use plugins, and to the guard files if it is one. Ignores files that WordPress ignores.
 */
export function putPhpFile(
  { state, defects }: Pick<GuardedSite, 'state' | 'defects'>,
  { path, name, text }: { path: string; name: string; text: string },
  now: number,
): void {
  const [, value = ''] = /^ \* Plugin Name: (.+)$/m.exec(text) ?? [];
  if (path !== FOLDER || value === '' || defects.otherMuFolder) return;
  const definition = {
    file: name,
    name: value,
    description: '',
    author: '',
    versions: [],
    requiresPhp: '',
    ageDays: 0,
  };
  state.plugins.set(name, { definition, version: '', active: true, update: null, mu: true });
  const valueOf = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';
  const id = valueOf(/\$id\s*= '([0-9a-f]{32})'/);
  if (id === '') return;
  state.guardFiles.set(name, {
    id,
    kind: valueOf(/'plugin' === '(\w+)'/) === 'theme' ? 'theme' : 'plugin',
    folder: valueOf(/\$live = "\$root\/([^"]+)"/),
    publicKey: valueOf(/hex2bin\( '([0-9a-f]{64})' \)/),
    expiresAt: now + Number(valueOf(/\(int\) '(\d+)'/)) * 1000,
    lastSequence: '',
    activated: valueOf(/\$main = '([^']*)'/),
    isActivationArmed: false,
    copy: null,
    restored: null,
  });
}

export function deleteFile({ state }: Pick<GuardedSite, 'state'>, path: string, name: string): void {
  if (path !== FOLDER) return;
  state.plugins.delete(name);
  state.guardFiles.delete(name);
}

export function answerOfGuardFile(site: GuardedSite, fields: PhpFormFields): object | undefined {
  const id = textField(fields, 'sitefleet_guard');
  const entry = [...site.state.guardFiles].find(([, { id: own }]) => own === id);
  if (entry === undefined) return undefined;
  const [name, file] = entry;
  const message = textField(fields, 'sitefleet_message');
  const [, action = '', sequence = ''] = /^(arm|state|restore|remove) (\d{16})$/.exec(message) ?? [];
  const signature = Buffer.from(textField(fields, 'sitefleet_signature'), 'hex');
  const key = createPublicKey({ key: Buffer.from(SPKI_PREFIX + file.publicKey, 'hex'), format: 'der', type: 'spki' });
  if (action === '' || !verify(null, Buffer.from(`sitefleet-guard ${id} ${message}`), key, signature)) return undefined;
  site.touch();
  if (site.defects.openMuFolder) {
    deleteFile(site, FOLDER, name);
    return { ...answerOf(site, file, false), error: 'folder_mode_removed' };
  }
  if (sequence <= file.lastSequence) return { ...answerOf(site, file, false), error: 'replayed' };
  file.lastSequence = sequence;
  if (action === 'remove') {
    if (site.defects.guardFilesStay) return answerOf(site, file, false);
    deleteFile(site, FOLDER, name);
    return { ...answerOf(site, { ...file, copy: null }, true), restored: null };
  }
  if (action === 'arm') return answerOf(site, file, arm(site, file));
  if (action === 'restore') return answerOf(site, file, restore(site, file, { cause: 'asked' }));
  return answerOf(site, file, true);
}

export function restoreAfterFatal(site: GuardedSite, slugs: Iterable<string>): void {
  for (const slug of slugs)
    for (const file of site.state.guardFiles.values())
      if (slug.split('/', 1)[0] === file.folder && isArmed(file))
        restore(site, file, {
          ...{ cause: 'fatal', file: `/var/www/site/wp-content/${file.kind}s/${slug}`, line: 10 },
          message: 'Uncaught Error: Call to undefined function no_such_function_zz()',
        });
}

/** Deletes expired guard files. On a real site, such a file deletes itself when the next page is complete. */
export function expireGuardFiles(site: GuardedSite): void {
  for (const [name, file] of site.state.guardFiles) if (site.now() > file.expiresAt) deleteFile(site, FOLDER, name);
}

function arm({ state, defects }: GuardedSite, file: GuardFile): boolean {
  if (defects.unwritable.has(file.folder)) return false;
  if (file.activated !== '') {
    file.isActivationArmed = true;
    return true;
  }
  file.copy ??= {
    plugins: file.kind === 'plugin' ? pluginsIn(state, file).map((plugin) => ({ ...plugin })) : [],
    themes: file.kind === 'theme' ? themesIn(state, file).map((theme) => ({ ...theme })) : [],
  };
  return file.copy.plugins.length + file.copy.themes.length > 0;
}

function restore(site: GuardedSite, file: GuardFile, why: object): boolean {
  if (!isArmed(file)) return file.restored !== null;
  const { state } = site;
  const activated = state.plugins.get(file.activated);
  if (activated) activated.active = false;
  else putBack(state, file);
  file.isActivationArmed = false;
  file.restored = { ...why, at: Math.floor(site.now() / 1000) };
  site.touch();
  return true;
}

function putBack(state: SiteState, file: GuardFile): void {
  if (!file.copy) return;
  const isActive = ({ definition }: Plugin): boolean =>
    state.plugins.get(definition.file)?.active ?? state.activeWithoutFiles.has(definition.file);
  // WordPress stores which plugins are active in its database, so the copy does not change it.
  const plugins = file.copy.plugins.map((plugin) => ({ ...plugin, active: isActive(plugin) }));
  for (const { definition } of pluginsIn(state, file))
    if (file.kind === 'plugin') state.plugins.delete(definition.file);
  for (const plugin of plugins) {
    state.activeWithoutFiles.delete(plugin.definition.file);
    state.plugins.set(plugin.definition.file, plugin);
  }
  for (const theme of file.copy.themes) state.themes.set(theme.definition.stylesheet, theme);
  file.copy = null;
}

const isArmed = ({ copy, isActivationArmed }: GuardFile): boolean => copy !== null || isActivationArmed;

const answerOf = (site: GuardedSite, file: GuardFile, ok: boolean): object => ({
  ok,
  guard: file.id,
  armed: isArmed(file),
  live: pluginsIn(site.state, file).length + themesIn(site.state, file).length > 0,
  restored: file.restored,
  now: Math.floor(site.now() / 1000),
});

const pluginsIn = ({ plugins }: SiteState, { folder }: GuardFile): Plugin[] =>
  [...plugins.values()].filter(({ definition, mu }) => !mu && definition.file.startsWith(`${folder}/`));

const themesIn = ({ themes }: SiteState, { folder }: GuardFile): Theme[] =>
  [...themes.values()].filter(({ definition }) => definition.stylesheet === folder);
