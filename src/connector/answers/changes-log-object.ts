import type { ChangedValues } from '../../shared/changed-values.ts';
import type { ChildLogObject } from '../child-site.ts';
import type { ChangesLogType } from './changes-log-types.ts';
import { asObject, readField, readPlainText, readText, type JsonRecord } from './json-values.ts';

const NAME_MAX = 120;
const KEY_MAX = 191;
const VALUE_MAX = 60;

export interface ChangesLogRecord {
  context: string;
  action: string;
  type: ChangesLogType;
  meta: JsonRecord | null;
  user: string;
  kind?: string;
}

type ValuesBeforeAndAfter = Pick<ChildLogObject, 'before' | 'after'>;

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

export function readChangesLogObject(record: ChangesLogRecord, postId: number | null): ChildLogObject {
  const { context, meta } = record;
  if (isFileEdit(record)) return readEditedFile(record);
  const ofPost = OF_A_POST.includes(context) && postId ? String(postId) : null;
  const values = VERSIONED.includes(context) ? readChangedVersions(record) : readChangedValues(record);
  return {
    name: readObjectName(record) || null,
    key:
      ofPost ??
      (firstFilledText(objectRecordsOf(context, meta), ownEntryOf(IDENTIFIER_KEYS, context), KEY_MAX) || null),
    ...values,
  };
}

const isFileEdit = ({ context, action }: ChangesLogRecord): boolean => action === 'edited' && EDITED.includes(context);

function readEditedFile({ context, meta }: ChangesLogRecord): ChildLogObject {
  const read = (key: string): string => stripServerPath(readPlainText(readField(meta, key), KEY_MAX));
  const key = read(context);
  const name = readPlainText(readField(meta, 'name'), NAME_MAX) || key;
  return { name: name || null, key: key || null, before: {}, after: valueUnlessEmpty('file', read('file')) };
}

export function readActionsLogObject(action: string, meta: JsonRecord | null): ChildLogObject {
  const extra = asObject(readField(meta, 'extra_info'));
  const of = (key: string): string => readPlainText(readField(extra, key), NAME_MAX);
  const version = (...keys: string[]): ChangedValues => valueUnlessEmpty('version', keys.map(of).find(Boolean) ?? '');
  const before = action === 'deleted' ? version('old_version', 'version') : version('old_version');
  const after = action === 'deleted' ? {} : version('new_version', 'version');
  return {
    name: of('name') || null,
    key: readText(readField(extra, 'slug') ?? readField(meta, 'slug'), KEY_MAX) || null,
    before,
    // For an update of WordPress, the child sends the old version as the new one, so the new one is unknown.
    after: action === 'updated' && after['version'] === before['version'] ? {} : after,
  };
}

export function readObjectName(record: ChangesLogRecord): string {
  if (isFileEdit(record)) return readEditedFile(record).name ?? '';
  const { context, meta, user } = record;
  const name = firstFilledText(objectRecordsOf(context, meta), ownEntryOf(NAME_KEYS, context), NAME_MAX);
  // Records of logins and of password requests contain only the user who acted.
  return name || (context === 'user' ? user : '');
}

export function readOldAndNewValue({ type, meta }: ChangesLogRecord): [from: string, to: string] {
  const [from, to] = type.values ?? [];
  const read = (key = ''): string => (key === '' ? '' : readPlainText(readField(meta, key), VALUE_MAX));
  return [read(from), to === 'file' ? stripServerPath(read(to)) : read(to)];
}

/** The child sends a theme with its path on the server, which must not be shown. */
const stripServerPath = (path: string): string =>
  /^([a-z]:)?[/\\]/i.test(path) ? (path.split(/[/\\]/).at(-1) ?? '') : path;

function readChangedValues(record: ChangesLogRecord): ValuesBeforeAndAfter {
  const { context, action, type, meta } = record;
  const roles = (part: string): string =>
    readPlainText(readField(asObject(readField(meta, part)), 'userroles'), VALUE_MAX);
  if (context === 'user' && action === 'created')
    return { before: {}, after: valueUnlessEmpty('role', roles('newuserdata')) };
  if (context === 'user' && action === 'deleted')
    return { before: valueUnlessEmpty('role', roles('changeuserdata')), after: {} };
  const [from, to] = readOldAndNewValue(record);
  const name = action.startsWith('role_') ? 'role' : (type.about ?? 'value').toLowerCase().replace(/[^a-z]+/g, '_');
  return { before: valueUnlessEmpty(name, from), after: valueUnlessEmpty(name, to) };
}

function readChangedVersions({ context, action, meta }: ChangesLogRecord): ValuesBeforeAndAfter {
  const version = valueUnlessEmpty(
    'version',
    firstFilledText(objectRecordsOf(context, meta), ['version', 'newversion', 'new_version'], VALUE_MAX),
  );
  if (action === 'deleted') return { before: version, after: {} };
  return {
    before: valueUnlessEmpty('version', firstFilledText([meta], ['oldversion', 'old_version'], VALUE_MAX)),
    after: version,
  };
}

const valueUnlessEmpty = (name: string, value: string): ChangedValues => (value === '' ? {} : { [name]: value });

const objectRecordsOf = (context: string, meta: JsonRecord | null): (JsonRecord | null)[] => [
  ...ownEntryOf(PARTS, context).map((part) => asObject(readField(meta, part))),
  meta,
];

function firstFilledText(places: readonly (JsonRecord | null)[], keys: readonly string[], max: number): string {
  for (const place of places)
    for (const key of keys) {
      const value = readPlainText(readField(place, key), max);
      if (value !== '') return value;
    }
  return '';
}

const ownEntryOf = (table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] =>
  Object.hasOwn(table, name) ? (table[name] ?? []) : [];
