import type { ChangedValues } from '../../shared/changed-values.ts';
import type { LoggedThing } from '../child-site.ts';
import type { LogType } from './log-types.ts';
import { asObject, field, plainText, text, type Json } from './values.ts';

const NAME_MAX = 120;
const KEY_MAX = 191;
const VALUE_MAX = 60;

export interface LogRecord {
  context: string;
  action: string;
  type: LogType;
  meta: Json | null;
  user: string;
  kind?: string;
}

type Values = Pick<LoggedThing, 'before' | 'after'>;

const NAME_KEYS: Readonly<Record<string, readonly string[]>> = {
  post: ['posttitle'],
  page: ['posttitle'],
  custom_post: ['posttitle'],
  custom_field: ['posttitle'],
  category: ['categoryname', 'new_name'],
  tag: ['tagname', 'new_name', 'tag'],
  file: ['filename'],
  widget: ['widgetname'],
  plugin: ['name', 'pluginname', 'title', 'slug'],
  theme: ['name', 'themename', 'slug'],
  menu: ['menuname'],
  comment: ['posttitle'],
  user: ['changeusername', 'newusername', 'username'],
  cron_job: ['task_name'],
};
const IDENTIFIER_KEYS: Readonly<Record<string, readonly string[]>> = {
  category: ['categoryid', 'slug'],
  tag: ['tagid', 'slug'],
  file: ['attachmentid'],
  plugin: ['slug'],
  theme: ['slug'],
  menu: ['menuid'],
  comment: ['commentid'],
  user: ['newuserid', 'changeuserid'],
};
const PARTS: Readonly<Record<string, readonly string[]>> = {
  plugin: ['plugindata'],
  theme: ['theme', 'themedata'],
  user: ['newuserdata', 'changeuserdata'],
};
const OF_A_POST = ['post', 'page', 'custom_post', 'custom_field'];
const EDITED = ['plugin', 'theme'];
const VERSIONED = ['plugin', 'theme', 'wordpress'];

export function loggedThingOf(record: LogRecord, postId: number | null): LoggedThing {
  const { context, meta } = record;
  if (isOfEditor(record)) return editedThing(record);
  const ofPost = OF_A_POST.includes(context) && postId ? String(postId) : null;
  const values = VERSIONED.includes(context) ? versionsOf(record) : valuesOf(record);
  return {
    name: nameOf(record) || null,
    key: ofPost ?? (first(placesOf(context, meta), ownOf(IDENTIFIER_KEYS, context), KEY_MAX) || null),
    ...values,
  };
}

const isOfEditor = ({ context, action }: LogRecord): boolean => action === 'edited' && EDITED.includes(context);

function editedThing({ context, meta }: LogRecord): LoggedThing {
  const read = (key: string): string => pathEnd(plainText(field(meta, key), KEY_MAX));
  const key = read(context);
  const name = plainText(field(meta, 'name'), NAME_MAX) || key;
  return { name: name || null, key: key || null, before: {}, after: filled('file', read('file')) };
}

export function loggedThingOfAction(action: string, meta: Json | null): LoggedThing {
  const extra = asObject(field(meta, 'extra_info'));
  const of = (key: string): string => plainText(field(extra, key), NAME_MAX);
  const version = (...keys: string[]): ChangedValues => filled('version', keys.map(of).find(Boolean) ?? '');
  const before = action === 'deleted' ? version('old_version', 'version') : version('old_version');
  const after = action === 'deleted' ? {} : version('new_version', 'version');
  return {
    name: of('name') || null,
    key: text(field(extra, 'slug') ?? field(meta, 'slug'), KEY_MAX) || null,
    before,
    // For an update of WordPress, the child sends the old version as the new one, so the new one is unknown.
    after: action === 'updated' && after['version'] === before['version'] ? {} : after,
  };
}

export function nameOf(record: LogRecord): string {
  if (isOfEditor(record)) return editedThing(record).name ?? '';
  const { context, meta, user } = record;
  const name = first(placesOf(context, meta), ownOf(NAME_KEYS, context), NAME_MAX);
  // Records of logins and of password requests contain only the user who acted.
  return name || (context === 'user' ? user : '');
}

export function pairOf({ type, meta }: LogRecord): [from: string, to: string] {
  const [from, to] = type.values ?? [];
  const read = (key = ''): string => (key === '' ? '' : plainText(field(meta, key), VALUE_MAX));
  return [read(from), to === 'file' ? pathEnd(read(to)) : read(to)];
}

/**
 * Returns the last part of an absolute path. The child sends a theme with its path on the server, which must not be
 * shown.
 */
const pathEnd = (path: string): string => (/^([a-z]:)?[/\\]/i.test(path) ? (path.split(/[/\\]/).at(-1) ?? '') : path);

function valuesOf(record: LogRecord): Values {
  const { context, action, type, meta } = record;
  const roles = (part: string): string => plainText(field(asObject(field(meta, part)), 'userroles'), VALUE_MAX);
  if (context === 'user' && action === 'created') return { before: {}, after: filled('role', roles('newuserdata')) };
  if (context === 'user' && action === 'deleted') return { before: filled('role', roles('changeuserdata')), after: {} };
  const [from, to] = pairOf(record);
  const name = action.startsWith('role_') ? 'role' : (type.about ?? 'value').toLowerCase().replace(/[^a-z]+/g, '_');
  return { before: filled(name, from), after: filled(name, to) };
}

function versionsOf({ context, action, meta }: LogRecord): Values {
  const version = filled(
    'version',
    first(placesOf(context, meta), ['version', 'newversion', 'new_version'], VALUE_MAX),
  );
  if (action === 'deleted') return { before: version, after: {} };
  return { before: filled('version', first([meta], ['oldversion', 'old_version'], VALUE_MAX)), after: version };
}

const filled = (name: string, value: string): ChangedValues => (value === '' ? {} : { [name]: value });

const placesOf = (context: string, meta: Json | null): (Json | null)[] => [
  ...ownOf(PARTS, context).map((part) => asObject(field(meta, part))),
  meta,
];

function first(places: readonly (Json | null)[], keys: readonly string[], max: number): string {
  for (const place of places)
    for (const key of keys) {
      const value = plainText(field(place, key), max);
      if (value !== '') return value;
    }
  return '';
}

const ownOf = (table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] =>
  Object.hasOwn(table, name) ? (table[name] ?? []) : [];
