import { parseDomainWhois } from 'whoiser/src/parsers.js';
import { MINUTE } from '../../shared/clock.ts';
import { parseHostName, toUnicodeDomain } from './domain-name.ts';
import { singleLine, uniqueWithoutNulls, normalizeEppStatus, type DomainFacts, type Dnssec } from './domain-facts.ts';
import { LookupFault } from './lookup-fault.ts';
import { parseWhoisDate } from './whois-date.ts';

const NOT_FOUND = new RegExp(
  [
    'no match',
    'not found',
    'no (entries|data|object|such domain|information)',
    'nothing found',
    'does(n.t| not) exist',
    'status:\\s*(free|available)',
    'is (available|free)\\b',
    'not registered',
  ].join('|'),
  'i',
);
const TOO_OFTEN = new RegExp(
  [
    '(limit|quota).{0,60}(exceeded|reached)',
    'exceeded.{0,40}(limit|quota)',
    '(requests|queries).{0,30}exceeded',
    'excessive (requests|queries|querying)',
    'grace period, wait',
    'interval is too short',
    'too (many|fast)',
    'blacklisted',
    'try again (later|in)',
  ].join('|'),
  'i',
);
/**
 * Matches a reply that refuses the query. Such a reply can also match `NOT_FOUND`, although the domain may be
 * registered.
 */
const BLOCKED = new RegExp(
  [
    'access (is |was |has been )?(denied|blocked|restricted|refused)',
    '(address|client|host|lookup|query|request)\\b.{0,40}\\b(denied|blocked|banned|refused|not (authori[sz]ed|permitted))',
  ].join('|'),
  'i',
);
/** Pause after a reply that reports a rate limit. A WHOIS reply does not say how long to wait. */
const PAUSE = 15 * MINUTE;

type WhoisValues = Readonly<Record<string, string | readonly string[] | undefined>>;

export function parseWhoisRecord(text: string, name: string): DomainFacts {
  // Empty lines have no meaning, and long runs of them slow the parser down.
  const reply = text.replace(/\r\n?/g, '\n').replace(/\n{3,}/g, '\n\n');
  const values = parseWhoisValues(reply, name);
  const facts = toDomainFacts(values);
  if (hasNoFacts(facts)) throw replyToLookupFault(reply);
  const named = singleLine(values['Domain Name'])?.toLowerCase().split(' ') ?? [];
  if (named.length > 0 && !named.some((each) => each === toUnicodeDomain(name) || parseHostName(each) === name))
    throw new LookupFault('parse_error', 'The registry returned the record of another domain.');
  return facts;
}

function parseWhoisValues(reply: string, name: string): WhoisValues {
  try {
    return parseDomainWhois(name, reply, true);
  } catch (cause) {
    throw new LookupFault('parse_error', 'The registry returned a response that is not a WHOIS record.', { cause });
  }
}

function toDomainFacts(values: WhoisValues): DomainFacts {
  const text = (label: string): string | null => singleLine(values[label]);
  const time = (label: string): number | null => parseWhoisDate(text(label) ?? '');
  const list = (label: string): readonly unknown[] => {
    const value = values[label];
    return Array.isArray(value) ? (value as unknown[]) : [value];
  };
  return {
    // Some registries append the home page of the registrar in parentheses.
    registrar: singleLine(text('Registrar')?.replace(/\s*\(\s*https?:\/\/[^)]*\)$/, '')),
    registrarIanaId: text('Registrar IANA ID'),
    registrarUrl: webAddress(text('Registrar URL')),
    abuseEmail: text('Registrar Abuse Contact Email'),
    abusePhone: text('Registrar Abuse Contact Phone'),
    registrarWhoisServer: text('Registrar WHOIS Server'),
    registryDomainId: text('Registry Domain ID'),
    createdAt: time('Created Date'),
    updatedAt: time('Updated Date'),
    expiresAt: time('Expiry Date'),
    statuses: uniqueWithoutNulls(
      list('Domain Status').flatMap((each) => singleLine(each, 300)?.split(', ').map(normalizeEppStatus) ?? []),
    ),
    nameServers: uniqueWithoutNulls(list('Name Server').map((each) => parseHostName(String(each)))),
    dnssec: parseDnssec(text('DNSSEC')),
  };
}

const webAddress = (text: string | null): string | null => (text !== null && /^https?:\/\//i.test(text) ? text : null);

function parseDnssec(text: string | null): Dnssec {
  if (text === null) return 'unknown';
  if (/unsigned|inactive|^no\b/i.test(text)) return 'unsigned';
  return /signed|^yes\b|^active/i.test(text) ? 'signed' : 'unknown';
}

const hasNoFacts = ({ registrar, createdAt, updatedAt, expiresAt, nameServers }: DomainFacts): boolean =>
  registrar === null && createdAt === null && updatedAt === null && expiresAt === null && nameServers.length === 0;

export function replyToLookupFault(reply: string): LookupFault {
  if (TOO_OFTEN.test(reply))
    return new LookupFault('rate_limited', 'The registry limits the number of requests.', { pauseMs: PAUSE });
  if (BLOCKED.test(reply)) return new LookupFault('refused', 'The registry refuses requests of this service.');
  if (NOT_FOUND.test(reply)) return new LookupFault('not_found', 'The registry does not know this domain.');
  return new LookupFault('parse_error', 'The registry returned a response that is not a WHOIS record.');
}
