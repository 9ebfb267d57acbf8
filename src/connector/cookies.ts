import { Cookie, CookieJar } from 'tough-cookie';

/**
 * Cookies of the sites, in memory only: they are sessions of an administrator there (protocol 6). Without them every signed call
 * opens two new sessions on the child (0.10).
 */
export interface SiteCookies {
  headerFor(siteId: number | null, url: URL): string | null;
  keep(siteId: number | null, url: URL, setCookie: string | string[] | undefined): void;
  forget(siteId: number): void;
  readonly size: number;
}

const MAX_SITES = 10_000;
const MAX_PER_ANSWER = 20;
/** After so many the jar is begun anew: a site that sets another cookie with every answer must not fill our memory. */
const MAX_PER_JAR = 100;
const MAX_LENGTH = 4_096;

export function createSiteCookies(maxSites = MAX_SITES): SiteCookies {
  const jars = new Map<number, { host: string; jar: CookieJar; count: number }>();

  return {
    headerFor(siteId, url) {
      const known = siteId === null ? undefined : jars.get(siteId);
      if (known?.host !== url.host) return null;
      return known.jar.getCookieStringSync(url.href) || null;
    },
    keep(siteId, url, setCookie) {
      const lines = typeof setCookie === 'string' ? [setCookie] : (setCookie ?? []);
      if (siteId === null || lines.length === 0) return;
      let known = jars.get(siteId);
      // A jar belongs to one host: when the site moved, what the old host gave is void.
      if (known?.host !== url.host || known.count > MAX_PER_JAR) {
        known = { host: url.host, jar: new CookieJar(undefined, { rejectPublicSuffixes: false }), count: 0 };
      }
      for (const line of lines.slice(0, MAX_PER_ANSWER)) {
        const cookie = line.length <= MAX_LENGTH ? Cookie.parse(line) : undefined;
        if (!cookie || (cookie.domain !== null && cookie.domain !== url.hostname)) continue;
        cookie.domain = null;
        known.jar.setCookieSync(cookie, url.href, { ignoreError: true });
        known.count += 1;
      }
      jars.delete(siteId);
      jars.set(siteId, known);
      if (jars.size > maxSites) jars.delete(jars.keys().next().value ?? 0);
    },
    forget: (siteId) => void jars.delete(siteId),
    get size() {
      return jars.size;
    },
  };
}
