import { toDate } from '../../shared/clock.ts';
import { truncate } from '../../shared/text.ts';

export type Dnssec = 'signed' | 'unsigned' | 'unknown';

/** Times are milliseconds since 1970. A value is null if it is unknown. */
export interface DomainFacts {
  registrar: string | null;
  registrarIanaId: string | null;
  registrarUrl: string | null;
  abuseEmail: string | null;
  abusePhone: string | null;
  registrarWhoisServer: string | null;
  registryDomainId: string | null;
  createdAt: number | null;
  updatedAt: number | null;
  expiresAt: number | null;
  statuses: readonly string[];
  nameServers: readonly string[];
  dnssec: Dnssec;
}

export const noFacts = (): DomainFacts => ({
  registrar: null,
  registrarIanaId: null,
  registrarUrl: null,
  abuseEmail: null,
  abusePhone: null,
  registrarWhoisServer: null,
  registryDomainId: null,
  createdAt: null,
  updatedAt: null,
  expiresAt: null,
  statuses: [],
  nameServers: [],
  dnssec: 'unknown',
});

const MOST_LISTED = 30;

export function singleLine(value: unknown, most = 200): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const line = String(value)
    .slice(0, 4 * most)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line === '' ? null : truncate(line, most);
}

/**
 * Turns the status of a registry, such as `clientTransferProhibited https://icann.org/epp#…`, into `client transfer
 * prohibited`.
 */
export function normalizeEppStatus(value: unknown): string | null {
  const line = singleLine(value, 300)?.replace(/\s*\(?https?:\/\/\S*/g, '') ?? '';
  const words = /\s/.test(line) ? line : line.replace(/([a-z])([A-Z])/g, '$1 $2');
  return singleLine(words.toLowerCase(), 100);
}

export const uniqueWithoutNulls = (values: readonly (string | null)[]): string[] =>
  [...new Set(values.flatMap((value) => value ?? []))].slice(0, MOST_LISTED);

const LAST_CHANCE = /\b(redemption|pending ?delete|quarantine)\b/;

export const isInRedemption = ({ statuses }: Pick<DomainFacts, 'statuses'>): boolean =>
  statuses.some((status) => LAST_CHANCE.test(status));

export interface DomainChange {
  what: 'registrar' | 'expiry' | 'name_servers' | 'status';
  sentence: string;
  before: string;
  after: string;
}

/** A value that is missing in one of the two lookups is not a change. */
export function compareDomainFacts(before: DomainFacts, after: DomainFacts): DomainChange[] {
  const change = (what: DomainChange['what'], label: string, [from, to]: readonly [string, string]): DomainChange[] =>
    from === to || from === '' || to === ''
      ? []
      : [{ what, sentence: `${label} changed from ${from} to ${to}.`, before: from, after: to }];
  const of = (read: (facts: DomainFacts) => string): [string, string] => [read(before), read(after)];
  return [
    ...change(
      'registrar',
      'the registrar',
      of(({ registrar }) => registrar ?? ''),
    ),
    ...change(
      'expiry',
      'the expiry',
      of(({ expiresAt }) => (expiresAt === null ? '' : toDate(expiresAt))),
    ),
    ...change(
      'name_servers',
      'the name servers',
      of(({ nameServers }) => joinValuesForSentence(nameServers)),
    ),
    ...change(
      'status',
      'the status',
      of(({ statuses }) => joinValuesForSentence(statuses)),
    ),
  ];
}

const IN_WORDS = 8;

/** Registries list values in any order, so they are sorted. */
function joinValuesForSentence(values: readonly string[]): string {
  const sorted = values.toSorted();
  const more = sorted.length - IN_WORDS;
  return [...sorted.slice(0, IN_WORDS), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
