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
import { decodeAbandoned, decodePlugins, decodeThemes, NAME_MAX, VERSION_MAX } from './inventory.ts';
import { decodeActions, decodeChanges } from './logs.ts';
import { decodeUpdates, UPDATE_TYPES } from './updates.ts';
import { asObject, count, entriesOf, field, httpUrl, number, plainText, type Json } from './values.ts';

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
  const info = asObject(field(stats, 'site_info'));
  const childVersion = plainText(field(stats, 'version') ?? field(info, 'child_version'), VERSION_MAX);
  const wpVersion = plainText(field(stats, 'wpversion') ?? field(info, 'wpversion'), VERSION_MAX) || null;
  if (childVersion === '') return null;
  const plugins = decodePlugins(field(stats, 'plugins'));
  const themes = decodeThemes(field(stats, 'themes'));
  const updatesByType = decodeUpdates(stats, wpVersion, { plugins: plugins ?? [], themes: themes ?? [] });
  const abandoned = decodeAbandoned(field(stats, 'plugins_outdate_info'), field(stats, 'themes_outdate_info'));
  const security = decodeSecurity(field(stats, 'securityStats'));
  const health = decodeHealth(field(stats, 'health_site_status'));
  const logs = joinLogs(
    decodeActions(field(stats, 'child_site_actions_data')),
    decodeChanges(field(stats, 'changes_logs_data')),
  );
  return {
    childVersion,
    wpVersion,
    phpVersion: plainText(field(info, 'phpversion'), VERSION_MAX) || null,
    dbVersion: plainText(field(info, 'mysql_version'), VERSION_MAX) || null,
    ip: addressIn(info),
    siteUrl: httpUrl(field(stats, 'siteurl')),
    activeThemeName: plainText(field(info, 'themeactivated'), NAME_MAX) || null,
    ...(plugins && { plugins }),
    ...(themes && { themes }),
    ...(updatesByType && { updatesByType }),
    ...(updatesByType?.kinds.length === UPDATE_TYPES.length && { updates: updatesByType.items }),
    ...(abandoned && { abandoned }),
    ...(security && { security }),
    ...(health && { health }),
    ...lastBackupIn(stats),
    ...(logs && { logs }),
    moreChanges: isFull(stats, asked?.changesLimit ?? 0),
    regverify: tokenOf(field(stats, 'regverify_info')) ?? tokenOf(field(stats, 'regverify')),
  };
}

/**
 * Returns the IP address of the site's server, or null: a server that does not know its address sends nothing or
 * another text.
 */
function addressIn(info: Json | null): string | null {
  const address = plainText(field(info, 'ip'), ADDRESS_MAX);
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : null;
}

export function lastBackupIn(stats: Json): Pick<ChildStats, 'lastBackupAt'> {
  const seconds = secondsIn(field(stats, 'primaryLasttimeBackup'));
  return seconds > 0 ? { lastBackupAt: seconds * SECOND } : {};
}

/** Returns the token for the next reconnect. The child expects it unchanged, so invalid texts are dropped. */
export function tokenOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null;
}

function decodeSecurity(value: unknown): Partial<Record<SecurityFlag, SecurityValue>> | undefined {
  const stats = asObject(value);
  if (!stats) return undefined;
  const flags: Partial<Record<SecurityFlag, SecurityValue>> = {};
  for (const name of SECURITY_FLAGS) {
    const state = field(stats, name) as SecurityValue;
    if (VALUES.includes(state)) flags[name] = state;
  }
  return flags;
}

function decodeHealth(value: unknown): ChildStats['health'] {
  const health = asObject(value);
  if (!health) return undefined;
  return {
    good: count(field(health, 'good')),
    recommended: count(field(health, 'recommended')),
    critical: count(field(health, 'critical')),
  };
}

/** Returns Unix seconds, or 0 if the value is not a time of this or the next century. */
function secondsIn(value: unknown): number {
  const seconds = Math.trunc(number(value) ?? 0);
  return seconds > 0 && seconds < 7_000_000_000 ? seconds : 0;
}

function joinLogs(actions?: ChildLogEntry[], changes?: ChildLogEntry[]): ChildLogEntry[] | undefined {
  if (!actions && !changes) return undefined;
  return [...(actions ?? []), ...(changes ?? [])];
}

function isFull(stats: Json, limit: number): boolean {
  return limit > 0 && (entriesOf(field(stats, 'changes_logs_data'), limit)?.length ?? 0) >= limit;
}

export function decodeChangesPage(value: unknown, limit: number): ChangesPage | null {
  const stats = asObject(value);
  if (!stats || field(stats, 'version') === undefined) return null;
  return { entries: decodeChanges(field(stats, 'changes_logs_data')) ?? [], full: isFull(stats, limit) };
}

/**
 * Returns the state that the child read after an action. Its logs always start from the beginning, so they are left to
 * the next sync.
 */
export function stateAfter(answer: Json): { after?: ChildStats } {
  const stats = decodeStats(field(answer, 'sync'));
  if (!stats) return {};
  const { logs: _logs, ...after } = stats;
  return { after };
}
