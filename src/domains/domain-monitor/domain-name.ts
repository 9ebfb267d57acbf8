import type * as Tldts from 'tldts';
import { domainToASCII, domainToUnicode } from 'node:url';
import { loadLate } from '../../shared/load-late.ts';
import { parseUrl } from '../../shared/url.ts';

const publicSuffixes = loadLate<typeof Tldts>('tldts');

/**
 * Returns the registrable domain of a host or URL in ASCII: `example.co.uk` for `shop.example.co.uk`. Null for IP
 * addresses, public suffixes and names outside the public DNS.
 */
export function registrableDomain(address: string): string | null {
  const hostname = parseUrl(address)?.hostname;
  if (!hostname) return null;
  // A subdomain of a hosting provider is not a registration, even if the provider is on the public suffix list.
  const { domain, isIcann } = publicSuffixes().parse(hostname, { allowPrivateDomains: false });
  return domain !== null && isIcann === true ? domain : null;
}

export const toUnicodeDomain = (name: string): string => domainToUnicode(name) || name;

export function parseHostName(text: string): string | null {
  const name = domainToASCII(text.trim().replace(/\.$/, ''));
  return HOST.test(name) && name.length <= 253 ? name : null;
}

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/**
 * Returns the zones above a domain, nearest first: `co.uk` and `uk` for `example.co.uk`. Registries are listed by zone.
 */
export function parentZonesOf(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}
