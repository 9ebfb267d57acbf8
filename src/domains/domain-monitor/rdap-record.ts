import { parseHostName } from './domain-name.ts';
import { singleLine, uniqueWithoutNulls, normalizeEppStatus, type DomainFacts, type Dnssec } from './domain-facts.ts';
import { jsonFieldOf, isJsonObject, jsonItemsOf, plausibleTime, type JsonObject } from './json-reading.ts';
import { LookupFault } from './lookup-fault.ts';

/** Parses an RDAP domain record (RFC 9083). Throws a `LookupFault` for any other body. */
export function parseRdapRecord(body: string, name: string): DomainFacts {
  const record = parseJsonObject(body);
  const handle = jsonFieldOf(record, 'ldhName') ?? jsonFieldOf(record, 'unicodeName');
  const kind = singleLine(jsonFieldOf(record, 'objectClassName')) ?? 'domain';
  if (kind.toLowerCase() !== 'domain' || typeof handle !== 'string' || parseHostName(handle) !== name)
    throw new LookupFault('parse_error', 'The registry returned the record of another domain.');
  const registrar = entityIn(record, 'registrar');
  const abuse = registrar && (entityIn(registrar, 'abuse') ?? entityIn(record, 'abuse'));
  return {
    registrar: registrar && (vcardTextOf(registrar, 'fn') ?? vcardTextOf(registrar, 'org')),
    registrarIanaId: registrar && ianaIdOf(registrar),
    registrarUrl: registrar && webAddressOf(registrar),
    abuseEmail: abuse && vcardTextOf(abuse, 'email'),
    abusePhone: abuse && (vcardTextOf(abuse, 'tel')?.replace(/^tel:/i, '') ?? null),
    registrarWhoisServer: singleLine(jsonFieldOf(record, 'port43'), 253),
    registryDomainId: singleLine(jsonFieldOf(record, 'handle')),
    createdAt: eventTimeOf(record, 'registration'),
    updatedAt: eventTimeOf(record, 'last changed'),
    expiresAt: eventTimeOf(record, 'expiration') ?? eventTimeOf(record, 'registrar expiration'),
    statuses: uniqueWithoutNulls(jsonItemsOf(jsonFieldOf(record, 'status')).map(normalizeEppStatus)),
    nameServers: uniqueWithoutNulls(jsonItemsOf(jsonFieldOf(record, 'nameservers')).map(nameServerOf)),
    dnssec: toDnssec(jsonFieldOf(jsonFieldOf(record, 'secureDNS'), 'delegationSigned')),
  };
}

function parseJsonObject(body: string): JsonObject {
  try {
    const record: unknown = JSON.parse(body);
    if (isJsonObject(record)) return record;
  } catch {
    // Invalid JSON is reported below, like any other body that is not a record.
  }
  throw new LookupFault('parse_error', 'The registry returned a response that is not an RDAP record.');
}

function entityIn(owner: JsonObject, role: string): JsonObject | null {
  const entities = jsonItemsOf(jsonFieldOf(owner, 'entities')).filter(isJsonObject);
  const hasRole = (each: unknown): boolean => typeof each === 'string' && each.toLowerCase() === role;
  return entities.find((entity) => jsonItemsOf(jsonFieldOf(entity, 'roles')).some(hasRole)) ?? null;
}

/** Returns the value of a vCard property such as `["fn", {}, "text", "Example Registrar"]`. The value can be a list. */
function vcardTextOf(entity: unknown, property: string): string | null {
  const [, properties] = jsonItemsOf(jsonFieldOf(entity, 'vcardArray'));
  const entry = jsonItemsOf(properties).find((each) => jsonItemsOf(each)[0] === property);
  const value = jsonItemsOf(entry)[3];
  return singleLine(Array.isArray(value) ? jsonItemsOf(value).find((each) => singleLine(each) !== null) : value);
}

function ianaIdOf(entity: unknown): string | null {
  const ids = jsonItemsOf(jsonFieldOf(entity, 'publicIds'));
  const iana = ids.find((each) => /iana/i.test(singleLine(jsonFieldOf(each, 'type')) ?? ''));
  return singleLine(jsonFieldOf(iana, 'identifier'), 32);
}

function webAddressOf(entity: unknown): string | null {
  const links = jsonItemsOf(jsonFieldOf(entity, 'links'));
  const page = links.find((each) => jsonFieldOf(each, 'rel') === 'about' || jsonFieldOf(each, 'type') === 'text/html');
  const address = vcardTextOf(entity, 'url') ?? singleLine(jsonFieldOf(page, 'href'), 500);
  return address !== null && /^https?:\/\//i.test(address) ? address : null;
}

function eventTimeOf(record: unknown, action: string): number | null {
  const event = jsonItemsOf(jsonFieldOf(record, 'events')).find(
    (each) => singleLine(jsonFieldOf(each, 'eventAction'))?.toLowerCase() === action,
  );
  const date = jsonFieldOf(event, 'eventDate');
  return typeof date === 'string' && date.length <= 40 ? plausibleTime(Date.parse(date)) : null;
}

function nameServerOf(server: unknown): string | null {
  const name = jsonFieldOf(server, 'ldhName') ?? jsonFieldOf(server, 'unicodeName');
  return typeof name === 'string' ? parseHostName(name) : null;
}

function toDnssec(isSigned: unknown): Dnssec {
  return isSigned === true ? 'signed' : isSigned === false ? 'unsigned' : 'unknown';
}
