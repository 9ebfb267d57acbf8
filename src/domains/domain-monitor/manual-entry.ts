import { parseIsoTime } from '../../shared/calendar.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { truncate } from '../../shared/text.ts';
import { parseUrl } from '../../shared/url.ts';
import type { ManualEntry } from './watched-domain.ts';
import { singleLine, uniqueWithoutNulls, normalizeEppStatus } from './domain-facts.ts';
import { parseHostName } from './domain-name.ts';
import { plausibleTime } from './json-reading.ts';

/** Omitted fields keep their values; null clears a field. Dates are in ISO 8601. */
export interface ManualPatch {
  domainName?: string | null;
  registrar?: string | null;
  registrarUrl?: string | null;
  createdAt?: string | null;
  updatedAt?: string | null;
  expiresAt?: string | null;
  statuses?: readonly string[] | null;
  nameServers?: readonly string[] | null;
  dnssec?: 'signed' | 'unsigned' | null;
}

const NOTHING: Omit<ManualEntry, 'enteredAt'> = {
  domainName: null,
  registrar: null,
  registrarUrl: null,
  createdAt: null,
  updatedAt: null,
  expiresAt: null,
  statuses: null,
  nameServers: null,
  dnssec: null,
};

const DATES = ['createdAt', 'updatedAt', 'expiresAt'] as const;

export function applyManualPatch(before: ManualEntry | null, patch: ManualPatch, now: number): ManualEntry {
  const errors = new FieldErrors();
  const entry = { ...(before ?? NOTHING), ...parsePatchFields(patch, errors), enteredAt: now };
  const { createdAt, expiresAt } = entry;
  const isInOrder = createdAt === null || expiresAt === null || createdAt <= expiresAt;
  errors.require('expiresAt', isInOrder, 'must not be before the registration').throwIfAny();
  return entry;
}

function parsePatchFields(patch: ManualPatch, errors: FieldErrors): Partial<ManualEntry> {
  const read = <T, V>(name: keyof ManualPatch, value: T | null, of: (value: T) => V | null, rule: string): V | null => {
    const reading = value === null ? null : of(value);
    errors.require(name, value === null || reading !== null, rule);
    return reading;
  };
  const { domainName, registrar, registrarUrl, statuses, nameServers, dnssec } = patch;
  const dates = DATES.flatMap((name) => {
    const date = patch[name];
    return date === undefined
      ? []
      : [[name, read(name, date, parsePlausibleTime, 'must be a date such as 2027-03-01 or a time')]];
  });
  return {
    ...(domainName !== undefined && {
      domainName: read('domainName', domainName, parseHostName, 'must be a domain such as example.com'),
    }),
    ...(registrar !== undefined && { registrar: singleLine(registrar) }),
    ...(registrarUrl !== undefined && {
      registrarUrl: read('registrarUrl', registrarUrl, webAddress, 'must be an http or https URL'),
    }),
    ...(statuses !== undefined && { statuses: statuses && uniqueWithoutNulls(statuses.map(normalizeEppStatus)) }),
    ...(nameServers !== undefined && {
      nameServers: read('nameServers', nameServers, parseHostNames, 'must be host names such as ns1.example.net'),
    }),
    ...(dnssec !== undefined && { dnssec }),
    ...(Object.fromEntries(dates) as Partial<ManualEntry>),
  };
}

function parsePlausibleTime(text: string): number | null {
  const at = parseIsoTime(text);
  return at === null ? null : plausibleTime(at);
}

function webAddress(text: string): string | null {
  const url = parseUrl(text.trim());
  return url && /^https?:$/.test(url.protocol) ? truncate(url.href, 500) : null;
}

function parseHostNames(names: readonly string[]): string[] | null {
  const known = uniqueWithoutNulls(names.map(parseHostName));
  return names.every((name) => parseHostName(name) !== null) ? known : null;
}
