import { Cookie, CookieJar } from 'tough-cookie';

/**
 * Cookies of the sites. They are sessions of an administrator, so they are only in memory (protocol 6). Without them
 * every signed call opens two new sessions on the child (0.10).
 */
export interface SiteCookies {
  headerFor(siteId: number | null, url: URL): string | null;
  store(siteId: number | null, url: URL, setCookie: string | string[] | undefined): void;
  forget(siteId: number): void;
  readonly size: number;
}

interface StoredCookieJar {
  host: string;
  text: string;
  header?: { url: string; value: string | null; until: number };
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

export function createSiteCookies(maxSites = MAX_SITES): SiteCookies {
  // Jars are stored as text, which takes a fraction of their memory. A large fleet has one jar per site.
  const jars = new Map<number, StoredCookieJar>();

  return {
    headerFor(siteId, url) {
      const known = siteId === null ? undefined : jars.get(siteId);
      if (known?.host !== url.host) return null;
      if (known.header?.url !== url.href || known.header.until <= Date.now())
        known.header = readCookieHeader(known.text, url.href);
      return known.header.value;
    },
    store(siteId, url, setCookie) {
      const lines = typeof setCookie === 'string' ? [setCookie] : (setCookie ?? []);
      if (siteId === null || lines.length === 0) return;
      const known = jars.get(siteId);
      // A jar belongs to one host. If the site has moved, the cookies of the old host are invalid.
      const jar =
        known?.host === url.host
          ? CookieJar.deserializeSync(known.text)
          : new CookieJar(undefined, { rejectPublicSuffixes: false });
      for (const line of lines.slice(0, MAX_PER_ANSWER)) {
        const cookie = line.length <= MAX_LENGTH ? Cookie.parse(line) : undefined;
        if (!cookie || (cookie.domain !== null && cookie.domain !== url.hostname)) continue;
        cookie.domain = null;
        jar.setCookieSync(cookie, url.href, { ignoreError: true });
      }
      jars.delete(siteId);
      jars.set(siteId, { host: url.host, text: JSON.stringify(limitCookieJarSize(jar)) });
      if (jars.size > maxSites) jars.delete(jars.keys().next().value ?? 0);
    },
    forget: (siteId) => void jars.delete(siteId),
    get size() {
      return jars.size;
    },
  };
}

function readCookieHeader(text: string, url: string): NonNullable<StoredCookieJar['header']> {
  const cookies = CookieJar.deserializeSync(text).getCookiesSync(url);
  const value = cookies.map((cookie) => cookie.cookieString()).join('; ') || null;
  return { url, value, until: Math.min(...cookies.map((cookie) => cookie.expiryTime() ?? Infinity)) };
}

function limitCookieJarSize(jar: CookieJar): object {
  const whole = jar.serializeSync();
  const cookies = whole?.cookies ?? [];
  const sizeOf = ({ key, value }: (typeof cookies)[number]): number => `${String(key)}=${String(value)}; `.length;
  const isSession = ({ key }: (typeof cookies)[number]): boolean => IS_SESSION.test(String(key));
  // The jar lists cookies in the order in which they were set. Sessions are kept first, then the newest cookies.
  const inOrder = [...cookies.filter(isSession).reverse(), ...cookies.filter((each) => !isSession(each)).reverse()];
  let room = MAX_JAR;
  const kept = new Set(inOrder.filter((cookie) => (room -= sizeOf(cookie)) >= 0));
  return { ...whole, cookies: cookies.filter((cookie) => kept.has(cookie)) };
}
