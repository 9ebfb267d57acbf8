import { parse } from 'tldts';
import { createAddressGuard, ipLiteralOf } from './address-guard.ts';

const PUBLIC_ADDRESSES = createAddressGuard([]);

/**
 * True if anybody on the internet may be able to open a host: a public address, or a name below a public suffix. Does
 * not resolve names, because other networks can resolve them to other addresses.
 */
export function isPublicHost(hostname: string): boolean {
  const literal = ipLiteralOf(hostname);
  if (literal !== null) return PUBLIC_ADDRESSES.allows(literal);
  const { domain, isIcann, isPrivate } = parse(hostname.replace(/\.$/, ''), { allowPrivateDomains: true });
  return domain !== null && (isIcann === true || isPrivate === true);
}
