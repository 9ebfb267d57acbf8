import type * as ToughCookie from 'tough-cookie';
import { loadLate } from '../shared/load-late.ts';

const toughCookie = loadLate<typeof ToughCookie>('tough-cookie');

/**
 * Cookies of the sites. They are sessions of an administrator, so they are only in memory (protocol 6). Without them
 * every signed call opens two new sessions on the child (protocol 0.10).
 */
export interface SiteCookies {
  headerFor(siteId: number | null, url: URL): string | null;
  store(siteId: number | null, url: URL, setCookie: string | string[] | undefined): void;
  forget(siteId: number): void;
  readonly size: number;
}

interface StoredCookie {
  name: string;
  pair: string;
  path: string;
  isSecure: boolean;
  /** In milliseconds since 1970. Infinity for a session cookie. */
  expiresAt: number;
}

/**
 * Cookies of one site. A sync of a large fleet fills and reads a jar per site. The jar of tough-cookie would take three
 * times as long.
 */
interface CookieJar {
  host: string;
  /** In the order in which they were first set. */
  cookies: StoredCookie[];
}

const MAX_SITES = 10_000;
const MAX_PER_ANSWER = 20;
const MAX_LENGTH = 2_048;
/**
 * Maximum size of the names and values in a jar. Web servers refuse a header line above 8 KB, so a site that sets
 * cookie after cookie would lock itself out until they expire. The jar is for WordPress sessions, which take 200 bytes
 * each.
 */
const MAX_JAR = 4_096;
const IS_SESSION = /^wordpress_/;
const IS_LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export function createSiteCookies(maxSites = MAX_SITES): SiteCookies {
  const jars = new Map<number, CookieJar>();

  return {
    headerFor(siteId, url) {
      const jar = siteId === null ? undefined : jars.get(siteId);
      return jar?.host === url.host ? cookieHeaderOf(jar.cookies, url) : null;
    },
    store(siteId, url, setCookie) {
      const lines = typeof setCookie === 'string' ? [setCookie] : (setCookie ?? []);
      if (siteId === null || lines.length === 0) return;
      const known = jars.get(siteId);
      // A jar belongs to one host. If the site has moved, the cookies of the old host are invalid.
      const cookies = known?.host === url.host ? [...known.cookies] : [];
      for (const line of lines.slice(0, MAX_PER_ANSWER)) {
        const cookie = line.length <= MAX_LENGTH ? parseCookie(line, url) : null;
        if (!cookie) continue;
        const place = cookies.findIndex(({ name, path }) => name === cookie.name && path === cookie.path);
        cookies.splice(place < 0 ? cookies.length : place, 1, cookie);
      }
      jars.delete(siteId);
      jars.set(siteId, { host: url.host, cookies: limitCookieJarSize(cookies) });
      if (jars.size > maxSites) jars.delete(jars.keys().next().value ?? 0);
    },
    forget: (siteId) => void jars.delete(siteId),
    get size() {
      return jars.size;
    },
  };
}

/** Returns null for a cookie of another host, or without the attributes that its prefix requires (RFC 6265bis). */
function parseCookie(line: string, url: URL): StoredCookie | null {
  const cookie = toughCookie().Cookie.parse(line);
  if (!cookie || (cookie.domain !== null && cookie.domain !== url.hostname)) return null;
  const { key: name, secure: isSecure } = cookie;
  if (/^__(?:Secure|Host)-/.test(name) && !isSecure) return null;
  if (name.startsWith('__Host-') && cookie.path !== '/') return null;
  const path = cookie.path?.startsWith('/') ? cookie.path : toughCookie().defaultPath(url.pathname);
  return { name, pair: cookie.cookieString(), path, isSecure, expiresAt: cookie.expiryTime(new Date()) ?? Infinity };
}

/** Cookies with longer paths are first (RFC 6265, 5.4). */
function cookieHeaderOf(cookies: readonly StoredCookie[], { pathname, protocol, hostname }: URL): string | null {
  const now = Date.now();
  const isTrustworthy = protocol === 'https:' || IS_LOOPBACK.test(hostname);
  const sent = cookies.filter(
    ({ path, isSecure, expiresAt }) =>
      toughCookie().pathMatch(pathname, path) && (!isSecure || isTrustworthy) && expiresAt > now,
  );
  const pairs = sent.sort((a, b) => b.path.length - a.path.length).map(({ pair }) => pair);
  return pairs.length > 0 ? pairs.join('; ') : null;
}

function limitCookieJarSize(cookies: readonly StoredCookie[]): StoredCookie[] {
  const isSession = ({ name }: StoredCookie): boolean => IS_SESSION.test(name);
  const inOrder = [...cookies.filter(isSession).reverse(), ...cookies.filter((each) => !isSession(each)).reverse()];
  let room = MAX_JAR;
  const kept = new Set(inOrder.filter(({ pair }) => (room -= pair.length + '; '.length) >= 0));
  return cookies.filter((cookie) => kept.has(cookie));
}
