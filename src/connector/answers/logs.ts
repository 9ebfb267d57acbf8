import type { ChildLogEntry } from '../child-site.ts';
import { asObject, entriesOf, field, plainText, seconds, text, type Json } from './values.ts';

const MAX_ACTIONS = 2_000;
const MAX_READ = 50_000;
const MAX_CHANGES = 5_000;
const SUMMARY_MAX = 300;
const USER_MAX = 100;
const WORD_MAX = 64;

/** Words of a fixed vocabulary; they become the type of an entry. */
const word = (value: unknown): string =>
  text(value, WORD_MAX)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');

/** Log A (protocol 4.9): what people did with plugins, themes and core. Oldest first; what is too much comes with the next sync. */
export function decodeActions(value: unknown): ChildLogEntry[] | undefined {
  const entries = entriesOf(value, MAX_READ);
  if (!entries) return undefined;
  const found: ChildLogEntry[] = [];
  for (const [id, raw] of entries) {
    const item = asObject(raw);
    const created = seconds(field(item, 'created'));
    const externalId = text(id, WORD_MAX);
    // Older children put the connected administrator into the same map.
    if (!item || created === null || externalId === '' || id === 'connected_admin') continue;
    found.push({
      source: 'child_actions',
      externalId,
      at: Math.round(created * 1000),
      context: word(field(item, 'context')),
      action: word(field(item, 'action')),
      summary: plainText(field(item, 'summary'), SUMMARY_MAX),
      user: userOf(item, 'action_user'),
      cursor: created,
    });
  }
  return found.sort((a, b) => (a.cursor ?? 0) - (b.cursor ?? 0)).slice(0, MAX_ACTIONS);
}

/**
 * Log B (protocol 4.9). The fraction of `created_on` is damaged, so whole seconds are taken and the order is the id's. Meta data
 * holds secrets (the stored register tokens, for one): only keys that are known to be harmless are looked at.
 */
export function decodeChanges(value: unknown): ChildLogEntry[] | undefined {
  const entries = entriesOf(value, MAX_CHANGES);
  if (!entries) return undefined;
  const found: (ChildLogEntry & { order: number })[] = [];
  for (const [key, raw] of entries) {
    const item = asObject(raw);
    const externalId = text(field(item, 'id') ?? key, WORD_MAX);
    const created = seconds(field(item, 'created_on'));
    if (!item || created === null || !/^\d{1,20}$/.test(externalId)) continue;
    const context = word(field(item, 'context'));
    const action = word(field(item, 'action_name'));
    found.push({
      source: 'child_changes',
      externalId,
      at: Math.floor(created) * 1000,
      context,
      action,
      summary: summaryOf(context, action, asObject(field(item, 'meta_data'))),
      user: userOf(item, 'username'),
      cursor: null,
      order: Number(externalId),
    });
  }
  return found.sort((a, b) => a.order - b.order).map(({ order: _order, ...entry }) => entry);
}

function userOf(item: Json, key: string): string {
  const meta = asObject(field(asObject(field(item, 'meta_data')), 'user_meta'));
  return plainText(field(item, key), USER_MAX) || plainText(field(meta, 'action_user'), USER_MAX);
}

/** Keys that name the thing that was changed, by the context in which they do. */
const SUBJECTS: Record<string, readonly string[]> = {
  post: ['posttitle'],
  'custom-field': ['posttitle'],
  category: ['categoryname'],
  tag: ['tagname', 'tag'],
  file: ['filename'],
  widget: ['widgetname'],
  plugin: ['name', 'pluginname', 'slug'],
  theme: ['name', 'themename', 'slug'],
  menu: ['menuname'],
  comment: ['posttitle'],
  user: ['changeusername', 'newusername', 'username'],
  'cron-job': ['task_name'],
};

function subjectOf(context: string, meta: Json | null): string {
  const details = asObject(field(meta, `${context}data`));
  for (const key of Object.hasOwn(SUBJECTS, context) ? (SUBJECTS[context] ?? []) : []) {
    const found = plainText(field(details, key) ?? field(meta, key), 120);
    if (found !== '') return found;
  }
  return '';
}

/** `Post "Hello" modified`: our words around one name. */
function summaryOf(context: string, action: string, meta: Json | null): string {
  const what = context.replaceAll('-', ' ');
  const subject = subjectOf(context, meta);
  const sentence = [what, subject && `"${subject}"`, action.replaceAll('-', ' ')].filter(Boolean).join(' ');
  return sentence.charAt(0).toUpperCase() + sentence.slice(1, SUMMARY_MAX);
}
