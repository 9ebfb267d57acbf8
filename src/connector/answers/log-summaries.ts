import type { LogType } from './log-types.ts';
import { asObject, field, plainText, type Json } from './values.ts';

const NAME_MAX = 120;
const VALUE_MAX = 60;
const SUMMARY_MAX = 300;

/** What of a record of the changes log a sentence is made of. */
export interface LogRecord {
  context: string;
  action: string;
  type: LogType;
  meta: Json | null;
  /** Who did it. */
  user: string;
}

/** Keys that name the thing that was changed, by what it is; they stand in the record itself or in a part of it. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  post: ['posttitle'],
  page: ['posttitle'],
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
const PARTS: Readonly<Record<string, readonly string[]>> = {
  plugin: ['plugindata'],
  theme: ['theme', 'themedata'],
  user: ['newuserdata', 'changeuserdata'],
};

function subjectOf({ context, meta, user }: LogRecord): string {
  const keys = ownOf(SUBJECTS, context);
  for (const place of [...ownOf(PARTS, context).map((part) => asObject(field(meta, part))), meta])
    for (const key of keys) {
      const placeName = plainText(field(place, key), NAME_MAX);
      if (placeName !== '') return placeName;
    }
  // Whoever logs in, or asks for a new password, names nobody else.
  return context === 'user' ? user : '';
}

const ownOf = (table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] =>
  Object.hasOwn(table, name) ? (table[name] ?? []) : [];

/** The child keeps its connection tokens in such a field. */
const TOKENS = /mainwp_child_user_verified_registers$/;

/**
 * Values of a profile field are nobody's business; which field it was is said of those that are not the child's own.
 */
function partOf({ type, meta }: LogRecord): string {
  const name = plainText(field(meta, 'custom_meta_name'), VALUE_MAX);
  if (type.about !== 'profile field' || name === '') return type.about ?? '';
  return TOKENS.test(name) ? 'connection of the child plugin' : `profile field ${name}`;
}

function valuesOf({ type, meta }: LogRecord): string {
  if (!type.values) return '';
  const [from, to] = type.values.map((key) => plainText(field(meta, key), VALUE_MAX));
  return [from && ` from "${from}"`, to && ` to "${to}"`].join('');
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1, SUMMARY_MAX);

/** `Post "Hello" updated: title from "Hallo" to "Hello"`: our words around the names and values of the site. */
export function summaryOf(record: LogRecord): string {
  const action = record.action.replaceAll('_', ' ');
  const part = partOf(record);
  if (record.context === 'system_setting')
    return sentence(['setting', part && `"${part}"`, action].filter(Boolean).join(' ') + valuesOf(record));
  const subject = subjectOf(record);
  const what = [record.context.replaceAll('_', ' '), subject && `"${subject}"`, action].filter(Boolean).join(' ');
  return sentence(what + (part && `: ${part}`) + valuesOf(record));
}
