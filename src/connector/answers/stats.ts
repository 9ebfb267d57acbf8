import ipaddr from 'ipaddr.js';
import {
  SECURITY_FLAGS,
  type ChangesPage,
  type ChildLogEntry,
  type ChildStats,
  type SecurityFlag,
  type SecurityValue,
  type SyncRequest,
} from '../child-site.ts';
import { SECOND } from '../../shared/clock.ts';
import { digestOf } from '../../shared/digest.ts';
import {
  decodeAbandonedItems,
  decodePlugins,
  decodeThemes,
  MAX_ITEM_NAME_LENGTH,
  MAX_VERSION_LENGTH,
} from './inventory.ts';
import { guardIdIn } from '../guard-file-names.ts';
import { decodeActionsLog, decodeChangesLog } from './logs.ts';
import { decodeRecentItems } from './recent-items.ts';
import { decodeUpdates, UPDATE_TYPES } from './updates.ts';
import {
  asObject,
  readCount,
  readEntries,
  readField,
  readHttpUrl,
  readNumber,
  readPlainText,
  type JsonRecord,
} from './json-values.ts';

/** Length of the longest text form of an IP address: IPv4 embedded in IPv6. */
const ADDRESS_MAX = 45;
const VALUES: readonly SecurityValue[] = ['Y', 'N', 'Y_UNABLE', 'N_UNABLE'];

/**
 * Decodes the stats object (protocol 4.1). It is also in `sync` of other responses and in the response to `register`.
 * Returns null if the value is not a stats object.
 */
export function decodeStats(value: unknown, asked?: Pick<SyncRequest, 'changesLimit'>): ChildStats | null {
  const stats = asObject(value);
  if (!stats) return null;
  const info = asObject(readField(stats, 'site_info'));
  const childVersion = readPlainText(
    readField(stats, 'version') ?? readField(info, 'child_version'),
    MAX_VERSION_LENGTH,
  );
  const wpVersion =
    readPlainText(readField(stats, 'wpversion') ?? readField(info, 'wpversion'), MAX_VERSION_LENGTH) || null;
  if (childVersion === '') return null;
  const listed = decodePlugins(readField(stats, 'plugins'));
  const guardFiles = listed?.flatMap(({ slug, mustUse }) => (mustUse ? (guardIdIn(slug) ?? []) : []));
  const plugins = listed?.filter(({ slug, mustUse }) => !mustUse || guardIdIn(slug) === null);
  const themes = decodeThemes(readField(stats, 'themes'));
  const updatesByType = decodeUpdates(stats, wpVersion, { plugins: plugins ?? [], themes: themes ?? [] });
  const abandoned = decodeAbandonedItems(
    readField(stats, 'plugins_outdate_info'),
    readField(stats, 'themes_outdate_info'),
  );
  const security = decodeSecurity(readField(stats, 'securityStats'));
  const health = decodeHealth(readField(stats, 'health_site_status'));
  const logs = joinLogs(
    decodeActionsLog(readField(stats, 'child_site_actions_data')),
    decodeChangesLog(readField(stats, 'changes_logs_data')),
  );
  const recent = decodeRecentItems(stats);
  return {
    childVersion,
    wpVersion,
    phpVersion: readPlainText(readField(info, 'phpversion'), MAX_VERSION_LENGTH) || null,
    dbVersion: readPlainText(readField(info, 'mysql_version'), MAX_VERSION_LENGTH) || null,
    ip: addressIn(info),
    siteUrl: readHttpUrl(readField(stats, 'siteurl')),
    activeThemeName: readPlainText(readField(info, 'themeactivated'), MAX_ITEM_NAME_LENGTH) || null,
    ...(plugins && { plugins }),
    ...(guardFiles && { guardFiles }),
    ...(themes && { themes }),
    ...(updatesByType && { updatesByType }),
    ...(updatesByType?.kinds.length === UPDATE_TYPES.length && { updates: updatesByType.items }),
    ...(abandoned && { abandoned }),
    ...(security && { security }),
    ...(health && { health }),
    ...lastBackupIn(stats),
    ...(logs && { logs }),
    ...(recent && { recent }),
    moreChanges: isChangesPageFull(stats, asked?.changesLimit ?? 0),
    regverify:
      decodeReconnectToken(readField(stats, 'regverify_info')) ?? decodeReconnectToken(readField(stats, 'regverify')),
  };
}

