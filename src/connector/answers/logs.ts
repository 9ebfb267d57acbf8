import type { ChildLogEntry } from '../child-site.ts';
import { readChangesLogObject, readActionsLogObject, type ChangesLogRecord } from './changes-log-object.ts';
import { summarizeLogRecord } from './log-summaries.ts';
import {
  normalizeLogAction,
  CONNECTION_TYPE,
  normalizeLogContext,
  CUSTOM_POST_CONTEXT,
  FIRST_ROLE_TYPE,
} from './changes-log-types.ts';
import { CHANGES_LOG_TYPES, type ChangesLogType } from './changes-log-types.ts';
import {
  asObject,
  readEntries,
  readField,
  readNumber,
  readPlainText,
  readUnixSeconds,
  readText,
  type JsonRecord,
} from './json-values.ts';

const MAX_ACTIONS = 2_000;
const MAX_READ = 50_000;
const MAX_CHANGES = 5_000;
const SUMMARY_MAX = 300;
const USER_MAX = 100;
const WORD_MAX = 64;

const readLogWord = (value: unknown): string =>
  readText(value, WORD_MAX)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');

/**
 * Decodes log A (protocol 4.9): actions of users on plugins, themes and core. Returns the oldest entries first. Entries
 * above the limit are read by the next sync.
 */
export function decodeActionsLog(value: unknown): ChildLogEntry[] | undefined {
  const entries = readEntries(value, MAX_READ);
  if (!entries) return undefined;
  const logEntries: ChildLogEntry[] = [];
  for (const [id, raw] of entries) {
    const item = asObject(raw);
    const created = readUnixSeconds(readField(item, 'created'));
    const externalId = readText(id, WORD_MAX);
    // Older child plugins store the connected administrator in the same map.
    if (!item || created === null || externalId === '' || id === 'connected_admin') continue;
    const action = normalizeLogAction(readLogWord(readField(item, 'action')));
    logEntries.push({
      source: 'child_actions',
      externalId,
      at: Math.round(created * 1000),
      context: normalizeLogContext(readLogWord(readField(item, 'context'))),
      action,
      summary: readPlainText(readField(item, 'summary'), SUMMARY_MAX),
      thing: readActionsLogObject(action, asObject(readField(item, 'meta_data'))),
      user: readActingUser(item, 'action_user'),
      cursor: created,
    });
  }
  return logEntries.sort((a, b) => (a.cursor ?? 0) - (b.cursor ?? 0)).slice(0, MAX_ACTIONS);
}

/**
 * Decodes log B, the changes log (protocol 4.9). The child drops leading zeros of the fraction in `created_on`, so the
 * times are whole seconds and the order is by ID. Meta data contains secrets, such as stored registration tokens, so
 * only keys that are known to be harmless are read.
 */
export function decodeChangesLog(value: unknown): ChildLogEntry[] | undefined {
  const entries = readEntries(value, MAX_CHANGES);
  if (!entries) return undefined;
  const logEntries: (ChildLogEntry & { order: number })[] = [];
  for (const [key, raw] of entries) {
    const item = asObject(raw);
    const externalId = readText(readField(item, 'id') ?? key, WORD_MAX);
    const created = readUnixSeconds(readField(item, 'created_on'));
    if (!item || created === null || !/^\d{1,20}$/.test(externalId)) continue;
    const meta = asObject(readField(item, 'meta_data'));
    const type = readChangesLogType(item, meta);
    const postType = readLogWord(readField(item, 'post_type'));
    const context = type.context ?? normalizeLogContext(readLogWord(readField(item, 'context')), postType);
    const action = normalizeLogAction(readLogWord(readField(item, 'action_name')), type);
    const user = readActingUser(item, 'username');
    const record = { context, action, type, meta, user, ...(context === CUSTOM_POST_CONTEXT && { kind: postType }) };
    logEntries.push({
      source: 'child_changes',
      // IDs start again after a log was emptied or restored from a backup, so the time is part of the identifier.
      externalId: `${externalId}.${Math.floor(created)}`,
      at: Math.floor(created) * 1000,
      context,
      action,
      summary: summarizeLogRecord(record),
      thing: readChangesLogObject(record, readNumber(readField(item, 'post_id'))),
      ...readInsertion(item, record),
      user,
      cursor: null,
      order: Number(externalId),
    });
  }
  const ordered = logEntries.sort((a, b) => a.order - b.order).map(({ order: _order, ...entry }) => entry);
  return withFirstRoles(ordered);
}

const STATUS_MAX = 20;
/** Text that the child logs as the old categories of a post that had none. The child does not translate it. */
const NO_CATEGORIES = 'no categories';

function readInsertion(
  item: JsonRecord,
  { context, meta }: Pick<ChangesLogRecord, 'context' | 'meta'>,
): Pick<ChildLogEntry, 'insertedStatus'> {
  const status = readText(readField(item, 'post_status'), STATUS_MAX);
  const isFirst = context === 'post' && readField(meta, 'oldcategories') === NO_CATEGORIES;
  return isFirst && status !== '' ? { insertedStatus: status } : {};
}

const NO_TYPE: ChangesLogType = {};

const TOKENS = /mainwp_child_user_verified_registers$/;

function readChangesLogType(item: JsonRecord, meta: JsonRecord | null): ChangesLogType {
  const id = readNumber(readField(item, 'log_type_id'));
  const type = (id !== null && Object.hasOwn(CHANGES_LOG_TYPES, id) && CHANGES_LOG_TYPES[id]) || NO_TYPE;
  if (TOKENS.test(readText(readField(meta, 'custom_meta_name'), WORD_MAX))) return CONNECTION_TYPE;
  return type.action === 'role_changed' && readText(readField(meta, 'oldrole'), WORD_MAX) === ''
    ? FIRST_ROLE_TYPE
    : type;
}

const FIRST_ROLE_WITHIN_MS = 60_000;

/**
 * Adds the first role to the record of a new user. The child logs the role in a separate record, immediately after that
 * of the user.
 */
function withFirstRoles(entries: ChildLogEntry[]): ChildLogEntry[] {
  const firstRoles = new Map<string, ChildLogEntry>();
  for (const entry of entries.toReversed())
    if (entry.context === 'user' && entry.thing.key !== null) {
      if (entry.action === 'role_given') firstRoles.set(entry.thing.key, entry);
      const role = entry.action === 'created' ? firstRoles.get(entry.thing.key) : undefined;
      if (role && role.at - entry.at <= FIRST_ROLE_WITHIN_MS)
        entry.thing = { ...entry.thing, after: { ...role.thing.after, ...entry.thing.after } };
    }
  return entries;
}

const NAME_OF_DELETED_USER = 'removed';

function readActingUser(item: JsonRecord, key: string): string {
  const meta = asObject(readField(asObject(readField(item, 'meta_data')), 'user_meta'));
  const user = readPlainText(readField(item, key), USER_MAX) || readPlainText(readField(meta, 'action_user'), USER_MAX);
  const isKnown = (readNumber(readField(item, 'user_id') ?? readField(meta, 'wp_user_id')) ?? 0) > 0;
  return user === NAME_OF_DELETED_USER && !isKnown ? '' : user;
}
