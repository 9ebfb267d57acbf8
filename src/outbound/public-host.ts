import type * as Tldts from 'tldts';
import { loadLate } from '../shared/load-late.ts';
import { createAddressGuard, ipLiteralOf } from './address-guard.ts';

const publicSuffixes = loadLate<typeof Tldts>('tldts');

/** Names below this domain exist only in a home network (RFC 8375), although it is below a public suffix. */
const HOME_NETWORK = 'home.arpa';

/** Returns the part of a name that is registered, or the name itself if it is not below a public suffix. */
export const registeredDomainOf = (hostname: string): string =>
  publicSuffixes().getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;

const PUBLIC_ADDRESSES = createAddressGuard([]);

/**
 * True if anybody on the internet may be able to open a host: a public address, or a name below a public suffix such as
 * `com` or `co.uk`. Does not resolve names, because other networks can resolve them to other addresses.
 */
export function isPublicHost(hostname: string): boolean {
  const literal = ipLiteralOf(hostname);
  if (literal !== null) return PUBLIC_ADDRESSES.allows(literal);
  const name = hostname.replace(/\.$/, '').toLowerCase();
  if (name === HOME_NETWORK || name.endsWith(`.${HOME_NETWORK}`)) return false;
  const { domain, isIcann, isPrivate } = publicSuffixes().parse(name, { allowPrivateDomains: true });
  return domain !== null && (isIcann === true || isPrivate === true);
}
