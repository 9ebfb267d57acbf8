import { domainToUnicode } from 'node:url';
import { CodedInvalidError } from '../../shared/errors.ts';
import { MAX_NAME, truncate } from '../../shared/text.ts';
import { parseUrl } from '../../shared/url.ts';

const MAX_URL_LENGTH = 500;

export interface SiteAddress {
  /** Host in lower case, path as entered, one trailing slash. */
  url: string;
  /** Equal for all addresses of a site: it has no scheme, `www.` or trailing slash. */
  key: string;
  label: string;
  /** Beginning of `label` with the host in Unicode. It is the name of a site that is added without a name. */
  name: string;
}

const refuseSiteUrl = (message: string): never => {
  throw new CodedInvalidError('svc_invalid_url', message, { errors: [{ path: 'url', message }] });
};

export function parseSiteUrl(text: string): SiteAddress {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed)) refuseSiteUrl('must be an http or https URL');
  const url = parseUrl(trimmed) ?? refuseSiteUrl('is not a valid URL');
  if (url.username || url.password)
    refuseSiteUrl('must not contain a user name or password, because they have their own fields');
  if (url.search || url.hash) refuseSiteUrl('must not have a query or a fragment');
  const address = addressOf(url);
  if (address.url.length > MAX_URL_LENGTH) refuseSiteUrl(`must have at most ${MAX_URL_LENGTH} characters`);
  return address;
}

export function parseSiteReference(text: string): { key: string; bareHost: boolean } | null {
  const trimmed = text.trim();
  const absolute = /^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = parseUrl(absolute);
  if (!url) return null;
  const { key } = addressOf(url);
  return { key, bareHost: !key.includes('/') };
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Returns the key of an address with each other name of the local host, or nothing for other hosts. */
export function otherLocalKeys(key: string): string[] {
  const [host = ''] = /^(\[.*?\]|[^:/]*)/.exec(key) ?? [];
  if (!LOCAL_HOSTS.includes(host)) return [];
  return LOCAL_HOSTS.filter((name) => name !== host).map((name) => name + key.slice(host.length));
}

function addressOf(url: URL): SiteAddress {
  const path = url.pathname.replace(/\/+$/, '');
  const host = url.host.replace(/\.(?=:|$)/, '');
  return {
    url: `${url.protocol}//${host}${path}/`,
    key: `${host.replace(/^www\./, '')}${path}`,
    label: `${host}${path}`,
    name: truncate(toUnicodeAddress(`${host}${path}`), MAX_NAME),
  };
}

/**
 * Returns an address with its host in Unicode: `xn--bcher-kva.example:81/shop` is `bücher.example:81/shop`. The address
 * has no scheme.
 */
export function toUnicodeAddress(address: string): string {
  const [host = ''] = address.split(/[:/]/, 1);
  // The result is empty if the host is not valid.
  const readable = host.includes('xn--') ? domainToUnicode(host) : '';
  return readable === '' ? address : readable + address.slice(host.length);
}

/** Adopts the host that the child reports if only `www.` differs. Keeps the scheme as entered. */
export function adoptReportedWww(address: SiteAddress, stated: string | null): SiteAddress {
  const url = stated === null ? null : parseUrl(stated);
  if (!url) return address;
  const said = addressOf(url);
  if (said.key !== address.key || said.label === address.label) return address;
  const scheme = address.url.slice(0, address.url.indexOf('//'));
  return { ...said, url: `${scheme}${said.url.slice(said.url.indexOf('//'))}` };
}
