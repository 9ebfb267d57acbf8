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

export interface EnteredAddress extends SiteAddress {
  /** True if parts were removed that are never in the address of a home page. */
  isShortened: boolean;
}

const refuseSiteUrl = (message: string): never => {
  throw new CodedInvalidError('svc_invalid_url', message, { errors: [{ path: 'url', message }] });
};

/**
 * Matches a path from its first folder or file that belongs to WordPress, such as `/wp-admin`. Never matches a host.
 */
const BEHIND_HOME =
  /(?<!:\/)\/(?:wp-admin|wp-content|wp-includes|wp-json|(?:index|wp-login|wp-signup|wp-cron|xmlrpc)\.php)(?:\/.*)?$/s;

/**
 * Returns the address of the home page. The child plugin responds at other addresses of a site too, but health checks
 * need the home page: `https://shop.example/wp-admin/` still works if the home page fails. Records of releases before
 * 0.2 may have such addresses.
 */
export function toHomeUrl(url: string): string {
  return url.replace(BEHIND_HOME, '/');
}

/**
 * Parses the address of a new site. Removes query, fragment, and paths of WordPress such as `/wp-admin`. Throws
 * `svc_invalid_url`.
 */
export function parseSiteUrl(text: string): EnteredAddress {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed)) refuseSiteUrl('must be an http or https URL');
  const url = parseUrl(trimmed) ?? refuseSiteUrl('is not a valid URL');
  if (url.username || url.password)
    refuseSiteUrl('must not contain a user name or password, because they have their own fields');
  const whole = addressOf(url);
  const address = addressOf(new URL(toHomeUrl(whole.url)));
  if (address.url.length > MAX_URL_LENGTH) refuseSiteUrl(`must have at most ${MAX_URL_LENGTH} characters`);
  return { ...address, isShortened: url.search !== '' || url.hash !== '' || address.url !== whole.url };
}

export interface SiteReference {
  key: string;
  /** Key of the home page. Differs from `key` for an address of another page, such as `/wp-admin`. */
  homeKey: string;
  /** True if the home page is a host without a path. */
  bareHost: boolean;
}

export function parseSiteReference(text: string): SiteReference | null {
  const trimmed = text.trim();
  const absolute = /^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = parseUrl(absolute);
  if (!url) return null;
  const { key, url: whole } = addressOf(url);
  const { key: homeKey } = addressOf(new URL(toHomeUrl(whole)));
  return { key, homeKey, bareHost: !homeKey.includes('/') };
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the key with each other name of the local host, such as `127.0.0.1` for `localhost`. Returns nothing for
 * other hosts.
 */
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

/** Adopts the host that the child reports if only `www.` differs. Keeps the scheme of `stored`. Returns the URL. */
export function adoptReportedWww(stored: string, stated: string | null): string {
  const url = stated === null ? null : parseUrl(stated);
  if (!url) return stored;
  const address = addressOf(new URL(stored));
  const said = addressOf(url);
  if (said.key !== address.key || said.label === address.label) return stored;
  const scheme = stored.slice(0, stored.indexOf('//'));
  return `${scheme}${said.url.slice(said.url.indexOf('//'))}`;
}

/** True if an address lies below the address that the site reports as its own. Both are keys. */
export const isBelow = (key: string, reportedKey: string): boolean => key.startsWith(`${reportedKey}/`);
