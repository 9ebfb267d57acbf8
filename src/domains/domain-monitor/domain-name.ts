import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { parseUrl } from '../../shared/url.ts';

/**
 * The domain that somebody has registered, of a host or an address: `shop.example.co.uk` lies in `example.co.uk`. Null
 * for IP addresses, for names that are no public ones, and for a public suffix itself. As it stands in the DNS.
 */
export function registrableDomain(address: string): string | null {
  const hostname = parseUrl(address)?.hostname;
  if (!hostname) return null;
  // Who has a sub-domain of a hoster has registered nothing.
  const { domain, isIcann } = parse(hostname, { allowPrivateDomains: false });
  return domain !== null && isIcann === true ? domain : null;
}

/** As people write it. */
export const inUnicode = (name: string): string => domainToUnicode(name) || name;

/** The name of a host as it stands in the DNS, in lower case; null for what can be none. */
export function hostName(text: string): string | null {
  const name = domainToASCII(text.trim().replace(/\.$/, ''));
  return HOST.test(name) && name.length <= 253 ? name : null;
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/** `co.uk` and `uk` for `example.co.uk`: where a registry of the domain may be listed, the nearest first. */
export function zonesOf(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}