/**
 * Returns the IP address of the site's server, or null: a server that does not know its address sends nothing or
 * another text.
 */
function addressIn(info: JsonRecord | null): string | null {
  const address = readPlainText(readField(info, 'ip'), ADDRESS_MAX);
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : null;
}

export function lastBackupIn(stats: JsonRecord): Pick<ChildStats, 'lastBackupAt'> {
  const seconds = secondsIn(readField(stats, 'primaryLasttimeBackup'));
  return seconds > 0 ? { lastBackupAt: seconds * SECOND } : {};
}

/**
 * Values that differ between reports of an unchanged site, and that no part of a sync reads. WordPress encodes the
 * e-mail address of a commenter in another way each time, and a database grows all the time. Of two texts that are
 * equal without these values, both are valid JSON, or neither is.
 */
const VOLATILE = /"(author_email|db_size)":"(?:[ !#-[\]-\uffff]|\\u[\da-f]{4})*"/g;

/** Returns a text that is equal for reports with equal contents. */
export const reportDigest = (json: string): string => digestOf(json.replace(VOLATILE, '"$1":""'));

/** Returns the token for the next reconnect. The child expects it unchanged, so invalid texts are dropped. */
export function decodeReconnectToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null;
}

function decodeSecurity(value: unknown): Partial<Record<SecurityFlag, SecurityValue>> | undefined {
  const stats = asObject(value);
  if (!stats) return undefined;
  const flags: Partial<Record<SecurityFlag, SecurityValue>> = {};
  for (const name of SECURITY_FLAGS) {
    const state = readField(stats, name) as SecurityValue;
    if (VALUES.includes(state)) flags[name] = state;
  }
  return flags;
}

function decodeHealth(value: unknown): ChildStats['health'] {
  const health = asObject(value);
  if (!health) return undefined;
  return {
    good: readCount(readField(health, 'good')),
    recommended: readCount(readField(health, 'recommended')),
    critical: readCount(readField(health, 'critical')),
  };
}

function secondsIn(value: unknown): number {
  const seconds = Math.trunc(readNumber(value) ?? 0);
  return seconds > 0 && seconds < 7_000_000_000 ? seconds : 0;
}

function joinLogs(actions?: ChildLogEntry[], changes?: ChildLogEntry[]): ChildLogEntry[] | undefined {
  if (!actions && !changes) return undefined;
  return [...(actions ?? []), ...(changes ?? [])];
}

function isChangesPageFull(stats: JsonRecord, limit: number): boolean {
  return limit > 0 && (readEntries(readField(stats, 'changes_logs_data'), limit)?.length ?? 0) >= limit;
}

export function decodeChangesPage(value: unknown, limit: number): ChangesPage | null {
  const stats = asObject(value);
  if (!stats || readField(stats, 'version') === undefined) return null;
  return {
    entries: decodeChangesLog(readField(stats, 'changes_logs_data')) ?? [],
    full: isChangesPageFull(stats, limit),
  };
}

/**
 * Returns the state that the child sent after an action, without `logs` and `recent`. The child sends its logs from
 * their beginning, so they are left to the next sync, with the lists that complete them.
 */
export function decodeStateAfterAction(answer: JsonRecord): { after?: ChildStats } {
  const stats = decodeStats(readField(answer, 'sync'));
  if (!stats) return {};
  const { logs: _logs, recent: _recent, ...after } = stats;
  return { after };
}
